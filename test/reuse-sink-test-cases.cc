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

/**
 * @ingroup workload-replay-tests
 * @brief A sink of messages hears of every message, and changes nothing.
 */
class ReuseMessageSinkTestCase : public TestCase
{
  public:
    /**
     * @param source trace source of transports
     * @param isIdeal whether there are no packets
     * @param hasAll whether the sink listens to all ranks, else to the first one
     */
    ReuseMessageSinkTestCase(const std::string& source, bool isIdeal, bool hasAll)
        : TestCase("reuse: a sink of " + source + (isIdeal ? ", ideal" : "") +
                   (hasAll ? "" : ", of one rank")),
          m_source(source),
          m_isIdeal(isIdeal),
          m_hasAll(hasAll)
    {
    }

  private:
    void DoRun() override
    {
        ReuseScenario scenario;
        scenario.calls = {4000000, 4000000, 1000000, 4000000};
        scenario.isIdeal = m_isIdeal;
        const auto alone = ReuseRun(scenario, true).outcome;
        NS_TEST_EXPECT_MSG_GT(alone.counts[CollectiveReuse::REUSED], 0, "nobody listens");
        scenario.disturb = [this](const ReuseTransports& transports) {
            for (std::size_t rank = 0; rank < (m_hasAll ? transports.ranks.size() : 1); ++rank)
            {
                transports.ranks[rank]->TraceConnectWithoutContext(
                    m_source,
                    MakeCallback(&ReuseMessageSinkTestCase::Count, this));
            }
        };
        const auto heard = ReuseRun(scenario, true).outcome;
        NS_TEST_EXPECT_MSG_EQ((heard.ends == alone.ends), true, "to listen changes ends");
        NS_TEST_EXPECT_MSG_EQ((heard.messages == alone.messages), true, "messages");
        // Servers that nobody listens to still reuse calls. Of one rank its server's four calls,
        // and of all ranks those of three servers, are simulated for the sink.
        NS_TEST_EXPECT_MSG_EQ((heard.counts[CollectiveReuse::REUSED] > 0), !m_hasAll, "reused");
        NS_TEST_EXPECT_MSG_EQ(heard.observed, m_hasAll ? 12 : 4, "calls that are listened to");
        // A ring of four ranks: each sends and receives six messages in an all-reduce.
        NS_TEST_EXPECT_MSG_EQ(m_messages, (m_hasAll ? ReuseRun::WORLD : 1) * 4 * 6, "messages");
    }

    /**
     * @param message a message
     */
    void Count(const Message& message [[maybe_unused]])
    {
        ++m_messages;
    }

    const std::string m_source; //!< trace source
    const bool m_isIdeal;       //!< there are no packets
    const bool m_hasAll;        //!< the sink listens to all ranks
    uint64_t m_messages{0};     //!< messages heard of
};

} // namespace

std::vector<TestCase*>
MakeReuseSinkTestCases()
{
    return {new ReuseMessageSinkTestCase("Posted", false, true),
            new ReuseMessageSinkTestCase("Arrived", false, false),
            new ReuseMessageSinkTestCase("Arrived", true, true),
            new ReuseSinkTestCase("a sink hears of all packets", 1, true),
            new ReuseSinkTestCase("a sink hears of all packets of trains", 1024, true),
            new ReuseSinkTestCase("a sink of one host's ports", 1, false)};
}

} // namespace ns3
