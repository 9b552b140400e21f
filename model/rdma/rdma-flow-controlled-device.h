/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOW_CONTROLLED_DEVICE_H
#define RDMA_FLOW_CONTROLLED_DEVICE_H

#include "rdma-credits.h"
#include "rdma-egress-queues.h"
#include "rdma-net-device-base.h"
#include "rdma-packet.h"
#include "rdma-port-clock.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class RdmaPfcWatchdog;
class RdmaSlot;

struct SlotCycle;

/**
 * @ingroup workload-replay
 * @brief The flow control of a port: which priorities may send, and what the far end is told.
 *
 * The port pauses the far end and is paused by it (IEEE 802.1Qbb), and a watchdog may put an end to
 * that; or both ends tell each other how much they can take in (InfiniBand). Besides, all
 * priorities may have to wait for the slot of the link. What derives from this asks which
 * priorities may send (GetAllowed()), tells of packets and of the link, and sends frames of flow
 * control before everything else. Those are never lost.
 *
 * Unless PauseQuanta says otherwise, a pause lasts until the resume frame. IEEE 802.1Qbb has pauses
 * expire, and repeated in time while they are to last; as frames of flow control are never lost,
 * one comes to the same as the other.
 */
class RdmaFlowControlledDevice : public RdmaNetDeviceBase
{
  public:
    RdmaFlowControlledDevice();
    ~RdmaFlowControlledDevice() override;

    /**
     * Begin flow control by credits, if that is what FlowControl says. To be called when the cable
     * is plugged in, before anything is sent.
     *
     * @param largestFrame largest frame of the fabric, bytes
     * @param peer port at the far end; null = another process has it
     * @throws WorkloadError if the receive buffers are too small for the frame, an attribute does
     * nothing, or the far end has other flow control
     */
    void BeginFlowControl(uint32_t largestFrame, const RdmaFlowControlledDevice* peer);

    /// @return whether flow control is by credits
    bool UsesCredits() const
    {
        return m_flowControl == CREDITS;
    }

    /// @return receive buffer of each virtual lane with credits, bytes
    uint32_t GetLaneBuffer() const
    {
        return m_laneBuffer;
    }

    /// @return the credits; null = flow control is not by credits, or has not begun
    const RdmaCredits* GetCredits() const
    {
        return m_credits.get();
    }

    /**
     * A packet that has come in by this port takes its place in the buffer of its virtual lane, or
     * leaves it. There must be credits.
     *
     * @param packet the packet
     * @param isStored whether it is stored from now on
     */
    void StoreOnCredit(const RdmaPacket& packet, bool isStored);

    /**
     * Ask the far end to stop sending a priority, or to go on.
     *
     * @param priority the priority
     * @param pause whether to stop
     */
    void SendPause(uint8_t priority, bool pause);

    /**
     * @param watchdog looks for pauses of this port that last too long
     */
    void SetWatchdog(std::unique_ptr<RdmaPfcWatchdog> watchdog);

    /**
     * The watchdog has found that a priority was paused for too long, or that this is over.
     *
     * @param priority the priority
     * @param isStorm whether its packets wait no more
     * @param drops whether they are dropped, those that wait included; else the pause is ignored
     */
    void SetStorm(uint8_t priority, bool isStorm, bool drops);

    /**
     * @param priority a priority
     * @return whether what is to leave with that priority is to be dropped, see SetStorm()
     */
    bool IsDropping(uint8_t priority) const
    {
        return m_dropped >> priority & 1U;
    }

    /**
     * @param priority a priority
     * @return whether flow control keeps it from being sent
     */
    bool IsPaused(uint8_t priority) const
    {
        return !(m_allowed >> priority & 1U);
    }

    /**
     * Let the port send in one slot of a cycle only, after the dark time. What comes at other times
     * waits. A packet that has begun when the slot ends is sent to its end, in the dark time of
     * the next one. The peer must have the same slot.
     *
     * @param cycle the cycle
     * @param slot the slot
     */
    void SetSlot(const SlotCycle& cycle, uint32_t slot);

    /// @return whether SetSlot() was called, so that trains have to come packet by packet
    bool HasSlot() const
    {
        return m_slot != nullptr;
    }

    /**
     * Let leave what should have left by now, before it matters to which priorities may send, or to
     * frames of flow control.
     */
    virtual void CatchUp() = 0;

  protected:
    void DoDispose() override;

    /**
     * @param name the attribute FlowControl
     * @throws WorkloadError if it is none of its words
     */
    void SetFlowControl(std::string name);

    /**
     * @return the attribute FlowControl
     */
    std::string GetFlowControl() const;

    /// @return priorities that may send
    RdmaEgressQueues::Mask GetAllowed() const
    {
        return m_allowed;
    }

    /**
     * A packet is sent, no frame of flow control. If it takes the last credit for a full frame, its
     * virtual lane may send no more.
     *
     * @param packet the packet
     */
    void SendOnCredit(const RdmaPacket& packet)
    {
        if (m_credits && !m_credits->Send(packet.priority, RdmaCredits::GetBlocks(packet.size)))
        {
            SetShort(packet.priority, true);
        }
    }

