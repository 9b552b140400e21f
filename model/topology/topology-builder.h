/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_BUILDER_H
#define TOPOLOGY_BUILDER_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Builds topologies by the names of their TopologyGenerator.
 */
class TopologyBuilder
{
  public:
    /**
     * Build a topology, and check that every rank reaches every other.
     *
     * @param spec name and keys
     * @param world number of ranks, at least 1
     * @param parameters servers and links
     * @return the graph; its name is that of the topology, or of the one that auto has chosen
     * @throws WorkloadError if the name, a key or a parameter is wrong or the world does not fit
     */
    static TopologyGraph Build(const TopologySpec& spec,
                               uint32_t world,
                               const FabricParameters& parameters);

    /**
     * @return the names of the topologies, in the order of the help
     */
    static std::vector<std::string> GetNames();

    /**
     * @return a line for each topology: its name, what it is and its keys with their defaults
     */
    static std::vector<std::string> GetHelp();
};

} // namespace ns3

#endif /* TOPOLOGY_BUILDER_H */
