/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-layout.h"

#include "parallel-groups.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param traces traces
 * @param dimension a dimension
 * @return the first trace that communicates in it; null if none does
 */
const RankTrace*
FindUser(const std::vector<RankTrace>& traces, Dimension dimension)
{
    const auto user = std::find_if(traces.begin(), traces.end(), [&](const RankTrace& trace) {
        return trace.FindUse(dimension) > 0;
    });
    return user == traces.end() ? nullptr : &*user;
}

/**
 * Check that a trace has one forward and one backward pass of each microbatch.
 *
 * @param trace a trace
 */
void
CheckPasses(const RankTrace& trace)
{
    const auto microbatches = trace.CountMicrobatches();
    // By direction: 0 backward, 1 forward.
    std::set<uint32_t> passes[2];
    for (const auto& op : trace.ops)
    {
        const bool isPass =
            op.action == RankTraceAction::FORWARD || op.action == RankTraceAction::BACKWARD;
        if (!isPass)
        {
            continue;
        }
        const auto microbatch = op.microbatch.value_or(0);
        if (microbatch >= microbatches)
        {
            throw WorkloadError(trace.Locate(op.line),
                                "batch_id below " + std::to_string(microbatches) +
                                    ", as there are that many forward_step",
                                std::to_string(microbatch));
        }
        if (!passes[op.forward].insert(microbatch).second)
        {
            throw WorkloadError(trace.Locate(op.line),
                                "one " + op.name + " of each batch_id",
                                "a second one of batch_id " + std::to_string(microbatch));
        }
    }
    // Forward passes are as many as microbatches by definition.
    if (microbatches == 0 || passes[false].size() != microbatches)
    {
        throw WorkloadError(trace.Locate(),
                            "a backward_step for each forward_step",
                            std::to_string(microbatches) + " forward_step and " +
                                std::to_string(passes[false].size()) +
                                " backward_step; the trace may be cut off");
    }
    if (trace.IsProfile() && microbatches > 1)
    {
        throw WorkloadError(trace.Locate(),
                            "one microbatch in a profile of one GPU (mg_state None)",
                            std::to_string(microbatches));
    }
}

/**
 * Check that ops follow one another.
 *
 * @param trace a trace
 */
void
CheckClock(const RankTrace& trace)
{
    // Two ops whose times are rounded to 0.01 ms may seem to overlap by a few of these.
    constexpr int64_t toleranceNs = 1000000;
    for (std::size_t i = 1; i < trace.ops.size(); ++i)
    {
        const auto& before = trace.ops[i - 1];
        const auto& op = trace.ops[i];
        if (before.hasClock && op.hasClock && op.end < before.end - toleranceNs)
        {
            throw WorkloadError(trace.Locate(op.line),
                                "ops in the order of their timestamps",
                                op.name + ", which ends before " + before.name + " on line " +
                                    std::to_string(before.line));
        }
    }
}

/**
 * Check that traces agree with the first one.
 *
 * @param traces traces
 */
void
CheckAgreement(const std::vector<RankTrace>& traces)
{
    const auto& first = traces.front();
    const auto microbatches = first.CountMicrobatches();
    const auto updates = first.Count(RankTraceAction::OPTIMIZER, true);
    // Profiles and runs cannot be mixed: their times mean different things.
    auto describe = [](bool isProfile) {
        return std::string(isProfile ? "a profile of one GPU" : "a trace of a whole run");
    };
    for (const auto& trace : traces)
    {
        if (trace.IsProfile() != first.IsProfile())
        {
            throw WorkloadError(trace.Locate(),
                                describe(first.IsProfile()) + ", as " + first.file + " is",
                                describe(trace.IsProfile()));
        }
        if (trace.CountMicrobatches() != microbatches)
        {
            throw WorkloadError(trace.Locate(),
                                std::to_string(microbatches) + " microbatches, as in " + first.file,
                                std::to_string(trace.CountMicrobatches()));
        }
        if (trace.Count(RankTraceAction::OPTIMIZER, true) != updates)
        {
            throw WorkloadError(trace.Locate(),
                                std::to_string(updates) + " optimizer_step, as in " + first.file,
                                std::to_string(trace.Count(RankTraceAction::OPTIMIZER, true)) +
                                    "; the trace may be cut off");
        }
    }
}

/**
 * Find the stages of the pipeline, and check that all traces that show them show the same.
 *
 * @param traces traces
 * @return the stages; none if no trace shows them
 */
