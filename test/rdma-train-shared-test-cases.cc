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
 * @brief Base of the cases: nothing may be sent twice, and what a queue pair sends has to come in
 * order, as nothing is lost and a queue pair has one path.
 */
class TrainOrderTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Make a fabric, and watch its hosts. Host h has link h.
     *
     * @param control TypeId name of the congestion control
     * @param graph the fabric
     * @param maxTrain most packets of a train
     */
    void InstallAndWatch(const std::string& control, const TopologyGraph& graph, uint32_t maxTrain)
    {
        m_next.clear();
        m_units = 0;
        m_packets = 0;
        m_payload = 0;
        m_fabric->SetCongestionControl(control);
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
        Install(graph);
        for (uint32_t host = 0; host < m_transports.size(); ++host)
        {
            m_fabric->GetNic(host)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&TrainOrderTestCase::SentTwice, this));
            m_fabric->GetDevice(host, host)
                ->TraceConnectWithoutContext("PhyRxEnd",
                                             MakeCallback(&TrainOrderTestCase::Receive, this));
        }
    }

    /// Check that all payload has arrived, in as many packets as it needs, and that none is left.
    void ExpectConserved()
    {
        ExpectAllDelivered();
        uint64_t packets = 0;
        uint64_t payload = 0;
        for (const Fate& fate : m_fates)
        {
            packets += (fate.message.bytes + MTU - 1) / MTU;
            payload += fate.message.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(m_packets, packets, "packets that have come");
        NS_TEST_EXPECT_MSG_EQ(m_payload, payload, "bytes that have come");
        for (uint32_t node = 0; node < m_fabric->GetNetwork()->GetGraph().GetNNodes(); ++node)
        {
            if (const auto forwarding = m_fabric->GetSwitch(node))
            {
                NS_TEST_EXPECT_MSG_EQ(forwarding->GetBuffer().GetStored(), 0, "left at " << node);
            }
        }
    }

    uint64_t m_units{0}; //!< data that has come to hosts: trains and single packets

  private:
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
            m_packets += packet.train.count;
            m_payload += packet.payload;
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

    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_next; //!< number of the packet that is due,
                                                              //!< by sender and its queue pair
    uint64_t m_packets{0};                                    //!< packets that have come to hosts
    uint64_t m_payload{0};                                    //!< bytes of payload of them
};

/**
 * @ingroup workload-replay-tests
 * @brief A queue pair that another one has slowed down meets no queue any more: its rate grows
 * while it sends trains at its own pace, some of them while it pauses behind one.
 */
class TrainRecoveryTestCase : public TrainOrderTestCase
{
  public:
    TrainRecoveryTestCase()
        : TrainOrderTestCase("trains: in order while the rate of their queue pair grows")
    {
    }

  private:
    void DoRun() override
    {
        // The other host's times differ by less than a train takes, so that steps of the rate fall
        // on each part of a pause. At 400 Gb/s trains have some 20 packets, as many as go between
        // two notifications.
        for (uint32_t run = 0; run < 20; ++run)
        {
            Reset();
            InstallAndWatch("ns3::RdmaDcqcn", MakeStar(3, "400Gbps", NanoSeconds(500)), 1024);
            Post(Time(0), 0, 2, 100000000);
            Post(NanoSeconds(200 * run), 1, 2, 12000000);
            m_last = -1;
            m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeCallback(&TrainRecoveryTestCase::Send, this));
            Simulator::Run();
            ExpectConserved();
            NS_TEST_EXPECT_MSG_LT(m_units, 112000000 / MTU / 2, "there are trains");
        }
    }

    /**
     * The first host sends a packet or a train.
     *
     * @param packet what it sends
     */
    void Send(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            const int64_t now = Simulator::Now().GetTimeStep();
            NS_TEST_EXPECT_MSG_GT(now, m_last, "the last packet of the train before is sent first");
            m_last = packet.sentAt;
        }
    }

    int64_t m_last{-1}; //!< time step at which the last packet of the train before is sent
};

