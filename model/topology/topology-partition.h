/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_PARTITION_H
#define TOPOLOGY_PARTITION_H

#include "topology-graph.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Deals out the nodes of a fabric to the processes that simulate it together.
 *
 * What may not be cut stays whole: the nodes of a server, and nodes with a link without delay or
 * NVLink between them. These units are taken in the order of the switches that they are attached
 * to, so that neighbours come together, and dealt out so that each part has as many hosts as any
 * other, give or take a unit. A switch then goes where most of its bandwidth towards the hosts
 * leads; if that is equal, as for a spine, where the least bandwidth of switches is so far.
 *
 * The result depends on nothing but the graph and the number of parts.
 */
class TopologyPartition
{
  public:
    /**
     * @param graph the fabric
     * @param parts number of parts, at least 1
     * @param where what asks for so many parts
     * @throws WorkloadError if there are fewer units with hosts than parts
     */
    TopologyPartition(const TopologyGraph& graph, uint32_t parts, const SourceLocation& where);

    /**
     * @return number of parts
     */
    uint32_t GetNParts() const;

    /**
     * @param node index of a node
     * @return its part, counted from 0
     */
    uint32_t GetPart(uint32_t node) const;

    /**
     * @return links between nodes of different parts, ascending
     */
    const std::vector<uint32_t>& GetCutLinks() const;

    /**
     * @return the largest delay of a link between parts; 0 = there is none
     */
    Time GetLargestDelay() const;

  private:
    uint32_t m_count;                 //!< number of parts
    std::vector<uint32_t> m_parts;    //!< by node
    std::vector<uint32_t> m_cutLinks; //!< links between parts
    Time m_largestDelay;              //!< of these
};

} // namespace ns3

#endif /* TOPOLOGY_PARTITION_H */
