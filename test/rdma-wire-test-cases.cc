/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a data packet on the wire beside its payload: Ethernet 14 + 4, IPv4 20, UDP 8, base
/// transport header 12, invariant checksum 4; preamble 8, gap 12.
constexpr int64_t HEADERS = 62 + 20;

/// Bytes of an acknowledgement on the wire: 4 more.
constexpr int64_t ACK = HEADERS + 4;

/// Propagation delay of all links, ns.
constexpr int64_t DELAY = 500;

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases with two hosts at the ends of a chain of switches. At 8 Gb/s a byte
 * takes one nanosecond.
 */
class ChainTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * @param rates rate of each link from rank 0 to rank 1
     */
    void MakeChain(const std::vector<std::string>& rates)
    {
        TopologyGraph graph;
        const uint32_t first = graph.AddHost("h0");
        const uint32_t last = graph.AddHost("h1");
        uint32_t from = first;
        for (uint32_t link = 0; link < rates.size(); ++link)
        {
            const bool isLast = link + 1 == rates.size();
            const uint32_t to = isLast ? last : graph.AddSwitch("s" + std::to_string(link));
            graph.AddLink(from, to, DataRate(rates[link]), NanoSeconds(DELAY));
            from = to;
        }
        Install(graph);
    }

    /**
     * @param bytes size of a message
     * @param mtu payload of a full packet
     * @return bytes that its packets take on a wire
     */
    static int64_t GetWireBytes(uint64_t bytes, uint32_t mtu)
    {
        const uint64_t full = bytes == 0 ? 0 : (bytes - 1) / mtu;
        return static_cast<int64_t>(full) * GetPacketBytes(mtu) +
               GetPacketBytes(bytes - full * mtu);
    }

    /**
     * @param payload payload of a packet
     * @return bytes that it takes on a wire: InfiniBand pads payload to a multiple of 4, Ethernet
     *         frames to 64
     */
    static int64_t GetPacketBytes(uint64_t payload)
    {
        return std::max<int64_t>(HEADERS + static_cast<int64_t>((payload + 3) / 4 * 4), 64 + 20);
    }

    /**
     * Check the times of a message that was alone on links of 8 Gb/s.
     *
     * @param number the message
     * @param links number of links
     * @param mtu payload of a full packet
     */
    void ExpectAlone(uint32_t number, int64_t links, uint32_t mtu)
    {
        const Message& message = m_fates.at(number).message;
        // All packets pass the first link, and the longest of them each other link once more.
        const int64_t longest = GetPacketBytes(std::min<uint64_t>(message.bytes, mtu));
        const int64_t time =
            GetWireBytes(message.bytes, mtu) + (links - 1) * longest + links * DELAY;
        const Time arrival = message.postedAt + NanoSeconds(time);
        ExpectTimes(number, arrival + NanoSeconds(links * (ACK + DELAY)), arrival);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Store and forward over 1 to 10 links; sizes of 0, 1, k packets, and k packets and a byte.
 */
class WireDelayTestCase : public ChainTestCase
{
  public:
    WireDelayTestCase()
        : ChainTestCase("wire: store and forward, sizes of messages")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t links : {2, 3, 10})
        {
            Check(links);
        }
        CheckRates();
    }

    /**
     * @param links number of links
     */
    void Check(uint32_t links)
    {
        Reset();
        m_fabric->SetMtu(1000);
        MakeChain(std::vector<std::string>(links, "8Gbps"));
        Time at;
        uint64_t packets = 0;
        for (const uint64_t bytes : {0, 1, 999, 1000, 1001, 5000, 5001, 64000, 100000})
        {
            Post(at, 0, 1, bytes);
            at += MilliSeconds(1);
            packets += std::max<uint64_t>(1, (bytes + 999) / 1000);
        }
        Simulator::Run();
        for (uint32_t number = 0; number < m_fates.size(); ++number)
        {
            ExpectAlone(number, links, 1000);
        }
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(0, 0)->GetCounters().packets,
                              packets,
                              "packets of all messages");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetNSenders(), 1, "one queue pair");
    }

    /// A packet over links of several rates, and a message through the slowest.
    void CheckRates()
    {
        Reset();
        m_fabric->SetMtu(1000);
        MakeChain({"8Gbps", "4Gbps", "16Gbps"});
        const uint32_t one = Post(Time(0), 0, 1, 920);
        const uint32_t many = Post(MilliSeconds(1), 0, 1, 920 + 100 * 1000);
        Simulator::Run();
        // 1002 bytes: 1002 + 2004 + 501 ns. An acknowledgement: 86 + 172 + 43 ns.
        const Time arrival = NanoSeconds(3507 + 3 * DELAY);
        ExpectTimes(one, arrival + NanoSeconds(301 + 3 * DELAY), arrival);
        // 1082 bytes on the first link, all on the second, and the last on the third.
        const Time end = NanoSeconds(1082 + 2 * (100 * 1082 + 1002) + 501 + 3 * DELAY);
        NS_TEST_EXPECT_MSG_EQ(m_fates[many].arrivedAt, MilliSeconds(1) + end, "the slowest link");
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A message beyond 32 bits at line rate, to the nanosecond.
 */
class WireLongMessageTestCase : public ChainTestCase
{
  public:
    WireLongMessageTestCase()
        : ChainTestCase("wire: 5 GiB at line rate")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        m_fabric->SetMtu(65000);
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(10000000));
        MakeChain({"8Gbps", "8Gbps"});
        const uint32_t number = Post(Time(0), 0, 1, 5ULL << 30);
        Simulator::Run();
        ExpectAlone(number, 2, 65000);
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Two links of an NVLink domain rather than two of the network, and both at a time.
 */
class WireNvlinkTestCase : public RdmaTestCase
{
  public:
    WireNvlinkTestCase()
        : RdmaTestCase("wire: NVLink")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        TopologyGraph graph;
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddHost("h" + std::to_string(host), host / 2);
        }
        const uint32_t nvswitch = graph.AddNvswitch("nvs", 0);
        const uint32_t leaf = graph.AddSwitch("leaf");
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddLink(host, leaf, DataRate("100Gbps"), NanoSeconds(500));
        }
        graph.AddLink(0, nvswitch, DataRate("810Gbps"), NanoSeconds(100), true);
        graph.AddLink(1, nvswitch, DataRate("810Gbps"), NanoSeconds(100), true);
        Install(graph);
        const uint32_t inside = Post(Time(0), 0, 1, 10 * MTU);
        const uint32_t outside = Post(Time(0), 0, 2, 10 * MTU);
        Simulator::Run();
        // A packet takes 40 and 324 ns.
        NS_TEST_EXPECT_MSG_EQ(m_fates[inside].arrivedAt, NanoSeconds(11 * 40 + 2 * 100), "NVLink");
        NS_TEST_EXPECT_MSG_EQ(m_fates[outside].arrivedAt, NanoSeconds(11 * 324 + 2 * 500), "NIC");
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief One queue pair per destination and channel, however many messages; their order; queue
 * pairs of a port take turns.
 */
