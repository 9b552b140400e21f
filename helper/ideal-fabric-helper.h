/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_FABRIC_HELPER_H
#define IDEAL_FABRIC_HELPER_H

#include "ns3/ecmp-route-table.h"
#include "ns3/ideal-network.h"
#include "ns3/simple-ref-count.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes the ideal network of a fabric: its hosts' ports and the delays between them.
 *
 * Every link at a host is a port of the network. A message leaves by the first link of the path
 * from its source to its destination, arrives by the last one, and meets the delays of all of them.
 * Hosts with several links of equal cost spread their destinations over them by an unsalted hash of
 * the ranks.
 */
class IdealFabricHelper
{
  public:
    /**
     * @param graph the fabric; every host must reach every other
     * @return its ideal network, which stays valid without the graph or this helper
     */
    Ptr<IdealNetwork> Install(const TopologyGraph& graph) const;

  private:
    /// What the paths are found with.
    struct Paths : public SimpleRefCount<Paths>
    {
        /**
         * @param graph the fabric
         */
        explicit Paths(const TopologyGraph& graph);

        EcmpRouteTable table;        //!< routes
        std::vector<uint32_t> ports; //!< port of end a, then of end b, of each link; 0 = no host is
                                     //!< there
    };

    /**
     * @param link index of a link
     * @param node node at one of its ends
     * @param graph the fabric
     * @return index of the end in Paths::ports
     */
    static uint32_t GetEnd(const TopologyGraph& graph, uint32_t link, uint32_t node);

    /**
     * @param paths what the paths are found with
     * @param source sending rank
     * @param destination receiving rank, another one
     * @return the path
     */
    static IdealPath FindPath(Ptr<Paths> paths, uint32_t source, uint32_t destination);
};

} // namespace ns3

#endif /* IDEAL_FABRIC_HELPER_H */
