/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PRIORITY_FLOW_CONTROL_H
#define RDMA_PRIORITY_FLOW_CONTROL_H

#include "rdma-egress-queues.h"
#include "rdma-flow-control.h"
#include "rdma-pfc-watchdog.h"

#include "ns3/event-id.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaPortTransmitter;

struct RdmaPortMonitor;

/**
 * @ingroup workload-replay
 * @brief Priority-based flow control (PFC, IEEE 802.1Qbb): a port pauses priorities of the far end
 * and is paused by it. A watchdog may put an end to pauses.
 *
 * Unless quanta say otherwise, a pause lasts until the resume frame. IEEE 802.1Qbb has pauses
 * expire, and repeated in time while they are to last; as frames of flow control are never lost,
 * one comes to the same as the other.
 */
class RdmaPriorityFlowControl : public RdmaFlowControl
{
  public:
    /**
     * @param transmitter sends what is not paused; must outlive this object
     * @param monitor counts; must outlive this object
     */
    RdmaPriorityFlowControl(RdmaPortTransmitter& transmitter, RdmaPortMonitor& monitor);

    ~RdmaPriorityFlowControl() override;

    void Stop() override;
    void SendPause(uint8_t priority, bool pause, uint16_t quanta) override;
    void SetWatchdog(const RdmaPfcWatchdog::Parameters& parameters) override;
    void Waits(uint8_t priority) override;
    void HandleControl(const RdmaPacket& frame) override;
    void Reset() override;

  private:
    /// Events of pauses that end by themselves, by priority.
    struct PauseTimers
    {
        std::array<EventId, RdmaEgressQueues::PRIORITIES> repeats;  //!< of own pauses
        std::array<EventId, RdmaEgressQueues::PRIORITIES> expiries; //!< of the far end's pauses
    };

    /**
     * The far end has paused a priority, or lets it go on, or its pause has expired.
     *
     * @param priority the priority
     * @param pause whether to stop
     */
    void SetPaused(uint8_t priority, bool pause);

    /**
     * The watchdog has found that a priority was paused for too long, or that this is over.
     *
     * @param priority the priority
     * @param isStorm whether its packets wait no more
     * @param drops whether they are dropped, those that wait included; else the pause is ignored
     */
    void SetStorm(uint8_t priority, bool isStorm, bool drops);

    /// @return the timers of pauses, made if need be
    PauseTimers& GetPauseTimers();

    /// Forget pauses that would be repeated or end.
    void CancelPauseTimers();

    /**
     * Send a pause frame again in time, or no more.
     *
     * @param priority priority that the far end is asked to stop, or to send
     * @param pause whether it is to stop
     * @param quanta for how long
     */
    void RepeatPause(uint8_t priority, bool pause, uint16_t quanta);

    /// @return priorities that may not send
    RdmaEgressQueues::Mask GetHeld() const
    {
        return static_cast<RdmaEgressQueues::Mask>((m_paused & ~m_unbridled) | m_dropped);
    }

    RdmaPortTransmitter& m_transmitter;          //!< sends what is not paused
    RdmaPortMonitor& m_monitor;                  //!< counts
    RdmaEgressQueues::Mask m_paused{0};          //!< priorities that the far end has paused
    RdmaEgressQueues::Mask m_dropped{0};         //!< priorities whose packets are dropped
    RdmaEgressQueues::Mask m_unbridled{0};       //!< priorities that ignore pauses
    std::unique_ptr<RdmaPfcWatchdog> m_watchdog; //!< looks for long pauses; null = nothing does
    std::unique_ptr<PauseTimers> m_pauseTimers;  //!< of pauses that end; null = there were none
};

} // namespace ns3

#endif /* RDMA_PRIORITY_FLOW_CONTROL_H */
