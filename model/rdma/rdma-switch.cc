/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-switch.h"

#include "rdma-enum-attribute.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSwitch");

NS_OBJECT_ENSURE_REGISTERED(RdmaSwitch);

TypeId
RdmaSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSwitch")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaSwitch>()
            .AddAttribute("BufferSize",
                          "Memory of the chip, which all ports share, headroom included, bytes. 0 "
                          "= that of the smallest chip that has the switch's rate: 64 MB up to "
                          "12.8 Tb/s (Broadcom BCM56980), 114 MB up to 25.6 Tb/s (BCM56990), 165 "
                          "MB up to 51.2 Tb/s (BCM78900), and so much for each 51.2 Tb/s of a "
                          "larger one; or twice the headroom where that is more.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSwitch::m_bufferSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("CutThrough",
                          "Send a packet on when its first 64 bytes have come. What has to wait is "
                          "stored, and so is what comes by a port that is slower than some other "
                          "port of the switch. False: store and forward, as the reference "
                          "simulators do (SimAI, HPCC, htsim).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute("IngressAlpha",
                          "Share of the free memory that packets of one port and lossless priority "
                          "may take before the port's peer is paused. The default is the 11 % of "
                          "HPCC (SIGCOMM 2019, section 5.1), as a power of two.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&RdmaSwitch::m_ingressAlpha),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("EgressAlpha",
                          "Share of the free memory that the queue of a lossy priority may take; "
                          "what exceeds it is dropped.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwitch::m_egressAlpha),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("MaxFrame",
                          "Largest frame of the fabric, bytes; what headroom is made for. 0 = the "
                          "largest that the hosts send.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSwitch::m_maxFrame),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LosslessPriorities",
                          "Priorities under priority flow control, one bit each; bit 0 = priority "
                          "0. 0 = there is no flow control.",
                          UintegerValue(1U << 3),
                          MakeUintegerAccessor(&RdmaSwitch::m_lossless),
                          MakeUintegerChecker<uint32_t>(0, RdmaEgressQueues::ALL))
            .AddAttribute("VirtualOutputQueues",
                          "For each port and priority, have a queue for each port that packets "
                          "come in by, and serve them in turn: virtual output queues with credits, "
                          "as routers of deep buffers have (Broadcom Jericho, Arista 7800R3). "
                          "Marks and lossy limits go by the queue that a packet waits in.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaSwitch::m_virtualQueues),
                          MakeBooleanChecker())
            .AddAttribute("Watchdog",
                          "What becomes of packets that have waited for WatchdogDetectionTime "
                          "because the far end of their port has paused them, as with SONiC's "
                          "PFC watchdog: drop, or forward in spite of the pause; off = they wait.",
                          EnumValue(RdmaPfcWatchdog::OFF),
                          MakeRdmaEnumAccessor(&RdmaSwitch::m_watchdog),
                          MakeEnumChecker(RdmaPfcWatchdog::OFF,
                                          "off",
                                          RdmaPfcWatchdog::DROP,
                                          "drop",
                                          RdmaPfcWatchdog::FORWARD,
                                          "forward"))
            .AddAttribute("WatchdogDetectionTime",
                          "How long paused packets wait until the watchdog acts. The default is "
                          "that of SONiC for 32 ports (sonic-utilities, pfcwd start_default).",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&RdmaSwitch::m_detectionTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("WatchdogRestorationTime",
                          "How long a priority must not have been paused until the watchdog lets "
                          "it be paused again. The default is that of SONiC for 32 ports.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&RdmaSwitch::m_restorationTime),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

RdmaSwitch::RdmaSwitch()
{
    NS_LOG_FUNCTION(this);
}

RdmaSwitch::~RdmaSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_network = nullptr;
    m_ports.clear();
    Object::DoDispose();
}

void
RdmaSwitch::SetNetwork(Ptr<RdmaNetwork> network, uint32_t node)
{
    NS_LOG_FUNCTION(this << network << node);
    m_network = network;
    m_node = node;
}

void
RdmaSwitch::AddPort(Ptr<RdmaNetDevice> port)
{
    NS_LOG_FUNCTION(this << port);
    NS_ABORT_MSG_IF(m_ports.size() > UINT16_MAX, "a switch has at most 65536 ports");
    port->SetOwner(this, m_ports.size(), m_node, true);
    m_ports.push_back(port);
}

const RdmaSharedBuffer&
RdmaSwitch::GetBuffer() const
{
    return m_buffer;
}

uint64_t
RdmaSwitch::GetLosslessDrops() const
{
    return m_losslessDrops;
}

void
RdmaSwitch::Receive(RdmaNetDevice& port, RdmaPacketPtr packet)
{
    // Packets that take different paths are no train any more.
    if (packet->train.count > 1 && m_network->IsSpread(m_node, packet->destination))
    {
        packet = port.SplitOff(std::move(packet));
    }
    // The routing may give it another one.
    packet->arrivalPriority = packet->priority;
    RdmaNetDevice* const to = m_network->Route(m_node, *packet);
    if (!to)
    {
        // There is no path, or the routing keeps the packet back, or it is for this switch itself.
        if (!m_network->Keep(*this, m_node, port, packet))
        {
            port.Drop(*packet, &PortCounters::linkDrops);
        }
        return;
    }
    // A slot may end between two packets of a train.
    if (to->GetTransmitter().HasSlots() && packet->train.count > 1)
    {
        packet = port.SplitOff(std::move(packet));
    }
    if (!to->TrySend(packet))
    {
        Store(port, *to, std::move(packet));
    }
}

void
RdmaSwitch::SendOn(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet)
{
    if (!to.TrySend(packet))
    {
        Store(from, to, std::move(packet));
    }
}

RdmaPacketPtr
RdmaSwitch::Shorten(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr train)
{
    if (train->train.IsLone())
    {
        if (to.GetTransmitter().TrySendNext(train))
        {
            return nullptr;
        }
        // Before the split, so that the acknowledgements of both parts notify the sender.
        train->delayed = train->delayed || train->type == RdmaPacket::DATA;
        const uint16_t packets = train->train.shared;
        train = from.SplitOff(std::move(train), packets);
    }
    const uint16_t together = CountToStore(from, to, *train);
    if (together < train->train.count)
    {
        // Its sender is notified, whether much waits or little room is left.
        train->delayed = train->delayed || train->type == RdmaPacket::DATA;
        train = from.SplitOff(std::move(train), together);
    }
    return train;
}

void
RdmaSwitch::Originate(RdmaNetDevice& from, RdmaPacketPtr packet)
{
    packet->ingress = static_cast<uint16_t>(from.GetIndex());
    packet->arrivalPriority = packet->priority;
    if (RdmaNetDevice* const to = m_network->Route(m_node, *packet))
    {
        SendOn(from, *to, std::move(packet));
    }
}

uint16_t
RdmaSwitch::CountToStore(const RdmaNetDevice& from,
                         const RdmaNetDevice& to,
                         const RdmaPacket& packet)
{
    const RdmaTrain& train = packet.train;
    if (train.count == 1 || m_virtualQueues ||
        to.GetTransmitter().GetTrains().IsSendingLone(Simulator::Now().GetTimeStep()))
    {
        return 1;
    }
    if (to.GetTransmitter().GetBacklog().IsShort() && HasRoom(from, to, packet, train.count))
    {
        return train.count;
    }
    // Others that wait come between the packets of a train that came by a slower link.
    const bool hasGaps = train.HasGaps(to.GetSendingSteps(packet.GetSingleWireBytes()));
    const uint16_t queued = hasGaps ? 1 : std::min(train.count, train.queued);
    return queued > 1 && HasRoom(from, to, packet, queued) ? queued : 1;
}

bool
RdmaSwitch::HasRoom(const RdmaNetDevice& from,
                    const RdmaNetDevice& to,
                    const RdmaPacket& packet,
                    uint16_t count)
{
    const auto hasRoom = [&]() {
        return m_buffer.HasRoom(from.GetIndex(),
                                packet.arrivalPriority,
                                packet.size / packet.train.count * count,
                                to.GetQueues().GetBytes(packet.priority, from.GetIndex()),
                                count);
    };
    const bool seemsToHave = hasRoom();
    if (seemsToHave || !m_defers)
    {
        return seemsToHave;
    }
    // The buffer seems fuller than it is by what leaves late; in truth there may be room.
    for (const auto& port : m_ports)
    {
        port->GetTransmitter().CatchUp();
    }
    return hasRoom();
}

void
RdmaSwitch::UpdateDeferral()
{
    if (m_defers == m_buffer.HasPaused())
    {
        m_defers = !m_defers;
        if (!m_defers)
        {
            // Before the pause frame goes out: an observer that spares packets puts them where they
            // would be.
            m_network->NotePause();
        }
        for (const auto& port : m_ports)
        {
            port->GetTransmitter().Defer(m_defers);
        }
    }
}

bool
RdmaSwitch::IsToBeTrimmed(const RdmaNetDevice& to, const RdmaPacket& packet) const
{
    const uint64_t queue = to.GetQueues().GetBytes(packet.priority, packet.ingress);
    return packet.isTrimmable &&
           to.GetSendingSteps(queue + packet.size) > m_trimQueue.GetTimeStep();
}

// Inline: every packet that has to wait comes by here.
inline bool
RdmaSwitch::Admit(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacket& packet)
{
    // What it waits with says how long, what it has come in with who is to pause.
    const uint8_t priority = packet.arrivalPriority;
    if (m_usesCredits)
    {
        // The far end had credits for it, so that the virtual lane's receive buffer has room.
        from.GetFlowControl().Store(packet, true);
        return true;
    }
    // The PFC watchdog drops what a pause storm would hold up.
    if (to.GetTransmitter().GetGate().IsDropping(packet.priority))
    {
        to.Drop(packet, &PortCounters::stormDrops);
        return false;
    }
    if (m_defers)
    {
        // For its effect only: where the buffer seems to be full, ports catch up.
        HasRoom(from, to, packet, packet.train.count);
    }
    const auto verdict = m_buffer.Store(from.GetIndex(),
                                        priority,
                                        packet.size,
                                        to.GetQueues().GetBytes(packet.priority, from.GetIndex()),
                                        packet.isTrainRest || packet.isInTrain);
    if (verdict == RdmaSharedBuffer::DROP)
    {
        // More has come after the pause than headroom was made for: it is to be reported.
        m_losslessDrops += m_lossless >> priority & 1U;
        from.Drop(packet, nullptr);
        return false;
    }
    if (verdict == RdmaSharedBuffer::STORE_AND_PAUSE)
    {
        // From now on it matters when packets leave: the resume frame goes out by that.
        UpdateDeferral();
        from.SendPause(priority, true);
    }
    // The acknowledgement notifies the sender, which goes on with single packets.
    const bool isTight = !to.GetTransmitter().GetBacklog().IsShort() ||
                         m_buffer.GetHeadroomUsed(from.GetIndex(), priority) > 0;
    packet.delayed = packet.delayed || (isTight && packet.type == RdmaPacket::DATA);
    return true;
}

void
RdmaSwitch::Store(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet)
{
    if (packet->train.count > 1)
    {
        packet = Shorten(from, to, std::move(packet));
        if (!packet)
        {
            return;
        }
    }
    if (m_trimQueue.IsStrictlyPositive() && IsToBeTrimmed(to, *packet))
    {
        // What is left is of the highest priority, and may go into the port's next gap.
        packet->Trim();
        ++m_trims;
        if (to.TrySend(packet))
        {
            return;
        }
    }
    if (RdmaSwitch::Admit(from, to, *packet))
    {
        to.Enqueue(std::move(packet));
    }
}

void
RdmaSwitch::Dequeued(RdmaNetDevice& port [[maybe_unused]], const RdmaPacket& packet)
{
    if (m_usesCredits)
    {
        m_ports[packet.ingress]->GetFlowControl().Store(packet, false);
        return;
    }
    if (m_buffer.Release(packet.ingress, packet.arrivalPriority, packet.size))
    {
        m_ports[packet.ingress]->SendPause(packet.arrivalPriority, false);
        UpdateDeferral();
    }
}

void
RdmaSwitch::LinkChanged(RdmaNetDevice& port, bool up)
{
    NS_LOG_FUNCTION(this << port.GetIndex() << up);
    if (!m_usesCredits)
    {
        m_buffer.ForgetPauses(port.GetIndex());
        UpdateDeferral();
    }
}

} // namespace ns3
