/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-reader.h"

#include "parallel-groups.h"
#include "pipeline-schedule.h"
#include "rank-trace-layout.h"
#include "rank-trace-lowering.h"
#include "rank-trace-outliers.h"
#include "rank-trace-parser.h"
#include "rank-trace-splits.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param file path of a file
 * @return its trace
 */
RankTrace
ReadFile(const std::string& file)
{
    const WorkloadText text(file,
                            {ForeignFile::GOAL,
                             ForeignFile::LAYER_FILE,
                             ForeignFile::RANK_TRACE,
                             ForeignFile::OP_TABLE});
    return {file, ParseRankTrace(text)};
}

/**
 * @param text the beginning of a file
 * @return whether it is that of a rank trace or of a schedule plan
 */
bool
BeginsRankTrace(const std::string& text)
{
    return text.compare(0, 5, "rank:") == 0 || text.compare(0, 6, "stage:") == 0;
}

/// A rank that is part of the name of a trace as Megatron's tracer gives it.
const std::regex NAME("(.*_)?rank([0-9]{1,9})_[0-9]{14}\\.txt");

/**
 * @param directory path of a directory
 * @return paths of the rank traces in it, in the order of their names
 * @throws WorkloadError if there are none
 */
std::vector<std::string>
ListFiles(const std::string& directory)
{
    std::vector<std::string> files;
    std::size_t others = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    {
        std::string begin(6, ' ');
        if (entry.is_regular_file(error)) // a pipe might keep its reader waiting
        {
            std::ifstream(entry.path(), std::ios::binary).read(begin.data(), 6);
        }
        const bool isNamed = std::regex_match(entry.path().filename().string(), NAME);
        if (isNamed || BeginsRankTrace(begin))
        {
            files.push_back(entry.path().string());
        }
        else
        {
            ++others;
        }
    }
    if (files.empty())
    {
        throw WorkloadError({directory, 0, 0, ""},
                            "rank traces, whose lines begin with rank:<R>:, Chakra traces, which "
                            "are named NAME.<R>.et, or traces of PyTorch in JSON",
                            "none among " + std::to_string(others) + " files");
    }
    std::sort(files.begin(), files.end());
    return files;
}

/**
 * @param path a file, or a directory of files
 * @return their traces, by rank
 * @throws WorkloadError if there are two of one rank, or a file is named after another rank
 */
std::vector<RankTrace>
ReadAll(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
    {
        return {ReadFile(path)};
    }
    std::map<uint32_t, RankTrace> byRank;
    for (const auto& file : ListFiles(path))
    {
        auto trace = ReadFile(file);
        const auto& op = trace.ops[0];
        const auto rank = op.rank;
        const auto name = std::filesystem::path(file).filename().string();
        std::smatch match;
        // The name has at most 9 digits, which stoul() takes.
        if (std::regex_match(name, match, NAME) && std::stoul(match[2]) != rank)
        {
            throw WorkloadError({file, op.line, 0, ""},
                                "ops of rank " + match[2].str() + ", which the file is named after",
                                "rank " + std::to_string(rank));
        }
        const auto [entry, isNew] = byRank.emplace(rank, std::move(trace));
        if (!isNew)
        {
            throw WorkloadError({file, 0, 0, ""},
                                "one trace per rank",
                                "a second one of rank " + std::to_string(rank) + " besides " +
                                    entry->second.file);
        }
    }
    std::vector<RankTrace> traces;
    traces.reserve(byRank.size());
    for (auto& [rank, trace] : byRank)
    {
        traces.push_back(std::move(trace));
    }
    return traces;
}

/**
 * Gives each rank of the job its program.
 */
class RankTraceBinding
{
  public:
    /**
     * @param path file or directory of the traces
     * @param traces the traces by rank
     * @param options what they do not say
     */
    RankTraceBinding(const std::string& path,
                     const std::vector<RankTrace>& traces,
                     const RankTraceOptions& options)
        : m_path(path),
          m_traces(traces),
          m_options(options),
          m_layout(FindRankTraceLayout(path, traces, options.layout)),
          m_groups(m_layout),
          m_pipeline{m_layout.pp, m_layout.microbatches, 1},
          m_schedule(
              PipelineSchedule::Create(options.schedule.empty() ? "1f1b" : options.schedule)),
          m_isByStage(AreOnePerStage(traces, m_layout.pp)),
          m_isExpanded(traces[0].IsProfile() || (traces.size() == 1 && m_layout.pp > 1)),
          m_workload(std::make_shared<Workload>("megatron", path, m_layout))
    {
    }

