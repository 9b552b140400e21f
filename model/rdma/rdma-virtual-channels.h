/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_VIRTUAL_CHANNELS_H
#define RDMA_VIRTUAL_CHANNELS_H

#include "rdma-egress-queues.h"
#include "rdma-packet.h"

#include "ns3/topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Virtual channels of packets that may go by way of another switch: priorities that they
 * change to on the way, so that they never wait for each other in a circle under flow control.
 *
 * Links have ranks. On one channel a packet only takes links of ever higher rank; where the next
 * link has none, the packet moves on to the next channel. So channel and rank together only grow on
 * any path, and no buffer waits for itself (W. Dally, C. Seitz, "Deadlock-free message routing in
 * multiprocessor interconnection networks", IEEE Transactions on Computers 36(5), 1987). Links that
 * lead away from hosts rank before those between switches equally far from hosts, and these before
 * those that lead back to hosts: up and down a fat tree is one channel, in a dragonfly each link
 * between switches is one.
 *
 * Shortest paths need some channels at the most. The path to the other switch has the first of
 * them, that from there on the others, which are also those of packets that take no detour; as in
 * the dragonfly of J. Kim et al. (ISCA 2008, section 4.1 and figure 7), who count channels by
 * groups, and need three, as their paths have no two links of a group in a row.
 *
 * To and from hosts packets have the priority that they were sent with: no packet that a host is
 * to take waits for long.
 */
class RdmaVirtualChannels
{
  public:
    /**
     * @param graph the fabric
     * @param switches those that hosts are attached to
     * @param priorities priorities that channels may have
     * @throws WorkloadError if they are fewer than the channels that are needed
     */
    RdmaVirtualChannels(const TopologyGraph& graph,
                        const std::vector<uint32_t>& switches,
                        RdmaEgressQueues::Mask priorities);

    /// @return priorities of all channels
    RdmaEgressQueues::Mask GetPriorities() const;

    /**
     * @param isDetour whether a path leads to the other switch first
     * @return priority of the path's first channel
     */
    uint8_t GetFirst(bool isDetour) const
    {
        return m_priorities[GetBase(isDetour)];
    }

    /**
     * A packet begins the path to the other switch, or to its destination.
     *
     * @param packet the packet
     * @param isDetour whether it goes to the other switch
     */
    void Begin(RdmaPacket& packet, bool isDetour) const;

    /**
     * A packet goes on from a switch.
     *
     * @param packet the packet, which gets the priority of its channel there
     * @param link number of the link that it takes
     * @param node the switch
     */
    void Move(RdmaPacket& packet, uint32_t link, uint32_t node) const;

  private:
    /// Rank of links that lead to hosts, which need no channel.
    static constexpr uint8_t TO_HOST = 0;

    /**
     * @param isDetour whether a path leads to the other switch
     * @return number of its first channel
     */
    uint32_t GetBase(bool isDetour) const
    {
        return isDetour ? 0 : m_perPath;
    }

    /**
     * @param link number of a link
     * @param node node that packets leave by it
     * @return its rank
     */
    uint8_t GetRank(uint32_t link, uint32_t node) const;

    /// Find how far nodes are from the nearest host.
    void FindLevels();

    /**
     * @param switches those that paths may lead to
     * @return channels that a shortest path needs at the most
     */
    uint32_t CountChannels(const std::vector<uint32_t>& switches) const;

    TopologyGraph m_graph;             //!< the fabric; copies share what they hold
    std::vector<uint8_t> m_levels;     //!< links to the nearest host, by node
    uint8_t m_highest{0};              //!< the largest of them
    uint32_t m_perPath{0};             //!< channels of a shortest path
    std::vector<uint8_t> m_priorities; //!< of channels, in the order in which they are taken
};

} // namespace ns3

#endif /* RDMA_VIRTUAL_CHANNELS_H */
