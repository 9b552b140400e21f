/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload.h"

#include "ns3/assert.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param ranks some ranks
 * @param world number of ranks of the world
 * @return whether all of them are in it
 */
bool
AreBelow(const std::vector<uint32_t>& ranks, uint32_t world)
{
    return std::all_of(ranks.begin(), ranks.end(), [world](uint32_t rank) { return rank < world; });
}

/**
 * @param op an op that communicates
 * @return whether its peer is the index of a member: that of any rank is none
 */
bool
NamesPeer(const WorkloadOp& op)
{
    return op.kind == OpKind::COLLECTIVE ? HasRoot(op.collective) : op.peer != WorkloadOp::ANY_PEER;
}

} // namespace

uint32_t
Communicator::IndexOf(uint32_t rank) const
{
    return static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

Workload::Workload(std::string format, std::string file, ParallelLayout layout)
    : m_format(std::move(format)),
      m_file(std::move(file)),
      m_layout(layout),
      m_bindings(layout.world)
{
}

uint32_t
Workload::AddCommunicator(Communicator communicator)
{
    NS_ASSERT_MSG(AreBelow(communicator.ranks, m_layout.world),
                  "communicator " << communicator.name << " has a rank outside the world");
    const auto nextId = static_cast<uint32_t>(m_communicators.size());
    // One communicator for equal ranks of a dimension, whoever adds it: connections and the numbers
    // of collectives belong to it, so that all its members must mean the same one.
    const auto [entry, isNew] =
        m_ids.emplace(std::make_pair(communicator.dimension, communicator.ranks), nextId);
    if (isNew)
    {
        m_communicators.push_back(std::move(communicator));
    }
    return entry->second;
}

uint32_t
Workload::AddSeparateCommunicator(Communicator communicator)
{
    NS_ASSERT_MSG(AreBelow(communicator.ranks, m_layout.world),
                  "communicator " << communicator.name << " has a rank outside the world");
    // Not compared with others: two jobs on the same hosts have connections of their own.
    m_communicators.push_back(std::move(communicator));
    return static_cast<uint32_t>(m_communicators.size() - 1);
}

void
Workload::SetRank(uint32_t rank,
                  std::shared_ptr<const WorkloadProgram> program,
                  std::vector<uint32_t> communicators)
{
    if (rank >= m_layout.world)
    {
        throw WorkloadError({m_file},
                            "ranks below " + std::to_string(m_layout.world) +
                                ", the size of the world",
                            "rank " + std::to_string(rank));
    }
    m_bindings[rank] = {std::move(program), std::move(communicators)};
}

void
Workload::SetSchedule(const std::string& schedule, const std::string& order)
{
    m_schedule = schedule;
    m_order = order;
}

void
Workload::SetPlacement(StagePlacement placement)
{
    m_layout.placement = placement;
}

void
Workload::AddWarning(const std::string& warning)
{
    m_warnings.push_back(warning);
}

void
Workload::SetJobs(std::vector<PlacedJob> jobs)
{
    m_jobs = std::move(jobs);
    m_jobRanks.resize(m_layout.world);
    for (uint32_t host = 0; host < m_layout.world; ++host)
    {
        m_jobRanks[host] = {JobRank::NO_JOB, host};
    }
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        const auto& hosts = m_jobs[job].hosts;
        for (uint32_t rank = 0; rank < hosts.size(); ++rank)
        {
            NS_ASSERT_MSG(m_jobRanks.at(hosts[rank]).job == JobRank::NO_JOB,
                          "two ranks stand on host " << hosts[rank]);
            m_jobRanks[hosts[rank]] = {job, rank};
        }
    }
}

const std::vector<PlacedJob>&
Workload::GetJobs() const
{
    return m_jobs;
}

Workload::JobRank
Workload::GetJobRank(uint32_t rank) const
{
    return m_jobs.empty() ? JobRank{0, rank} : m_jobRanks.at(rank);
}

