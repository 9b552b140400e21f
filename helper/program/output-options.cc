/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-options.h"

#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

using V = OptionValue;

/// Options that say what trace.json shows.
const std::vector<std::string> TRACE_OPTIONS{"traceRanks", "traceStages", "traceTime"};

/**
 * @param value all, or ranks
 * @param [in,out] trace what trace.json shows
 * @throws WorkloadError if it is anything else
 */
void
SetRanks(const TextField& value, TraceRequest& trace)
{
    trace.hasAllRanks = value.text == "all";
    trace.ranks = trace.hasAllRanks ? std::vector<uint32_t>()
                                    : ParseRanges(value, "all, or ranks such as 0-7,32");
    trace.ranksWhere = value.where;
}

/**
 * @param value pipeline stages
 * @param [in,out] trace what trace.json shows
 * @throws WorkloadError if it is anything else
 */
void
SetStages(const TextField& value, TraceRequest& trace)
{
    trace.stages = ParseRanges(value, "pipeline stages such as 0,3-5");
    trace.stagesWhere = value.where;
}

/**
 * Add the options of trace.json.
 *
 * @param table the table
 * @param group their heading in the help
 * @param trace what they set
 */
void
AddTraceOptions(OptionTable& table, const std::string& group, TraceRequest& trace)
{
    const auto setTime = [&trace](const auto& v) {
        std::tie(trace.from, trace.to) = ParseTimeSpan(v);
    };
    table.Add(group,
              {{"traceRanks",
                {"LIST|all",
                 "first rank of each pipeline stage",
                 [&trace](const auto& v) { SetRanks(v, trace); }},
                "ranks that trace.json shows, such as 0-7,32; of several jobs, those of each job"},
               {"traceStages",
                {"LIST", "all", [&trace](const auto& v) { SetStages(v, trace); }},
                "pipeline stages of which it shows ranks, such as 0,3-5"},
               {"traceTime",
                {"FROM:TO", "all", setTime},
                "what it shows: the ops that run at some time from FROM to TO of the simulation, "
                "such as 10ms:12ms"}});
}

} // namespace

void
AddOutputOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string group = "Files";
    table.Add(group,
              {{"outputDir",
                V::Text(o.outputDir, "DIRECTORY").Default("none"),
                "where summary.json, ops.csv, collectives.csv, flows.csv, links.csv, trace.json "
                "(for Perfetto), fabric.json and fabric.dot go; made if it is not there"},
               {"files",
                {"LIST", "all", [&o](const auto& v) { o.files = OutputSelection(v); }},
                "which of them are written, with commas between, such as summary.json,links.csv; "
                "-flows.csv leaves one out, ops.csv.gz has it compressed (gzip), all stands for "
                "all. "
                "Files of an earlier run that this one does not write are removed"}});
    AddTraceOptions(table, group, o.trace);
}

void
CheckOutputOptions(const ReplayOptions& options)
{
    std::vector<std::string> all{"files"};
    all.insert(all.end(), TRACE_OPTIONS.begin(), TRACE_OPTIONS.end());
    if (!options.IsGiven("outputDir"))
    {
        options.Refuse(all, " without outputDir, the directory that files go to");
    }
    if (options.dryRun)
    {
        options.Refuse(all, " with dryRun, which simulates nothing");
    }
    if (!options.files.IsWanted("trace.json"))
    {
        options.Refuse(TRACE_OPTIONS, " without trace.json, which files leaves out");
    }
}

} // namespace ns3
