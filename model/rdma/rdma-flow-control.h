/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOW_CONTROL_H
#define RDMA_FLOW_CONTROL_H

#include "rdma-credits.h"
#include "rdma-link-layer.h"
#include "rdma-packet.h"
#include "rdma-pfc-watchdog.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What keeps packets from being lost for want of room behind the far end of a link: it holds
 * priorities of its port back, and announces to the far end what may come.
 *
 * Its frames go before everything else, and are never lost. What a kind of flow control has no use
 * for does nothing.
 */
class RdmaFlowControl
{
  public:
    virtual ~RdmaFlowControl() = default;

    /**
     * The cable is plugged in, and nothing is sent yet.
     *
     * @param largestFrame largest frame of the fabric, bytes
     * @param laneBuffer receive buffer of each virtual lane, bytes
     * @param pauseQuanta time that pauses ask for, quanta; 0 = no end
     * @throws WorkloadError if one of them cannot be
     */
    virtual void Begin(uint32_t largestFrame [[maybe_unused]],
                       uint32_t laneBuffer [[maybe_unused]],
                       uint16_t pauseQuanta [[maybe_unused]])
    {
    }

    /// @return what the links that have it add to packets; here those of Ethernet
    virtual const RdmaLinkLayer& GetLinkLayer() const
    {
        return RdmaLinkLayer::ETHERNET;
    }

    /// The simulation ends: nothing is to be done later any more.
    virtual void Stop()
    {
    }

    /**
     * Ask the far end to stop sending a priority, or to go on.
     *
     * @param priority the priority
     * @param pause whether to stop
     * @param quanta for how long, quanta of 512 bit times; 0 = until a frame lets it go on
     */
    virtual void SendPause(uint8_t priority [[maybe_unused]],
                           bool pause [[maybe_unused]],
                           uint16_t quanta [[maybe_unused]])
    {
    }

    /**
     * @param parameters what ends pauses of this port that last too long
     */
    virtual void SetWatchdog(const RdmaPfcWatchdog::Parameters& parameters [[maybe_unused]])
    {
    }

    /// @return the credits; null = flow control is not by credits, or has not begun
    virtual const RdmaCredits* GetCredits() const
    {
        return nullptr;
    }

    /**
     * A packet is sent, no frame of flow control. Only an object that
     * was given to RdmaPortWire::CountPackets() is called.
     *
     * @param packet the packet
     */
    virtual void Sent(const RdmaPacket& packet [[maybe_unused]])
    {
    }

    /**
     * A packet has come in. Only an object that was given to
     * RdmaPortWire::CountPackets() is called.
     *
     * @param packet the packet
     */
    virtual void Received(const RdmaPacket& packet [[maybe_unused]])
    {
    }

    /**
     * A packet that has come in takes its place in the receive buffer, or leaves it.
     *
     * @param packet the packet
     * @param isStored whether it is stored from now on
     */
    virtual void Store(const RdmaPacket& packet [[maybe_unused]], bool isStored [[maybe_unused]])
    {
    }

    /**
     * Announce to the far end how much can be taken in, if it has to know.
     *
     * @param priority of which priority
     */
    virtual void Announce(uint8_t priority [[maybe_unused]])
    {
    }

    /**
     * A packet has to wait because its priority is held back.
     *
     * @param priority its priority
     */
    virtual void Waits(uint8_t priority [[maybe_unused]])
    {
    }

    /**
     * A frame of flow control has come in.
     *
     * @param frame the frame
     */
    virtual void HandleControl(const RdmaPacket& frame [[maybe_unused]])
    {
    }

    /// The link has been cut or mended: what the ends have announced to each other holds no more.
    virtual void Reset()
    {
    }

    /// Something is to be sent: find whether time lets the port send, or no more. Only an
    /// object that was given to RdmaPortTransmitter::SetSlots() is called.
    virtual void Follow()
    {
    }
};

} // namespace ns3

#endif /* RDMA_FLOW_CONTROL_H */
