/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JOB_REQUEST_H
#define JOB_REQUEST_H

#include "replay-options.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A job that the user asks for.
 */
struct JobRequest
{
    std::string name;                //!< distinguishes it from the others; empty = it is alone
    ReplayOptions options;           //!< what holds for it
    Time start;                      //!< when it begins
    std::string placement{"packed"}; //!< packed, spread, random, or listed
    std::vector<uint32_t> hosts;     //!< listed: host of each rank
    SourceLocation listedAt;         //!< listed: where these were
    SourceLocation where;            //!< where it was asked for
    std::shared_ptr<const Workload> workload; //!< what it does
};

/**
 * @ingroup workload-replay
 * @brief Read the jobs that the user asks for: those of the option job, or else the one workload.
 *
 * The option job is FILE[:KEY=VALUE,...]. Its keys are name; start, a time; placement, which is
 * packed, spread, random or hosts such as 0-7+16-23; and the options of the workload and of compute
 * times, which for this job win over those of the command line.
 *
 * @param options what the user asks for
 * @return the jobs, at least one
 * @throws WorkloadError if a workload or a key is wrong
 */
std::vector<JobRequest> ReadJobs(const ReplayOptions& options);

/**
 * @ingroup workload-replay
 * @param jobs some jobs
 * @return ranks of all of them
 */
uint32_t CountRanks(const std::vector<JobRequest>& jobs);

/**
 * @ingroup workload-replay
 * @param jobs some jobs
 * @return hosts that a topology is to have for them: one for each rank, and all that the option
 *         placement lists
 */
uint32_t CountHosts(const std::vector<JobRequest>& jobs);

/**
 * @ingroup workload-replay
 * @brief Say on which host each rank stands.
 *
 * Jobs whose hosts are listed come first. The others take in their order what is free: packed, the
 * first hosts; spread, one host of each server in turn, so that the job lies in as many servers as
 * possible; random, any hosts, by the random numbers of seed and run.
 *
 * @param jobs the jobs
 * @param graph the topology
 * @return the jobs with their hosts
 * @throws WorkloadError if a host is not there or wanted twice
 */
std::vector<PlacedJob> PlaceJobs(const std::vector<JobRequest>& jobs, const TopologyGraph& graph);

/**
 * @ingroup workload-replay
 * @param jobs the jobs
 * @param options what the user asks for
 * @param graph the topology
 * @return what the hosts do: the one workload, or the jobs as one
 * @throws WorkloadError if a host is not there or wanted twice
 */
std::shared_ptr<const Workload> PlaceWorkload(const std::vector<JobRequest>& jobs,
                                              const ReplayOptions& options,
                                              const TopologyGraph& graph);

/**
 * @ingroup workload-replay
 * @param job a job
 * @throws WorkloadError if a straggler is none of its ranks
 */
void CheckStragglers(const JobRequest& job);

/**
 * @ingroup workload-replay
 * @brief Draw how fast an accelerator is, which does not change while it computes.
 *
 * Normal around 1, cut off at three deviations, by seed and run, the same in every job.
 *
 * @param spread the standard deviation, at most 0.3
 * @param rank the rank
 * @return what its compute times are multiplied by
 */
double GetSpeedFactor(double spread, uint32_t rank);

/**
 * @ingroup workload-replay
 * @brief Make a rank compute as its job says.
 *
 * @param options what holds for the job
 * @param rank the rank in the job
 * @param [in,out] application the rank
 */
void SetComputeTimes(const ReplayOptions& options, uint32_t rank, Ptr<Application> application);

} // namespace ns3

#endif /* JOB_REQUEST_H */
