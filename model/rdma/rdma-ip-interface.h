/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IP_INTERFACE_H
#define RDMA_IP_INTERFACE_H

#include "rdma-egress-queues.h"
#include "rdma-nic.h"
#include "rdma-packet-queue.h"
#include "rdma-packet-source.h"
#include "rdma-packet.h"

#include "ns3/address.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/virtual-net-device.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a port of a host sends that carries packets of IP as well: those that wait here and
 * what its queue pairs have share the port as the queues of its priorities do.
 */
class RdmaIpQueue : public RdmaPacketSource
{
  public:
    /**
     * @param pairs queue pairs that send by the port; must outlive this object
     * @param shares how the priorities share the port; must outlive this object
     * @param priority priority of packets of IP
     */
    RdmaIpQueue(RdmaPacketSource& pairs, const RdmaEgressQueues& shares, uint8_t priority);

    RdmaPacketPtr Pull(RdmaEgressQueues::Mask allowed) override;
    bool CanPull(RdmaEgressQueues::Mask allowed) const override;
    RdmaPacketPtr PullIntoTrain(RdmaEgressQueues::Mask allowed) override;
    bool CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const override;

    /**
     * @param packet packet of IP to put behind the others
     */
    void Push(RdmaPacketPtr packet);

    /// @return packets of IP that wait
    uint32_t GetNPackets() const
    {
        return m_count;
    }

  private:
    /**
     * @param allowed priorities that may send
     * @return whether a packet of IP waits that may be sent
     */
    bool HasPacket(RdmaEgressQueues::Mask allowed) const
    {
        return !m_packets.IsEmpty() && (allowed >> m_priority & 1U) != 0;
    }

    RdmaPacketSource& m_pairs;        //!< queue pairs that send by the port
    const RdmaEgressQueues& m_shares; //!< how the priorities share the port
    uint8_t m_priority;               //!< priority of packets of IP
    RdmaPacketQueue m_packets;        //!< those that wait, in their order
    uint32_t m_count{0};              //!< how many
    int64_t m_deficit{0};             //!< bytes that queue pairs beside it have sent more
};

/**
 * @ingroup workload-replay
 * @brief Lets the internet stack of a host use the ports of its NIC beside queue pairs, so that TCP
 *        and RDMA meet in one network.
 *
 * The stack sees a VirtualNetDevice. What it sends travels as RdmaPacket::IP by the routes of the
 * network, chosen by addresses, protocol and ports, in a priority of its own. At the host's port a
 * packet waits while queue pairs of higher priority have something to send, alternates with those
 * of its own, by bytes or by the weights of the port, and goes before those of lower priority. It
 * does not go into the gaps of a queue pair's train. Switches do with it what they do with all
 * packets of its priority, but mark nothing: IP packets are dropped where RDMA's would be marked
 * first.
 */
class RdmaIpInterface : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaIpInterface();
    ~RdmaIpInterface() override;

    /**
     * @param nic the NIC; its ports are there
     * @param device what the internet stack sees; its MTU is that of packets of IP
     */
    void Setup(Ptr<RdmaNic> nic, Ptr<VirtualNetDevice> device);

    /**
     * @return packets of the stack that found the queue of their port full
     */
    uint64_t GetDrops() const;

  protected:
    void DoDispose() override;

  private:
    /**
     * Upcall of the NIC: a packet has come in.
     *
     * @param packet a packet of type IP
     */
    void Receive(const RdmaPacket& packet);

    /**
     * Upcall of the device: the internet stack sends.
     *
     * @param packet packet with its IPv4 header
     * @param source address of the device
     * @param destination ignored: the header has it
     * @param protocol EtherType
     * @return whether it is taken
     */
    bool Send(Ptr<Packet> packet,
              const Address& source,
              const Address& destination,
              uint16_t protocol);

    Ptr<RdmaNic> m_nic;               //!< the NIC
    Ptr<VirtualNetDevice> m_device;   //!< what the stack sees
    std::deque<RdmaIpQueue> m_queues; //!< by port
    uint8_t m_priority{0};            //!< priority of all packets
    uint32_t m_queueLimit{0};         //!< most packets that wait at a port
    uint64_t m_drops{0};              //!< packets that found the queue full
};

} // namespace ns3

#endif /* RDMA_IP_INTERFACE_H */
