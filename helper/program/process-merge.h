/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROCESS_MERGE_H
#define PROCESS_MERGE_H

#include "background-run.h"
#include "networked-job.h"
#include "replay-part.h"

#include "ns3/replay-files.h"
#include "ns3/replay-spool.h"
#include "ns3/topology-graph.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Bring what each process has seen of a replay to the first one, as if it had seen it all.
 * All must call it.
 *
 * @param [in,out] part what this process reports; at the first one receives what all reports
 * @param [in,out] job what was simulated; at the first one its statistics become those of all
 * @param [in,out] background traffic beside it, likewise; null = there is none
 * @param spool what this process has kept
 * @param files are notified of what happened, at the first process; null = none
 */
void MergeProcesses(ReplayPart& part,
                    NetworkedJob& job,
                    BackgroundRun* background,
                    ReplaySpool& spool,
                    ReplayFiles* files);

/**
 * @ingroup workload-replay
 * @brief Ask all processes for what the user should know of the fabric. All must call it.
 *
 * @param fabric the fabric
 * @param graph the topology
 * @return the warnings, one line each; at other processes than the first, not those of switches
 */
std::vector<std::string> GatherFabricWarnings(const ReplayFabric& fabric,
                                              const TopologyGraph& graph);

} // namespace ns3

#endif /* PROCESS_MERGE_H */
