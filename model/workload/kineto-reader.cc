/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-reader.h"

#include "kineto-lowering.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Ranks that an error lists at most.
constexpr std::size_t MOST_LISTED = 8;

/// Clocks of hosts are taken for one if ranks begin within such a part of their time.
constexpr double SAME_CLOCK = 0.5;

/// A group: its name and its ranks.
using KinetoGroup = std::pair<std::string, std::vector<uint32_t>>;

/**
 * @ingroup workload-replay
 * @brief Reads the traces of a job.
 */
class KinetoJob
{
  public:
    /**
     * @param path what the user has given
     * @param world number of ranks, if it is given
     */
    KinetoJob(const std::string& path, std::optional<uint32_t> world)
        : m_path(path)
    {
        for (const auto& file : ListKinetoTraces(path))
        {
            auto trace = ReadKinetoTrace(file);
            const auto rank = trace.rank;
            if (!rank)
            {
                throw WorkloadError({file, 0, 0, ""},
                                    "a rank in distributedInfo, or in the name behind \"rank\"",
                                    "none");
            }
            // Not every trace says how many ranks there are.
            m_world = std::max({m_world, trace.world, *rank + 1});
            m_groups.insert(trace.groups.begin(), trace.groups.end());
            const auto other = m_traces.find(*rank);
            if (other != m_traces.end())
            {
                throw WorkloadError({file, 0, 0, ""},
                                    "one trace of each rank",
                                    "another one of rank " + std::to_string(*rank) + ", " +
                                        other->second.file);
            }
            m_traces.emplace(*rank, std::move(trace));
        }
        if (m_traces.empty())
        {
            throw WorkloadError({path, 0, 0, ""}, "a Kineto trace", "none");
        }
        m_world = world.value_or(m_world);
    }

    /**
     * @return the workload
     */
    std::shared_ptr<const Workload> Read()
    {
        CheckRanks();
        ParallelLayout layout;
        layout.world = m_world;
        layout.dp = m_world;
        m_workload = std::make_shared<Workload>("kineto", m_path, layout);
        const auto offsets = FindOffsets();
        // The first pass finds what collectives have to agree on.
        for (const auto& [rank, trace] : m_traces)
        {
            auto lowering = MakeLowering(rank, trace);
            lowering.Lower(0);
            NoteCollectives(rank, lowering);
        }
        const bool isUneven = FindEvenBytes();
        m_notes = {};
        for (const auto& [rank, trace] : m_traces)
        {
            LowerRank(rank, trace, offsets.at(rank), isUneven);
        }
        AddWarnings();
        return m_workload;
    }

  private:
    /// Collectives of a group by rank.
    using ByRank = std::map<uint32_t, KinetoLowering::Collectives>;

    /// Check that there are the traces of all ranks, or one for all of them.
    void CheckRanks() const
    {
        std::string missing;
        std::size_t count = 0;
        for (uint32_t rank = 0; rank < m_world && count <= MOST_LISTED; ++rank)
        {
            if (m_traces.count(rank) == 0)
            {
                const auto text = count == MOST_LISTED ? "others" : std::to_string(rank);
                missing += (missing.empty() ? "" : ", ") + text;
                ++count;
            }
        }
        const bool isBeyond = m_traces.rbegin()->first >= m_world;
        if (isBeyond || (count > 0 && m_traces.size() > 1))
        {
            throw WorkloadError({m_path, 0, 0, ""},
                                "Kineto traces of all " + std::to_string(m_world) + " ranks",
                                isBeyond ? "one of rank " + std::to_string(m_traces.rbegin()->first)
                                         : "none of rank " + missing);
        }
    }

