/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-options.h"

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

/// Options that say what timeseries.csv shows.
const std::vector<std::string> SERIES_OPTIONS{"timeSeries", "timeSeriesLinks", "timeSeriesRanks"};

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
 * Refuse to tell paths where messages have none of their own.
 *
 * @param options what the user asks for
 * @throws WorkloadError if they have not
 */
void
CheckFlowPaths(const ReplayOptions& options)
{
    if (!options.files.IsWanted("flows.csv"))
    {
        options.Refuse({"flowPaths"}, " without flows.csv, which files leaves out");
    }
    // Only some routings keep a message on one path.
    if (options.IsGiven("routing"))
    {
        const TextField name{options.routing, options.Locate("routing")};
        const auto reason = StrategyRegistry::Create<RdmaRouting>(name)->FindOtherPaths();
        if (!reason.empty())
        {
            options.Refuse({"flowPaths"}, " with the routing " + options.routing + reason);
        }
    }
    if (options.IsGiven("linkDown"))
    {
        options.Refuse({"flowPaths"}, " with linkDown, after which messages take other paths");
    }
    if (options.hasTcpBeside)
    {
        options.Refuse({"flowPaths"},
                       " with background traffic over TCP, which does not tell paths");
    }
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
    table.Add(group,
              {{"flowPaths",
                V::Word(o.flowPaths, {"off", "on"}, "WHETHER"),
                "tell the links of each message's path in flows.csv: rdma, routing ecmp, without "
                "linkDown"}});
    AddTraceOptions(table, group, o.trace);
    AddTimeSeriesOptions(table, group, o.timeSeries);
}

void
CheckOutputOptions(const ReplayOptions& options)
{
    std::vector<std::string> all{"files", "flowPaths"};
    all.insert(all.end(), TRACE_OPTIONS.begin(), TRACE_OPTIONS.end());
    all.insert(all.end(), SERIES_OPTIONS.begin(), SERIES_OPTIONS.end());
    if (!options.IsGiven("outputDir"))
    {
        options.Refuse(all, " without outputDir, the directory that files go to");
    }
    if (options.dryRun)
    {
        options.Refuse(all, " with dryRun, which simulates nothing");
    }
    const bool hasSeries = !options.timeSeries.interval.IsZero();
    if (!hasSeries)
    {
        options.Refuse({"timeSeriesLinks", "timeSeriesRanks"}, " without timeSeries, its interval");
    }
    if (!options.files.IsWanted("timeseries.csv"))
    {
        options.Refuse({"timeSeries"}, " without timeseries.csv, which files leaves out");
    }
    if (!hasSeries && options.files.IsNamed("timeseries.csv"))
    {
        throw WorkloadError(options.Locate("files"),
                            "timeSeries, the interval of timeseries.csv",
                            "no timeSeries");
    }
    TransportKind::Refuse(options,
                          {{TransportKind::Use::FLOW_PATHS, {"flowPaths"}},
                           {TransportKind::Use::PORTS, {"timeSeries"}},
                           {TransportKind::Use::QUEUE_PAIRS, {"timeSeriesRanks"}}});
    CheckFlowPaths(options);
    if (!options.files.IsWanted("trace.json"))
    {
        options.Refuse(TRACE_OPTIONS, " without trace.json, which files leaves out");
    }
}

} // namespace ns3