class WireQueuePairTestCase : public RdmaTestCase
{
  public:
    WireQueuePairTestCase()
        : RdmaTestCase("wire: queue pairs and order")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        Install(MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        for (uint32_t number = 0; number < 10000; ++number)
        {
            // Sizes of 0 to 3 packets, some posted at the same time.
            Post(NanoSeconds(number / 3 * 100), 0, 1, number * 7919ULL % 12000);
        }
        for (uint32_t number = 0; number < 60; ++number)
        {
            Post(MicroSeconds(400 + number), 1, 2 + number % 2, 1000 * number, number % 3);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(0)->GetNSenders(), 1, "one destination");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(1)->GetNSenders(), 6, "2 destinations x 3 channels");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetNic(2)->GetNSenders(), 0, "it has sent nothing");
        CheckTurns();
        CheckBacklog();
    }

    /// A simulation that ends with very many messages under way can be taken down.
    void CheckBacklog()
    {
        Reset();
        Install(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        Message message;
        message.destination = 1;
        for (uint32_t number = 0; number < 300000; ++number)
        {
            m_transports[0]->Send(message);
        }
        Simulator::Stop(NanoSeconds(10));
        Simulator::Run();
        Reset();
    }

    /// Equal messages by queue pairs that take turns end a packet after each other.
    void CheckTurns()
    {
        Reset();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        Install(MakeStar(4, "100Gbps", NanoSeconds(DELAY)));
        for (uint32_t destination = 1; destination < 4; ++destination)
        {
            Post(Time(0), 0, destination, 100 * MTU);
        }
        Simulator::Run();
        // The first one is alone and begins; then it is first in the ring: 0 0 1 2 0 1 2 ...
        const std::vector<uint32_t> ends{2 + 3 * 98, 299, 300};
        for (uint32_t number = 0; number < 3; ++number)
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivedAt,
                                  NanoSeconds(ends[number] * 324 + 324 + 2 * DELAY),
                                  "message " << number);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A window of any size is used, and never stalls for want of an acknowledgement.
 */
class WireWindowTestCase : public RdmaTestCase
{
  public:
    WireWindowTestCase()
        : RdmaTestCase("wire: a fixed window, acknowledged in time")
    {
    }

  private:
    void DoRun() override
    {
        Check(1, false);
        Check(1, true);
        Check(3, false);
        Check(7, false);
    }

    /**
     * Send 100 packets through a window.
     *
     * @param window the window, packets
     * @param selective whether repeat is selective
     */
    void Check(uint32_t window, bool selective)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        Install(MakeStar(2, "100Gbps", NanoSeconds(5000)));
        m_fabric->GetCongestionControl()->SetAttribute("Window", UintegerValue(window * MTU));
        m_windows.clear();
        m_fabric->GetNic(0)->TraceConnectWithoutContext(
            "Window",
            MakeCallback(&WireWindowTestCase::NoteWindow, this));
        Post(Time(0), 0, 1, 100 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ((m_windows == std::vector<double>{0, window * 1.0 * MTU}),
                              true,
                              "the window is told once");
        // A window per round trip: 2 x 324 ns there, 2 x 7 ns back, and 4 x 5 us, at the least; an
        // acknowledgement that answers 4 packets may come 3 packets late.
        const int64_t rounds = (100 + window - 1) / window;
        const Time roundTrip = NanoSeconds(640 + 14 + 20000);
        NS_TEST_EXPECT_MSG_LT(m_fates[0].sentAt,
                              roundTrip * rounds + NanoSeconds(324) * (100 + 3 * rounds),
                              "the window of " << window << " packets stalls");
        NS_TEST_EXPECT_MSG_GT(m_fates[0].sentAt,
                              roundTrip * (100 / window) - NanoSeconds(100),
                              "the window of " << window << " packets is overrun");
    }

    /**
     * Note how a window changes, as RdmaNic::ControlTracedCallback.
     *
     * @param [in] sender the queue pair
     * @param [in] before window before, packets
     * @param [in] window window after, packets
     */
    void NoteWindow(const RdmaSender& sender [[maybe_unused]], double before, double window)
    {
        m_windows.push_back(before);
        m_windows.push_back(window);
    }

    std::vector<double> m_windows; //!< windows before and after each change, bytes
};

/**
 * @ingroup workload-replay-tests
 * @brief An acknowledgement of several packets is marked if one of them was, whichever.
 */
class WireMarkTestCase : public RdmaTestCase
{
  public:
    WireMarkTestCase()
        : RdmaTestCase("wire: marks of the packets that are acknowledged together")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t marked = 0; marked < 8; ++marked)
        {
            Reset();
            m_fabric->SetNicAttribute("AckInterval", UintegerValue(4));
            m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
            Install(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
            m_marked = marked;
            m_echoes.clear();
            m_fabric->GetDevice(1, 1)->TraceConnectWithoutContext(
                "PhyRxEnd",
                MakeCallback(&WireMarkTestCase::MarkOne, this));
            m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
                "PhyRxEnd",
                MakeCallback(&WireMarkTestCase::NoteEcho, this));
            Post(Time(0), 0, 1, 8 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            const std::vector<bool> expected{marked < 4, marked >= 4};
            NS_TEST_EXPECT_MSG_EQ((m_echoes == expected), true, "packet " << marked);
        }
    }

    /**
     * Mark a packet as a switch on the way would have.
     *
     * @param packet packet that has come to the receiver
     */
    void MarkOne(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA && packet.sequence == m_marked)
        {
            const_cast<RdmaPacket&>(packet).marked = true;
        }
    }

    /**
     * @param packet packet that has come to the sender
     */
    void NoteEcho(const RdmaPacket& packet)
    {
        m_echoes.push_back(packet.marked);
    }

    uint64_t m_marked{0};       //!< number of the packet that is marked
    std::vector<bool> m_echoes; //!< of each acknowledgement, whether it is marked
};

} // namespace

std::vector<TestCase*>
MakeRdmaWireTestCases()
{
    return {new WireDelayTestCase,
            new WireLongMessageTestCase,
            new WireNvlinkTestCase,
            new WireQueuePairTestCase,
            new WireWindowTestCase,
            new WireMarkTestCase};
}

} // namespace ns3