/// Who sends to whom.
enum class Traffic
{
    RANDOM, //!< each host to hosts drawn at random
    INCAST, //!< all hosts to one, several times
};

/// A case of TrainInvariantsTestCase.
struct SharedPorts
{
    std::string control; //!< congestion control, name without "ns3::Rdma"
    Traffic traffic;     //!< who sends to whom
    uint32_t seeds;      //!< runs with trains and without
    double saved;        //!< least share of arrivals at hosts that trains spare
    double apart;        //!< most by which messages last longer or shorter with trains, in the mean
};

/**
 * @ingroup workload-replay-tests
 * @brief A figure of trains and of plain packets, in runs of several seeds.
 */
class FigurePair
{
  public:
    /**
     * @param packets the figure of plain packets
     * @param trains the figure of trains, of the same seed
     */
    void Add(double packets, double trains)
    {
        ++m_runs;
        m_packets += packets;
        m_difference += trains - packets;
        m_squares += (trains - packets) * (trains - packets);
    }

    /// @return mean of plain packets
    double GetMean() const
    {
        return m_packets / m_runs;
    }

    /// @return mean of what trains have more
    double GetDifference() const
    {
        return m_difference / m_runs;
    }

    /// @return standard error of that mean
    double GetError() const
    {
        const double mean = GetDifference();
        return std::sqrt(std::max(0.0, m_squares / m_runs - mean * mean) / (m_runs - 1));
    }

  private:
    uint32_t m_runs{0};     //!< seeds
    double m_packets{0};    //!< sum of the figures of packets
    double m_difference{0}; //!< sum of the differences
    double m_squares{0};    //!< sum of their squares
};

/**
 * @ingroup workload-replay-tests
 * @brief What holds of packets holds of trains, on ports that queue pairs share.
 *
 * Two leaves of eight hosts and four spines, on which messages collide. Nothing is sent twice or
 * comes out of order, no byte is lost or left. Marks and the longest queue of the fabric are those
 * of plain packets within 30 %, and durations of messages within 3 % (6 % where they scatter most),
 * in the mean of the seeds, which are so many that three standard errors of the difference are less
 * than that.
 */
class TrainInvariantsTestCase : public TrainOrderTestCase
{
  public:
    /**
     * @param ports congestion control and traffic
     */
    TrainInvariantsTestCase(const SharedPorts& ports)
        : TrainOrderTestCase("trains: as packets on shared ports, " + ports.control +
                             (ports.traffic == Traffic::INCAST ? ", incast" : ", at random")),
          m_ports(ports)
    {
    }

  private:
    /// What a run has seen.
    struct Count
    {
        double marks{0};    //!< packets marked
        double maxQueue{0}; //!< most bytes that have waited at a port of a switch
        double units{0};    //!< what has come to hosts as one
        double duration{0}; //!< of a message in the mean, s
    };

    void DoRun() override
    {
        FigurePair marks;
        FigurePair maxQueue;
        FigurePair units;
        FigurePair duration;
        for (uint32_t seed = 1; seed <= m_ports.seeds; ++seed)
        {
            const Count packets = Run(seed, 1);
            const Count trains = Run(seed, 1024);
            marks.Add(packets.marks, trains.marks);
            maxQueue.Add(packets.maxQueue, trains.maxQueue);
            units.Add(packets.units, trains.units);
            duration.Add(packets.duration, trains.duration);
        }
        // Otherwise nothing is tested.
        NS_TEST_EXPECT_MSG_GT(maxQueue.GetMean(), 50000, "there is congestion");
        NS_TEST_EXPECT_MSG_EQ((units.GetDifference() < 0), (m_ports.saved > 0), "are there trains");
        NS_TEST_EXPECT_MSG_LT(units.GetDifference(),
                              1 - m_ports.saved * units.GetMean(),
                              "trains spare arrivals");
        ExpectAlike(maxQueue, 0.3, "largest queue");
        ExpectAlike(duration, m_ports.apart, "durations");
        // Controls that go by delays hardly let queues grow to where marks begin.
        if (marks.GetMean() > 1000)
        {
            ExpectAlike(marks, 0.3, "marks");
        }
    }

