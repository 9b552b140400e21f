/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NET_DEVICE_H
#define RDMA_NET_DEVICE_H

#include "rdma-ecn-marker.h"
#include "rdma-egress-queues.h"
#include "rdma-flow-control.h"
#include "rdma-link-end.h"
#include "rdma-net-device-base.h"
#include "rdma-packet.h"
#include "rdma-port-owner.h"
#include "rdma-port-transmitter.h"
#include "rdma-send-schedule.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

struct SlotCycle;

/**
 * @ingroup workload-replay
 * @brief A full-duplex port with a queue for each of eight priorities, flow control and ECN.
 *
 * It is put together from parts: RdmaPortTransmitter sends, RdmaFlowControl keeps packets from
 * being lost, RdmaSendSchedule serves the queue pairs of a host in round robin. Here packets come
 * in, and cables are plugged in and cut.
 */
class RdmaNetDevice : public RdmaNetDeviceBase
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

    /// Let queue pairs of a host send by this port, see GetSchedule().
    void AddSchedule();

    /// @return whose turn it is among the queue pairs that send by this port; there must be some
    RdmaSendSchedule& GetSchedule() const
    {
        return *m_schedule;
    }

    /// @return the sending half
    RdmaPortTransmitter& GetTransmitter()
    {
        return m_transmitter;
    }

    /// @return the sending half
    const RdmaPortTransmitter& GetTransmitter() const
    {
        return m_transmitter;
    }

    /**
     * Plug in the cable. The nodes of both ports must be set.
     *
     * @param cable the cable
     * @param peer port at the far end; must outlive this object
     * @param delay propagation delay of the cable
     * @param lookAhead how far processes at its ends may run ahead of each other
     */
    void Attach(Ptr<Channel> cable, const RdmaNetDevice& peer, Time delay, Time lookAhead);

    /**
     * Begin flow control by credits, if that is what FlowControl says. To be called when the cable
     * is plugged in, before anything is sent.
     *
     * @param largestFrame largest frame of the fabric, bytes
     * @param peer port at the far end; null = another process has it
     * @throws WorkloadError if the receive buffers are too small for the frame, an attribute does
     * nothing, or the far end has other flow control
     */
    void BeginFlowControl(uint32_t largestFrame, const RdmaNetDevice* peer);

    /// @return whether flow control is by credits
    bool UsesCredits() const
    {
        return m_usesCredits;
    }

    /// @return receive buffer of each virtual lane with credits, bytes
    uint32_t GetLaneBuffer() const
    {
        return m_laneBuffer;
    }

    /// @return the credits; null = flow control is not by credits, or has not begun
    const RdmaCredits* GetCredits() const
    {
        return m_flow->GetCredits();
    }

    /// @return what keeps packets from being lost
    RdmaFlowControl& GetFlowControl() const
    {
        return *m_flow;
    }

    /**
     * Ask the far end to stop sending a priority, or to go on.
     *
     * @param priority the priority
     * @param pause whether to stop
     */
    void SendPause(uint8_t priority, bool pause)
    {
        m_flow->SendPause(priority, pause, m_pauseQuanta);
    }

    /**
     * @param priority a priority
     * @return whether flow control keeps it from being sent
     */
    bool IsPaused(uint8_t priority) const
    {
        return !m_transmitter.GetGate().IsAllowed(priority);
    }

    /**
     * Let the port send in one slot of a cycle only, after the dark time, see RdmaSlotFlowControl.
     * The peer must have the same slot, and trains have to come packet by packet.
     *
     * @param cycle the cycle
     * @param slot the slot
     */
    void SetSlot(const SlotCycle& cycle, uint32_t slot);

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
        return m_isCutThrough ? std::min<uint32_t>(m_flow->GetLinkLayer().head, wireBytes)
                              : wireBytes;
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
     * @param packet the packet; null afterwards if it is sent
     * @return whether it is, see RdmaPortTransmitter::TrySend()
     */
    bool TrySend(RdmaPacketPtr& packet)
    {
        return m_transmitter.TrySend(packet);
    }

    /**
     * Send a packet when its turn comes.
     *
     * @param packet the packet
     */
    void Enqueue(RdmaPacketPtr packet)
    {
        m_transmitter.Enqueue(std::move(packet));
    }

    /**
     * Take the first packets off a train that has come in by this port. The rest will come in again
     * when its time comes.
     *
     * @param train the train, at the time at which it comes in
     * @param packets how many, at least 1 and fewer than all
     * @return its first packets
     */
    RdmaPacketPtr SplitOff(RdmaPacketPtr train, uint16_t packets = 1);

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

    /// @return what waits, and how priorities share the port
    const RdmaEgressQueues& GetQueues() const
    {
        return m_transmitter.GetBacklog().GetQueues();
    }

    /**
     * @param now time step
     * @return time steps until all that is being sent and waits now would be sent
     */
    int64_t GetBacklogSteps(int64_t now)
    {
        return m_transmitter.GetBacklogSteps(now);
    }

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
        return m_transmitter.GetClock().GetSendingSteps(bytes);
    }

    /// @return what the port has done so far
    PortCounters GetCounters();

    /**
     * A train is counted when its first packet is sent, and a message of a fluid when it has come
     * whole; here only what has left counts.
     *
     * @return bytes of frames that have left so far, flow control left out, to a part of a packet
     */
    double GetSentBytes();

    /// @return bytes of all priorities that wait, in packets or as a fluid
    uint64_t GetAllQueuedBytes();

    /// @return most bytes that have waited since this was called last
    uint64_t TakeMaxQueue();

    /// @return most bytes that have waited since TakeMaxQueue() was called last
    uint64_t GetRecentMaxQueue();

    /**
     * Count what the port was spared, by outcomes that are reused or a fluid.
     *
     * @param spared what it would have counted
     */
    void Credit(const PortCounters& spared);

    /// @return port at the far end; null = no cable
    Ptr<RdmaNetDevice> GetPeer() const;
    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;

  protected:
    void DoDispose() override;

  private:
    /// What keeps packets from being lost for want of room.
    enum FlowControlKind : uint8_t
    {
        PFC,    //!< priority flow control
        CREDITS //!< credits of InfiniBand
    };

    /**
     * @param rate the attribute DataRate
     * @throws WorkloadError if it is another one than before, and the cable is plugged in
     */
    void SetRate(DataRate rate);

    /**
     * @param weights the attribute Weights
     */
    void SetWeights(std::string weights);

    /// @return the attribute Weights
    std::string GetWeights() const;

    /**
     * @param kind the attribute FlowControl
     */
    void SetFlowControl(FlowControlKind kind);

    /// @return the attribute FlowControl
    FlowControlKind GetFlowControlKind() const;

    /**
     * Take in a packet, or lose it, where there are an error model or credits.
     *
     * @param packet the packet
     */
    void TakeWithCare(RdmaPacketPtr packet);

    // What every hop looks at comes first.
    RdmaPortOwner* m_owner{nullptr};              //!< what stands behind the port
    bool m_isCutThrough{false};                   //!< see CutThrough()
    RdmaPortTransmitter m_transmitter;            //!< the sending half
    bool m_usesCredits{false};                    //!< flow control is by credits
    std::unique_ptr<RdmaFlowControl> m_flow;      //!< keeps packets from being lost
    std::unique_ptr<RdmaFlowControl> m_slots;     //!< when it may send; null = always
    std::unique_ptr<RdmaSendSchedule> m_schedule; //!< of queue pairs; null = none send here
    uint64_t m_maxQueueBefore{0}; //!< most that waited before TakeMaxQueue() was called last
    uint16_t m_pauseQuanta{0};    //!< time that pauses ask for, quanta; 0 = no end
    uint32_t m_laneBuffer{0};     //!< receive buffer of each virtual lane, bytes
    Time m_shortQueueTime;        //!< sending time of a queue that counts as short
    Ptr<Channel> m_cable;         //!< the cable
};

} // namespace ns3

#endif /* RDMA_NET_DEVICE_H */
