/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MERGED_JOBS_H
#define MERGED_JOBS_H

#include "workload.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// Name of the communicator of traffic that belongs to no job, see MergeJobs().
constexpr const char* BACKGROUND_COMMUNICATOR = "background";

/**
 * @ingroup workload-replay
 * @brief Put jobs that run at once on the hosts of one network into one workload, in which rank i
 * is what host i does.
 *
 * The jobs keep their communicators, in the order of the jobs; a communicator of all hosts, for
 * traffic that belongs to no job, comes last. Programs are shared with the jobs, not copied. A host
 * without a rank has a program without ops.
 *
 * @param jobs the jobs; a host serves one rank
 * @param hosts number of hosts
 * @return the workload; Workload::GetJobs() knows which rank is whose
 */
std::shared_ptr<const Workload> MergeJobs(const std::vector<PlacedJob>& jobs, uint32_t hosts);

/**
 * @ingroup workload-replay
 * @brief The same hosts with one of the jobs alone, which keeps its communicators' numbers.
 *
 * @param merged a workload that MergeJobs() has made
 * @param job index of a job in it
 * @return the workload; the hosts of the other jobs do nothing
 */
std::shared_ptr<const Workload> KeepJob(const Workload& merged, uint32_t job);

} // namespace ns3

#endif /* MERGED_JOBS_H */
