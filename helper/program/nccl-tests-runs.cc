/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nccl-tests-runs.h"

#include "ns3/input-values.h"
#include "ns3/workload-error.h"

namespace ns3
{

namespace
{

/// Names of the programs of nccl-tests, and what they time.
const std::vector<std::pair<std::string, CollectiveKind>> PROGRAMS{
    {"all_reduce_perf", CollectiveKind::ALL_REDUCE},
    {"all_gather_perf", CollectiveKind::ALL_GATHER},
    {"reduce_scatter_perf", CollectiveKind::REDUCE_SCATTER},
    {"alltoall_perf", CollectiveKind::ALL_TO_ALL},
    {"sendrecv_perf", CollectiveKind::SHIFT},
    {"broadcast_perf", CollectiveKind::BROADCAST},
    {"reduce_perf", CollectiveKind::REDUCE},
    {"gather_perf", CollectiveKind::GATHER},
    {"scatter_perf", CollectiveKind::SCATTER}};

/**
 * @param words the words of a line
 * @return the kind that a program of nccl-tests times whose name is among them
 */
std::optional<CollectiveKind>
FindProgram(const std::vector<TextField>& words)
{
    for (const auto& word : words)
    {
        // The build may stand before the name, and punctuation of a command line behind it.
        const auto name = word.text.substr(word.text.find_last_of("/:>\"") + 1);
        for (const auto& [program, kind] : PROGRAMS)
        {
            if (BeginsWith(name, program))
            {
                return kind;
            }
        }
    }
    return std::nullopt;
}

/**
 * @param words the words of a line
 * @return rank with its process, and host, of "Rank R [Group G] Pid P on HOST device D"; empty = it
 *         is another line
 */
std::pair<std::string, std::string>
FindRank(const std::vector<TextField>& words)
{
    // Ranks of programs without MPI all have number 0: the process distinguishes them.
    std::string process;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
        const auto& next = words[i + 1].text;
        if (words[i].text == "Rank" || words[i].text == "Pid")
        {
            process += " " + next;
        }
        else if (words[i].text == "on" && !process.empty())
        {
            return {process, next};
        }
    }
    return {};
}

/**
 * @param run a run
 * @return its collective and ranks, as far as they are known
 */
std::string
Describe(const NcclTestsJob& run)
{
    return (run.kind ? ToString(*run.kind) : "unknown collective") + " of " +
           std::to_string(run.ranks) + (run.ranks == 1 ? " rank" : " ranks");
}

} // namespace

NcclTestsRuns::NcclTestsRuns(std::optional<CollectiveKind> wanted)
    : m_wanted(wanted)
{
}

void
NcclTestsRuns::Add(const std::vector<TextField>& words)
{
    const auto kind = FindProgram(words);
    m_kind = kind ? kind : m_kind;
    const auto process = FindRank(words);
    if (process.first.empty() || process.second.empty())
    {
        return;
    }
    if (m_isTimed)
    {
        // The first rank of another run.
        m_processes.clear();
        m_hosts.clear();
        m_isTimed = false;
    }
    m_processes.insert(process);
    m_hosts.insert(process.second);
}

bool
NcclTestsRuns::AddTime(const TextField& size)
{
    m_isTimed = true;
    const auto run = Observe();
    if (m_wanted && run.kind && run.kind != m_wanted)
    {
        m_leftOut.insert(Describe(run));
        return false;
    }
    const auto last = m_last.value_or(run);
    if (run.kind != last.kind || run.ranks != last.ranks)
    {
        throw WorkloadError(size.where,
                            "runs of one collective with as many ranks, as the one before (" +
                                Describe(last) +
                                (run.kind != last.kind ? "), unless kind says which count" : ")"),
                            Describe(run));
    }
    m_last = run;
    return true;
}

NcclTestsJob
NcclTestsRuns::GetJob() const
{
    return m_last.value_or(Observe());
}

const std::set<std::string>&
NcclTestsRuns::GetLeftOut() const
{
    return m_leftOut;
}

NcclTestsJob
NcclTestsRuns::Observe() const
{
    return {m_kind,
            static_cast<uint32_t>(m_processes.size()),
            static_cast<uint32_t>(m_hosts.size())};
}

} // namespace ns3
