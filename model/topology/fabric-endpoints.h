/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ENDPOINTS_H
#define FABRIC_ENDPOINTS_H

#include "topology-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The nodes of a fabric that messages go to, by address.
 *
 * The address of a host is its rank. After the hosts come, if they are to send and receive
 * messages, the NVSwitches that can: those that are linked to every host of their server, of which
 * it has two or more. They are numbered server by server. After these come, if they are to do so as
 * well, the switches of the network, see SwitchTrees::GetSwitches().
 */
class FabricEndpoints
{
  public:
    /// Consecutive addresses.
    struct Range
    {
        uint32_t first{0}; //!< the first one
        uint32_t count{0}; //!< how many
    };

    /**
     * @param graph the fabric
     * @param withSwitches whether NVSwitches send and receive messages
     * @param withNetwork whether switches of the network do; only where NVSwitches do
     */
    FabricEndpoints(const TopologyGraph& graph, bool withSwitches, bool withNetwork = false);

    /**
     * @return node in the graph by address
     */
    const std::vector<uint32_t>& GetNodes() const;

    /**
     * @return number of hosts; addresses from here on are those of switches
     */
    uint32_t GetNHosts() const;

    /**
     * @return the first address of a switch of the network, or that behind the last of all
     */
    uint32_t GetFirstNetworkSwitch() const;

    /**
     * @return NVSwitches of the server of each host, by rank; none for a host without
     */
    const std::vector<Range>& GetSwitches() const;

    /**
     * @param graph the fabric
     * @param address an address
     * @return "rank R", or the name of a switch
     */
    std::string Describe(const TopologyGraph& graph, uint32_t address) const;

  private:
    /**
     * @param graph the fabric
     */
    void AddNvswitches(const TopologyGraph& graph);

    std::vector<uint32_t> m_nodes; //!< by address
    std::vector<Range> m_switches; //!< by rank
    uint32_t m_firstNetworkSwitch; //!< address of the first switch of the network
};

} // namespace ns3

#endif /* FABRIC_ENDPOINTS_H */