    /**
     * @return by rank the time until its first event, us
     */
    std::map<uint32_t, double> FindOffsets()
    {
        std::map<uint32_t, double> offsets;
        // Of all ranks: the first begin, the last begin and the longest trace.
        double first = 0;
        double last = 0;
        double span = 0;
        for (const auto& [rank, trace] : m_traces)
        {
            const auto start = trace.events.empty() ? 0 : trace.events.front().start;
            const auto end = trace.events.empty() ? 0 : trace.events.back().end;
            first = offsets.empty() ? start : std::min(first, start);
            last = std::max(last, start);
            span = std::max(span, end - start);
            offsets[rank] = start;
        }
        // Hosts whose clocks are set by NTP differ by less.
        const bool isSame = last - first <= SAME_CLOCK * span;
        for (auto& offset : offsets)
        {
            offset.second = isSame ? offset.second - first : 0;
        }
        if (!isSame)
        {
            m_workload->AddWarning("ranks begin together: their traces do not begin at about the "
                                   "same time");
        }
        return offsets;
    }

    /**
     * @param rank a rank
     * @param trace its trace
     * @return what makes its program
     */
    KinetoLowering MakeLowering(uint32_t rank, const KinetoTrace& trace)
    {
        const auto find = [this, rank, &trace](const auto& event, const auto& message) {
            return FindRanks(rank, trace, event, message);
        };
        return KinetoLowering(trace, rank, find, m_notes);
    }

    /**
     * @param rank a rank
     * @param trace its trace
     * @param event a kernel that communicates
     * @param message what is said of it
     * @return the ranks of its group
     */
    std::vector<uint32_t> FindRanks(uint32_t rank,
                                    const KinetoTrace& trace,
                                    const KinetoEvent& event,
                                    const KinetoMessage& message) const
    {
        // The kernel's own list goes before that of the job.
        const auto named = m_groups.find(message.group);
        auto ranks = named == m_groups.end() ? std::vector<uint32_t>() : named->second;
        const auto size = message.groupSize;
        if (!message.ranks.empty() && (size == 0 || size == message.ranks.size()))
        {
            ranks = message.ranks;
        }
        else if (ranks.empty() && (size == 0 || size == m_world))
        {
            ranks.resize(m_world);
            std::iota(ranks.begin(), ranks.end(), 0);
        }
        // Lists may be cut short, or those of another job.
        const std::set<uint32_t> members(ranks.begin(), ranks.end());
        if (members.size() != ranks.size() || members.count(rank) == 0 ||
            *members.rbegin() >= m_world)
        {
            throw WorkloadError(
                {trace.file + ", event " + std::to_string(event.number), 0, 0, ""},
                "the ranks of its process group, rank " + std::to_string(rank) + " among them",
                ranks.empty() ? std::to_string(size) + " in " + Quoted(message.group)
                              : "others in " + Quoted(message.group));
        }
        return ranks;
    }

    /**
     * @param rank a rank
     * @param lowering its trace, lowered
     */
    void NoteCollectives(uint32_t rank, const KinetoLowering& lowering)
    {
        const auto& slots = lowering.GetSlots();
        for (std::size_t slot = 0; slot < slots.size(); ++slot)
        {
            // Whose groups are parts of the job does not say what the other parts do.
            const bool isWhole = slots[slot].second.size() == m_world;
            if (m_traces.size() < m_world && !isWhole)
            {
                throw WorkloadError({m_path, 0, 0, ""},
                                    "Kineto traces of all " + std::to_string(m_world) + " ranks",
                                    "one, with a group of " +
                                        std::to_string(slots[slot].second.size()));
            }
            m_collectives[slots[slot]][rank] = lowering.GetCollectives()[slot];
        }
    }

    /**
     * Check that members call the same, and find what those have whose members differ in bytes.
     *
     * @return whether there are any
     */
    bool FindEvenBytes()
    {
        for (const auto& [group, byRank] : m_collectives)
        {
            const auto& first = *byRank.begin();
            for (const auto& [rank, calls] : byRank)
            {
                CheckSame(group, first, {rank, calls});
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
                m_even[group].push_back(isEven ? first.second[i].second : sum / byRank.size());
                m_uneven += isEven ? 0 : 1;
            }
        }
        return m_uneven > 0;
    }

