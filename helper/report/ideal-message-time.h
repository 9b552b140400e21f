/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_MESSAGE_TIME_H
#define IDEAL_MESSAGE_TIME_H

#include "ns3/ecmp-route-table.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/nstime.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The time that a message takes if nothing is in its way.
 *
 * Its bytes at the rate of the slower end, all ports that lead there together, plus the delays of
 * the links of a shortest path, the one that IdealFabricHelper takes. Headers and switches take no
 * time.
 */
class IdealMessageTime
{
  public:
    /**
     * @param graph the topology
     */
    explicit IdealMessageTime(const TopologyGraph& graph);

    /**
     * @param source address of the sender, see FabricEndpoints
     * @param destination address of the receiver, another one
     * @param bytes payload
     * @return the time from its first byte's departure to its last byte's arrival
     */
    Time Get(uint32_t source, uint32_t destination, uint64_t bytes);

  private:
    /// What is known of a pair of nodes.
    struct Path
    {
        uint64_t rate; //!< of the slower end, bit/s
        Time delay;    //!< sum of all links
    };

    /**
     * @param source address of the sender
     * @param destination address of the receiver
     * @return the path between them
     */
    Path Find(uint32_t source, uint32_t destination) const;

    EcmpRouteTable m_table;                     //!< finds paths
    FabricEndpoints m_endpoints;                //!< nodes by address
    std::unordered_map<uint64_t, Path> m_paths; //!< by source (high half) and destination
};

} // namespace ns3

#endif /* IDEAL_MESSAGE_TIME_H */
