/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-reader.h"

#include "accelerator-file.h"
#include "pytorch-lowering.h"
#include "pytorch-trace.h"
#include "recorded-groups.h"

#include "ns3/input-values.h"
#include "ns3/packed-file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param file path of a trace that does not name its rank
 * @return the number at the end of its name before the first point; none = there is none
 */
std::optional<uint32_t>
FindLastNumber(const std::string& file)
{
    auto name = std::filesystem::path(file).filename().string();
    name = name.substr(0, name.find('.'));
    const auto last = name.find_last_not_of("0123456789");
    const auto rank = ReadWhole(last == std::string::npos ? name : name.substr(last + 1));
    return rank && *rank < KinetoValues::MOST_RANKS ? std::optional(static_cast<uint32_t>(*rank))
                                                    : std::nullopt;
}

/**
 * @ingroup workload-replay
 * @brief Reads the traces of a job.
 */
class PytorchJob
{
  public:
    /**
     * @param path what the user has given
     * @param options what the traces do not say
     */
    PytorchJob(const std::string& path, const PytorchOptions& options)
        : m_path(path),
          m_options(options),
          m_accelerator(FindAccelerator(options.accelerator)),
          m_groups(path, "execution traces of PyTorch")
    {
        m_accelerator.SetEfficiency(options.efficiency);
        if (!options.operatorTimes.empty())
        {
            m_times.emplace(options.operatorTimes);
        }
        const auto files = ListPackedFiles(path, ForeignFile::PYTORCH_TRACE);
        uint32_t most = 1;
        std::set<uint32_t> ranks;
        for (const auto& file : files)
        {
            auto trace = ReadPytorchTrace(file);
            most = std::max(most, trace.world);
            const auto rank = FindRank(trace, files.size() == 1);
            m_groups.Define(trace.groups);
            const auto [other, isNew] = m_traces.emplace(rank, std::move(trace));
            if (!isNew)
            {
                throw WorkloadError({file, 0, 0, ""},
                                    "one trace of each rank",
                                    "another one of rank " + std::to_string(rank) + ", " +
                                        other->second.file);
            }
            ranks.insert(rank);
        }
        if (m_traces.empty())
        {
            throw WorkloadError({path, 0, 0, ""}, "an execution trace of PyTorch", "none");
        }
        // A trace alone may name groups of ranks that have no trace.
        m_groups.SetRanks(options.world.value_or(std::max(most, *ranks.rbegin() + 1)), ranks);
    }

    /**
     * @return the workload
     */
    std::shared_ptr<const Workload> Read()
    {
        ParallelLayout layout;
        layout.world = m_groups.GetWorld();
        layout.dp = layout.world;
        m_workload = std::make_shared<Workload>("pytorch-et", m_path, layout);
        // The first pass tells what collectives have to agree on.
        for (const auto& [rank, trace] : m_traces)
        {
            PytorchLowering lowering(trace, rank, m_accelerator, GetTimes(), m_notes);
            lowering.Lower(MakeFindRanks(rank, trace), nullptr);
            m_groups.Note(rank, lowering.GetSlots(), lowering.GetCollectives());
        }
        m_uneven = m_groups.Agree();
        // The second pass notes everything again.
        m_notes = {};
        for (const auto& [rank, trace] : m_traces)
        {
            LowerRank(rank, trace);
        }
        CheckTimes();
        AddWarnings();
        return m_workload;
    }

  private:
    /**
     * @param trace a trace
     * @param isAlone there is no other one
     * @return its rank
     */
    uint32_t FindRank(const PytorchTrace& trace, bool isAlone) const
    {
        const auto rank = trace.rank ? trace.rank : FindLastNumber(trace.file);
        if (isAlone)
        {
            // Which rank the only trace is of makes no difference; its name may have other numbers.
            const auto world = m_options.world.value_or(std::max<uint32_t>(trace.world, 1));
            return rank && *rank < world ? *rank : 0;
        }
        if (!rank)
        {
            throw WorkloadError({trace.file, 0, 0, ""},
                                "a rank in the name, at its end or behind \"rank\"",
                                "none");
        }
        return *rank;
    }

