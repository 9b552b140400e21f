/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-options.h"

#include "option-rules.h"
#include "transport-kind.h"

#include "ns3/rdma-routing.h"
#include "ns3/strategy-registry.h"

#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// A short name, for the tables of options.
using V = OptionValue;

/// Options that say what trace.json shows.
const std::vector<std::string> TRACE_OPTIONS{"traceRanks", "traceStages", "traceTime"};

/// Options that need files.
const std::vector<std::string> FILE_OPTIONS{"files",
                                            "flowPaths",
                                            "traceRanks",
                                            "traceStages",
                                            "traceTime",
                                            "timeSeries",
                                            "timeSeriesLinks",
                                            "timeSeriesRanks"};

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

/**
 * Add the options of timeseries.csv.
 *
 * @param table the table
 * @param group their heading in the help
 * @param series what they set
 */
void
AddTimeSeriesOptions(OptionTable& table, const std::string& group, TimeSeriesRequest& series)
{
    const auto setInterval = [&series](const auto& v) {
        series.interval = ParseDuration(v);
        if (series.interval < NanoSeconds(1))
        {
            throw WorkloadError(v, "an interval of 1ns or more, such as 100us");
        }
    };
    const auto setLinks = [&series](const auto& v) {
        series.links = v.text;
        series.linksWhere = v.where;
    };
    const auto setRanks = [&series](const auto& v) {
        series.ranks = ParseRanges(v, "ranks such as 0-7,32");
        series.ranksWhere = v.where;
    };
    table.Add(
        group,
        {{"timeSeries",
          {"TIME", "none", setInterval},
          "write timeseries.csv: rate, queue, pauses and marks of ports in intervals of that "
          "length, such as 100us; it doubles when a run has thousands of them. trace.json shows "
          "rates and queues as counters, if there are at most 64 series"},
         {"timeSeriesLinks",
          {"tiers|all|A-B,...", "tiers", setLinks},
          "the ports: those from one kind of node to another as one, each, or those of links "
          "such as leaf0-spine1"},
         {"timeSeriesRanks",
          {"LIST", "none", setRanks},
          "ranks whose queue pairs it shows besides, with rate and window, such as 0,8-15"}});
}

/**
 * @param options what the user asks for
 * @return why messages have no path of their own with the routing; empty = they have
 */
std::string
FindOtherPaths(const ReplayOptions& options)
{
    if (!options.IsGiven("routing"))
    {
        return "";
    }
    const TextField name{options.routing, options.Locate("routing")};
    const auto reason = StrategyRegistry::Create<RdmaRouting>(name)->FindOtherPaths();
    return reason.empty() ? "" : " with the routing " + options.routing + reason;
}

/// Which options of files go together; the first rule that is broken is reported.
const std::vector<OptionRule<ReplayOptions>> OUTPUT_RULES{
    {FILE_OPTIONS,
     [](const auto& o) { return !o.IsGiven("outputDir"); },
     " without outputDir, the directory that files go to"},
    {FILE_OPTIONS, [](const auto& o) { return o.dryRun; }, " with dryRun, which simulates nothing"},
    {{"timeSeriesLinks", "timeSeriesRanks"},
     [](const auto& o) { return o.timeSeries.interval.IsZero(); },
     " without timeSeries, its interval"},
    {{"timeSeries"},
     [](const auto& o) { return !o.files.IsWanted("timeseries.csv"); },
     " without timeseries.csv, which files leaves out"},
    {"files",
     [](const auto& o) {
         return o.timeSeries.interval.IsZero() && o.files.IsNamed("timeseries.csv");
     },
     "timeSeries, the interval of timeseries.csv",
     "no timeSeries"},
    {{"flowPaths"}, Unsupported(TransportKind::Use::FLOW_PATHS)},
    {{"timeSeries"}, Unsupported(TransportKind::Use::PORTS)},
    {{"timeSeriesRanks"}, Unsupported(TransportKind::Use::QUEUE_PAIRS)},
    {{"flowPaths"},
     [](const auto& o) { return !o.files.IsWanted("flows.csv"); },
     " without flows.csv, which files leaves out"},
    {{"flowPaths"}, FindOtherPaths},
    {{"flowPaths"}, Given("linkDown"), " with linkDown, after which messages take other paths"},
    {{"flowPaths"},
     [](const auto& o) { return o.hasTcpBeside; },
     " with background traffic over TCP, which does not report paths"},
    {TRACE_OPTIONS,
     [](const auto& o) { return !o.files.IsWanted("trace.json"); },
     " without trace.json, which files leaves out"},
};

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
    table.Add(group,
              {{"flowPaths",
                V::Word(o.flowPaths, {"off", "on"}, "WHETHER"),
                "name the links of each message's path in flows.csv: rdma, routing ecmp, without "
                "linkDown"}});
    AddTraceOptions(table, group, o.trace);
    AddTimeSeriesOptions(table, group, o.timeSeries);
}

void
CheckOutputOptions(const ReplayOptions& options)
{
    ApplyRules(OUTPUT_RULES, options);
}

} // namespace ns3
