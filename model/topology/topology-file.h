/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_FILE_H
#define TOPOLOGY_FILE_H

#include "fabric-parameters.h"
#include "topology-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Topologies in files, of whatever form.
 */
class TopologyFile
{
  public:
    /**
     * Distinguish a file from a named topology. A text names a file if it ends in .topo, .txt,
     * .json, .yml or .yaml, if there is a slash before its first colon, or if there is such a file
     * and neither a colon nor a topology of that name.
     *
     * @param text the topology that the user asks for
     * @return whether it names a file
     */
    static bool IsFileName(const std::string& text);

    /**
     * @param path path of a file
     * @return whether it may not say which rates and delays links have, as those of InfraGraph
     */
    static bool LeavesRatesOpen(const std::string& path);

    /**
     * Read a topology, and check that every rank reaches every other. Files of htsim, ASTRA-sim and
     * InfraGraph are recognized by their content. Of the others one that begins with a brace or is
     * called .json is read by ReadTopologyJson(), any other by ReadTopologyText().
     *
     * @param path path of the file
     * @param world number of ranks: rank i runs on host i, further hosts stay idle; 0 = any
     * @param parameters rates and delays of links for files that LeavesRatesOpen() says so of
     * @return the graph; its name is the one in the file, else that of the file without directories
     * @throws WorkloadError if the file is wrong, or has fewer hosts than there are ranks
     */
    static TopologyGraph Read(const std::string& path,
                              uint32_t world,
                              const FabricParameters& parameters = FabricParameters());
};

} // namespace ns3

#endif /* TOPOLOGY_FILE_H */
