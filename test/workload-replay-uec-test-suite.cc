/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/rdma-nscc.h"
#include "ns3/rdma-path-selector.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/string.h"
#include "ns3/uec-protocol.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief REPS by hand: what comes back unmarked is used once, in order, the last eight of it; after
 * a loss it is used over and over.
 */
class RepsTestCase : public TestCase
{
  public:
    RepsTestCase()
        : TestCase("uec: entropy values are recycled, and frozen after a loss")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t values = 16384;
        const auto reps = RdmaPathSelector::Create("reps", values, 1);
        std::set<uint16_t> drawn;
        for (int packet = 0; packet < 100; ++packet)
        {
            drawn.insert(reps->Choose());
        }
        // A hundred of 16384 values: one pair is alike with a chance of a quarter.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(drawn.size(), 97, "without feedback all are drawn");

        reps->Note(5, RdmaPathSelector::GOOD, 0);
        reps->Note(6, RdmaPathSelector::MARKED, 0);
        reps->Note(8, RdmaPathSelector::TRIMMED, 0);
        reps->Note(7, RdmaPathSelector::GOOD, 0);
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 5, "the first that came back");
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 7, "the next, without those that met congestion");

        for (uint16_t value = 1; value <= 9; ++value)
        {
            reps->Note(value, RdmaPathSelector::GOOD, 0);
        }
        for (uint16_t value = 2; value <= 9; ++value)
        {
            NS_TEST_EXPECT_MSG_EQ(reps->Choose(), value, "the last eight of nine");
        }

        const int64_t lostAt = 1000;
        reps->Note(1, RdmaPathSelector::LOST, lostAt);
        // The ring holds 9 where 1 stood, the first place that nine values overwrite.
        const std::vector<uint16_t> ring = GetRing(*reps);
        NS_TEST_EXPECT_MSG_EQ((std::set<uint16_t>(ring.begin(), ring.end()) ==
                               std::set<uint16_t>{2, 3, 4, 5, 6, 7, 8, 9}),
                              true,
                              "frozen, used ones are used again");
        NS_TEST_EXPECT_MSG_EQ((GetRing(*reps) == ring), true, "over and over");

        const int64_t thawedAt = lostAt + MilliSeconds(10).GetTimeStep() + 1;
        reps->Note(77, RdmaPathSelector::GOOD, thawedAt);
        uint32_t known = 0;
        for (int packet = 0; packet < 16; ++packet)
        {
            known += reps->Choose() == 77 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(known, 0, "after 10 ms 16 packets explore");
        NS_TEST_EXPECT_MSG_EQ(reps->Choose(), 77, "then what has come back is used");
    }

    /**
     * @param reps a selector that is frozen
     * @return the next eight values
     */
    static std::vector<uint16_t> GetRing(RdmaPathSelector& reps)
    {
        std::vector<uint16_t> values;
        for (int place = 0; place < 8; ++place)
        {
            values.push_back(reps.Choose());
        }
        return values;
    }
};

/**
 * @ingroup workload-replay
 * @brief The window of NSCC by hand, at 100 Gb/s and a round trip of 12 us, where all constants of
 * the reference are those of its comments: a bandwidth-delay product of 150000 bytes.
 */
class NsccTestCase : public TestCase
{
  public:
    NsccTestCase()
        : TestCase("uec: the window of NSCC by its equations")
    {
    }