    /**
     * @return the table of times; null = there is none
     */
    const OperatorTimes* GetTimes() const
    {
        return m_times ? &*m_times : nullptr;
    }

    /**
     * @param rank a rank
     * @param trace its trace
     * @return what finds the ranks of groups
     */
    PytorchLowering::FindRanks MakeFindRanks(uint32_t rank, const PytorchTrace& trace) const
    {
        return [this, rank, &trace](const PytorchNode& node) {
            return m_groups.FindRanks(rank,
                                      *node.message,
                                      {trace.file + ", node " + std::to_string(node.id), 0, 0, ""});
        };
    }

    /**
     * @param rank a rank
     * @param trace its trace
     */
    void LowerRank(uint32_t rank, const PytorchTrace& trace)
    {
        PytorchLowering lowering(trace, rank, m_accelerator, GetTimes(), m_notes);
        const PytorchLowering::EvenBytes even = [this,
                                                 &lowering](auto slot, auto number, auto said) {
            return m_groups.GetBytes(lowering.GetSlots()[slot], number, said);
        };
        const auto program =
            lowering.Lower(MakeFindRanks(rank, trace), m_uneven > 0 ? even : nullptr);
        m_groups.Bind(rank, program, lowering.GetSlots(), *m_workload);
    }

    /// Refuse times of operators that no trace has.
    void CheckTimes() const
    {
        std::vector<std::string> names;
        for (const auto& entry : m_traces)
        {
            for (const auto& node : entry.second.nodes)
            {
                names.push_back(node.name);
            }
        }
        // A misspelt name would have no effect, and nobody would notice.
        for (const auto& row : m_times ? m_times->GetRows() : std::vector<OperatorTimes::Row>())
        {
            if (m_notes.used.count(row.name.text) == 0)
            {
                throw WorkloadError(row.name.where,
                                    "an operator of the traces that has a kernel, such as aten::mm "
                                    "or aten::mm[4,8][8,2]",
                                    Quoted(row.name.text),
                                    NearestName(row.name.text, names));
            }
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
        const auto& name = m_accelerator.GetParameters().name;
        if (m_traces.size() < m_groups.GetWorld())
        {
            m_workload->AddWarning("one trace stands for all " +
                                   std::to_string(m_groups.GetWorld()) + " ranks");
        }
        m_workload->AddWarning("execution traces have no times: operators take those of " + name +
                               " (--accelerator), and the host takes none but to launch them");
        if (!ListPackedFiles(m_path, ForeignFile::KINETO).empty())
        {
            m_workload->AddWarning("Kineto traces, which lie beside and have times, were not read "
                                   "(--format=kineto)");
        }
        add(m_notes.measured, " operators have the times of --operatorTimes");
        add(m_notes.products, " products, convolutions and attentions take what their FLOP need");
        add(m_notes.wide,
            " of these are in a format that no matrix units of " + name +
                " compute in: its vector units were taken");
        add(m_notes.others, " other operators take what the bytes of their tensors need");
        add(m_notes.copies, " copies between accelerator and host take no time");
        add(m_notes.host, " operators of the host take no time");
        add(m_notes.unknown,
            " communications of an unknown kind, or without a peer, were left out");
        add(m_uneven,
            " collectives have other bytes on other ranks, without the parts of each: the mean "
            "was taken");
    }

    std::string m_path;                        //!< what the user has given
    const PytorchOptions& m_options;           //!< what the traces do not say
    Accelerator m_accelerator;                 //!< how long operators take
    std::optional<OperatorTimes> m_times;      //!< how long others take
    RecordedGroups m_groups;                   //!< process groups, and what is called in them
    std::map<uint32_t, PytorchTrace> m_traces; //!< by rank
    PytorchNotes m_notes;                      //!< what is to be reported
    uint64_t m_uneven{0};                      //!< collectives whose members differ in bytes
    std::shared_ptr<Workload> m_workload;      //!< the workload
};

} // namespace

std::shared_ptr<const Workload>
ReadPytorchTraces(const std::string& path, const PytorchOptions& options)
{
    return PytorchJob(path, options).Read();
}

bool
HasPytorchTraces(const std::string& path)
{
    return !ListPackedFiles(path, ForeignFile::PYTORCH_TRACE).empty();
}

} // namespace ns3