std::optional<uint32_t>
FindStages(const std::vector<RankTrace>& traces)
{
    std::optional<uint32_t> stages;
    const RankTrace* witness = nullptr;
    for (const auto& trace : traces)
    {
        const auto shown = trace.FindStages();
        if (stages && shown && *shown != *stages)
        {
            throw WorkloadError(trace.Locate(),
                                "a pipeline of " + std::to_string(*stages) + " stages, as " +
                                    witness->file + " shows by its warm-up or loss_func",
                                std::to_string(*shown));
        }
        // The first trace that shows the number decides; others must agree.
        if (!stages && shown)
        {
            stages = shown;
            witness = &trace;
        }
    }
    return stages;
}

/**
 * @param traces traces
 * @return what they show of the job's shape
 */
LayoutRequest
FindShown(const std::vector<RankTrace>& traces)
{
    LayoutRequest shown;
    shown.vpp = 1;
    shown.pp = FindStages(traces);
    if (!traces.front().IsProfile())
    {
        shown.microbatches = traces.front().CountMicrobatches();
    }
    // A group in which nobody communicates has one member.
    if (!FindUser(traces, Dimension::TP))
    {
        shown.tp = 1;
    }
    if (!FindUser(traces, Dimension::EP))
    {
        shown.ep = 1;
    }
    // Without a gap in the ranks and with equally many in each stage none is missing.
    const auto world = static_cast<uint32_t>(traces.size());
    const bool isComplete =
        shown.pp && world % *shown.pp == 0 &&
        std::all_of(traces.begin(), traces.end(), [&](const RankTrace& trace) {
            const auto rank = static_cast<uint32_t>(&trace - traces.data());
            return trace.ops[0].rank == rank && trace.ops[0].stage == rank / (world / *shown.pp);
        });
    if (isComplete)
    {
        shown.world = world;
    }
    return shown;
}

/**
 * @param traces traces
 * @return names of the dimensions that they communicate in
 */
std::vector<std::string>
ListUsedGroups(const std::vector<RankTrace>& traces)
{
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        if (FindUser(traces, static_cast<Dimension>(i)))
        {
            groups.push_back(ToString(static_cast<Dimension>(i)));
        }
    }
    return groups;
}

/**
 * @param path file or directory of the traces
 * @param traces the traces
 * @param known what the traces and the user say
 * @throws WorkloadError if that is not enough
 */