  private:
    void DoRun() override
    {
        RdmaPath path;
        path.lineRate = DataRate("100Gbps");
        path.baseRtt = MicroSeconds(12);
        path.networkRtt = MicroSeconds(12);
        path.mtu = 4000;
        const auto parameters = CreateObject<RdmaNscc>();
        auto control = parameters->Create(path);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), 225000, "1.5 bandwidth-delay products");
        NS_TEST_EXPECT_MSG_EQ(control->GetRate(Time(0)), 100e9, "line rate");

        // Late and marked: the target is 9 us; a delay of 108 us, averaged with a weight of 1/80,
        // is 1.35 us, which is no reason to shrink; the sixth brings the average above the
        // target...
        uint32_t acks = 0;
        double average = 0;
        Time now = MicroSeconds(100);
        while (average <= 9)
        {
            average += (30 - average) * 0.0125;
            Acknowledge(*control, now, MicroSeconds(42), true);
            ++acks;
        }
        // ... which is after 29 of 30 us: 30 (1 - 0.9875^29) = 9.17.
        NS_TEST_EXPECT_MSG_EQ(acks, 29, "delays until the average is above the target");
        const double share = 1 - 0.8 * (average - 9) / average;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  225000 * share,
                                  1,
                                  "smaller by 0.8 of the excess");
        const uint64_t once = control->GetWindow();
        Acknowledge(*control, now + MicroSeconds(1), MicroSeconds(42), true);
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), once, "once per round trip");

        // A trimmed packet takes its size off.
        control->PacketTrimmed(now + MicroSeconds(2), 4000, 100000);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  static_cast<double>(once) - 4000,
                                  1,
                                  "a packet less");

        // Growth below the target: alpha = 4 mtu / 12 us by byte and second; after more than
        // eight packets it takes effect, divided by the window.
        control = parameters->Create(path);
        control->PacketTrimmed(MicroSeconds(1), 100000, 0);
        const double before = 125000;
        NS_TEST_EXPECT_MSG_EQ(control->GetWindow(), before, "a smaller window");
        for (int ack = 0; ack < 9; ++ack)
        {
            Acknowledge(*control, MicroSeconds(2), MicroSeconds(16), false);
        }
        const double growth = 9 * 4000 * (4.0 * 4000 / 12e-6) * 5e-6 / before;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(control->GetWindow()),
                                  before + growth,
                                  1,
                                  "by what is missing to the target");
    }

    /**
     * @param control a window
     * @param now the time
     * @param rtt round trip of the packet
     * @param marked whether it was marked
     */
    static void Acknowledge(RdmaRateControl& control, Time now, Time rtt, bool marked)
    {
        RdmaAck ack;
        ack.now = now;
        ack.rtt = rtt;
        ack.bytes = 4000;
        ack.marked = marked;
        control.AckReceived(ack);
    }
};

/**
 * @ingroup workload-replay
 * @brief Messages over a leaf-spine by UecProtocol; base of the cases below.
 *
 * A full packet takes 5000 bytes on the wire: 4916 of payload, 64 of headers, 20 of preamble and
 * gap; so 400 ns at 100 Gb/s. Every link has a delay of 1 us.
 */
class UecTestCase : public RdmaRoutingTestCase
{
  public:
    using RdmaRoutingTestCase::RdmaRoutingTestCase;

  protected:
    /// Payload of a full packet, bytes.
    static constexpr uint32_t PAYLOAD = 4916;

    /**
     * @param control congestion control: Nscc, Rccc or NoCongestionControl
     */
    void InstallUec(const std::string& control)
    {
        InstallProtocol("ns3::UecProtocol", "ns3::Rdma" + control, PAYLOAD);
    }

    /**
     * @return packets that switches have trimmed
     */
    uint64_t GetTrims() const
    {
        uint64_t trims = 0;
        for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
        {
            const auto forwarding = m_fabric->GetSwitch(node);
            trims += forwarding ? forwarding->GetTrims() : 0;
        }
        return trims;
    }

    /**
     * @param host a host
     * @return most bytes that have waited for it at its leaf
     */
    uint64_t GetLastQueue(uint32_t host) const
    {
        const uint32_t leaf = GetLeaf(host / m_shape.hostsPerLeaf);
        return m_fabric->GetDevice(host, leaf)->GetCounters().maxQueue;
    }

    /// @return when the last message has arrived
    Time GetEnd() const
    {
        Time end;
        for (const auto& fate : m_fates)
        {
            end = Max(end, fate.arrivedAt);
        }
        return end;
    }
};

/**
 * @ingroup workload-replay
 * @brief One message over four paths, each a quarter of the host's rate: the first packet arrives
 * after four hops, the last one when all are sent at the host's rate.
 */
