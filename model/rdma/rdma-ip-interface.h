/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IP_INTERFACE_H
#define RDMA_IP_INTERFACE_H

#include "rdma-ip-queue.h"
#include "rdma-nic.h"
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
 * @brief Lets the internet stack of a host use the ports of its NIC beside queue pairs, so that TCP
 *        and RDMA meet in one network.
 *
 * The stack sees a VirtualNetDevice. What it sends travels as RdmaPacket::IP by the routes of the
 * network, chosen by addresses, protocol and ports, in a priority of its own. At the host's port a
 * packet waits while queue pairs of higher priority have something to send, takes turns with those
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
     * @param destination ignored: the header tells
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
