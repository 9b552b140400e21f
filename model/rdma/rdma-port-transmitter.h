/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_TRANSMITTER_H
#define RDMA_PORT_TRANSMITTER_H

#include "rdma-egress-queues.h"
#include "rdma-packet-queue.h"
#include "rdma-packet.h"
#include "rdma-port-backlog.h"
#include "rdma-port-clock.h"
#include "rdma-port-monitor.h"
#include "rdma-port-turns.h"
#include "rdma-port-wire.h"
#include "rdma-train-service.h"

#include "ns3/event-impl.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

class RdmaFlowControl;

struct RdmaLinkEnd;

/**
 * @ingroup workload-replay
 * @brief The sending half of a port: it finds when its parts have something to do. What waits is
 * RdmaPortBacklog's, whose turn it is RdmaPortTurns', which priorities may send RdmaSendGate's,
 * what goes between the packets of a train RdmaTrainService's, and how packets get to the far end
 * RdmaPortWire's.
 *
 * A packet that finds the port idle is sent at once, and its arrival at the far end is the only
 * event: the port knows until when it is busy. Only if something has to wait is there an event at
 * that time, or later, see Defer().
 */
class RdmaPortTransmitter
{
  public:
    /**
     * @param end the port; must outlive this object
     * @param monitor what the port counts and traces; must outlive this object
     */
    RdmaPortTransmitter(const RdmaLinkEnd& end, RdmaPortMonitor& monitor);

    ~RdmaPortTransmitter();

    /**
     * @param flow holds priorities back; must outlive this object
     */
    void SetFlowControl(RdmaFlowControl* flow);

    /**
     * @param slots when the port may send; null = always
     */
    void SetSlots(RdmaFlowControl* slots);

    /// @return whether the port may send in slots only
    bool HasSlots() const
    {
        return m_slots != nullptr;
    }

    /// No event is to come any more.
    void Stop();

    /**
     * Let packets leave the queues late, or no more. What waits leaves when it has to, and has
     * until its first packet arrives at the far end, a propagation delay later, to be handed over:
     * one event does for all that leave within a delay. Whatever happens at the port first has
     * leave what is due, each packet at its own time, so that nothing changes but when the owner
     * hears of it (RdmaPortOwner::Dequeued()). A port that somebody listens to does not defer, nor
     * may one that has a source.
     *
     * @param defers whether to; it does not until then
     */
    void Defer(bool defers);

    /**
     * Let leave what should have left by now, before it matters to which priorities may send, or to
     * frames of flow control.
     */
    void CatchUp()
    {
        if (m_defers && m_isBacklogged)
        {
            const int64_t now = Simulator::Now().GetTimeStep();
            SendUntil(now, now);
        }
    }

    /**
     * Send a packet at once, if nothing else is being sent or waits that goes before it, or in the
     * midst of a train of lower priority.
     *
     * @param packet the packet; null afterwards if it is sent
     * @return whether it is; if not it has to wait, see Enqueue()
     */
    bool TrySend(RdmaPacketPtr& packet);

    /**
     * Send a train right behind what is being sent, if nothing else waits and it has hardly to
     * wait: no queue forms where it goes for as good as undelayed.
     *
     * @param train the train; null afterwards if it is sent
     * @return whether it is; if not it has to wait
     */
    bool TrySendNext(RdmaPacketPtr& train);

    /**
     * Send a packet when its turn comes.
     *
     * @param packet the packet
     */
    void Enqueue(RdmaPacketPtr packet);

    /// The source has something that Pull() would bring.
    void Kick();

    /**
     * Send a frame of flow control before everything else.
     *
     * @param frame the frame
     */
    void SendControl(RdmaPacketPtr frame);

    /**
     * Flow control has found anew which priorities it holds back. What should have left before must
     * have, see CatchUp().
     *
     * @param held priorities that may not send
     */
    void Hold(RdmaEgressQueues::Mask held);

    /**
     * Flow control begins anew. Nothing is sent here and now.
     *
     * @param held priorities that may not send
     */
    void ResetHeld(RdmaEgressQueues::Mask held);

    /**
     * @param isOpen whether the port is in its slot
     */
    void SetOpen(bool isOpen);

    /**
     * Have what would leave with some priorities be dropped. What waits is dropped at once.
     *
     * @param dropped the priorities
     */
    void SetDropped(RdmaEgressQueues::Mask dropped);

    /// Priorities may send that might not before: send, if they have something.
    void Resume();

    /**
     * The cable was cut or mended.
     *
     * @param up whether it carries packets
     */
    void LinkChanged(bool up);