class UecSprayTestCase : public UecTestCase
{
  public:
    /**
     * @param spraying how entropy values are chosen
     * @param tolerance how far from a perfect spread the time may be, share
     */
    UecSprayTestCase(const std::string& spraying, double tolerance)
        : UecTestCase("uec: a message over four paths at once, " + spraying),
          m_spraying(spraying),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue(m_spraying));
        Shape shape;
        shape.nicGbps = 400;
        Build(shape);
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue("reps"));
        const uint64_t packets = 10000;
        Post(Time(0), 0, 1, packets * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
        // 100 ns for each at the host, 400 ns more at each of two switches, and four delays.
        const Time ideal = NanoSeconds(100 * packets + 2 * 400 + 100) + MicroSeconds(4);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(GetEnd(),
                                    NanoSeconds(100 * packets),
                                    "no faster than the wire");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetEnd().GetSeconds(),
                                  ideal.GetSeconds(),
                                  m_tolerance * ideal.GetSeconds(),
                                  "all paths are used at once");
        for (const uint64_t load : GetUplinkPackets(0))
        {
            NS_TEST_EXPECT_MSG_GT(load, 1500, "whether values of a path are few or many");
        }
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, GetTrims(), "what is trimmed is sent again");
        // Who waits at two switches is overtaken by more than 1.5 windows.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_retransmissions, GetTrims() * 1.05, "and little else");
    }

    std::string m_spraying; //!< how entropy values are chosen
    double m_tolerance;     //!< how far from a perfect spread
};

/**
 * @ingroup workload-replay
 * @brief All hosts but one send to that one: its link is never idle, the queue before it never
 * longer than what is trimmed, and every trimmed packet is sent again once.
 */
class UecIncastTestCase : public UecTestCase
{
  public:
    /**
     * @param control congestion control
     * @param tolerance how much longer than its link's share it may take
     */
    UecIncastTestCase(const std::string& control, double tolerance)
        : UecTestCase("uec: incast of seven, " + control),
          m_control(control),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.hostsPerLeaf = 4;
        Build(shape);
        InstallUec(m_control);
        const uint64_t packets = 2000;
        for (uint32_t host = 1; host < 8; ++host)
        {
            Post(Time(0), host, 0, packets * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const Time wire = NanoSeconds(7 * packets * 400);
        NS_TEST_EXPECT_MSG_GT(GetEnd(), wire, "no faster than its link");
        NS_TEST_EXPECT_MSG_LT(GetEnd().GetSeconds(),
                              wire.GetSeconds() * (1 + m_tolerance),
                              "which is hardly ever idle");
        // Ten shares: four packets and as many short ones over four links and back.
        const uint64_t rtt = 8 * 1000 + 4 * 400 + 4 * 7;
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLastQueue(0),
                                    (rtt + 400) * 100 / 8,
                                    "the queue before it is at most a round trip long");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "no packet is lost");
        NS_TEST_EXPECT_MSG_GT(GetTrims(), 0, "the first windows are too much");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, GetTrims(), "each is sent again, once");
        std::vector<Time> ends;
        for (const auto& fate : m_fates)
        {
            ends.push_back(fate.arrivedAt);
        }
        NS_TEST_EXPECT_MSG_GT(*std::min_element(ends.begin(), ends.end()),
                              wire * 0.6,
                              "shares are alike to the end");
    }

    std::string m_control; //!< congestion control
    double m_tolerance;    //!< how much longer it may take
};

/**
 * @ingroup workload-replay
 * @brief One of two uplinks fails in the middle of messages, and comes back: all arrives, and all
 * goes by the other one in the meantime.
 */
class UecFailureTestCase : public UecTestCase
{
  public:
    UecFailureTestCase()
        : UecTestCase("uec: an uplink fails and comes back")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.nicGbps = 200;
        shape.spines = 2;
        Build(shape);
        InstallUec("Nscc");
        for (uint32_t message = 0; message < 100; ++message)
        {
            Post(Time(0), 0, 1, 100 * PAYLOAD);
        }
        for (uint32_t message = 0; message < 20; ++message)
        {
            // When what a loss has frozen has thawed.
            Post(MilliSeconds(15), 0, 1, 100 * PAYLOAD);
        }
        RunUntil(MicroSeconds(200));
        const auto before = GetUplinkPackets(0);
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), false);
        RunUntil(MicroSeconds(600));
        const auto during = GetUplinkPackets(0);
        NS_TEST_EXPECT_MSG_EQ(during[0], before[0], "nothing by the uplink that is down");
        NS_TEST_EXPECT_MSG_GT(during[1] - before[1], 500, "at least half of what the other takes");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(0)[0], during[0] + 800, "it is used again");
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "some packets were on their way");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "which are sent again");
    }
};

/**
 * @ingroup workload-replay
 * @brief With flow control instead of trimming an incast loses and trims nothing.
 */