void
CheckComplete(const std::string& path,
              const std::vector<RankTrace>& traces,
              const LayoutRequest& known)
{
    std::vector<std::string> missing;
    auto need = [&missing](bool isKnown, const std::string& option) {
        if (!isKnown)
        {
            missing.push_back(option);
        }
    };
    // All that is missing is named at once.
    need(known.tp.has_value(), "--tp");
    need(known.pp.has_value(), "--pp");
    need(known.dp || known.world, "--dp or --world");
    need(known.ep.has_value(), "--ep");
    need(known.microbatches.has_value(), "--microbatches");
    if (missing.empty())
    {
        return;
    }
    std::set<uint32_t> stages;
    for (const auto& trace : traces)
    {
        stages.insert(trace.ops[0].stage);
    }
    const auto count = [](std::size_t n, const std::string& what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    std::string found = count(traces.size(), "rank") + " in " + count(stages.size(), "stage");
    if (traces.front().IsProfile())
    {
        found += ", each profiled alone with one microbatch";
    }
    const auto groups = ListUsedGroups(traces);
    if (!groups.empty())
    {
        found += ", communicating in groups " + JoinWords(groups);
    }
    throw WorkloadError({path, 0, 0, ""},
                        "the options " + JoinWords(missing) + ", which these traces do not say",
                        found);
}

/**
 * Check that a group has several members just if the traces communicate in it.
 *
 * @param traces the traces
 * @param dimension the dimension
 * @param option the option that says how many
 * @param size members
 */
void
CheckUse(const std::vector<RankTrace>& traces,
         Dimension dimension,
         const std::string& option,
         uint32_t size)
{
    const auto* user = FindUser(traces, dimension);
    if (user && size == 1)
    {
        throw WorkloadError({option, 0, 0, ""},
                            "at least 2, because " +
                                user->Locate(user->FindUse(dimension)).ToString() +
                                " communicates in the " + ToString(dimension) + " group",
                            "1");
    }
    if (!user && size > 1)
    {
        throw WorkloadError({option, 0, 0, ""},
                            "1, because no trace communicates in the " + ToString(dimension) +
                                " group",
                            std::to_string(size));
    }
}

/**
 * Check that the warm-up of a trace is as deep as 1F1B has it in its stage.
 *
 * @param trace a trace of a whole run
 * @param layout the shape of the job
 */
void
CheckWarmup(const RankTrace& trace, const ParallelLayout& layout)
{
    const auto stage = trace.ops[0].stage;
    // 1F1B of Megatron-LM: one forward pass ahead for each stage after this one.
    const auto expected = std::min(layout.pp - 1 - stage, layout.microbatches);
    const auto found = trace.CountWarmup();
    if (found != expected)
    {
        throw WorkloadError(trace.Locate(),
                            std::to_string(expected) + " forward_step in warm-up in stage " +
                                std::to_string(stage) + " of " + std::to_string(layout.pp),
                            std::to_string(found));
    }
}

/**
 * Check that a trace has the messages of its stage.
 *
 * @param trace a trace of a whole run
 * @param layout the shape of the job
 */
void
CheckMessages(const RankTrace& trace, const ParallelLayout& layout)
{
    const auto stage = trace.ops[0].stage;
    for (const bool isSend : {false, true})
    {
        for (const bool forward : {true, false})
        {
            // Forward sends and backward receives are with the stage after this one.
            // Forward messages go to the next stage, backward ones to the one before.
            const bool towardsLast = forward == isSend;
            const bool hasNeighbour = towardsLast ? stage + 1 < layout.pp : stage > 0;
            const auto expected = hasNeighbour ? layout.microbatches : 0;
            const auto found =
                trace.Count(isSend ? RankTraceAction::SEND : RankTraceAction::RECV, forward);
            if (found != expected)
            {
                throw WorkloadError(trace.Locate(),
                                    std::to_string(expected) + " " + (isSend ? "send" : "recv") +
                                        (forward ? "_forward" : "_backward") + " in stage " +
                                        std::to_string(stage) + " of " + std::to_string(layout.pp),
                                    std::to_string(found) + "; the trace may be cut off");
            }
        }
    }
}

/**
 * Check that a trace stands where the shape of the job puts its rank.
 *
 * @param trace a trace
 * @param layout the shape of the job
 */
void
CheckPlace(const RankTrace& trace, const ParallelLayout& layout)
{
    const auto rank = trace.ops[0].rank;
    const auto stage = trace.ops[0].stage;
    if (rank >= layout.world)
    {
        throw WorkloadError(trace.Locate(),
                            "a rank below " + std::to_string(layout.world) + ", the world",
                            std::to_string(rank));
    }
    const auto place = ParallelGroups(layout).GetPlace(rank).pp;
    if (place != stage)
    {
        throw WorkloadError(trace.Locate(trace.ops[0].line),
                            "rank " + std::to_string(rank) + " in stage " + std::to_string(place) +
                                " of " + std::to_string(layout.pp) +
                                ", as world / pp = " + std::to_string(layout.world / layout.pp),
                            "stage " + std::to_string(stage));
    }
}

} // namespace

ParallelLayout
FindRankTraceLayout(const std::string& path,
                    const std::vector<RankTrace>& traces,
                    const LayoutRequest& user)
{
    for (const auto& trace : traces)
    {
        CheckPasses(trace);
        CheckClock(trace);
    }
    CheckAgreement(traces);
    auto shown = FindShown(traces);
    auto check = [](const char* option, auto value, auto truth, const char* what) {
        if (value && truth && *value != *truth)
        {
            throw WorkloadError({option, 0, 0, ""},
                                std::to_string(*truth) + ", the " + what + " the traces show",
                                std::to_string(*value));
        }
    };
    // What the user says may complete the traces, not contradict them.
    check("--pp", user.pp, shown.pp, "stages");
    check("--vpp", user.vpp, shown.vpp, "model chunks per stage");
    check("--microbatches", user.microbatches, shown.microbatches, "microbatches");
    // The user may have a larger job than was recorded: other ranks do as recorded ones.
    if (user.world || user.dp)
    {
        shown.world.reset();
    }
    CheckComplete(path, traces, MergeLayouts(shown, user));
    const auto layout = CompleteLayout(shown, {path, 0, 0, ""}, user);
    // Sizes against groups: a group of one member does not communicate, a larger one does.
    CheckUse(traces, Dimension::TP, "--tp", layout.tp);
    CheckUse(traces, Dimension::EP, "--ep", layout.ep);
    // A profile of each stage may be of any rank, which then says nothing of a place.
    const bool isByStage = AreOnePerStage(traces, layout.pp);
    for (const auto& trace : traces)
    {
        if (!isByStage)
        {
            CheckPlace(trace, layout);
        }
        if (!trace.IsProfile())
        {
            CheckWarmup(trace, layout);
            CheckMessages(trace, layout);
        }
    }
    return layout;
}

} // namespace ns3
