/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief What holds of packets holds of trains, on ports that queue pairs share.
 *
 * Two leaves of four hosts and two spines, DCQCN, and messages from and to hosts drawn at random:
 * nothing is lost, and a queue pair has one path. So nothing may be sent twice, and what a queue
 * pair sends comes in order. Marks, and the longest queue of the fabric, are those of plain packets
 * in the mean of the seeds.
 */
class TrainInvariantsTestCase : public RdmaTestCase
{
  public:
    TrainInvariantsTestCase()
        : RdmaTestCase("trains: order, marks and queues on shared ports are those of packets")
    {
    }

  private:
    /// What a run, or the mean of several, has seen.
    struct Count
    {
        double marks{0};    //!< packets marked
        double maxQueue{0}; //!< most bytes that have waited at a port of a switch
        double units{0};    //!< what was sent as one, at the ports of hosts
    };

    void DoRun() override
    {
        Count packets;
        Count trains;
        for (uint32_t seed = 1; seed <= SEEDS; ++seed)
        {
            Add(packets, Run(seed, 1));
            Add(trains, Run(seed, 1024));
        }
        // Otherwise nothing is tested.
        NS_TEST_EXPECT_MSG_GT(packets.marks, 1000 * SEEDS, "there is congestion");
        NS_TEST_EXPECT_MSG_LT(trains.units * 3, packets.units, "there are trains");
        NS_TEST_EXPECT_MSG_EQ_TOL(trains.marks, packets.marks, 0.3 * packets.marks, "marks");
        NS_TEST_EXPECT_MSG_EQ_TOL(trains.maxQueue,
                                  packets.maxQueue,
                                  0.3 * packets.maxQueue,
                                  "largest queue");
    }

    /**
     * @param sum counts of runs
     * @param run what is added to them
     */
    static void Add(Count& sum, const Count& run)
    {
        sum.marks += run.marks;
        sum.maxQueue += run.maxQueue;
        sum.units += run.units;
    }

    /**
     * @param seed what messages, marks and paths are drawn by
     * @param maxTrain most packets of a train
     * @return what was seen
     */
    Count Run(uint32_t seed, uint32_t maxTrain)
    {
        Reset();
        m_next.clear();
        m_units = 0;
        m_fabric->SetCongestionControl("ns3::RdmaDcqcn");
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
        Install(MakeLeafSpine());
        m_fabric->AssignStreams(1000 * seed);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            m_fabric->GetNic(host)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&TrainInvariantsTestCase::SentTwice, this));
            m_fabric->GetDevice(host, host)
                ->TraceConnectWithoutContext("PhyRxEnd",
                                             MakeCallback(&TrainInvariantsTestCase::Receive, this));
        }
        PostAll(seed);
        Simulator::Run();
        ExpectAllDelivered();
        return CountPorts();
    }

    /// @return hosts 0 to 3 at one leaf, 4 to 7 at the other, link h to host h, two spines
    static TopologyGraph MakeLeafSpine()
    {
        TopologyGraph graph;
        const DataRate rate("100Gbps");
        const Time delay = NanoSeconds(500);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t leaves[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        const uint32_t spines[] = {graph.AddSwitch("spine0"), graph.AddSwitch("spine1")};
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddLink(host, leaves[2 * host / HOSTS], rate, delay);
        }
        for (const uint32_t leaf : leaves)
        {
            for (const uint32_t spine : spines)
            {
                graph.AddLink(leaf, spine, rate, delay);
            }
        }
        return graph;
    }

    /**
     * Each host sends messages of 8 MB to others, some of them at once.
     *
     * @param seed what they are drawn by
     */
    void PostAll(uint32_t seed)
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7 + seed);
        for (uint32_t message = 0; message < MESSAGES; ++message)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                const uint32_t other = (host + random->GetInteger(1, HOSTS - 1)) % HOSTS;
                const Time at = MicroSeconds(1000 * message + random->GetInteger(0, 1500));
                Post(at, host, other, 8000000);
            }
        }
    }

    /// @return what switches have marked and stored, and what hosts have sent
    Count CountPorts()
    {
        Count count;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const RdmaPortCounters counters = m_fabric->GetDevice(link, node)->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(counters.drops, 0, "nothing is lost at link " << link);
                count.marks += static_cast<double>(counters.marks);
                if (node >= HOSTS)
                {
                    count.maxQueue =
                        std::max(count.maxQueue, static_cast<double>(counters.maxQueue));
                }
            }
        }
        count.units = static_cast<double>(m_units);
        return count;
    }

    /**
     * A host has got packets.
     *
     * @param packet packets that have come as one
     */
    void Receive(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            ++m_units;
            uint64_t& next = m_next[{packet.source, packet.senderQp}];
            NS_TEST_EXPECT_MSG_EQ(packet.sequence, next, "the next one of its queue pair");
            next = packet.sequence + packet.train.count;
        }
    }

    /**
     * @param packet what is sent again
     */
    void SentTwice(const RdmaPacket& packet)
    {
        NS_TEST_EXPECT_MSG_EQ(packet.sequence, UINT64_MAX, "a packet is sent again");
    }

    static constexpr uint32_t SEEDS = 4;     //!< runs with trains and without
    static constexpr uint32_t HOSTS = 8;     //!< half of them at each leaf
    static constexpr uint32_t MESSAGES = 10; //!< of each host

    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_next; //!< number of the packet that is due,
                                                              //!< by sender and its queue pair
    uint64_t m_units{0}; //!< data that has come to hosts: trains and single packets
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainSharedTestCases()
{
    return {new TrainInvariantsTestCase};
}

} // namespace ns3
