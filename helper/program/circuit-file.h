/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_FILE_H
#define CIRCUIT_FILE_H

#include "ns3/nstime.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Links that a controller takes down or up at one time, with the routes.
 */
struct CircuitChange
{
    Time time;                   //!< when
    std::vector<uint32_t> links; //!< numbers of the links
    bool up{false};              //!< whether they carry packets from then on
};

/**
 * @ingroup workload-replay
 * @brief Read when a patch panel or an optical switch joins which nodes.
 *
 * The file is one JSON object: darkTime, for which a link that is switched on carries nothing yet,
 * and changes, a list of objects in the order of time. Each has a time and the names of links, that
 * is of two nodes with '-' between them: down is switched off then, up on. All links are on at the
 * start, but for those that a change at time 0 switches off. This is how TopoOpt (W. Wang et al.,
 * NSDI 2023) makes topologies for a job, whose phases the user states by their times.
 *
 * @param path the file
 * @param graph the topology
 * @return changes, in the order in which they take place
 * @throws WorkloadError if the file is not of the form, names no link of the topology, goes back in
 *         time, or switches a link to what it is
 */
std::vector<CircuitChange> ReadCircuitFile(const std::string& path, const TopologyGraph& graph);

} // namespace ns3

#endif /* CIRCUIT_FILE_H */
