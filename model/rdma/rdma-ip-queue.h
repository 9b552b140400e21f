/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IP_QUEUE_H
#define RDMA_IP_QUEUE_H

#include "rdma-egress-queues.h"
#include "rdma-packet-queue.h"
#include "rdma-packet-source.h"
#include "rdma-packet.h"

#include <cstdint>

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

} // namespace ns3

#endif /* RDMA_IP_QUEUE_H */
