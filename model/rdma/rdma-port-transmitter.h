/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_TRANSMITTER_H
#define RDMA_PORT_TRANSMITTER_H

#include "rdma-ecn-marker.h"
#include "rdma-egress-queues.h"
#include "rdma-packet-queue.h"
#include "rdma-packet.h"
#include "rdma-port-clock.h"
#include "rdma-port-monitor.h"
#include "rdma-train-service.h"

#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

class RdmaFlowControl;
class RdmaPacketSource;
class RdmaPortOwner;

struct RdmaLinkEnd;

/**
 * @ingroup workload-replay
 * @brief The sending half of a port: what waits, whose turn it is, and how that gets to the wire.
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

    RdmaPortTransmitter(const RdmaPortTransmitter&) = delete;
    RdmaPortTransmitter& operator=(const RdmaPortTransmitter&) = delete;

    /**
     * @param owner what stands behind the port; must outlive this object
     * @param writesTelemetry whether the port writes into packets that have room for it
     */
    void SetOwner(RdmaPortOwner* owner, bool writesTelemetry);

    /**
     * @param source what is sent besides what is queued; null = nothing
     */
    void SetSource(RdmaPacketSource* source);

    /**
     * Plug in the cable.
     *
     * @param peer port at the far end; must outlive this object
     * @param rate rate of the port
     * @param delay propagation delay of the cable
     * @param lookAhead how far processes at its ends may run ahead of each other
     */
    void Attach(const RdmaLinkEnd& peer, DataRate rate, Time delay, Time lookAhead);

    /**
     * @param flow holds priorities back; must outlive this object
     */
    void SetFlowControl(RdmaFlowControl* flow);

    /**
     * @param flow hears of every packet that is sent; null = nothing does
     */
    void CountPackets(RdmaFlowControl* flow);

    /// @return what hears of every packet that is sent; null = nothing does
    RdmaFlowControl* GetCounting() const
    {
        return m_counting;
    }

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
     * Let what is queued and what the source has to send take turns. Until then what is queued goes
     * first, and the source sends nothing at a port that forwards all the time.
     */
    void TakeTurns();

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

    /**
     * @param priority a priority
     * @return whether what is to leave with that priority is to be dropped
     */
    bool IsDropping(uint8_t priority) const
    {
        return m_dropped >> priority & 1U;
    }

    /**
     * @param priority a priority
     * @return whether it is kept from being sent
     */
    bool IsPaused(uint8_t priority) const
    {
        return !(m_allowed >> priority & 1U);
    }

    /// Priorities may send that might not before: send, if they have something.
    void Resume();

    /// @return whether packets wait, in queues or with the source
    bool HasQueued() const;

    /**
     * The cable was cut or mended.
     *
     * @param up whether it carries packets
     */
    void LinkChanged(bool up);

    /// @return whether the cable carries packets
    bool IsUp() const
    {
        return m_up;
    }

    /// @return whether there is a cable, and it carries packets
    bool IsLinkUp() const
    {
        return m_up && m_peer;
    }

    /// @return port at the far end; null = there is no cable
    const RdmaLinkEnd* GetPeer() const
    {
        return m_peer;
    }

    /// @return id of the node in the simulation
    uint32_t GetContext() const;

    /**
     * @param marker marks what waits; null = nothing is marked
     * @param rate rate of the port
     * @param shortQueue sending time of a queue that counts as short
     */
    void SetMarker(Ptr<RdmaEcnMarker> marker, DataRate rate, Time shortQueue);

    /// @return what marks
    RdmaPortMarking& GetMarking()
    {
        return m_marking;
    }

    /// @return what marks
    const RdmaPortMarking& GetMarking() const
    {
        return m_marking;
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

    /// @return what waits, and how priorities share the port
    RdmaEgressQueues& GetQueues()
    {
        return m_queues;
    }

    /// @return what waits, and how priorities share the port
    const RdmaEgressQueues& GetQueues() const
    {
        return m_queues;
    }

    /// @return bytes of all priorities that wait, but for those that leave late
    uint64_t GetQueuedBytes() const
    {
        return m_queued;
    }

    /// @return whether so little waits that trains may wait as a whole
    bool IsShort() const
    {
        return m_queued <= m_shortBytes;
    }

    /// @return whether a train is being sent that should not meet others, see RdmaTrain::IsLone()
    bool IsSendingLoneTrain() const
    {
        return m_trains.IsSendingLone(Simulator::Now().GetTimeStep());
    }

    /**
     * @param now time step
     * @return time steps until all that is being sent and waits now would be sent
     */
    int64_t GetBacklogSteps(int64_t now);

    /**
     * A train is counted when its first packet is sent; here only what has left counts.
     *
     * @return bytes of frames that have left so far, flow control left out, to a part of a packet
     */
    double GetSentBytes();

    /// @return packets of the queue that go before the source's, see TakeTurns(); 0 or less = none
    int32_t GetDeficit() const
    {
        return m_deficit;
    }

    /// @param packets packets of the queue that go before the source's
    void SetDeficit(int32_t packets)
    {
        m_deficit = packets;
    }

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

    /**
     * @return the next packet that waits or that the source has, see TakeTurns(); null = there is
     * none
     */
    RdmaPacketPtr TakeNext();

    /// @return a packet of the source; null = there is none
    RdmaPacketPtr Pull();

    /**
     * @param allowed priorities that may send
     * @return the packet that leaves the queues next; null = none may be sent
     */
    RdmaPacketPtr PopQueued(RdmaEgressQueues::Mask allowed);

    /**
     * Drop what waits.
     *
     * @param priorities of these priorities
     */
    void Flush(RdmaEgressQueues::Mask priorities);

    /**
     * Tell who traces queues.
     *
     * @param priority priority whose queue has changed
     */
    void TraceQueue(uint8_t priority)
    {
        if (!m_monitor.queueTrace.IsEmpty())
        {
            m_monitor.queueTrace(priority, m_queues.GetBytes(priority));
        }
    }

    /// @return whether there is something that may be sent
    bool IsBacklogged() const;

    /// Find which priorities may send.
    void UpdateAllowed();

    /**
     * Put a packet on the wire. The port must be free.
     *
     * @param packet the packet
     * @param now time step
     * @param start time step at which it begins to be sent, past now only for a train, see
     * TrySendNext()
     */
    void Transmit(RdmaPacketPtr packet, int64_t now, int64_t start);

    /**
     * Count a packet, and find when it comes to the far end.
     *
     * @param packet the packet
     * @param now time step
     * @param start time step at which it begins to be sent
     * @param steps time steps that one of its packets takes
     */
    void Launch(RdmaPacketPtr packet, int64_t now, int64_t start, int64_t steps);

    /**
     * Hand a packet over to the far end: the one place at which packets go from node to node.
     *
     * @param packet the packet
     * @param now time step
     * @param arrival time step at which it has come in there
     */
    void HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival);

    /**
     * Mark the packet if too much waits.
     *
     * @param packet packet that has left its queue
     */
    void MarkIfCongested(RdmaPacket& packet);

    // What every hop looks at stands together, in the order in which it does.
    const RdmaLinkEnd& m_end;                                //!< the port
    RdmaPortMonitor& m_monitor;                              //!< what it counts and traces
    RdmaPortOwner* m_owner{nullptr};                         //!< what stands behind the port
    RdmaPacketSource* m_source{nullptr};                     //!< besides queues; null = nothing
    const RdmaLinkEnd* m_peer{nullptr};                      //!< port at the far end
    RdmaFlowControl* m_counting{nullptr};                    //!< hears of all packets
    RdmaFlowControl* m_slots{nullptr};                       //!< when to send; null = always
    uint64_t m_queued{0};                                    //!< bytes that wait
    RdmaEgressQueues::Mask m_allowed{RdmaEgressQueues::ALL}; //!< priorities that may send
    RdmaEgressQueues::Mask m_held{0};                        //!< priorities held by flow control
    RdmaEgressQueues::Mask m_dropped{0}; //!< priorities whose packets are dropped
    bool m_isOpen{true};                 //!< the port is in its slot
    bool m_up{true};                     //!< the cable carries packets
    bool m_isBacklogged{false};          //!< something is to be sent when the port is free
    bool m_defers{false};                //!< packets may leave late, see Defer()
    bool m_writesTelemetry{false};       //!< writes into packets that have room for it
    bool m_takesTurns{false};            //!< the source's packets do not wait for an empty queue
    int32_t m_deficit{1};                //!< turns: packets of the queue before the source's
    uint64_t m_shortBytes{0};            //!< see IsShort()
    RdmaPortClock m_clock;               //!< all times
    RdmaPacketQueue m_control;           //!< frames of flow control that wait
    int64_t m_freeEventAt{NEVER};        //!< when the event of its being free is due
    Ptr<EventImpl> m_free;               //!< the event of its being free, for all times
    RdmaPortMarking m_marking;           //!< marks what waits
    RdmaEgressQueues m_queues;           //!< what waits
    RdmaTrainService m_trains;           //!< what goes between the packets of a train
    RdmaFlowControl* m_flow{nullptr};    //!< holds priorities back
    uint64_t m_bitRate{0};               //!< rate, bit/s
    int64_t m_lookAhead{0};              //!< of the cable between processes, time steps
};

} // namespace ns3

#endif /* RDMA_PORT_TRANSMITTER_H */
