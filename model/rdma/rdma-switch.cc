/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-switch.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <bitset>
#include <numeric>
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
                          "Memory of all ports together, headroom included, bytes. 0 = what "
                          "BufferTime says, or twice the headroom where that is more.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSwitch::m_bufferSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("BufferTime",
                          "Memory as the time that all ports together take to send it. The default "
                          "is that of a switch of 12.8 Tb/s with 64 MB (Broadcom BCM56980).",
                          TimeValue(MicroSeconds(40)),
                          MakeTimeAccessor(&RdmaSwitch::m_bufferTime),
                          MakeTimeChecker(Time(1)))
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
                          MakeUintegerChecker<uint32_t>(0, RdmaEgressQueues::ALL));
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

void
RdmaSwitch::Configure(uint32_t largestFrame)
{
    NS_LOG_FUNCTION(this << largestFrame);
    m_maxFrame = m_maxFrame > 0 ? m_maxFrame : largestFrame;
    double rate = 0;
    std::vector<uint64_t> headroom;
    for (const auto& port : m_ports)
    {
        rate += static_cast<double>(port->GetRate().GetBitRate());
        headroom.push_back(m_lossless == 0 ? 0 : GetHeadroom(*port));
    }
    RdmaSharedBuffer::Parameters parameters;
    const uint64_t reserved = std::accumulate(headroom.begin(), headroom.end(), uint64_t{0}) *
                              std::bitset<RdmaEgressQueues::PRIORITIES>(m_lossless).count();
    // Slow or long links need more headroom than fast switches have memory.
    const auto usual = static_cast<uint64_t>(m_bufferTime.GetSeconds() * rate / 8);
    parameters.bytes = m_bufferSize > 0 ? m_bufferSize : std::max(usual, 2 * reserved);
    parameters.ingressAlpha = m_ingressAlpha;
    parameters.egressAlpha = m_egressAlpha;
    parameters.resumeOffset = 2ULL * m_maxFrame;
    parameters.lossless = static_cast<RdmaEgressQueues::Mask>(m_lossless);
    if (!m_buffer.Configure(parameters, headroom))
    {
        throw WorkloadError({"ns3::RdmaSwitch::BufferSize", 0, 0, ""},
                            "more than " + std::to_string(reserved) +
                                " bytes, the headroom of a switch of " +
                                std::to_string(m_ports.size()) + " ports",
                            std::to_string(parameters.bytes));
    }
    UpdateDeferral();
}

uint64_t
RdmaSwitch::GetHeadroom(const RdmaNetDevice& port) const
{
    // The pause frame waits for a frame that has begun, then takes the propagation delay; the peer
    // finishes a frame that it has begun; and what it has sent until then is a delay away. The
    // packet that crosses the threshold is the third frame.
    const Time delay = DynamicCast<RdmaChannel>(port.GetChannel())->GetDelay();
    const auto flying = static_cast<uint64_t>(delay.GetSeconds() * 2 / 8 *
                                              static_cast<double>(port.GetRate().GetBitRate()));
    return flying + 3ULL * (m_maxFrame + RdmaPacket::GAP_BYTES) + RdmaPacket::PFC_BYTES +
           RdmaPacket::GAP_BYTES;
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
    if (packet->train.count > 1 && m_network->IsSpread(m_node, packet->destination))
    {
        packet = RdmaPacket::SplitOff(std::move(packet), port);
    }
    RdmaNetDevice* to = m_network->Route(m_node, *packet);
    if (!to)
    {
        port.Drop(*packet);
    }
    else if (!to->TrySend(packet))
    {
        if (packet->train.count > 1 && !MayStoreWhole(port, *to, *packet))
        {
            // Its sender is told, whether much waits or little room is left.
            packet->delayed = packet->delayed || packet->type == RdmaPacket::DATA;
            packet = RdmaPacket::SplitOff(std::move(packet), port);
        }
        Store(port, *to, std::move(packet));
    }
}

bool
RdmaSwitch::MayStoreWhole(const RdmaNetDevice& from,
                          const RdmaNetDevice& to,
                          const RdmaPacket& train)
{
    return to.IsShort() && HasRoom(from, to, train);
}

bool
RdmaSwitch::HasRoom(const RdmaNetDevice& from, const RdmaNetDevice& to, const RdmaPacket& packet)
{
    const auto hasRoom = [&]() {
        return m_buffer.HasRoom(from.GetIndex(),
                                packet.priority,
                                packet.size,
                                to.GetQueuedBytes(packet.priority),
                                packet.train.count);
    };
    const bool seemsToHave = hasRoom();
    if (seemsToHave || !m_defers)
    {
        return seemsToHave;
    }
    for (const auto& port : m_ports)
    {
        port->CatchUp();
    }
    return hasRoom();
}

void
RdmaSwitch::UpdateDeferral()
{
    if (m_defers == m_buffer.HasPaused())
    {
        m_defers = !m_defers;
        for (const auto& port : m_ports)
        {
            port->Defer(m_defers);
        }
    }
}

void
RdmaSwitch::Store(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet)
{
    const uint8_t priority = packet->priority;
    if (m_defers)
    {
        HasRoom(from, to, *packet);
    }
    const auto verdict = m_buffer.Store(from.GetIndex(),
                                        priority,
                                        packet->size,
                                        to.GetQueuedBytes(priority),
                                        packet->isTrainRest);
    if (verdict == RdmaSharedBuffer::DROP)
    {
        m_losslessDrops += m_lossless >> priority & 1U;
        from.Drop(*packet);
        return;
    }
    if (verdict == RdmaSharedBuffer::STORE_AND_PAUSE)
    {
        UpdateDeferral();
        from.SendPause(priority, true);
    }
    const bool isTight = !to.IsShort() || m_buffer.GetHeadroomUsed(from.GetIndex(), priority) > 0;
    packet->delayed = packet->delayed || (isTight && packet->type == RdmaPacket::DATA);
    to.Enqueue(std::move(packet));
}

void
RdmaSwitch::Dequeued(RdmaNetDevice& port [[maybe_unused]], const RdmaPacket& packet)
{
    if (m_buffer.Release(packet.ingress, packet.priority, packet.size))
    {
        m_ports[packet.ingress]->SendPause(packet.priority, false);
        UpdateDeferral();
    }
}

RdmaPacketPtr
RdmaSwitch::Pull(RdmaNetDevice& port [[maybe_unused]],
                 RdmaEgressQueues::Mask allowed [[maybe_unused]])
{
    return nullptr;
}

bool
RdmaSwitch::CanPull(const RdmaNetDevice& port [[maybe_unused]],
                    RdmaEgressQueues::Mask allowed [[maybe_unused]]) const
{
    return false;
}

bool
RdmaSwitch::HasOwnPackets() const
{
    return false;
}

void
RdmaSwitch::LinkChanged(RdmaNetDevice& port, bool up)
{
    NS_LOG_FUNCTION(this << port.GetIndex() << up);
    m_buffer.ForgetPauses(port.GetIndex());
    UpdateDeferral();
}

} // namespace ns3
