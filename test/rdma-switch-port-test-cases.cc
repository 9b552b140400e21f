/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"
#include "scheduled-call.h"

#include "ns3/error-model.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases in which units come to a switch at given times, and leave it by one
 * port. The host at its far end loses them all, and so responds to none.
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

    /// When the first unit has come in, ns.
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
    };

    /// Make the fabric. Before, the switch may be given attributes.
    void InstallStar()
    {
        Install(MakeStar(SINK + 1, "100Gbps", NanoSeconds(DELAY)));
        m_losses.clear();
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(1);
        const auto sink = m_fabric->GetDevice(SINK, SINK);
        sink->SetReceiveErrorModel(model);
        sink->TraceConnectWithoutContext("Drop", MakeCallback(&SwitchPortTestCase::NoteLoss, this));
    }

    /**
     * @return the port that all leave by
     */
    Ptr<RdmaNetDevice> GetPort() const
    {
        return m_fabric->GetDevice(SINK, CENTER);
    }

    /**
     * @param unit what is to come in
     */
    void Bring(const Arriving& unit)
    {
        ScheduleCall(NanoSeconds(START + unit.at), [this, unit] {
            RdmaPacketPtr packet(new RdmaPacket(unit.type, unit.count * FRAME));
            const int64_t now = Simulator::Now().GetTimeStep();
            packet->train.count = unit.count;
            packet->train.queued = unit.queued;
            packet->train.shared = unit.shared;
            packet->train.head = now;
            packet->train.tail = now + NanoSeconds((unit.count - 1) * PACKET).GetTimeStep();
            packet->source = unit.source;
            packet->destination = SINK;
            packet->priority = unit.priority;
            packet->marked = unit.marked;
            const auto port = m_fabric->GetDevice(unit.source, CENTER);
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
        m_losses.push_back({Simulator::Now(), packet.source, packet.delayed});
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
     * @param units what comes, first a train; no two from the same host
     * @param ends packets that the port has sent when the others are
     * @param what what they are
     */
    void Check(const std::vector<Arriving>& units,
               const std::vector<int64_t>& ends,
               const std::string& what)
    {
        Reset();
        InstallStar();
        int64_t packets = 1;
        for (const Arriving& unit : units)
        {
            Bring(unit);
            packets += unit.count;
        }
        // The link is busy all the time, so that one that comes before all has left is the last.
        Bring({(packets - 2) * PACKET, SINK - 1});
        Simulator::Run();
        for (uint32_t i = 0; i < ends.size(); ++i)
        {
            ExpectEnd(units[i + 1].source, ends[i], what);
        }
        ExpectEnd(SINK - 1, packets, what);
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(m_losses.size()), packets, what);
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaSwitchPortTestCases()
{
    return {new SwitchPortTurnTestCase};
}

} // namespace ns3
