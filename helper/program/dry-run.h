/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DRY_RUN_H
#define DRY_RUN_H

#include "replay-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Build the fabric that a replay would run on and print what it is, without a simulation.
 *
 * With an output directory it writes files, see WriteTopologyFiles().
 *
 * @param options what the user asks for; the workload says how many ranks there are, and may be
 *        missing if the world is given
 * @param os where the summary goes
 * @return what could not be written, one line each
 * @throws WorkloadError if the workload, the topology or the output directory is wrong
 */
std::vector<std::string> DryRun(const ReplayOptions& options, std::ostream& os);

/**
 * @ingroup workload-replay
 * @brief Print what a topology consists of: nodes, links, diameter, bisection bandwidth and ports.
 *
 * @param os where to
 * @param graph the topology
 * @param world number of ranks; hosts beyond it stay idle
 */
void PrintTopologySummary(std::ostream& os, const TopologyGraph& graph, uint32_t world);

/**
 * @ingroup workload-replay
 * @brief Make a directory ready for files.
 *
 * @param directory the directory; made if it is not there
 * @param where where it was given
 * @throws WorkloadError if it cannot be written to
 */
void PrepareDirectory(const std::string& directory, const SourceLocation& where);

} // namespace ns3

#endif /* DRY_RUN_H */
