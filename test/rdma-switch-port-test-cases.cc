/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"
#include "scheduled-call.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/rdma-ecn-marker.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases in which packets and trains come to a switch at given times, and leave
 * it by one port. The host at its far end loses them all, and so responds to none.
 */
class SwitchPortTestCase : public RdmaTrainTestCase
{
  public:
    using RdmaTrainTestCase::RdmaTrainTestCase;

  protected:
    /// The host that all goes to.
    static constexpr uint32_t SINK = 4;

    /// The switch.
    static constexpr uint32_t CENTER = 5;

    /// When the first of them has come in, ns.
    static constexpr int64_t START = 10000;

    /// What comes in, at the rate of its link.
    struct Arriving
    {
        int64_t at;                              //!< when its first packet has, ns after START
        uint32_t source;                         //!< host that it comes from
        uint16_t count{1};                       //!< packets
        uint16_t queued{1};                      //!< most that wait as a whole
        uint16_t shared{0};                      //!< most that meet others; 0 = all
        uint8_t priority{3};                     //!< its priority
        RdmaPacket::Type type{RdmaPacket::DATA}; //!< what it is
        bool marked{false};                      //!< it has been marked elsewhere
    };

    /// What has come to the far end.
    struct Loss
    {
        Time at;         //!< when
        uint32_t source; //!< host that it comes from
        bool delayed;    //!< whether its sender is told of a queue or a full buffer
        bool marked;     //!< whether it is marked
    };

    /// Make the fabric, after Reset() and attributes of the switch.
    void InstallStar()
    {
        Install(MakeStar(SINK + 1, "100Gbps", NanoSeconds(DELAY)));
        m_losses.clear();
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(1);
        GetSink()->SetReceiveErrorModel(model);
        GetSink()->TraceConnectWithoutContext("Drop",
                                              MakeCallback(&SwitchPortTestCase::NoteLoss, this));
    }

    /**
     * @return the far end of the port that all leave by
     */
    Ptr<RdmaNetDevice> GetSink() const
    {
        return m_fabric->GetDevice(SINK, SINK);
    }

    /**
     * @return the port that all leave by
     */
    Ptr<RdmaNetDevice> GetPort() const
    {
        return m_fabric->GetDevice(SINK, CENTER);
    }

    /**
     * @param arriving what is to come in
     */
    void Bring(const Arriving& arriving)
    {
        ScheduleCall(NanoSeconds(START + arriving.at), [this, arriving] {
            RdmaPacketPtr packet(new RdmaPacket(arriving.type, arriving.count * FRAME));
            const int64_t now = Simulator::Now().GetTimeStep();
            packet->train.count = arriving.count;
            packet->train.queued = arriving.queued;
            packet->train.shared = arriving.shared;
            packet->train.head = now;
            packet->train.tail = now + NanoSeconds((arriving.count - 1) * PACKET).GetTimeStep();
            packet->source = arriving.source;
            packet->destination = SINK;
            packet->priority = arriving.priority;
            packet->marked = arriving.marked;
            const auto port = m_fabric->GetDevice(arriving.source, CENTER);
            packet->ingress = static_cast<uint16_t>(port->GetIndex());
            port->Receive(std::move(packet));
        });
    }

    /**
     * Check when the last packet of a host has come to the far end.
     *
     * @param source the host
     * @param packets packets that the port has sent by then, one after the other, since START
     * @param what the run
     */
    void ExpectEnd(uint32_t source, int64_t packets, const std::string& what)
    {
        Time end;
        for (const Loss& loss : m_losses)
        {
            end = loss.source == source ? loss.at : end;
        }
        NS_TEST_EXPECT_MSG_EQ(end,
                              NanoSeconds(START + packets * PACKET + DELAY),
                              what << ", from " << source);
    }

    std::vector<Loss> m_losses; //!< what has come to the far end

