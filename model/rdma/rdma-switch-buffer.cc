/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * How an RdmaSwitch is set up: how much its ports may store, when it trims, and when it sends a
 * packet on.
 */

#include "rdma-channel.h"
#include "rdma-switch.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSwitchBuffer");

namespace
{

/// A switch chip.
struct Chip
{
    double rate;     //!< of all its ports, bit/s
    uint64_t memory; //!< packet buffer, bytes
};

/// Chips by rate: Broadcom Tomahawk 3, 4 and 5, by their product pages.
const std::array<Chip, 3> CHIPS{Chip{12.8e12, 64000000},
                                Chip{25.6e12, 114000000},
                                Chip{51.2e12, 165000000}};

/**
 * @param rate rate of all ports of a switch, bit/s
 * @return its packet buffer, bytes, see the attribute BufferSize
 */
uint64_t
GetChipMemory(double rate)
{
    const auto chip = std::find_if(CHIPS.begin(), CHIPS.end(), [rate](const Chip& candidate) {
        return rate <= candidate.rate;
    });
    if (chip != CHIPS.end())
    {
        return chip->memory;
    }
    return static_cast<uint64_t>(std::ceil(rate / CHIPS.back().rate)) * CHIPS.back().memory;
}

} // namespace

void
RdmaSwitch::SetTrimming(Time queue)
{
    NS_LOG_FUNCTION(this << queue);
    m_trimQueue = queue;
}

void
RdmaSwitch::UpdateMarking()
{
    NS_LOG_FUNCTION(this);
    for (const auto& port : m_ports)
    {
        // Setting it lets the port work out anew whether it marks before it pauses.
        port->SetEcnMarker(port->GetEcnMarker());
    }
}

void
RdmaSwitch::Configure(uint32_t largestFrame)
{
    NS_LOG_FUNCTION(this << largestFrame);
    m_usesCredits = std::any_of(m_ports.begin(), m_ports.end(), [](const Ptr<RdmaNetDevice>& port) {
        return port->UsesCredits();
    });
    if (m_usesCredits)
    {
        // Each port has receive buffers of its own.
        RefuseSharing();
    }
    else
    {
        ShareBuffer(largestFrame);
    }
    if (m_cutThrough)
    {
        CutThrough();
    }
    for (const auto& port : m_ports)
    {
        if (m_virtualQueues)
        {
            port->GetTransmitter().GetBacklog().GetQueues().SetVirtual();
        }
        if (m_watchdog != RdmaPfcWatchdog::OFF)
        {
            port->GetFlowControl().SetWatchdog({m_watchdog, m_detectionTime, m_restorationTime});
        }
    }
}

void
RdmaSwitch::RefuseSharing() const
{
    for (const char* const name : {"BufferSize",
                                   "IngressAlpha",
                                   "EgressAlpha",
                                   "MaxFrame",
                                   "LosslessPriorities",
                                   "Watchdog"})
    {
        TypeId::AttributeInformation information;
        GetTypeId().LookupAttributeByName(name, &information);
        StringValue value;
        GetAttribute(name, value);
        // The default as registered: Config::SetDefault() must not hide that the user has asked for
        // it.
        if (value.Get() != information.originalInitialValue->SerializeToString(information.checker))
        {
            throw WorkloadError({std::string("ns3::RdmaSwitch::") + name, 0, 0, ""},
                                "its default with ns3::RdmaNetDevice::FlowControl=credits, by "
                                "which each port has buffers of its own (LaneBuffer) and pauses "
                                "nobody",
                                value.Get());
        }
    }
}

void
RdmaSwitch::ShareBuffer(uint32_t largestFrame)
{
    // Bytes on the wire, the largest that any host of the fabric sends.
    m_maxFrame = m_maxFrame > 0 ? m_maxFrame : largestFrame;
    double rate = 0;
    std::vector<uint64_t> headroom;
    for (const auto& port : m_ports)
    {
        // bit/s
        rate += static_cast<double>(port->GetRate().GetBitRate());
        headroom.push_back(m_lossless == 0 ? 0 : GetHeadroom(*port));
    }
    RdmaSharedBuffer::Parameters parameters;
    const uint64_t reserved = std::accumulate(headroom.begin(), headroom.end(), uint64_t{0}) *
                              std::bitset<RdmaEgressQueues::PRIORITIES>(m_lossless).count();
    // Long links need more headroom than switches have memory.
    parameters.bytes =
        m_bufferSize > 0 ? m_bufferSize : std::max(GetChipMemory(rate), 2 * reserved);
    parameters.ingressAlpha = m_ingressAlpha;
    parameters.egressAlpha = m_egressAlpha;
    // Far enough below the threshold that the next packet does not pause the port again.
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

void
RdmaSwitch::CutThrough()
{
    DataRate fastest;
    // A frame from a slower port would run dry while a faster one sends it on.
    for (const auto& port : m_ports)
    {
        fastest = std::max(fastest, port->GetRate());
    }
    for (const auto& port : m_ports)
    {
        if (port->GetRate() == fastest)
        {
            port->CutThrough();
        }
    }
}

uint64_t
RdmaSwitch::GetHeadroom(const RdmaNetDevice& port) const
{
    // The pause frame waits for a frame that has begun, then takes the propagation delay; the peer
    // finishes a frame that it has begun; and what it has sent until then is a delay away. The
    // packet that crosses the threshold is the third frame.
    const Time delay = DynamicCast<RdmaChannel>(port.GetChannel())->GetDelay();
    // Bytes in a round trip: twice the delay (s) by the rate (bit/s). The product of round figures
    // may come out just below a whole number.
    const auto flying = static_cast<uint64_t>(std::llround(
        delay.GetSeconds() * 2 / 8 * static_cast<double>(port.GetRate().GetBitRate())));
    const RdmaLinkLayer& layer = port.GetFlowControl().GetLinkLayer();
    return flying + 3ULL * layer.GetWireBytes(m_maxFrame) +
           layer.GetWireBytes(RdmaPacket::PFC_BYTES);
}

bool
RdmaSwitch::MarksInTime(const RdmaNetDevice& port) const
{
    // All lossless priorities have one limit, and so have the others.
    uint8_t priority = 0;
    // The highest lossless priority; 0 if there is none.
    while (m_lossless >> priority > 1U)
    {
        ++priority;
    }
    const Ptr<RdmaEcnMarker> marker = port.GetEcnMarker();
    const uint64_t limit = m_usesCredits ? port.GetLaneBuffer() : m_buffer.GetLimit(priority);
    return !marker || marker->GetKmin(port.GetRate()) < limit;
}

} // namespace ns3
