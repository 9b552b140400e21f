/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-option-table.h"

#include "network-option-table.h"
#include "workload-reader.h"

#include <optional>

namespace ns3
{

namespace
{

/**
 * Add the options that say what shape the job has.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddShapeOptions(OptionTable& table, ReplayOptions& o)
{
    struct Count
    {
        std::optional<uint32_t> LayoutRequest::*member; //!< what it sets
        const char* name;                               //!< name of the option
        const char* defaultText;                        //!< what applies without it
        const char* help;                               //!< what it counts
    };

    const std::string group =
        "Shape of the job (an option wins over the file, the file over the default)";
    const std::string world = "tp cp dp pp; op table: " + std::to_string(DEFAULT_WORKERS);
    const Count counts[] = {
        {&LayoutRequest::world, "world", world.c_str(), "ranks"},
        {&LayoutRequest::tp, "tp", "1", "tensor parallel ranks"},
        {&LayoutRequest::cp, "cp", "1", "context parallel ranks"},
        {&LayoutRequest::ep, "ep", "1", "expert parallel ranks; they divide those of dp"},
        {&LayoutRequest::dp, "dp", "world / (tp cp pp)", "data parallel ranks"},
        {&LayoutRequest::pp, "pp", "1", "pipeline stages"},
        {&LayoutRequest::microbatches, "microbatches", "1", "microbatches of an iteration"},
        {&LayoutRequest::vpp, "vpp", "1", "model chunks of a pipeline stage"},
    };
    for (const auto& count : counts)
    {
        table.Add({count.name,
                   group,
                   "COUNT",
                   count.defaultText,
                   count.help,
                   [&o, member = count.member](const auto& v) {
                       o.layout.*member = static_cast<uint32_t>(ParseNumber(v, 1, MAX_WORLD));
                   }});
    }
    table.Add({"schedule",
               group,
               "NAME",
               o.schedule,
               "order of the passes in the pipeline: 1f1b (interleaved if vpp is above 1), gpipe, "
               "interleaved",
               [&o](const auto& v) {
                   o.schedule = ParseWord(v, {"1f1b", "gpipe", "interleaved"});
               }});
    table.Add({"order",
               group,
               "NAME",
               o.order,
               "layer file: megatron runs pipeline stages; literal runs all rows on every rank, as "
               "SimAI does",
               [&o](const auto& v) {
                   o.order = ParseWord(v, {"megatron", "literal"});
               }});
    table.Add({"ppBytes",
               group,
               "SIZE",
               "from the file",
               "bytes of a message between pipeline stages",
               [&o](const auto& v) { o.ppBytes = ParseBytes(v, 1); }});
}

/**
 * Add the options that vary how long the ranks compute.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddComputeOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string group = "Compute times";
    table.Add({"computeScale",
               group,
               "FACTOR",
               "1",
               "factor of all compute times; 0.5 is an accelerator twice as fast",
               [&o](const auto& v) { o.computeScale = ParseScale(v); }});
    Option straggler{"straggler",
                     group,
                     "RANK:FACTOR",
                     "none",
                     "a rank whose compute takes FACTOR times as long; may be given several times, "
                     "once for each rank",
                     [&o](const auto& v) {
                         const auto [rank, factor] = ParseRankFactor(v);
                         o.stragglers[rank] = {factor, v.where};
                     }};
    straggler.repeatable = true;
    table.Add(straggler);
    table.Add({"jitter",
               group,
               "SHARE",
               "0",
               "standard deviation of each compute op's time as a share of it, such as 0.05; drawn "
               "log-normal with the unvaried time as mean, see seed and run",
               [&o](const auto& v) { o.jitter = ParseShare(v); }});
}

/**
 * Add the options that say what to replay.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddWorkloadOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string group = "Workload";
    table.Add({"workload",
               group,
               "FILE",
               "",
               "file to replay, or directory of rank traces; required",
               [&o](const auto& v) { o.workload = v.text; }});
    table.Add(
        {"format",
         group,
         "FORMAT",
         o.format,
         "simai (layer file of SimAI, AICB or ASTRA-sim 1.0), megatron (rank traces), op-table "
         "or auto, which looks at the content",
         [&o](const auto& v) {
             o.format = ParseWord(v, {"auto", "simai", "megatron", "op-table"});
         }});
    table.Add({"iterations",
               group,
               "COUNT",
               std::to_string(o.iterations),
               "iterations to run",
               [&o](const auto& v) { o.iterations = ParsePositive(v); }});
    table.Add({"backwardScale",
               group,
               "FACTOR",
               "0",
               "op table: backward time of a row that states none, as a multiple of its forward "
               "time; 2 is the usual estimate",
               [&o](const auto& v) { o.backwardScale = ParseFactor(v); }});
    table.Add({"repeat",
               group,
               "FIRST:LAST:N",
               "",
               "op table: the rows from FIRST to LAST stand N times in the model",
               [&o](const auto& v) { o.repeat = ParseRowRepeat(v); }});
    table.Add({"elementBytes",
               group,
               "COUNT",
               std::to_string(o.elementBytes),
               "op table: bytes of one element of a communication size",
               [&o](const auto& v) { o.elementBytes = ParseNumber(v, 1, 1024); }});
}

/**
 * Add the option that chooses algorithms of collectives.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddAlgorithmOption(OptionTable& table, ReplayOptions& o)
{
    table.Add({"collective",
               COLLECTIVE_GROUP,
               "LIST",
               "auto",
               "algorithms, KIND[.DIMENSION]=ALGORITHM[/PROTOCOL] with commas between, such as "
               "all-reduce=tree,broadcast.dp=chain, see Algorithms below; protocols, with a "
               "fabric: simple, ll128, ll; auto = the fastest by the costs of the fabric, or "
               "without one by kind and size",
               [&o](const auto& v) { o.collectives = ParseCollectiveChoices(v); }});
}

/**
 * Add the options that say what a replay tells.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddOutputOptions(OptionTable& table, ReplayOptions& o)
{
    table.Add({"outputDir",
               RUN_GROUP,
               "DIRECTORY",
               "none",
               "where summary.json, ops.csv, collectives.csv, flows.csv, links.csv and trace.json "
               "(for Perfetto) go; made if it is not there",
               [&o](const auto& v) { o.outputDir = v.text; }});
    table.Add({"progress",
               RUN_GROUP,
               "WHEN",
               o.progress,
               "show the share done on standard error: on, off, or auto (on a terminal)",
               [&o](const auto& v) {
                   o.progress = ParseWord(v, {"auto", "on", "off"});
               }});
}

} // namespace

OptionTable
CreateReplayOptionTable(ReplayOptions& options)
{
    OptionTable table;
    AddWorkloadOptions(table, options);
    AddShapeOptions(table, options);
    AddComputeOptions(table, options);
    AddFabricOptions(
        table,
        options,
        "print what the fabric is and simulate nothing; with outputDir, write fabric.json, "
        "fabric.dot and fabric.svg; needs no workload if the world is given");
    AddTransportOptions(table, options);
    AddAlgorithmOption(table, options);
    AddCollectiveOptions(table, options);
    AddOutputOptions(table, options);
    AddRunOptions(table, options);
    return table;
}

void
PrintReplayHelp(std::ostream& os)
{
    ReplayOptions options;
    os << "Usage: wl-replay --workload=FILE [--NAME=VALUE ...]\n\n"
          "Replays a training workload on simulated nodes. TIME has a unit (10us), RATE too "
          "(400Gbps),\nSIZE is in bytes or has one (512KiB). Defaults stand in brackets.\n";
    CreateReplayOptionTable(options).PrintHelp(os);
    PrintNetworkHelp(os);
    os << "\nExit code: 0 done, 1 an option or the input is wrong, 2 the replay could not "
          "finish.\n";
}

} // namespace ns3