    /**
     * @param figure a figure
     * @param share by how much of it trains may differ
     * @param what what it is
     */
    void ExpectAlike(const FigurePair& figure, double share, const std::string& what)
    {
        const double tolerance = share * figure.GetMean();
        NS_TEST_EXPECT_MSG_LT(3 * figure.GetError(), tolerance, what << ": seeds");
        NS_TEST_EXPECT_MSG_EQ_TOL(figure.GetDifference(), 0, tolerance, what);
    }

    /**
     * @param seed what messages, marks and paths are drawn by
     * @param maxTrain most packets of a train
     * @return what was seen
     */
    Count Run(uint32_t seed, uint32_t maxTrain)
    {
        Reset();
        // No sender is to run out of time however long its packets wait.
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(Seconds(1)));
        InstallAndWatch("ns3::Rdma" + m_ports.control, MakeLeafSpine(), maxTrain);
        m_fabric->AssignStreams(1000 * seed);
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(7 + seed);
        m_ports.traffic == Traffic::INCAST ? PostIncasts() : PostAtRandom();
        Simulator::Run();
        ExpectConserved();
        Count count = CountPorts();
        for (const Fate& fate : m_fates)
        {
            const Time duration = fate.arrivedAt - fate.message.postedAt;
            count.duration += duration.GetSeconds() / static_cast<double>(m_fates.size());
        }
        return count;
    }

    /// @return half of the hosts at each of two leaves, link h to host h, four spines
    static TopologyGraph MakeLeafSpine()
    {
        TopologyGraph graph;
        const DataRate rate("400Gbps");
        const Time delay = NanoSeconds(500);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t leaves[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        std::vector<uint32_t> spines;
        for (uint32_t spine = 0; spine < HOSTS / 4; ++spine)
        {
            spines.push_back(graph.AddSwitch("spine" + std::to_string(spine)));
        }
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

    /// Each host sends messages of 8 MB to others, some of them at once.
    void PostAtRandom()
    {
        for (uint32_t message = 0; message < 5; ++message)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                const uint32_t other = (host + m_random->GetInteger(1, HOSTS - 1)) % HOSTS;
                const Time at = MicroSeconds(250 * message + m_random->GetInteger(0, 249));
                Post(at, host, other, 8000000);
            }
        }
    }

    /// All hosts send 8 MB to one, each of four hosts in turn, with time in between to recover.
    void PostIncasts()
    {
        for (uint32_t sink = 0; sink < 4; ++sink)
        {
            for (uint32_t other = 1; other < HOSTS; ++other)
            {
                const Time at = MilliSeconds(8 * sink) + NanoSeconds(m_random->GetInteger(0, 99));
                Post(at, (sink + other) % HOSTS, sink, 8000000);
            }
        }
    }

    /// @return what switches have marked and stored, and what hosts have got
    Count CountPorts()
    {
        Count count;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
            {
                const PortCounters counters = m_fabric->GetDevice(link, node)->GetCounters();
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

    static constexpr uint32_t HOSTS = 16; //!< half of them at each leaf

    SharedPorts m_ports;                 //!< congestion control and traffic
    Ptr<UniformRandomVariable> m_random; //!< what messages are drawn by
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainSharedTestCases()
{
    std::vector<TestCase*> cases{new TrainRecoveryTestCase};
    // With HPCC, whose packets carry telemetry, there are no trains.
    for (const SharedPorts& ports :
         {SharedPorts{"Dcqcn", Traffic::RANDOM, 20, 0.1, 0.06},
          SharedPorts{"Swift", Traffic::RANDOM, 3, 0.01, 0.03},
          SharedPorts{"NoCongestionControl", Traffic::RANDOM, 3, 0.1, 0.03},
          SharedPorts{"Hpcc", Traffic::RANDOM, 2, 0, 0.03},
          SharedPorts{"Dcqcn", Traffic::INCAST, 5, 0.05, 0.03}})
    {
        cases.push_back(new TrainInvariantsTestCase(ports));
    }
    return cases;
}

} // namespace ns3
