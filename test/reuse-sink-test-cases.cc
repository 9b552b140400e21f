/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reuse-sink-test-cases.h"

#include "reuse-run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A sink of ports hears of every packet that their counters tell of, and changes nothing.
 */
class ReuseSinkTestCase : public TestCase
{
  public:
    /**
     * @param name what is done
     * @param maxTrain most packets of a train
     * @param hasAll whether the sink listens to all ports, else to those of the first rank
     */
    ReuseSinkTestCase(const std::string& name, uint32_t maxTrain, bool hasAll)
        : TestCase("reuse: " + name),
          m_maxTrain(maxTrain),
          m_hasAll(hasAll)
    {
    }

  private:
    void DoRun() override
    {
        ReuseScenario scenario;
        scenario.calls = {4000000, 4000000, 1000000, 4000000};
        scenario.maxTrain = m_maxTrain;
        const auto alone = ReuseRun(scenario, true).outcome;
        NS_TEST_EXPECT_MSG_GT(alone.counts[CollectiveReuse::REUSED], 0, "nobody listens");
        scenario.disturb = [this](const ReuseTransports& transports) { Listen(transports); };
        const auto heard = ReuseRun(scenario, true).outcome;
        NS_TEST_EXPECT_MSG_EQ((heard.ends == alone.ends), true, "to listen changes ends");
        NS_TEST_EXPECT_MSG_EQ((heard.counts[CollectiveReuse::REUSED] > 0),
                              !m_hasAll,
                              "servers that nobody listens to reuse calls");
        uint64_t expected = 0;
        for (std::size_t port = 0; port < heard.ports.size(); ++port)
        {
            NS_TEST_EXPECT_MSG_EQ(heard.ports[port].packets,
                                  alone.ports[port].packets,
                                  "packets at " << port);
            expected += m_isHeard[port] ? heard.ports[port].packets : 0;
        }
        NS_TEST_EXPECT_MSG_GT(expected, 0, "packets are sent");
        NS_TEST_EXPECT_MSG_EQ(m_packets, expected, "packets heard of");
    }

    /**
     * @param transports what the ranks send by
     */
    void Listen(const ReuseTransports& transports)
    {
        const auto& graph = transports.network->GetGraph();
        const auto first = graph.GetHosts()[0];
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                m_isHeard.push_back(m_hasAll || node == first);
                if (m_isHeard.back())
                {
                    transports.network->GetPort(link, node)
                        ->TraceConnectWithoutContext("PhyTxBegin",
                                                     MakeCallback(&ReuseSinkTestCase::Count, this));
                }
            }
        }
    }

    /**
     * @param packet a packet or a train that is sent
     */
    void Count(const RdmaPacket& packet)
    {
        m_packets += packet.type < RdmaPacket::PAUSE ? packet.train.count : 0;
    }

    const uint32_t m_maxTrain;   //!< most packets of a train
    const bool m_hasAll;         //!< the sink listens to all ports
    std::vector<bool> m_isHeard; //!< by port, in the order of ReuseOutcome: the sink listens to it
    uint64_t m_packets{0};       //!< packets heard of
};

} // namespace

std::vector<TestCase*>
MakeReuseSinkTestCases()
{
    return {new ReuseSinkTestCase("a sink hears of all packets", 1, true),
            new ReuseSinkTestCase("a sink hears of all packets of trains", 1024, true),
            new ReuseSinkTestCase("a sink of one host's ports", 1, false)};
}

} // namespace ns3