    /**
     * @param group a group
     * @param first a rank of it and its collectives
     * @param other another one
     */
    void CheckSame(const KinetoGroup& group,
                   const ByRank::value_type& first,
                   const std::pair<uint32_t, KinetoLowering::Collectives>& other) const
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
            const auto name = [same](const auto& list) {
                return same < list.size() ? ToString(list[same].first) : std::string("none");
            };
            throw WorkloadError({m_path, 0, 0, ""},
                                "the same collectives of all ranks of group " + Quoted(group.first),
                                "as number " + std::to_string(same) + " " + name(calls) +
                                    " of rank " + std::to_string(first.first) + " and " +
                                    name(others) + " of rank " + std::to_string(other.first));
        }
    }

    /**
     * @param rank a rank
     * @param trace its trace
     * @param offset time until its first event, us
     * @param isUneven whether some collectives have other bytes than the trace says
     */
    void LowerRank(uint32_t rank, const KinetoTrace& trace, double offset, bool isUneven)
    {
        auto lowering = MakeLowering(rank, trace);
        const KinetoLowering::EvenBytes even = [this,
                                                &lowering](auto slot, auto number, auto said) {
            // What is cut into parts of any length needs no agreement.
            const auto bytes = m_even.at(lowering.GetSlots()[slot])[number];
            return bytes > 0 ? bytes : said;
        };
        const auto program = lowering.Lower(offset, isUneven ? even : nullptr);
        std::vector<uint32_t> communicators;
        for (const auto& [name, ranks] : lowering.GetSlots())
        {
            const auto [id, isNew] = m_ids.try_emplace({name, ranks});
            if (isNew)
            {
                // Groups without a name are those of the whole job.
                const auto label = name.empty() ? "world" : name;
                id->second = m_workload->AddSeparateCommunicator({label, Dimension::WORLD, ranks});
            }
            communicators.push_back(id->second);
        }
        // Ranks that do the same share the program.
        const bool isForAll = m_traces.size() < m_world;
        for (uint32_t other = isForAll ? 0 : rank; other < (isForAll ? m_world : rank + 1); ++other)
        {
            m_workload->SetRank(other, program, communicators);
        }
    }

    /// Say what was assumed.
    void AddWarnings()
    {
        const auto add = [this](uint64_t count, const std::string& what) {
            if (count > 0)
            {
                m_workload->AddWarning(std::to_string(count) + what);
            }
        };
        if (m_traces.size() < m_world)
        {
            m_workload->AddWarning("one trace stands for all " + std::to_string(m_world) +
                                   " ranks");
        }
        add(m_uneven,
            " collectives have other bytes on other ranks, without the parts of each: the mean "
            "was taken");
        add(m_notes.unsized, " communications without bytes, which only have their members wait");
        add(m_notes.skipped, " sends and receives without a peer were left out");
        add(m_notes.unlaunched, " ops of accelerators without the call that launched them");
    }

    std::string m_path;                                    //!< what the user has given
    uint32_t m_world{0};                                   //!< number of ranks
    std::map<uint32_t, KinetoTrace> m_traces;              //!< by rank
    std::map<std::string, std::vector<uint32_t>> m_groups; //!< ranks of groups, by name
    std::map<KinetoGroup, ByRank> m_collectives;           //!< collectives by group
    std::map<KinetoGroup, std::vector<uint64_t>> m_even;   //!< bytes of each
    std::map<KinetoGroup, uint32_t> m_ids;                 //!< communicators by group
    uint64_t m_uneven{0};                 //!< collectives whose members differ in bytes
    KinetoNotes m_notes;                  //!< what is to be reported
    std::shared_ptr<Workload> m_workload; //!< the workload
};

} // namespace

std::shared_ptr<const Workload>
ReadKinetoTraces(const std::string& path, std::optional<uint32_t> world)
{
    return KinetoJob(path, world).Read();
}

bool
HasKinetoTraces(const std::string& path)
{
    return !ListKinetoTraces(path).empty();
}

} // namespace ns3