class UecLosslessTestCase : public UecTestCase
{
  public:
    UecLosslessTestCase()
        : UecTestCase("uec: lossless, nothing is trimmed and nothing lost")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::UecProtocol::Lossless", BooleanValue(true));
        Shape shape;
        shape.hostsPerLeaf = 4;
        shape.bufferSize = 1000000;
        Build(shape);
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Lossless", BooleanValue(false));
        for (uint32_t host = 1; host < 8; ++host)
        {
            Post(Time(0), host, 0, 1000 * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetTrims(), 0, "nothing is trimmed");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "nothing is lost");
        uint64_t pauses = 0;
        for (uint32_t link = 0; link < m_graph.GetNLinks(); ++link)
        {
            pauses += m_fabric->GetDevice(link, m_graph.GetLink(link).b)->GetCounters().pauses;
            pauses += m_fabric->GetDevice(link, m_graph.GetLink(link).a)->GetCounters().pauses;
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "senders are paused");
    }
};

/**
 * @ingroup workload-replay
 * @brief A host with a port in each of two planes sends over both at once.
 */
class UecPlanesTestCase : public UecTestCase
{
  public:
    using UecTestCase::UecTestCase;

  protected:
    /// Build two hosts with a port at either of two switches.
    void BuildPlanes()
    {
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_graph.AddHost("host" + std::to_string(host));
        }
        for (uint32_t plane = 0; plane < 2; ++plane)
        {
            m_graph.AddSwitch("plane" + std::to_string(plane));
        }
        for (uint32_t host = 0; host < 2; ++host)
        {
            for (uint32_t plane = 2; plane < 4; ++plane)
            {
                m_graph.AddLink(host, plane, DataRate("100Gbps"), MicroSeconds(1));
            }
        }
    }

    /// Send messages of 10,000 packets in all, and expect them to take as long as by both ports.
    void ExpectBothPorts()
    {
        const uint64_t packets = 10000;
        for (uint32_t message = 0; message < 10; ++message)
        {
            Post(Time(0), 0, 1, packets / 10 * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const Time wire = NanoSeconds(400 * packets / 2);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(GetEnd(), wire, "no faster than both ports");
        NS_TEST_EXPECT_MSG_LT(GetEnd(), wire + MicroSeconds(10), "as fast as both ports");
        NS_TEST_EXPECT_MSG_EQ(GetPackets(0, 0), packets / 2, "half by one");
        NS_TEST_EXPECT_MSG_EQ(GetPackets(1, 0), packets / 2, "half by the other");
    }
};

/**
 * @ingroup workload-replay
 * @brief By the Ultra Ethernet like transport.
 */
class UecEntropyPlanesTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param spraying how entropy values are chosen
     */
    explicit UecEntropyPlanesTestCase(const std::string& spraying)
        : UecPlanesTestCase("uec: two planes at once, " + spraying),
          m_spraying(spraying)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue(m_spraying));
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue("reps"));
        ExpectBothPorts();
    }

    std::string m_spraying; //!< how entropy values are chosen
};

/**
 * @ingroup workload-replay
 * @brief By a reliable connection: packet by packet it takes both ports, message by message one
 * after the other, by queue pair one.
 */
class RcPlanesTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param spraying how it shares the ports
     */
    explicit RcPlanesTestCase(const std::string& spraying)
        : UecPlanesTestCase("uec: two planes and a reliable connection, by " + spraying),
          m_spraying(spraying)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue(m_spraying));
        // Two bytes more of payload than with the headers of the other transport.
        InstallProtocol("ns3::RdmaRcProtocol", "ns3::RdmaNoCongestionControl", PAYLOAD + 2);
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("queue-pair"));
        if (m_spraying == "packet")
        {
            ExpectBothPorts();
            return;
        }
        for (uint32_t message = 0; message < 10; ++message)
        {
            Post(Time(0), 0, 1, 1000 * (PAYLOAD + 2));
        }
        Simulator::Run();
        ExpectAllDelivered();
        const uint64_t first = GetPackets(0, 0);
        const bool isAlternate = m_spraying == "message" && first == 5000;
        const bool isOne = m_spraying == "queue-pair" && (first == 0 || first == 10000);
        NS_TEST_EXPECT_MSG_EQ((isAlternate || isOne), true, "packets by the first port: " << first);
    }

    std::string m_spraying; //!< how it shares the ports
};

