/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-conweave-test-case.h"

#include "ns3/config.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Of three paths two are busy: two out of three pairs have the third one.
 */
class RdmaConweaveBusyTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveBusyTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, busy paths")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.spines = 3;
        Build(shape);
        Install("Conweave");
        const auto port = m_fabric->GetDevice(GetUplink(0, 0), GetLeaf(0));
        for (const uint32_t spine : {0, 1})
        {
            RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::PATH, 64));
            packet->source = GetLeaf(1);
            packet->destination = GetLeaf(0);
            packet->pathTag.path = GetUplink(0, spine);
            packet->pathTag.congestion = RdmaConweave::NOTIFY;
            GetSwitch(0)->Receive(*port, std::move(packet));
        }
        Expect({1.0 / 6, 1.0 / 6, 2.0 / 3}, "two are busy");
        RunUntil(MicroSeconds(17));
        Expect({1.0 / 3, 1.0 / 3, 1.0 / 3}, "no more");
    }

    /**
     * Route packets of many new flows.
     *
     * @param shares shares of them that are to take each spine
     * @param what what is being looked at
     */
    void Expect(const std::vector<double>& shares, const std::string& what)
    {
        const uint32_t flows = 6000;
        std::vector<uint32_t> found(shares.size(), 0);
        for (uint32_t i = 0; i < flows; ++i)
        {
            const auto port = Route(GetLeaf(0), 1, m_flows++, 3);
            for (uint32_t spine = 0; spine < shares.size(); ++spine)
            {
                found[spine] += port == m_fabric->GetDevice(GetUplink(0, spine), GetLeaf(0));
            }
        }
        double chiSquare = 0;
        for (uint32_t spine = 0; spine < shares.size(); ++spine)
        {
            const double off = found[spine] - flows * shares[spine];
            chiSquare += off * off / (flows * shares[spine]);
        }
        NS_TEST_EXPECT_MSG_LT(chiSquare, 13.82, what << ": 0.1 % quantile, 2 degrees of freedom");
    }

    uint32_t m_flows{0}; //!< flows so far
};

/**
 * @ingroup workload-replay
 * @brief Acknowledgements, which nobody replies to, keep to the path of their flow.
 */
class RdmaConweaveAckTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveAckTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, acknowledgements")
    {
    }

  private:
    void DoRun() override
    {
        Build(Shape());
        Install("Conweave");
        for (uint32_t spine = 0; spine < m_shape.spines; ++spine)
        {
            m_fabric->GetDevice(GetUplink(1, spine), GetLeaf(1))
                ->TraceConnectWithoutContext("PhyTxBegin",
                                             MakeBoundCallback(&Count, &m_acks, spine));
        }
        Post(Time(0), 0, 1, 2000 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_acks.size(), 1, "uplinks with acknowledgements");
    }

    /**
     * @param [in,out] acks numbers of acknowledgements by spine
     * @param spine a spine
     * @param packet packet that the last leaf sends to it
     */
    static void Count(std::map<uint32_t, uint32_t>* acks, uint32_t spine, const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::ACK)
        {
            ++(*acks)[spine];
        }
    }

    std::map<uint32_t, uint32_t> m_acks; //!< numbers of acknowledgements by spine
};

/**
 * @ingroup workload-replay
 * @brief Links fail in the midst of messages and come back: every byte arrives.
 */
class RdmaConweaveFailureTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveFailureTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, links fail and come back")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t leaf : {0, 1})
        {
            RunThroughFailures("Conweave", leaf);
            for (uint32_t side = 0; side < 2; ++side)
            {
                const auto& destination = GetChoice(side).GetDestination();
                NS_TEST_EXPECT_MSG_EQ(destination.GetNQueues(), 0, "nothing waits");
                NS_TEST_EXPECT_MSG_GT(destination.GetCounters().held, 0, "something has");
            }
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Topologies and values that are refused.
 */
class RdmaConweaveErrorTestCase : public RdmaConweaveTestCase
{
  public:
    RdmaConweaveErrorTestCase()
        : RdmaConweaveTestCase("rdma routing: conweave, what is refused")
    {
    }

  private:
    void DoRun() override
    {
        Build(Shape());
        m_graph.AddLink(1, GetLeaf(0), DataRate("100Gbps"), MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(GetError(),
                              "routing conweave: error: expected a topology in which each host is "
                              "attached to one switch, which puts its packets in order, found "
                              "host1 at leaf0 and leaf1",
                              "two leaves");
        DoTeardown();
        m_graph.AddHost("host0");
        m_graph.AddHost("host1");
        m_graph.AddLink(0, 1, DataRate("100Gbps"), MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(GetError(),
                              "ns3::RdmaConweaveRouting: error: expected a topology in which all "
                              "hosts are attached to switches, which notify each other of "
                              "congestion, found hosts that are linked to hosts",
                              "no leaves");
        for (const std::string name :
             {"ReplyMargin", "PathBusyTime", "InactiveTime", "ResumeMargin", "ResumeTime"})
        {
            const bool isAccepted = Config::SetDefaultFailSafe("ns3::RdmaConweaveRouting::" + name,
                                                               TimeValue(NanoSeconds(-1)));
            NS_TEST_EXPECT_MSG_EQ(isAccepted, false, name << " below 0");
        }
    }

    /**
     * @return what is said to a fabric that is made now
     */
    std::string GetError()
    {
        try
        {
            Install("Conweave");
        }
        catch (const WorkloadError& error)
        {
            return error.what();
        }
        return "nothing";
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeRdmaConweavePathTestCases()
{
    return {new RdmaConweaveBusyTestCase,
            new RdmaConweaveAckTestCase,
            new RdmaConweaveFailureTestCase,
            new RdmaConweaveErrorTestCase};
}