  private:
    /**
     * @param packet what is lost at the far end
     */
    void NoteLoss(const RdmaPacket& packet)
    {
        m_losses.push_back({Simulator::Now(), packet.source, packet.delayed, packet.marked});
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What comes while a train is being sent goes after those packets of it that have come
 * before, if it is a single packet, or so short a train that it may go between those of a long one.
 * Else it goes behind the train.
 */
class SwitchPortTurnTestCase : public SwitchPortTestCase
{
  public:
    SwitchPortTurnTestCase()
        : SwitchPortTestCase("trains: turns at the port of a switch")
    {
    }

  private:
    void DoRun() override
    {
        // Packets of a train have come in at 0, 324, 648 and so on, and leave one packet later.
        Check({{0, 0, 4, 4}, {424, 1}}, {3}, "a packet, and a short train");
        Check({{0, 0, 64, 4}, {3340, 1}}, {12}, "a packet, and a long train");
        Check({{0, 0, 64, 4}, {3340, 1}, {3400, 2}}, {12, 13}, "two packets at the same gap");
        Check({{0, 0, 4, 4}, {424, 1, 4, 4}}, {8}, "two short trains");
        Check({{0, 0, 64, 4}, {3340, 1, 3, 4}}, {14}, "three packets, and a long train");
        Check({{0, 0, 64, 4}, {3340, 1, 4, 4}}, {15}, "a short train, and a long one");
        Check({{0, 0, 64, 4}, {3340, 1, 5, 4}}, {69}, "two trains that are not short");
    }

    /**
     * @param arrivals what comes, first a train; no two from the same host
     * @param ends packets that the port has sent when the others are
     * @param what what they are
     */
    void Check(const std::vector<Arriving>& arrivals,
               const std::vector<int64_t>& ends,
               const std::string& what)
    {
        Reset();
        InstallStar();
        int64_t packets = 1;
        for (const Arriving& arriving : arrivals)
        {
            Bring(arriving);
            packets += arriving.count;
        }
        // The link is busy all the time, so that one that comes before all has left is the last.
        Bring({(packets - 2) * PACKET, SINK - 1});
        Simulator::Run();
        for (uint32_t i = 0; i < ends.size(); ++i)
        {
            ExpectEnd(arrivals[i + 1].source, ends[i], what);
        }
        ExpectEnd(SINK - 1, packets, what);
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(m_losses.size()), packets, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Who is told that a train has met others: not its sender, if it can go right behind a few
 * packets; but where it is taken to pieces, because something waits that is paused, because the
 * buffer has no room for all of it, or because packets wait by the port that they have come in by.
 */
class SwitchPortToldTestCase : public SwitchPortTestCase
{
  public:
    SwitchPortToldTestCase()
        : SwitchPortTestCase("trains: senders are told when they meet others")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        Check({{0, 0}, {50, 1}, {100, 2, 8, 1, 4}}, false, "a packet is sent, and another waits");
        Reset();
        Check({{0, 0}, {50, 1}, {100, 2, 8, 1, 1}}, true, "more than a packet's time");
        Reset();
        Check({{0, 0}, {50, 1, 1, 1, 0, 4}, {100, 2, 8, 1, 4}}, true, "a packet is paused");

        // A lone port may have as much as it leaves: eight packets of sixteen.
        for (const uint16_t packets : {8, 9})
        {
            Reset();
            m_fabric->SetSwitchAttribute("IngressAlpha", DoubleValue(1));
            m_fabric->SetSwitchAttribute("BufferSize",
                                         UintegerValue((SINK + 1) * HEADROOM + 16 * FRAME));
            Check({{0, 0}, {100, 2, packets}}, packets > 8, "room for eight");
        }

        Reset();
        m_fabric->SetSwitchAttribute("VirtualOutputQueues", BooleanValue(true));
        Check({{0, 0}, {100, 2, 8}}, true, "virtual output queues");
    }

    /**
     * Have it all come where priority 4 is paused.
     *
     * @param arrivals what comes, last a train
     * @param delayed whether its sender is to be told
     * @param what the run
     */
    void Check(const std::vector<Arriving>& arrivals, bool delayed, const std::string& what)
    {
        InstallStar();
        GetSink()->SendPause(4, true);
        for (const Arriving& arriving : arrivals)
        {
            Bring(arriving);
        }
        Simulator::Run();
        const Arriving& train = arrivals.back();
        uint32_t packets = 0;
        for (const Loss& loss : m_losses)
        {
            if (loss.source == train.source)
            {
                NS_TEST_EXPECT_MSG_EQ(loss.delayed, delayed, what);
                ++packets;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(packets, train.count, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A marker with a curve of its own: all beyond a number of bytes, whatever the rate.
 */
class BytesMarker : public RdmaEcnMarker
{
  public:
    /**
     * @param bytes queue beyond which all are marked
     */
    explicit BytesMarker(uint64_t bytes)
        : m_bytes(bytes)
    {
    }

    uint64_t GetKmin(DataRate /* rate */) const override
    {
        return m_bytes;
    }

    double GetProbability(uint64_t queue, DataRate /* rate */) const override
    {
        return queue > m_bytes ? 1 : 0;
    }

  private:
    uint64_t m_bytes; //!< queue beyond which all are marked
};

/**
 * @ingroup workload-replay-tests
 * @brief What waits in a long queue is marked and counted, unless it is marked already, or is no
 * data.
 */
class SwitchPortMarkTestCase : public SwitchPortTestCase
{
  public:
    SwitchPortMarkTestCase()
        : SwitchPortTestCase("marks: of data, once")
    {
    }

  private:
    void DoRun() override
    {
        auto marker = CreateObject<RdmaEcnMarker>();
        const Time threshold = NanoSeconds(3 * PACKET / 2);
        marker->SetAttribute("Kmin", TimeValue(threshold));
        marker->SetAttribute("Kmax", TimeValue(threshold));
        marker->SetAttribute("Pmax", DoubleValue(1));
        Check(marker, "by the time of the queue");
        Check(CreateObject<BytesMarker>(3 * FRAME / 2), "by its bytes");
    }

    /**
     * @param marker marks a queue of two packets, and none of one
     * @param what the marker
     */
    void Check(Ptr<RdmaEcnMarker> marker, const std::string& what)
    {
        Reset();
        InstallStar();
        GetPort()->SetEcnMarker(marker);
        // The first packet is sent at once, and the last one is alone in the queue.
        Bring({0, 0});
        Bring({10, 1});
        Bring({20, 2, 1, 1, 0, 3, RdmaPacket::DATA, true});
        Bring({30, 3, 1, 1, 0, 3, RdmaPacket::ACK});
        Bring({400, 0});
        Bring({410, 1});
        Simulator::Run();
        std::vector<uint32_t> marked;
        for (const Loss& loss : m_losses)
        {
            if (loss.marked)
            {
                marked.push_back(loss.source);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((marked == std::vector<uint32_t>{1, 2, 0}), true, what);
        NS_TEST_EXPECT_MSG_EQ(GetPort()->GetCounters().marks, 2, what << ": two at the port");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What goes before a train that is being sent, and has to wait because it is paused, or
 * because something else is, leaves when it would among single packets.
 */
class SwitchPortResumeTestCase : public SwitchPortTestCase
{
  public:
    SwitchPortResumeTestCase()
        : SwitchPortTestCase("trains: higher priorities and pauses")
    {
    }

  private:
    void DoRun() override
    {
        // The frame takes 7 ns, so that it comes while the twelfth packet is being sent.
        const int64_t resume = 10 * PACKET;
        const Arriving paused{100, 1, 1, 1, 0, 5};
        Check({paused}, resume, {13});
        // 21 packets have come before the last one.
        Check({paused, {20 * PACKET + 100, 2}}, resume, {13, 23});
        // Eleven have begun to be sent by then, and 22 when priority 5 goes on.
        Check({paused, {10 * PACKET + 100, 2, 1, 1, 0, 4}}, 20 * PACKET, {23, 12});
    }

    /**
     * Have 64 packets come, and others to be sent between them.
     *
     * @param arrivals the others; priority 5 is paused
     * @param resume when it is resumed, ns after START
     * @param ends packets that the port has sent, one after the other, when the others are
     */
    void Check(const std::vector<Arriving>& arrivals,
               int64_t resume,
               const std::vector<int64_t>& ends)
    {
        for (const uint16_t train : {1, 64})
        {
            Reset();
            InstallStar();
            GetSink()->SendPause(5, true);
            ScheduleCall(NanoSeconds(START + resume), [this] { GetSink()->SendPause(5, false); });
            for (int64_t packet = 0; packet < 64; packet += train)
            {
                Bring({packet * PACKET, 0, train, 4});
            }
            for (const Arriving& arriving : arrivals)
            {
                Bring(arriving);
            }
            Simulator::Run();
            for (uint32_t i = 0; i < arrivals.size(); ++i)
            {
                ExpectEnd(arrivals[i].source, ends[i], "trains of " + std::to_string(train));
            }
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaSwitchPortTestCases()
{
    return {new SwitchPortTurnTestCase,
            new SwitchPortToldTestCase,
            new SwitchPortMarkTestCase,
            new SwitchPortResumeTestCase};
}

} // namespace ns3