    /**
     * @param outliers what is out of line in the traces
     * @return the workload
     */
    std::shared_ptr<const Workload> Bind(const std::vector<std::string>& outliers)
    {
        CheckSchedule();
        ChooseMessageBytes();
        ChooseTraces();
        const auto slots = m_groups.AddTo(*m_workload);
        for (uint32_t rank = 0; rank < m_layout.world; ++rank)
        {
            m_workload->SetRank(rank, GetProgram(rank), slots[rank]);
        }
        AddWarnings();
        for (const auto& outlier : outliers)
        {
            m_workload->AddWarning(outlier);
        }
        return m_workload;
    }

  private:
    /**
     * Check the schedule that passes are put in the order of.
     */
    void CheckSchedule()
    {
        const SourceLocation where{"--schedule", 0, 0, ""};
        if (!m_isExpanded && m_schedule->GetName() != "1f1b")
        {
            throw WorkloadError(where,
                                "1f1b, as traces of a whole run keep their recorded order",
                                Quoted(m_options.schedule));
        }
        auto reason = m_schedule->GetUnsupportedReason(m_pipeline);
        if (reason.empty() && m_schedule->SplitsBackward())
        {
            reason = m_schedule->GetName() +
                     " splits backward passes into gradients of inputs and of weights, which these "
                     "traces do not tell apart";
        }
        if (!reason.empty())
        {
            throw WorkloadError(where, "a schedule for these traces", reason);
        }
        m_workload->SetSchedule(m_schedule->GetName(), "");
    }

    /**
     * Find the size of messages that were not recorded.
     */
    void ChooseMessageBytes()
    {
        if (!m_isExpanded && m_options.ppBytes > 0)
        {
            throw WorkloadError({"--ppBytes", 0, 0, ""},
                                "no such option, as traces of a whole run have recorded sizes",
                                Quoted(std::to_string(m_options.ppBytes)));
        }
        if (!m_isExpanded || m_layout.pp == 1)
        {
            return;
        }
        m_messageBytes = m_options.ppBytes > 0 ? m_options.ppBytes : FindMessageBytes(m_traces);
        if (m_messageBytes == 0)
        {
            throw WorkloadError({"--ppBytes", 0, 0, ""},
                                "the bytes of a message between stages, which is microbatch x "
                                "sequence x hidden elements",
                                "no option and no trace that has it in " + m_path);
        }
        if (m_options.ppBytes == 0 && m_traces[0].IsProfile())
        {
            m_workload->AddWarning(
                "no message between stages was recorded; they are taken to have " +
                std::to_string(m_messageBytes) +
                " bytes, as the largest tensor-parallel transfer of a forward "
                "pass has; --ppBytes sets it");
        }
    }

    /**
     * Choose the trace that each rank takes.
     */
    void ChooseTraces()
    {
        std::map<std::pair<uint32_t, uint32_t>, const RankTrace*> byExperts;
        std::map<uint32_t, const RankTrace*> byStage;
        m_chosen.assign(m_layout.world, nullptr);
        for (const auto& trace : m_traces)
        {
            if (m_isByStage)
            {
                byStage.emplace(trace.ops[0].stage, &trace);
                continue;
            }
            const auto place = m_groups.GetPlace(trace.ops[0].rank);
            // The first trace of a place stands for all ranks of the same place.
            byExperts.emplace(std::make_pair(place.pp, place.ep), &trace);
            byStage.emplace(place.pp, &trace);
            m_chosen[trace.ops[0].rank] = &trace;
        }
        CheckStages(byStage);
        for (uint32_t rank = 0; rank < m_layout.world; ++rank)
        {
            if (m_chosen[rank])
            {
                continue;
            }
            const auto place = m_groups.GetPlace(rank);
            const auto expert = byExperts.find({place.pp, place.ep});
            const auto stage = byStage.find(place.pp);
            // The trace of the same place among the experts if there is one, else any of the stage.
            m_chosen[rank] = expert != byExperts.end() ? expert->second
                             : stage != byStage.end()  ? stage->second
                                                       : &m_traces[0];
        }
    }

