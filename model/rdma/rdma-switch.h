/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWITCH_H
#define RDMA_SWITCH_H

#include "rdma-network.h"
#include "rdma-pfc-watchdog.h"
#include "rdma-port-owner.h"
#include "rdma-shared-buffer.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A store-and-forward switch with a buffer that its ports share; aggregated to its node.
 *
 * A packet is stored from its arrival until it begins to be sent. One that finds its port idle is
 * never stored. When a port may store no more of a lossless priority, it pauses its peer, and what
 * is still on its way goes to the headroom of that port.
 *
 * With flow control by credits there is no common buffer: what is stored stays in the receive
 * buffer of its port and virtual lane, see RdmaCredits.
 *
 * As long as nobody is paused, ports let packets leave late (RdmaPortTransmitter::Defer()), so that
 * the buffer seems fuller than it is. What it accepts so, it accepts in truth; before it refuses
 * anything, all ports catch up.
 */
class RdmaSwitch : public Object, public RdmaPortOwner, public RdmaPacketKeeper
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSwitch();
    ~RdmaSwitch() override;

    /**
     * @param network the routes
     * @param node number of this switch's node in the network
     */
    void SetNetwork(Ptr<RdmaNetwork> network, uint32_t node);

    /**
     * @param port port to add; its cable is plugged in
     */
    void AddPort(Ptr<RdmaNetDevice> port);

    /**
     * Cut the payload off packets that find too long a queue, and send their headers ahead, so that
     * their receivers can report at once what is missing (packet trimming: M. Handley et al.,
     * "Re-architecting datacenter networks and stacks for low latency and high performance",
     * SIGCOMM 2017; Ultra Ethernet Specification 1.0). Only packets of protocols that can do so are
     * trimmed.
     *
     * @param queue sending time of the queue at which packets are trimmed; 0 = they are not
     */
    void SetTrimming(Time queue);

    /// Have the ports go by the attributes of their marker as they are now.
    void UpdateMarking();

    /**
     * Share the buffer out. To be called when all ports are added.
     *
     * @param largestFrame largest frame that the hosts send, bytes; MaxFrame wins over it
     */
    void Configure(uint32_t largestFrame);

    /**
     * @return the accounts of the buffer
     */
    const RdmaSharedBuffer& GetBuffer() const;

    /**
     * @param port a port
     * @return whether a flow that fills its queue is marked before its sender is paused, or its
     * packets are dropped; true if the port marks nothing
     */
    bool MarksInTime(const RdmaNetDevice& port) const;

    /**
     * @return packets whose payload was cut off
     */
    uint64_t GetTrims() const
    {
        return m_trims;
    }

    /**
     * @return packets of a lossless priority that found no headroom
     */
    uint64_t GetLosslessDrops() const;

    void Receive(RdmaNetDevice& port, RdmaPacketPtr packet) override;
    void Dequeued(RdmaNetDevice& port, const RdmaPacket& packet) override;
    void LinkChanged(RdmaNetDevice& port, bool up) override;
    void SendOn(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet) override;
    bool Admit(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacket& packet) override;
    void Originate(RdmaNetDevice& from, RdmaPacketPtr packet) override;

  protected:
    void DoDispose() override;

  private:
    /**
     * @param from port that the train has come in by
     * @param to port that it leaves by
     * @param packet a packet, or a train
     * @return how many of its packets may wait as a whole, at least 1
     */
    uint16_t CountToStore(const RdmaNetDevice& from,
                          const RdmaNetDevice& to,
                          const RdmaPacket& packet);

    /**
     * @param from port that a packet has come in by
     * @param to port that it is to leave by
     * @param packet the packet, or a train
     * @param count packets of the train that are to wait, at least 1
     * @return whether there is room for them, so that nobody is to pause
     */
    bool HasRoom(const RdmaNetDevice& from,
                 const RdmaNetDevice& to,
                 const RdmaPacket& packet,
                 uint16_t count);

    /// Let ports defer as long as nobody is paused.
    void UpdateDeferral();

    /**
     * Take as many packets off a train as may wait together. The rest comes in again.
     *
     * @param from port that it has come in by
     * @param to port that it is to leave by
     * @param train the train
     * @return what is to wait; null = nothing: the train is sent right behind what is being sent
     */
    RdmaPacketPtr Shorten(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr train);

    /**
     * Store what cannot be sent at once, or drop it, and put it into the queue of its port.
     *
     * @param from port that it has come in by
     * @param to port that it is to leave by
     * @param packet the packet, or a train
     */
    void Store(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet);

    /**
     * @param to port that a packet is to leave by
     * @param packet the packet, which is to be stored
     * @return whether it is too much for the queue, and can do without its payload
     */
    bool IsToBeTrimmed(const RdmaNetDevice& to, const RdmaPacket& packet) const;

    /**
     * @param port a port
     * @return bytes that may arrive by it after it was decided to pause its peer
     */
    uint64_t GetHeadroom(const RdmaNetDevice& port) const;

    /**
     * Share the buffer out among the ports.
     *
     * @param largestFrame largest frame that the hosts send, bytes
     * @throws WorkloadError if the buffer is too small for that
     */
    void ShareBuffer(uint32_t largestFrame);

    /**
     * Make sure that nothing is asked of a buffer that is not there.
     *
     * @throws WorkloadError if the value of an attribute would have no effect with credits
     */
    void RefuseSharing() const;

    /// Have the fastest ports take in packets before they have come whole.
    void CutThrough();

    bool m_cutThrough;     //!< whether to send packets on before they have come whole
    uint64_t m_bufferSize; //!< whole memory, bytes; 0 = that of a chip of the switch's rate
    double m_ingressAlpha; //!< lossless: share of the free memory that a port may hold
    double m_egressAlpha;  //!< lossy: share of the free memory that a queue may hold
    uint32_t m_maxFrame;   //!< largest frame, bytes; 0 = what the hosts send
    uint32_t m_lossless;   //!< priorities that are never to lose a packet, one bit each
    bool m_virtualQueues;  //!< whether packets wait by the port that they have come in by
    RdmaPfcWatchdog::Action m_watchdog; //!< what ends pauses that last too long
    Time m_detectionTime;               //!< how long paused packets wait until it acts
    Time m_restorationTime;             //!< how long there must be no pause until it stops

    Ptr<RdmaNetwork> m_network;              //!< the routes
    uint32_t m_node{0};                      //!< number of the node in the network
    std::vector<Ptr<RdmaNetDevice>> m_ports; //!< ports, by number
    RdmaSharedBuffer m_buffer;               //!< accounts of the buffer
    Time m_trimQueue;                        //!< queue at which to trim, sending time; 0 = never
    uint64_t m_trims{0};                     //!< packets whose payload was cut off
    uint64_t m_losslessDrops{0};             //!< packets that found no headroom
    bool m_defers{false};                    //!< ports let packets leave late
    bool m_usesCredits{false};               //!< ports have receive buffers of their own
};

} // namespace ns3

#endif /* RDMA_SWITCH_H */
