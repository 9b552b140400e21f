/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-reader.h"

#include "kineto-lowering.h"
#include "recorded-groups.h"

#include "ns3/packed-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Clocks of hosts are taken for one if ranks begin within such a part of their time.
constexpr double SAME_CLOCK = 0.5;

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
        : m_path(path),
          m_groups(path, "Kineto traces")
    {
        uint32_t most = 0;
        std::set<uint32_t> ranks;
        const auto files = ListKinetoTraces(path);
        for (const auto& file : files)
        {
            auto trace = ReadKinetoTrace(file);
            // A program of one process says no rank.
            const auto rank = files.size() == 1 ? trace.rank.value_or(0) : trace.rank;
            if (!rank)
            {
                throw WorkloadError({file, 0, 0, ""},
                                    "a rank in distributedInfo, or in the name behind \"rank\"",
                                    "none");
            }
            // Not every trace says how many ranks there are.
            most = std::max({most, trace.world, *rank + 1});
            m_groups.Define(trace.groups);
            ranks.insert(*rank);
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
        m_groups.SetRanks(world.value_or(most), ranks);
    }

    /**
     * @return the workload
     */
    std::shared_ptr<const Workload> Read()
    {
        ParallelLayout layout;
        layout.world = m_groups.GetWorld();
        layout.dp = layout.world;
        m_workload = std::make_shared<Workload>("kineto", m_path, layout);
        const auto offsets = FindOffsets();
        // The first pass finds what collectives have to agree on.
        for (const auto& [rank, trace] : m_traces)
        {
            auto lowering = MakeLowering(rank, trace);
            lowering.Lower(0);
            m_groups.Note(rank, lowering.GetSlots(), lowering.GetCollectives());
        }
        m_uneven = m_groups.Agree();
        m_notes = {};
        for (const auto& [rank, trace] : m_traces)
        {
            LowerRank(rank, trace, offsets.at(rank));
        }
        AddWarnings();
        return m_workload;
    }

  private:
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
            const SourceLocation where{trace.file + ", event " + std::to_string(event.number),
                                       0,
                                       0,
                                       ""};
            return m_groups.FindRanks(rank, message, where);
        };
        return KinetoLowering(trace, rank, find, m_notes);
    }

    /**
     * @param rank a rank
     * @param trace its trace
     * @param offset time until its first event, us
     */
    void LowerRank(uint32_t rank, const KinetoTrace& trace, double offset)
    {
        auto lowering = MakeLowering(rank, trace);
        const KinetoLowering::EvenBytes even = [this,
                                                &lowering](auto slot, auto number, auto said) {
            return m_groups.GetBytes(lowering.GetSlots()[slot], number, said);
        };
        const auto program = lowering.Lower(offset, m_uneven > 0 ? even : nullptr);
        m_groups.Bind(rank, program, lowering.GetSlots(), *m_workload);
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
        if (m_traces.size() < m_groups.GetWorld())
        {
            m_workload->AddWarning("one trace stands for all " +
                                   std::to_string(m_groups.GetWorld()) + " ranks");
        }
        if (!ListPackedFiles(m_path, ForeignFile::PYTORCH_TRACE).empty())
        {
            m_workload->AddWarning("execution traces, which lie beside and have no times, were not "
                                   "read (--format=pytorch-et)");
        }
        add(m_uneven,
            " collectives have other bytes on other ranks, without the parts of each: the mean "
            "was taken");
        add(m_notes.unsized, " communications without bytes, which only have their members wait");
        add(m_notes.skipped,
            " communications of an unknown kind, or without a peer, were left out");
        add(m_notes.unlaunched, " ops of accelerators without the call that launched them");
        add(m_notes.delayed,
            " ops of accelerators begin 200 us or more after all that is known to hold them up, "
            "and do so here, too");
    }

    std::string m_path;                       //!< what the user has given
    RecordedGroups m_groups;                  //!< process groups, and what is called in them
    std::map<uint32_t, KinetoTrace> m_traces; //!< by rank
    uint64_t m_uneven{0};                     //!< collectives whose members differ in bytes
    KinetoNotes m_notes;                      //!< what is to be reported
    std::shared_ptr<Workload> m_workload;     //!< the workload
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