    /// @return whether there is a cable, and it carries packets
    bool IsLinkUp() const
    {
        return m_up && m_wire.GetPeer();
    }

    /// @return which priorities may send
    const RdmaSendGate& GetGate() const
    {
        return m_gate;
    }

    /// @return what waits
    RdmaPortBacklog& GetBacklog()
    {
        return m_backlog;
    }

    /// @return what waits
    const RdmaPortBacklog& GetBacklog() const
    {
        return m_backlog;
    }

    /// @return whose turn it is
    RdmaPortTurns& GetTurns()
    {
        return m_turns;
    }

    /// @return how packets get to the far end
    RdmaPortWire& GetWire()
    {
        return m_wire;
    }

    /// @return how packets get to the far end
    const RdmaPortWire& GetWire() const
    {
        return m_wire;
    }

    /// @return all times of the port
    RdmaPortClock& GetClock()
    {
        return m_clock;
    }

    /// @return all times of the port
    const RdmaPortClock& GetClock() const
    {
        return m_clock;
    }

    /// @return what goes between the packets of a train
    const RdmaTrainService& GetTrains() const
    {
        return m_trains;
    }

    /**
     * @param now time step
     * @return time steps until all that is being sent and waits now would be sent
     */
    int64_t GetBacklogSteps(int64_t now);

  private:
    /// No time.
    static constexpr int64_t NEVER = -1;

    /**
     * @param priority a priority
     * @param now time step
     * @return whether a packet of it would be sent at once
     */
    bool IsIdle(uint8_t priority, int64_t now) const;

    /**
     * Send a packet in the next gap between two packets of the train that is being sent.
     *
     * @param packet the packet
     * @param now time step
     * @param at time step from which on gaps count
     */
    void Preempt(RdmaPacketPtr packet, int64_t now, int64_t at);

    /**
     * @param now time step
     * @return when something that waits is to be sent next, if anything is
     */
    int64_t GetNextStart(int64_t now) const;

    /**
     * Send what waits in a gap of the train that is being sent, see RdmaTrainService::FindGap().
     *
     * @param now time step
     * @param gap the gap, at most now
     */
    void SendInGap(int64_t now, int64_t gap);

    /**
     * Something is to be sent when the port is free.
     *
     * @param now time step
     */
    void WaitUntilFree(int64_t now);

    /**
     * Be called when the port is free, or a propagation delay later, see Defer().
     *
     * @param now time step
     * @param start when it is, or comes to a gap
     */
    void ScheduleFree(int64_t now, int64_t start);

    /// The port is free, or comes to a gap.
    void Free();

    /**
     * Let leave what is to leave up to a time.
     *
     * @param now time step
     * @param end time step; past now for what cannot be changed any more, as good as
     * @return when something that still waits is to be sent; NEVER = nothing waits
     */
    int64_t SendUntil(int64_t now, int64_t end);

    /**
     * Send the next packet, if there is one that may be sent. The port must be free, or come to a
     * gap.
     *
     * @param now time step
     * @param start time step at which it begins to be sent, at most now
     */
    void SendNext(int64_t now, int64_t start);

    /// @return whether there is something that may be sent
    bool IsBacklogged() const;

    /**
     * Put a packet on the wire. The port must be free.
     *
     * @param packet the packet
     * @param now time step
     * @param start time step at which it begins to be sent, past now only for a train, see
     * TrySendNext()
     */
    void Transmit(RdmaPacketPtr packet, int64_t now, int64_t start);

    // What every hop looks at stands together.
    const RdmaLinkEnd& m_end;          //!< the port
    const RdmaPortMonitor& m_monitor;  //!< what it counts and traces
    RdmaFlowControl* m_slots{nullptr}; //!< when to send; null = always
    RdmaSendGate m_gate;               //!< which priorities may send
    bool m_up{true};                   //!< the cable carries packets
    bool m_isBacklogged{false};        //!< something is to be sent when the port is free
    bool m_defers{false};              //!< packets may leave late, see Defer()
    RdmaPortClock m_clock;             //!< all times
    RdmaPortWire m_wire;               //!< how packets get to the far end
    RdmaPacketQueue m_control;         //!< frames of flow control that wait
    int64_t m_freeEventAt{NEVER};      //!< when the event of its being free is due
    Ptr<EventImpl> m_free;             //!< the event of its being free, for all times
    RdmaPortBacklog m_backlog;         //!< what waits
    RdmaPortTurns m_turns;             //!< whose turn it is
    RdmaTrainService m_trains;         //!< what goes between the packets of a train
    RdmaFlowControl* m_flow{nullptr};  //!< holds priorities back
};

} // namespace ns3

#endif /* RDMA_PORT_TRANSMITTER_H */
