/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "merged-jobs.h"

#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param hosts number of hosts
 * @return a workload of as many ranks, which do nothing
 */
std::shared_ptr<Workload>
MakeIdle(uint32_t hosts)
{
    ParallelLayout layout;
    layout.world = hosts;
    auto workload = std::make_shared<Workload>("", "", layout);
    const auto nothing = WorkloadProgramBuilder("").Build();
    for (uint32_t host = 0; host < hosts; ++host)
    {
        workload->SetRank(host, nothing, {});
    }
    return workload;
}

/**
 * Let the hosts of a job do what its ranks do.
 *
 * @param job the job
 * @param firstCommunicator number of its first communicator
 * @param [in,out] workload of all hosts
 */
void
BindRanks(const PlacedJob& job, uint32_t firstCommunicator, Workload& workload)
{
    for (uint32_t rank = 0; rank < job.hosts.size(); ++rank)
    {
        // A job counts its own communicators from 0; here those of the jobs before it come first.
        auto slots = job.workload->GetCommunicatorSlots(rank);
        for (auto& slot : slots)
        {
            slot += firstCommunicator;
        }
        workload.SetRank(job.hosts[rank], job.workload->ShareProgram(rank), std::move(slots));
    }
}

/**
 * @param jobs some jobs
 * @param hosts number of hosts
 * @param isActive says of a job, by its index, whether its ranks do anything
 * @return the jobs as one
 */
template <typename IsActive>
std::shared_ptr<const Workload>
Merge(const std::vector<PlacedJob>& jobs, uint32_t hosts, IsActive isActive)
{
    auto workload = MakeIdle(hosts);
    for (uint32_t index = 0; index < jobs.size(); ++index)
    {
        const auto& job = jobs[index];
        const auto first = static_cast<uint32_t>(workload->GetCommunicators().size());
        // Idle jobs add their communicators as well: each has the same number, and with it the same
        // paths, whichever job is kept.
        for (auto communicator : job.workload->GetCommunicators())
        {
            for (auto& rank : communicator.ranks)
            {
                rank = job.hosts[rank];
            }
            workload->AddSeparateCommunicator(std::move(communicator));
        }
        if (isActive(index))
        {
            BindRanks(job, first, *workload);
        }
    }
    std::vector<uint32_t> everybody(hosts);
    std::iota(everybody.begin(), everybody.end(), 0);
    workload->AddSeparateCommunicator(
        {BACKGROUND_COMMUNICATOR, Dimension::WORLD, std::move(everybody)});
    workload->SetJobs(jobs);
    return workload;
}

} // namespace

std::shared_ptr<const Workload>
MergeJobs(const std::vector<PlacedJob>& jobs, uint32_t hosts)
{
    return Merge(jobs, hosts, [](uint32_t) { return true; });
}

std::shared_ptr<const Workload>
KeepJob(const Workload& merged, uint32_t job)
{
    return Merge(merged.GetJobs(), merged.GetLayout().world, [job](uint32_t index) {
        return index == job;
    });
}

} // namespace ns3