std::string
Workload::GetJobSuffix(uint32_t rank) const
{
    const auto job = GetJobRank(rank).job;
    return job < m_jobs.size() && m_jobs.size() > 1 ? " of " + m_jobs[job].name : "";
}

const std::string&
Workload::GetFormat() const
{
    return m_format;
}

const std::string&
Workload::GetFile() const
{
    return m_file;
}

const ParallelLayout&
Workload::GetLayout() const
{
    return m_layout;
}

const std::string&
Workload::GetScheduleName() const
{
    return m_schedule;
}

const std::string&
Workload::GetOrder() const
{
    return m_order;
}

const std::vector<std::string>&
Workload::GetWarnings() const
{
    return m_warnings;
}

const std::vector<Communicator>&
Workload::GetCommunicators() const
{
    return m_communicators;
}

const WorkloadProgram&
Workload::GetProgram(uint32_t rank) const
{
    return *ShareProgram(rank);
}

const std::shared_ptr<const WorkloadProgram>&
Workload::ShareProgram(uint32_t rank) const
{
    const auto& program = m_bindings.at(rank).program;
    NS_ASSERT_MSG(program, "rank " << rank << " has no program");
    return program;
}

const std::vector<uint32_t>&
Workload::GetCommunicatorSlots(uint32_t rank) const
{
    return m_bindings.at(rank).communicators;
}

void
Workload::Validate() const
{
    std::vector<std::vector<uint32_t>> memberships(m_layout.world); // ascending ids, by rank
    for (uint32_t id = 0; id < m_communicators.size(); ++id)
    {
        const auto& communicator = m_communicators[id];
        if (!AreBelow(communicator.ranks, m_layout.world))
        {
            throw WorkloadError({m_file, 0, 0, ""},
                                "communicators of ranks below " + std::to_string(m_layout.world) +
                                    ", the size of the world",
                                "others in " + Quoted(communicator.name));
        }
        for (const auto rank : communicator.ranks)
        {
            memberships[rank].push_back(id);
        }
    }
    // What ranks share, a program and the sizes of its communicators, is looked at once.
    std::set<std::pair<const WorkloadProgram*, std::vector<std::size_t>>> seen;
    for (uint32_t rank = 0; rank < m_layout.world; ++rank)
    {
        const auto& [program, slots] = m_bindings[rank];
        if (!program)
        {
            throw WorkloadError({m_file, 0, 0, ""},
                                "a program for each of " + std::to_string(m_layout.world) +
                                    " ranks",
                                "none for rank " + std::to_string(rank));
        }
        std::vector<std::size_t> sizes;
        for (const auto id : slots)
        {
            if (!std::binary_search(memberships[rank].begin(), memberships[rank].end(), id))
            {
                throw WorkloadError({m_file, 0, 0, ""},
                                    "communicators that rank " + std::to_string(rank) +
                                        " is a member of",
                                    "number " + std::to_string(id) + ", counted from 0");
            }
            sizes.push_back(m_communicators[id].ranks.size());
        }
        if (seen.emplace(program.get(), std::move(sizes)).second)
        {
            for (const auto& op : program->GetOps())
            {
                Check(op, rank);
            }
        }
    }
}

void
Workload::Check(const WorkloadOp& op, uint32_t rank) const
{
    const auto& [program, slots] = m_bindings[rank];
    if (op.kind == OpKind::COMPUTE)
    {
        return;
    }
    if (op.communicator >= slots.size())
    {
        throw WorkloadError(program->Locate(op.origin),
                            "one of the " + std::to_string(slots.size()) +
                                " communicators of rank " + std::to_string(rank),
                            "number " + std::to_string(op.communicator) + ", counted from 0");
    }
    const auto& communicator = m_communicators[slots[op.communicator]];
    if (NamesPeer(op) && op.peer >= communicator.ranks.size())
    {
        throw WorkloadError(program->Locate(op.origin),
                            "a peer by its index in " + Quoted(communicator.name) + ", below " +
                                std::to_string(communicator.ranks.size()),
                            std::to_string(op.peer));
    }
}

} // namespace ns3
