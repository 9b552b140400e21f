/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-outliers.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

/// From this factor on a pass of a profile is out of line. In the public profiles, passes that are
/// not have up to 1.36, and cold ones 1.5 to 2.5.
constexpr double PASS_FACTOR = 1.4;

/// From this factor on a stage is slower than its twins; first and last stages, which hold
/// embeddings, have up to 1.4 in the public traces.
constexpr double STAGE_FACTOR = 1.5;

/**
 * @param values values, at least one
 * @return their median; the mean of the two in the middle if their number is even
 */
double
FindMedian(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const auto middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/**
 * @param number a number
 * @return it with one decimal
 */
std::string
FormatTenths(double number)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::fixed << std::setprecision(1) << number;
    return text.str();
}

/**
 * @param op an op
 * @return its duration, ns
 */
double
GetDuration(const RankTraceOp& op)
{
    return static_cast<double>(op.end - op.start);
}

/**
 * @param trace a trace
 * @param action an action
 * @return total duration of its ops of that action, ns
 */
double
SumDurations(const RankTrace& trace, RankTraceAction action)
{
    double sum = 0;
    for (const auto& op : trace.ops)
    {
        sum += op.action == action ? GetDuration(op) : 0;
    }
    return sum;
}

/**
 * @param trace a trace
 * @param op an op of it
 * @return its place, such as "trace.txt:3"
 */
std::string
DescribePlace(const RankTrace& trace, const RankTraceOp& op)
{
    return trace.file + ":" + std::to_string(op.line);
}

/**
 * Make ops of a trace shorter or longer, with their collectives; the next ones come as much earlier
 * or later.
 *
 * @param [in,out] trace the trace
 * @param action action of the ops
 * @param factor what by, above 0
 */
void
ScaleDurations(RankTrace& trace, RankTraceAction action, double factor)
{
    int64_t shift = 0;
    for (auto& op : trace.ops)
    {
        const double scale = op.action == action ? factor : 1;
        const auto start = op.start;
        // What comes later moves by what has been taken off or added so far.
        const int64_t shifted = start + (op.hasClock ? shift : 0);
        const auto move = [&](int64_t& time) {
            time = shifted + std::llround(static_cast<double>(time - start) * scale);
        };
        const auto end = op.end;
        for (auto& collective : op.collectives)
        {
            move(collective.start);
            move(collective.end);
        }
        op.start = shifted;
        move(op.end);
        shift = op.hasClock ? op.end - end : shift;
    }
}

/**
 * Find passes of profiles that are out of line.
 *
 * @param [in,out] traces traces
 * @param robust whether to put them in line
 * @param [in,out] lines receives what was found
 */
void
CheckPasses(std::vector<RankTrace>& traces, bool robust, std::vector<std::string>& lines)
{
    std::map<std::size_t, double> ratios; // forward / backward, by index of a profile
    for (std::size_t i = 0; i < traces.size(); ++i)
    {
        const auto forward = SumDurations(traces[i], RankTraceAction::FORWARD);
        const auto backward = SumDurations(traces[i], RankTraceAction::BACKWARD);
        if (traces[i].IsProfile() && forward > 0 && backward > 0)
        {
            ratios[i] = forward / backward;
        }
    }
    for (const auto& [index, ratio] : ratios)
    {
        auto& trace = traces[index];
        std::vector<double> peers;
        std::vector<double> others;
        for (const auto& [other, otherRatio] : ratios)
        {
            if (other != index)
            {
                others.push_back(otherRatio);
                if (traces[other].ops[0].stage == trace.ops[0].stage)
                {
                    peers.push_back(otherRatio);
                }
            }
        }
        // Of two profiles that differ either may be the one out of line.
        if (others.size() < 2)
        {
            return;
        }
        // Too few profiles of the same stage: those of other stages have to do.
        const double factor = ratio / FindMedian(peers.size() < 2 ? others : peers);
        if (std::max(factor, 1 / factor) < PASS_FACTOR)
        {
            continue;
        }
        // The ratio is too large if forward is too long, too small if backward is.
        const bool isForward = factor > 1;
        const auto action = isForward ? RankTraceAction::FORWARD : RankTraceAction::BACKWARD;
        const auto op = std::find_if(trace.ops.begin(), trace.ops.end(), [action](const auto& op) {
            return op.action == action;
        });
        lines.push_back(op->name + " of rank " + std::to_string(op->rank) + " (" +
                        DescribePlace(trace, *op) + ") takes " +
                        FormatTenths(std::max(factor, 1 / factor)) + " times as long as its " +
                        (isForward ? "backward" : "forward") +
                        " pass and its peers' median say, as a cold pass does; " +
                        (robust ? "it is replaced by that (--profile=robust)"
                                : "--profile=robust replaces it by that"));
        if (robust)
        {
            ScaleDurations(trace, action, isForward ? 1 / factor : factor);
        }
    }
}

/**
 * Find clocks that jump.
 *
 * @param trace a trace
 * @param [in,out] lines receives what was found
 */
void
CheckClock(const RankTrace& trace, std::vector<std::string>& lines)
{
    double busy = 0;
    for (const auto& op : trace.ops)
    {
        busy += GetDuration(op);
    }
    for (std::size_t i = 1; i < trace.ops.size() && !trace.IsProfile(); ++i)
    {
        const auto& op = trace.ops[i];
        // A gap longer than all of the rank's work is taken for a clock that was set.
        const auto gap = static_cast<double>(op.start - trace.ops[i - 1].end);
        if (op.hasClock && trace.ops[i - 1].hasClock && busy > 0 && gap > busy)
        {
            lines.push_back("the clock of rank " + std::to_string(op.rank) + " jumps by " +
                            FormatTenths(gap * 1e-6) + " ms before " + op.name + " (" +
                            DescribePlace(trace, op) + "), " + FormatTenths(gap / busy) +
                            " times as long as all of its ops take");
        }
    }
}

/**
 * Find stages that are slower than the others.
 *
 * @param traces traces
 * @param [in,out] lines receives what was found
 */
void
CheckStages(const std::vector<RankTrace>& traces, std::vector<std::string>& lines)
{
    std::map<uint32_t, std::vector<double>> byStage;
    for (const auto& trace : traces)
    {
        const auto forward = SumDurations(trace, RankTraceAction::FORWARD);
        byStage[trace.ops[0].stage].push_back(forward +
                                              SumDurations(trace, RankTraceAction::BACKWARD));
    }
    std::vector<double> medians;
    medians.reserve(byStage.size());
    for (const auto& [stage, durations] : byStage)
    {
        medians.push_back(FindMedian(durations));
    }
    const auto usual = medians.empty() ? 0 : FindMedian(medians);
    std::size_t i = 0;
    for (const auto& [stage, durations] : byStage)
    {
        const auto own = medians[i++];
        // Of two stages neither is the usual one.
        if (medians.size() > 2 && usual > 0 && own >= STAGE_FACTOR * usual)
        {
            lines.push_back("passes of stage " + std::to_string(stage) + " take " +
                            FormatTenths(own / usual) + " times as long as the median stage's");
        }
    }
}

} // namespace

std::vector<std::string>
FindRankTraceOutliers(std::vector<RankTrace>& traces, bool robust)
{
    std::vector<std::string> lines;
    CheckPasses(traces, robust, lines);
    for (const auto& trace : traces)
    {
        CheckClock(trace, lines);
    }
    CheckStages(traces, lines);
    return lines;
}

} // namespace ns3
