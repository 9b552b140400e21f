/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-credit-flow-control.h"

#include "rdma-port-transmitter.h"

#include "ns3/assert.h"
#include "ns3/workload-error.h"

#include <string>
#include <utility>

namespace ns3
{

RdmaCreditFlowControl::RdmaCreditFlowControl(RdmaPortTransmitter& transmitter)
    : m_transmitter(transmitter)
{
}

void
RdmaCreditFlowControl::Begin(uint32_t largestFrame, uint32_t laneBuffer, uint16_t pauseQuanta)
{
    if (pauseQuanta > 0)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::PauseQuanta", 0, 0, ""},
                            "0 with flow control by credits, which pauses nobody",
                            std::to_string(pauseQuanta));
    }
    const uint32_t buffer = laneBuffer / RdmaCredits::BLOCK_BYTES;
    const uint32_t frame = RdmaCredits::GetBlocks(largestFrame);
    if (buffer < frame)
    {
        throw WorkloadError({"ns3::RdmaNetDevice::LaneBuffer", 0, 0, ""},
                            "at least " + std::to_string(frame * RdmaCredits::BLOCK_BYTES) +
                                " bytes, the blocks of the largest frame",
                            std::to_string(laneBuffer));
    }
    // Each way a frame has begun, and the flow control packet is on its way.
    const RdmaPortClock& clock = m_transmitter.GetClock();
    const auto bytes = static_cast<uint32_t>(clock.GetBytes(2 * clock.GetDelay()));
    const uint32_t flying = RdmaCredits::GetBlocks(bytes) + 3 * frame;
    m_credits = std::make_unique<RdmaCredits>(buffer, frame, flying);
    m_transmitter.GetWire().CountPackets(this);
}

const RdmaLinkLayer&
RdmaCreditFlowControl::GetLinkLayer() const
{
    return RdmaLinkLayer::INFINIBAND;
}

const RdmaCredits*
RdmaCreditFlowControl::GetCredits() const
{
    return m_credits.get();
}

void
RdmaCreditFlowControl::SetShort(uint8_t virtualLane, bool isShort)
{
    const auto bit = static_cast<RdmaEgressQueues::Mask>(1U << virtualLane);
    if (((m_short & bit) != 0) != isShort)
    {
        m_short ^= bit;
        m_transmitter.Hold(m_short);
    }
}

void
RdmaCreditFlowControl::Sent(const RdmaPacket& packet)
{
    NS_ASSERT_MSG(packet.gap == GetLinkLayer().gap, "made for links of another kind");
    // A virtual lane stops where a full frame might not fit, though the next packet may be a
    // shorter one.
    if (!m_credits->Send(packet.priority, RdmaCredits::GetBlocks(packet.size)))
    {
        SetShort(packet.priority, true);
    }
}

void
RdmaCreditFlowControl::Received(const RdmaPacket& packet)
{
    m_credits->Receive(packet.priority, RdmaCredits::GetBlocks(packet.size));
}

void
RdmaCreditFlowControl::Store(const RdmaPacket& packet, bool isStored)
{
    m_credits->Store(packet.arrivalPriority, RdmaCredits::GetBlocks(packet.size), isStored);
    if (!isStored)
    {
        Announce(packet.arrivalPriority);
    }
}

void
RdmaCreditFlowControl::Announce(uint8_t priority)
{
    if (m_transmitter.IsLinkUp() && m_credits->IsNews(priority))
    {
        RdmaPacketPtr frame(
            new RdmaPacket(RdmaPacket::ROOM, RdmaPacket::ROOM_BYTES, GetLinkLayer()));
        frame->priority = priority;
        frame->sequence = m_credits->Announce(priority);
        m_transmitter.SendControl(std::move(frame));
    }
}

void
RdmaCreditFlowControl::HandleControl(const RdmaPacket& frame)
{
    m_transmitter.CatchUp();
    SetShort(frame.priority, !m_credits->Grant(frame.priority, frame.sequence));
}

void
RdmaCreditFlowControl::Reset()
{
    if (m_credits)
    {
        // Both ends count from 0 again, so that nothing may be sent until the far end has announced
        // how much it can take in.
        m_short = RdmaEgressQueues::ALL;
        m_transmitter.ResetHeld(m_short);
        m_credits->Reset();
    }
}

} // namespace ns3
