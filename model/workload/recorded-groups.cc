/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recorded-groups.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace ns3
{

namespace
{

/// Ranks that an error lists at most.
constexpr std::size_t MOST_LISTED = 8;

} // namespace

RecordedGroups::RecordedGroups(const std::string& path, const std::string& what)
    : m_path(path),
      m_what(what)
{
}

void
RecordedGroups::Define(const std::map<std::string, std::vector<uint32_t>>& groups)
{
    m_groups.insert(groups.begin(), groups.end());
}

void
RecordedGroups::SetRanks(uint32_t world, const std::set<uint32_t>& ranks)
{
    m_world = world;
    std::string missing;
    std::size_t count = 0;
    for (uint32_t rank = 0; rank < world && count <= MOST_LISTED; ++rank)
    {
        if (ranks.count(rank) == 0)
        {
            const auto text = count == MOST_LISTED ? "others" : std::to_string(rank);
            missing += (missing.empty() ? "" : ", ") + text;
            ++count;
        }
    }
    // A trace alone may stand for all ranks; several, but not all, would lack partners.
    m_isForAll = count > 0;
    const auto last = *ranks.rbegin();
    if (last >= world || (count > 0 && ranks.size() > 1))
    {
        throw WorkloadError({m_path, 0, 0, ""},
                            m_what + " of all " + std::to_string(world) + " ranks",
                            last >= world ? "one of rank " + std::to_string(last)
                                          : "none of rank " + missing);
    }
}

uint32_t
RecordedGroups::GetWorld() const
{
    return m_world;
}

std::pair<uint32_t, uint32_t>
RecordedGroups::GetRanksLike(uint32_t rank) const
{
    return m_isForAll ? std::pair<uint32_t, uint32_t>(0, m_world)
                      : std::pair<uint32_t, uint32_t>(rank, rank + 1);
}

std::vector<uint32_t>
RecordedGroups::FindRanks(uint32_t rank,
                          const KinetoMessage& message,
                          const SourceLocation& where) const
{
    // The list of the communication itself goes before that of the job.
    const auto named = m_groups.find(message.group);
    auto ranks = named == m_groups.end() ? std::vector<uint32_t>() : named->second;
    const auto size = message.groupSize;
    if (!message.ranks.empty() && (size == 0 || size == message.ranks.size()))
    {
        ranks = message.ranks;
    }
    else if (ranks.empty() && (size == 0 || size == m_world))
    {
        // Traces leave out the list of the group that all ranks form.
        ranks.resize(m_world);
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    // Lists may be cut short, or those of another job.
    const std::set<uint32_t> members(ranks.begin(), ranks.end());
    if (members.size() != ranks.size() || members.count(rank) == 0 || *members.rbegin() >= m_world)
    {
        throw WorkloadError(where,
                            "the ranks of its process group, rank " + std::to_string(rank) +
                                " among them",
                            ranks.empty() ? std::to_string(size) + " in " + Quoted(message.group)
                                          : "others in " + Quoted(message.group));
    }
    return ranks;
}

void
RecordedGroups::Note(uint32_t rank,
                     const std::vector<Group>& groups,
                     const std::vector<Calls>& calls)
{
    for (std::size_t slot = 0; slot < groups.size(); ++slot)
    {
        // Whose groups are parts of the job does not tell what the other parts do.
        const auto size = groups[slot].second.size();
        if (m_isForAll && size != m_world)
        {
            throw WorkloadError({m_path, 0, 0, ""},
                                m_what + " of all " + std::to_string(m_world) + " ranks",
                                "one, with a group of " + std::to_string(size));
        }
        m_calls[groups[slot]][rank] = calls[slot];
    }
}

uint64_t
RecordedGroups::Agree()
{
    uint64_t uneven = 0;
    for (const auto& [group, byRank] : m_calls)
    {
        const auto& first = *byRank.begin();
        for (const auto& other : byRank)
        {
            CheckSame(group, first, other);
        }
        for (std::size_t i = 0; i < first.second.size(); ++i)
        {
            uint64_t sum = 0;
            bool isEven = true;
            for (const auto& other : byRank)
            {
                sum += other.second[i].second;
                isEven = isEven && other.second[i].second == first.second[i].second;
            }
            // The mean keeps the sum of what all members move.
            m_even[group].push_back(isEven ? first.second[i].second : sum / byRank.size());
            uneven += isEven ? 0 : 1;
        }
    }
    return uneven;
}

void
RecordedGroups::CheckSame(const Group& group,
                          const ByRank::value_type& first,
                          const ByRank::value_type& other) const
{
    const auto& calls = first.second;
    const auto& others = other.second;
    const auto count = std::min(calls.size(), others.size());
    // Traces that begin in different iterations would pair collectives wrongly.
    std::size_t same = 0;
    while (same < count && calls[same].first == others[same].first)
    {
        ++same;
    }
    if (same < calls.size() || same < others.size())
    {
        const auto describe = [same](const auto& list) {
            return same < list.size() ? ToString(list[same].first) : std::string("none");
        };
        throw WorkloadError({m_path, 0, 0, ""},
                            "the same collectives of all ranks of group " + Quoted(group.first),
                            "as number " + std::to_string(same) + " " + describe(calls) +
                                " of rank " + std::to_string(first.first) + " and " +
                                describe(others) + " of rank " + std::to_string(other.first));
    }
}

uint64_t
RecordedGroups::GetBytes(const Group& group, std::size_t number, uint64_t said) const
{
    // What is cut into parts of any length needs no agreement.
    const auto bytes = m_even.at(group)[number];
    return bytes > 0 ? bytes : said;
}

void
RecordedGroups::Bind(uint32_t rank,
                     const std::shared_ptr<const WorkloadProgram>& program,
                     const std::vector<Group>& groups,
                     Workload& workload)
{
    std::vector<uint32_t> communicators;
    for (const auto& group : groups)
    {
        const auto [id, isNew] = m_ids.try_emplace(group);
        if (isNew)
        {
            // Groups without a name are those of the whole job.
            const auto label = group.first.empty() ? "world" : group.first;
            id->second = workload.AddSeparateCommunicator({label, Dimension::WORLD, group.second});
        }
        communicators.push_back(id->second);
    }
    // Ranks that do the same share the program.
    const auto [begin, end] = GetRanksLike(rank);
    for (auto other = begin; other < end; ++other)
    {
        workload.SetRank(other, program, communicators);
    }
}

std::optional<uint32_t>
FindRankInName(const std::string& file)
{
    // torch.profiler.tensorboard_trace_handler() writes HOST_PID or "worker0".
    const auto name = std::filesystem::path(file).filename().string();
    for (const std::string word : {"rank", "worker"})
    {
        const auto place = name.find(word);
        const auto first =
            place == std::string::npos ? place : name.find_first_of("0123456789", place);
        if (first != std::string::npos)
        {
            const auto end = name.find_first_not_of("0123456789", first);
            const auto rank = ReadWhole(name.substr(first, end - first));
            return rank && *rank < KinetoValues::MOST_RANKS
                       ? std::optional(static_cast<uint32_t>(*rank))
                       : std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace ns3