    /**
     * A packet has come in.
     *
     * @param packet the packet
     */
    void ReceiveOnCredit(const RdmaPacket& packet)
    {
        if (m_credits)
        {
            m_credits->Receive(packet.priority, RdmaCredits::GetBlocks(packet.size));
        }
    }

    /**
     * Tell the far end how much can be taken in, if there are credits and it has to know.
     *
     * @param lane the virtual lane
     */
    void AnnounceCredit(uint8_t lane)
    {
        if (m_credits && m_up && m_credits->IsNews(lane))
        {
            SendCredit(lane);
        }
    }

    /// Tell the far end how much can be taken in by each virtual lane.
    void AnnounceCredits();

    /**
     * A frame of flow control has come in.
     *
     * @param frame the frame
     */
    void HandleControl(const RdmaPacket& frame);

    /**
     * A packet has to wait though the link is up.
     *
     * @param priority its priority, which is paused
     */
    void WatchPaused(uint8_t priority);

    /// Find whether the slot has come or gone, if there is one, before something is sent.
    void FollowSlot()
    {
        if (m_slot)
        {
            UpdateSlot();
        }
    }

    /// The link has changed, which ends pauses and credits either way.
    void ResetFlowControl();

    /**
     * Send a frame of flow control before everything else.
     *
     * @param frame the frame
     */
    virtual void SendControl(RdmaPacketPtr frame) = 0;

    /// Priorities may send that might not before: send, if they have something.
    virtual void Resume() = 0;

    /// @return whether packets wait, in queues or with the owner
    virtual bool HasQueued() const = 0;

    /**
     * Drop what waits.
     *
     * @param priorities of these priorities
     */
    virtual void Flush(RdmaEgressQueues::Mask priorities) = 0;

    RdmaPortClock m_clock;     //!< all times
    bool m_up{true};           //!< the cable carries packets
    uint16_t m_pauseQuanta{0}; //!< time that pauses ask for, quanta; 0 = no end
    uint32_t m_laneBuffer{0};  //!< receive buffer of each virtual lane, bytes

  private:
    struct PauseTimers;

    /// What keeps packets from being lost for want of room.
    enum FlowControl : uint8_t
    {
        PFC,    //!< the far end pauses priorities (IEEE 802.1Qbb)
        CREDITS //!< the far end tells how much it can take in (InfiniBand)
    };

    /**
     * The far end has paused a priority, or lets it go on, or its pause has expired.
     *
     * @param priority the priority
     * @param pause whether to stop
     */
    void SetPaused(uint8_t priority, bool pause);

    /// @return the timers of pauses, made if need be
    PauseTimers& GetPauseTimers();

    /// Forget pauses that would be repeated or end.
    void CancelPauseTimers();

    /**
     * Send a pause frame again in time, or no more.
     *
     * @param priority priority that the far end is asked to stop, or to send
     * @param pause whether it is to stop
     */
    void RepeatPause(uint8_t priority, bool pause);

    /**
     * Let a virtual lane send, or no more, for want of credits.
     *
     * @param lane the virtual lane
     * @param isShort whether the credits do not suffice for a full frame
     */
    void SetShort(uint8_t lane, bool isShort);

    /**
     * Tell the far end how much can be taken in. There must be credits.
     *
     * @param lane the virtual lane
     */
    void SendCredit(uint8_t lane);

    /// Find whether the slot has come or gone, and once more when it does next.
    void UpdateSlot();

    /// The slot has come or gone.
    void SlotChanged();

    /// Find which priorities may send.
    void SetAllowed();

    /// Find which priorities may send, and send if there are more.
    void UpdateAllowed();

    // What every hop looks at comes first.
    RdmaEgressQueues::Mask m_allowed{RdmaEgressQueues::ALL}; //!< priorities that may send
    RdmaEgressQueues::Mask m_paused{0};     //!< priorities that the far end has paused
    RdmaEgressQueues::Mask m_short{0};      //!< priorities without credit for a full frame
    RdmaEgressQueues::Mask m_dropped{0};    //!< priorities whose packets are dropped
    RdmaEgressQueues::Mask m_unbridled{0};  //!< priorities that ignore pauses
    FlowControl m_flowControl{PFC};         //!< what keeps packets from being lost
    bool m_isInSlot{true};                  //!< the slot was there when it looked last
    bool m_awaitsSlot{false};               //!< it will look again when that changes
    std::unique_ptr<RdmaCredits> m_credits; //!< what may be sent, and taken in; null = as much as
                                            //!< there is
    std::unique_ptr<RdmaSlot> m_slot;       //!< when it may send; null = always
    std::unique_ptr<RdmaPfcWatchdog> m_watchdog; //!< looks for long pauses; null = nothing does
    std::unique_ptr<PauseTimers> m_pauseTimers;  //!< of pauses that end; null = there were none
};

} // namespace ns3

#endif /* RDMA_FLOW_CONTROLLED_DEVICE_H */
