/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NET_DEVICE_H
#define RDMA_NET_DEVICE_H

#include "rdma-channel.h"
#include "rdma-ecn-marker.h"
#include "rdma-egress-queues.h"
#include "rdma-flow-controlled-device.h"
#include "rdma-packet.h"
#include "rdma-port-owner.h"

#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3
{

class RdmaProcessLink;

/**
 * @ingroup workload-replay
 * @brief A full-duplex port with a queue for each of eight priorities, flow control and ECN.
 *
 * A packet that finds the port idle is sent at once, and its arrival at the far end is the only
 * event: the port knows until when it is busy. Only if something has to wait is there an event at
 * that time, or later, see Defer().
 */
class RdmaNetDevice : public RdmaFlowControlledDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNetDevice();
    ~RdmaNetDevice() override;

    /**
     * @param owner what stands behind the port; must outlive it
     * @param index number of the port there
     * @param address what packets call the node by that are to go to it
     * @param writesTelemetry whether the port writes into packets that have room for it
     */
    void SetOwner(RdmaPortOwner* owner, uint32_t index, uint32_t address, bool writesTelemetry);

    /**
     * Let what is queued and what the owner has to send take turns. Until then what is queued goes
     * first, and its owner sends nothing at a port that forwards all the time.
     */
    void TakeTurns();

    /**
     * Let packets leave the queues late, or no more. What waits leaves when it has to, and has
     * until its first packet arrives at the far end, a propagation delay later, to be handed over:
     * one event does for all that leave within a delay. Whatever happens at the port first has
     * leave what is due, each packet at its own time, so that nothing changes but when the owner
     * hears of it (Dequeued()). A port that somebody listens to does not defer, nor may one whose
     * owner has packets to Pull().
     *
     * @param defers whether to; it does not until then
     */
    void Defer(bool defers);

    void CatchUp() final
    {
        if (m_defers && m_isBacklogged)
        {
            const int64_t now = Simulator::Now().GetTimeStep();
            SendUntil(now, now);
        }
    }

    /**
     * Make this the far end of a cable to another process, which has the port in truth: here it
     * only tells where packets go. To be called before the cable is plugged in.
     *
     * @param link carries packets there
     * @param index number of the port at its node there
     * @param address what packets call its node by
     */
    void SetRemote(RdmaProcessLink* link, uint32_t index, uint32_t address);

    /**
     * A packet of another process is on its way to this port. For RdmaProcessLink.
     *
     * @param packet the packet
     * @param arrival time step at which it comes in, not past
     */
    void TakeOver(RdmaPacketPtr packet, int64_t arrival);

    /// @return number of the port at its owner
    uint32_t GetIndex() const
    {
        return m_portIndex;
    }

    /**
     * Plug in the cable. The nodes of both ports must be set.
     *
     * @param channel the cable
     * @param peer port at the far end
     */
    void Attach(Ptr<RdmaChannel> channel, Ptr<RdmaNetDevice> peer);

    /**
     * Take in packets when their headers have come: the owner sends them on at once. For
     * RdmaSwitch.
     */
    void CutThrough();

    /**
     * @param wireBytes bytes that a packet takes on the wire
     * @return bytes of it that have come when it is taken in
     */
    uint32_t GetAwaitedBytes(uint32_t wireBytes) const
    {
        return m_isCutThrough ? std::min(RdmaPacket::HEAD_BYTES, wireBytes) : wireBytes;
    }

    /**
     * @param marker marks what waits here; null = nothing is marked
     */
    void SetEcnMarker(Ptr<RdmaEcnMarker> marker);

    /**
     * @param stream number of the stream by which packets are marked
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// @return what marks; null = nothing does
    Ptr<RdmaEcnMarker> GetEcnMarker() const;

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

    /**
     * The owner has something that Pull() would bring.
     */
    void Kick();

    /**
     * A packet has come in. For RdmaPacket.
     *
     * @param packet the packet
     */
    void Receive(RdmaPacketPtr packet);

    /**
     * The cable was cut or mended. For RdmaChannel.
     *
     * @param up whether it carries packets
     */
    void LinkChanged(bool up);

    /// @return whether so little waits that trains may wait as a whole
    bool IsShort() const
    {
        return m_queued <= m_shortBytes;
    }

    /// @return whether a train is being sent that should not meet others, see RdmaTrain::IsLone()
    bool IsSendingLoneTrain() const
    {
        return m_train.isLone && m_clock.IsSendingTrain(Simulator::Now().GetTimeStep());
    }

    /**
     * @param priority a priority
     * @return bytes of that priority that wait
     */
    uint64_t GetQueuedBytes(uint8_t priority) const
    {
        return m_queues.GetBytes(priority);
    }

    /**
     * @param priority a priority
     * @param ingress port of the switch that a packet has come in by
     * @return bytes that wait in its queue, see RdmaEgressQueues::GetBytes()
     */
    uint64_t GetQueuedBytes(uint8_t priority, uint32_t ingress) const
    {
        return m_queues.GetBytes(priority, ingress);
    }

    /// Have virtual output queues. To be called before anything is sent.
    void SetVirtualQueues()
    {
        m_queues.SetVirtual();
    }

    /// @return what waits, and how priorities share the port
    const RdmaEgressQueues& GetQueues() const
    {
        return m_queues;
    }

    /**
     * @param now time step
     * @return time steps until all that is being sent and waits now would be sent
     */
    int64_t GetBacklogSteps(int64_t now);

    /// @return rate of the port
    DataRate GetRate() const
    {
        return m_rate;
    }

    /**
     * @param bytes any number of bytes
     * @return time steps that they take on the wire
     */
    int64_t GetSendingSteps(uint64_t bytes) const
    {
        return m_clock.GetSendingSteps(bytes);
    }

    /// @return what the port has done so far
    RdmaPortCounters GetCounters();

    /**
     * A train is counted when its first packet is sent; here only what has left counts.
     *
     * @return bytes of frames that have left so far, flow control left out, to a part of a packet
     */
    double GetSentBytes();

    /// @return bytes of all priorities that wait
    uint64_t GetAllQueuedBytes();

    /// @return most bytes that have waited since this was called last
    uint64_t TakeMaxQueue();

    /// @return most bytes that have waited since TakeMaxQueue() was called last
    uint64_t GetRecentMaxQueue();

    /**
     * Count what the port was spared.
     *
     * @param counters what it would have done; pauses, and what comes of them, left out
     */
    void Credit(const RdmaPortCounters& counters);

    /// @return packets of the queue that go before the owner's, see TakeTurns(); 0 or less = none
    int32_t GetDeficit() const
    {
        return m_deficit;
    }

    /// @param packets packets of the queue that go before the owner's
    void SetDeficit(int32_t packets)
    {
        m_deficit = packets;
    }

    /// @return port at the far end; null = no cable
    Ptr<RdmaNetDevice> GetPeer() const;
    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;

  protected:
    void DoDispose() override;

  private:
    /// No time.
    static constexpr int64_t NEVER = -1;

    void SendControl(RdmaPacketPtr frame) override;
    void Resume() override;
    bool HasQueued() const override;
    void Flush(RdmaEgressQueues::Mask priorities) override;

    /**
     * @param weights the attribute Weights
     */
    void SetWeights(std::string weights);

    /// @return the attribute Weights
    std::string GetWeights() const;

    /**
     * @param priority a priority
     * @param now time step
     * @return whether a packet of it would be sent at once
     */
    bool IsIdle(uint8_t priority, int64_t now) const;

    /**
     * @param priority a priority
     * @param now time step
     * @return whether a train of lower priority is being sent, and nothing that waits is to go
     * before a packet of the priority
     */
    bool MayPreempt(uint8_t priority, int64_t now) const;

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
     * @return the gap, in the train that was sent last, of what waits and is to be sent next; when
     * the port is free = there is none
     */
    int64_t FindGap() const;

    /**
     * Send what waits in a gap of the train that is being sent, see FindGap().
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

    /// @return whether somebody listens to what happens when packets leave
    bool IsObserved() const;

    /**
     * @return the next packet that waits or that the owner has, see TakeTurns(); null = there is
     * none
     */
    RdmaPacketPtr TakeNext();

    /**
     * @param allowed priorities that may send
     * @return the packet that leaves the queues next; null = none may be sent
     */
    RdmaPacketPtr PopQueued(RdmaEgressQueues::Mask allowed);

    /**
     * Tell who traces queues.
     *
     * @param priority priority whose queue has changed
     */
    void TraceQueue(uint8_t priority)
    {
        if (!m_queueTrace.IsEmpty())
        {
            m_queueTrace(priority, m_queues.GetBytes(priority));
        }
    }

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

    /**
     * A train begins to be sent, or goes on one that is being sent.
     *
     * @param packet the train
     * @param now time step
     * @param start time step at which it begins to be sent
     * @param steps time steps that one of its packets takes
     */
    void StartTrain(const RdmaPacket& packet, int64_t now, int64_t start, int64_t steps);

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

    /**
     * Take in a packet, or lose it, where there are an error model or credits.
     *
     * @param packet the packet
     */
    void TakeWithCare(RdmaPacketPtr packet);

    // What every hop looks at stands together, in the order in which it does.
    RdmaPortOwner* m_owner{nullptr};    //!< what stands behind the port
    RdmaNetDevice* m_peer{nullptr};     //!< port at the far end
    uint64_t m_queued{0};               //!< bytes that wait
    RdmaTrainBeingSent m_train;         //!< the train that is being sent, or was sent last
    bool m_isCutThrough{false};         //!< see CutThrough()
    bool m_isBacklogged{false};         //!< something is to be sent when the port is free
    bool m_defers{false};               //!< packets may leave late, see Defer()
    bool m_writesTelemetry{false};      //!< writes into packets that have room for it
    bool m_takesTurns{false};           //!< the owner's packets do not wait for an empty queue
    int32_t m_deficit{1};               //!< turns: packets of the queue that go before the owner's
    uint32_t m_portIndex{0};            //!< number of the port at its owner
    uint32_t m_address{0};              //!< what packets call the node by that are to go to it
    uint32_t m_context{0};              //!< id of the node in the simulation
    uint64_t m_shortBytes{0};           //!< see IsShort()
    uint64_t m_maxQueueBefore{0};       //!< most that waited before TakeMaxQueue() was called last
    RdmaPacketQueue m_control;          //!< frames of flow control that wait
    int64_t m_freeEventAt{NEVER};       //!< when the event of its being free is due
    Ptr<EventImpl> m_free;              //!< the event of its being free, for all times
    RdmaPortMarking m_marking;          //!< marks what waits
    RdmaEgressQueues m_queues;          //!< what waits
    RdmaProcessLink* m_remote{nullptr}; //!< to the process that has this port; null = this one
    DataRate m_rate;                    //!< rate
    Time m_shortQueueTime;              //!< sending time of a queue that counts as short
    Ptr<RdmaChannel> m_channel;         //!< the cable
};

} // namespace ns3

#endif /* RDMA_NET_DEVICE_H */