/**
 * @ingroup workload-replay
 * @brief One of a host's two ports loses its carrier for a while in the middle of messages, and so
 * does, later, one of its peer's: all goes by the other plane, and nothing is lost for good.
 */
class PlaneFailureTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param protocol how messages are brought to the peer
     */
    explicit PlaneFailureTestCase(const std::string& protocol)
        : UecPlanesTestCase("uec: a plane fails and comes back, " + protocol),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("packet"));
        InstallProtocol("ns3::" + m_protocol, "ns3::RdmaNoCongestionControl", PAYLOAD);
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("queue-pair"));
        for (uint32_t message = 0; message < 100; ++message)
        {
            Post(Time(0), 0, 1, 100 * PAYLOAD);
        }
        const auto network = m_fabric->GetNetwork();
        // Links 0 and 1 are the first host's, 2 and 3 the other one's.
        RunUntil(MicroSeconds(300));
        network->SetLinkUp(0, false);
        RunUntil(MicroSeconds(450));
        const uint64_t before = GetPackets(1, 0);
        RunUntil(MicroSeconds(550));
        NS_TEST_EXPECT_MSG_EQ_TOL(GetPackets(1, 0) - before, 250, 2, "the other port is full");
        network->SetLinkUp(0, true);
        RunUntil(MicroSeconds(1000));
        network->SetLinkUp(3, false);
        RunUntil(MicroSeconds(1600));
        network->SetLinkUp(3, true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "what was on its way is lost");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "and sent again");
    }

    std::string m_protocol; //!< how messages are brought to the peer
};

/**
 * @ingroup workload-replay
 * @brief What is no way to spray, and what does not go together, is refused.
 */
class UecErrorTestCase : public UecTestCase
{
  public:
    UecErrorTestCase()
        : UecTestCase("uec: wrong parameters are refused")
    {
    }

  private:
    void DoRun() override
    {
        std::string message;
        try
        {
            CreateObject<UecProtocol>()->SetAttribute("Spraying", StringValue("rep"));
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "ns3::UecProtocol::Spraying: error: expected reps, oblivious or "
                              "round-robin, found 'rep'",
                              "a word that is none");
        message.clear();
        Build(Shape());
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(1));
        InstallUec("Nscc");
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(64));
        try
        {
            RdmaPcapHelper().EnablePcap(CreateTempDirFilename("uec"), m_fabric->GetNodes());
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(
            message,
            "pcap file: error: expected the protocol rdma, whose frames are those "
            "of RoCEv2, found uec",
            "frames that are not made");
        message.clear();
        try
        {
            InstallProtocol("ns3::RdmaRcProtocol", "ns3::RdmaRccc", PAYLOAD);
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "congestion control rccc: error: expected another one with the "
                              "transport rdma (receivers of reliable connections grant no credit), "
                              "found rccc",
                              "credits without receivers that grant them");
    }
};

/**
 * @ingroup workload-replay
 * @brief Suite of the Ultra Ethernet like transport.
 */
class UecTestSuite : public TestSuite
{
  public:
    UecTestSuite()
        : TestSuite("workload-replay-uec", TestSuite::Type::UNIT)
    {
        AddTestCase(new RepsTestCase);
        AddTestCase(new NsccTestCase);
        AddTestCase(new UecSprayTestCase("round-robin", 0.15));
        AddTestCase(new UecSprayTestCase("reps", 0.03));
        AddTestCase(new UecSprayTestCase("oblivious", 0.15));
        AddTestCase(new UecIncastTestCase("Nscc", 0.05));
        AddTestCase(new UecIncastTestCase("Rccc", 0.05));
        AddTestCase(new UecFailureTestCase);
        AddTestCase(new UecLosslessTestCase);
        AddTestCase(new UecEntropyPlanesTestCase("round-robin"));
        AddTestCase(new UecEntropyPlanesTestCase("reps"));
        AddTestCase(new RcPlanesTestCase("queue-pair"));
        AddTestCase(new RcPlanesTestCase("message"));
        AddTestCase(new RcPlanesTestCase("packet"));
        AddTestCase(new PlaneFailureTestCase("RdmaRcProtocol"));
        AddTestCase(new PlaneFailureTestCase("UecProtocol"));
        AddTestCase(new UecErrorTestCase);
    }
};

UecTestSuite g_uecTestSuite; //!< the suite

} // namespace