    /**
     * @param byStage a trace of each stage that has one
     */
    void CheckStages(const std::map<uint32_t, const RankTrace*>& byStage) const
    {
        for (uint32_t stage = 0; stage < m_layout.pp && m_traces.size() > 1; ++stage)
        {
            if (byStage.count(stage) == 0)
            {
                const auto& [other, trace] = *byStage.begin();
                throw WorkloadError({m_path, 0, 0, ""},
                                    "a trace of each of the " + std::to_string(m_layout.pp) +
                                        " stages",
                                    "none of stage " + std::to_string(stage) + ", but " +
                                        trace->file + " of stage " + std::to_string(other));
            }
        }
    }

    /**
     * @param rank a rank
     * @return its program, shared with all ranks that do the same
     */
    std::shared_ptr<const WorkloadProgram> GetProgram(uint32_t rank)
    {
        // Ranks with equal places in equal groups share out their all-to-alls alike.
        const auto group = m_groups.GetGroup(rank, Dimension::EP);
        std::vector<const RankTrace*> members;
        for (const auto member : group.ranks)
        {
            members.push_back(m_chosen[member]);
        }
        const auto index = group.IndexOf(rank);
        auto& program = m_programs[{m_groups.GetPlace(rank).pp, index, members}];
        if (!program)
        {
            program = MakeProgram(rank, EstimateSplits(members, index));
        }
        return program;
    }

    /**
     * @param rank a rank
     * @param splits the splits of its all-to-alls
     * @return its program
     */
    std::shared_ptr<const WorkloadProgram> MakeProgram(uint32_t rank,
                                                       const RankTraceSplits& splits) const
    {
        std::array<uint32_t, N_DIMENSIONS> sizes;
        for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
        {
            const auto group = m_groups.GetGroup(rank, static_cast<Dimension>(i));
            sizes[i] = static_cast<uint32_t>(group.ranks.size());
        }
        const auto& trace = *m_chosen[rank];
        if (!m_isExpanded)
        {
            return LowerRankTrace(trace, m_pipeline, sizes, splits);
        }
        const auto work =
            ExpandRankTrace(trace, sizes, splits, m_layout.microbatches, m_messageBytes);
        return LowerStage(work, *m_schedule, m_pipeline, m_groups.GetPlace(rank).pp);
    }

    /**
     * Say what was assumed.
     */
    void AddWarnings()
    {
        if (m_traces.size() == 1 && m_layout.pp > 1)
        {
            m_workload->AddWarning("all " + std::to_string(m_layout.pp) +
                                   " stages do what the only trace shows of stage " +
                                   std::to_string(m_traces[0].ops[0].stage));
        }
        else if (m_traces.size() < m_layout.world)
        {
            m_workload->AddWarning(std::to_string(m_layout.world - m_traces.size()) + " of " +
                                   std::to_string(m_layout.world) +
                                   " ranks have no trace and do what another one of their stage "
                                   "does");
        }
    }

    /// Stage, index in the expert-parallel group, and traces of that group.
    using Key = std::tuple<uint32_t, uint32_t, std::vector<const RankTrace*>>;

    const std::string& m_path;                          //!< file or directory of the traces
    const std::vector<RankTrace>& m_traces;             //!< the traces by rank
    const RankTraceOptions& m_options;                  //!< what they do not say
    ParallelLayout m_layout;                            //!< shape of the job
    ParallelGroups m_groups;                            //!< who belongs together in it
    PipelineShape m_pipeline;                           //!< shape of its pipeline
    std::unique_ptr<const PipelineSchedule> m_schedule; //!< order that passes are put in
    bool m_isByStage;                                   //!< each stage has one profile, of any rank
    bool m_isExpanded;                      //!< passes are put in the order of a schedule
    uint64_t m_messageBytes{0};             //!< bytes of a message that was not recorded
    std::vector<const RankTrace*> m_chosen; //!< by rank: its trace
    std::map<Key, std::shared_ptr<const WorkloadProgram>> m_programs; //!< programs made
    std::shared_ptr<Workload> m_workload;                             //!< the workload
};

} // namespace

std::shared_ptr<const Workload>
ReadRankTraces(const std::string& fileOrDirectory, const RankTraceOptions& options)
{
    auto traces = ReadAll(fileOrDirectory);
    for (auto& trace : traces)
    {
        trace.ScaleBytes(options.bytesScale);
    }
    const auto outliers = FindRankTraceOutliers(traces, options.robust);
    return RankTraceBinding(fileOrDirectory, traces, options).Bind(outliers);
}

bool
LooksLikeRankTrace(const WorkloadText& text)
{
    return BeginsRankTrace(text.GetLines().front().text);
}

} // namespace ns3
