/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_FABRIC_HELPER_H
#define IDEAL_FABRIC_HELPER_H

#include "ns3/ecmp-route-table.h"
#include "ns3/fabric-endpoints.h"
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
 * Every link at a host is a port of the network, but its NVLinks together are one, over which
 * messages are spread, and so are their other ends at NVSwitches together; and so are the ports of
 * ListPortGroups(), such as both of a NIC in a dual-plane network. A message leaves by the
 * first link of the path from its source to its destination, arrives by the last one, and meets the
 * delays of all of them. Hosts with several other links of equal cost spread their destinations
 * over them by an unsalted hash of the ranks.
 */
class IdealFabricHelper
{
  public:
    /**
     * @param graph the fabric; every host must reach every other
     * @return its ideal network, which stays valid without the graph or this helper
     */
    Ptr<IdealNetwork> Install(const TopologyGraph& graph);

    /**
     * Make the ideal network of a fabric in which others than hosts may send and receive messages
     * too. The ends of the links at such an NVSwitch are ports as well.
     *
     * @param graph the fabric; every host must reach every other
     * @param endpoints the nodes that send and receive messages
     * @return its ideal network, which stays valid without the graph or this helper
     */
    Ptr<IdealNetwork> Install(const TopologyGraph& graph, const FabricEndpoints& endpoints);

    /**
     * @param link a link of the fabric
     * @param node a node at one of its ends that sends and receives messages
     * @return the port of the ideal network that is there
     */
    uint32_t GetPort(uint32_t link, uint32_t node) const;

  private:
    /// What the paths are found with.
    struct Paths : public SimpleRefCount<Paths>
    {
        /**
         * @param graph the fabric
         * @param endpoints the nodes that send and receive messages
         */
        Paths(const TopologyGraph& graph, const FabricEndpoints& endpoints);

        EcmpRouteTable table;        //!< routes
        std::vector<uint32_t> nodes; //!< nodes that send and receive messages, by address
        std::vector<uint32_t> ports; //!< port of end a, then of end b, of each link; 0 = none of
                                     //!< these nodes is there
    };

    /**
     * @param paths what the paths are found with
     * @param source address of the sender
     * @param destination address of the receiver, another one
     * @return the path
     */
    static IdealPath FindPath(Ptr<Paths> paths, uint32_t source, uint32_t destination);

    Ptr<Paths> m_paths; //!< those of the latest network; null = there is none
};

} // namespace ns3

#endif /* IDEAL_FABRIC_HELPER_H */
