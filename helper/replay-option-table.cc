/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-option-table.h"

#include "fabric-set.h"
#include "rdma-replay-fabric.h"
#include "workload-reader.h"

#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/type-id.h"

#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

/// Most ranks of a job; more is a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_WORLD = 1000000;

/**
 * @param type name of a TypeId
 * @param name name of an attribute it declares
 * @return the default of the attribute
 */
std::string
GetAttributeDefault(const std::string& type, const std::string& name)
{
    TypeId::AttributeInformation information;
    TypeId::LookupByName(type).LookupAttributeByName(name, &information);
    const auto text = information.initialValue->SerializeToString(information.checker);
    return text.front() == '+' ? text.substr(1) : text;
}

/**
 * @param rate a rate
 * @return the rate as the user would write it
 */
std::string
ToText(DataRate rate)
{
    return std::to_string(rate.GetBitRate() / 1000000000) + "Gbps";
}

/**
 * @param time a duration
 * @return the duration as the user would write it
 */
std::string
ToText(Time time)
{
    return std::to_string(time.GetNanoSeconds()) + "ns";
}

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
               [&o](const auto& v) { o.iterations = ParseCount(v); }});
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
 * Add the options that say what the ranks run on.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddFabricOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string group = "Fabric";
    const FabricParameters& fabric = o.fabric;
    table.Add({"topology",
               group,
               "NAME[:KEY=VALUE,...]|FILE",
               o.topology,
               "how the ranks are wired: see Topologies below, or a file (SimAI or HPCC text, or "
               "JSON)",
               [&o](const auto& v) {
                   if (!TopologyFile::IsFileName(v.text))
                   {
                       TopologySpec(v.text, v.where.ToString());
                   }
                   o.topology = v.text;
               }});
    table.Add({"dryRun",
               group,
               "",
               "",
               "print what the fabric is and simulate nothing; with outputDir, write fabric.json, "
               "fabric.dot and fabric.svg; needs no workload if the world is given",
               [&o](const auto& v) {
                   // A configuration file gives a boolean.
                   o.dryRun = v.text.empty() || ParseWord(v, {"true", "false"}) == "true";
               }});
    std::string sets;
    for (const auto& set : GetFabricSets())
    {
        sets += set.name + ", ";
    }
    table.Add({"fabric",
               group,
               "NAME|FILE.json",
               "none",
               "servers, links and what collectives cost, together: " + sets +
                   "or a JSON file with the options below and ns-3 attributes as keys; single "
                   "options win over it",
               [&o](const auto& v) { o.fabricSet = v.text; }});
    table.Add({"gpusPerServer",
               group,
               "COUNT",
               std::to_string(fabric.gpusPerServer),
               "ranks behind one NVSwitch; 1 = no NVLink",
               [&o](const auto& v) { o.fabric.gpusPerServer = ParseCount(v); }});
    table.Add({"nicsPerServer",
               group,
               "COUNT",
               "one per GPU",
               "NICs of a server; fewer than its ranks are shared by neighbouring ones, a multiple "
               "gives each rank several",
               [&o](const auto& v) { o.fabric.nicsPerServer = ParseCount(v); }});
    table.Add({"nicRate",
               group,
               "RATE",
               ToText(fabric.nicRate),
               "rate of a NIC, per direction",
               [&o](const auto& v) { o.fabric.nicRate = ParseRate(v, 1); }});
    table.Add({"nvlinkRate",
               group,
               "RATE",
               ToText(fabric.nvlinkRate),
               "rate of a rank's NVLink, per direction",
               [&o](const auto& v) { o.fabric.nvlinkRate = ParseRate(v, 1); }});
    table.Add({"nvlinkDelay",
               group,
               "TIME",
               ToText(fabric.nvlinkDelay),
               "propagation of a link inside a server",
               [&o](const auto& v) { o.fabric.nvlinkDelay = ParseDuration(v); }});
    table.Add({"linkDelay",
               group,
               "TIME",
               ToText(fabric.linkDelay),
               "propagation of every other link",
               [&o](const auto& v) { o.fabric.linkDelay = ParseDuration(v); }});
    table.Add(
        {"mtu",
         group,
         "BYTES",
         "rdma: 4096, tcp: " + std::to_string(fabric.mtu),
         "rdma: payload of a full packet; tcp: largest IP packet, with its headers",
         [&o](const auto& v) { o.fabric.mtu = static_cast<uint32_t>(ParseNumber(v, 68, 65535)); }});
}

/**
 * Add the options that say how messages move.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddTransportOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string transport = "Transport";
    table.Add({"transport",
               transport,
               "KIND",
               o.transport,
               "rdma: lossless Ethernet and queue pairs; tcp: ns-3's internet stack; ideal: a "
               "perfect core without packets, the "
               "reference that a network is judged against",
               [&o](const auto& v) {
                   o.transport = ParseWord(v, {"rdma", "tcp", "ideal"});
               }});
    table.Add({"cc",
               transport,
               "NAME",
               "rdma: " + RdmaReplayFabric::GetCongestionControls().front() +
                   ", tcp: " + GetAttributeDefault("ns3::TcpMessageTransport", "CongestionControl"),
               "congestion control; rdma: dcqcn, hpcc, timely, swift or none; tcp: any of ns-3's, "
               "such as ns3::TcpDctcp",
               [&o](const auto& v) { o.cc = v.text; }});
    table.Add({"routing",
               transport,
               "NAME",
               RdmaReplayFabric::GetRoutings().front(),
               "rdma: how packets choose among paths of equal cost: ecmp (by flow), flowlet, spray "
               "(each its own), adaptive (the least queued port)",
               [&o](const auto& v) { o.routing = ParseWord(v, RdmaReplayFabric::GetRoutings()); }});
    table.Add({"maxTrain",
               transport,
               "COUNT",
               GetAttributeDefault("ns3::RdmaNic", "MaxTrain"),
               "rdma: most packets of a message that are simulated as one where nothing is in "
               "their way; 1 = every packet by itself",
               [&o](const auto& v) {
                   o.maxTrain = static_cast<uint32_t>(ParseNumber(v, 1, 4096));
               }});
    Option linkDown{"linkDown",
                    transport,
                    "A-B@TIME[:TIME]",
                    "none",
                    "a link between nodes A and B that is cut at the first time and mended at the "
                    "second, if there is one; may be given several times",
                    [&o](const auto& v) { o.linkFailures.push_back(ParseLinkFailure(v)); }};
    linkDown.repeatable = true;
    table.Add(linkDown);

    const std::string collectives = "Collectives";
    table.Add({"collective",
               collectives,
               "LIST",
               "auto",
               "algorithms, KIND[.DIMENSION]=ALGORITHM[/PROTOCOL] with commas between, such as "
               "all-reduce=tree,broadcast.dp=chain: ring, tree, halving-doubling (all-reduce), "
               "ring, halving-doubling (all-gather, reduce-scatter), tree, chain (broadcast, "
               "reduce), nvls (all of these, by NVSwitches that add and multicast); protocols, "
               "with a fabric: simple, ll128, ll; auto = the fastest by the costs "
               "of the fabric, or without one by kind and size",
               [&o](const auto& v) { o.collectives = ParseCollectiveChoices(v); }});
    table.Add({"channels",
               collectives,
               "COUNT",
               GetAttributeDefault("ns3::RingCollective", "Channels"),
               "parallel rings, trees or chains; 0 = one per rank of a server in communicators of "
               "several servers, so that all NICs are used, and one within a server",
               [&o](const auto& v) {
                   o.channels = static_cast<uint32_t>(ParseNumber(v, 0, UINT32_MAX));
               }});
    table.Add({"chunkBytes",
               collectives,
               "SIZE",
               GetAttributeDefault("ns3::RingCollective", "ChunkBytes"),
               "largest message of a ring (of a tree or chain: default " +
                   GetAttributeDefault("ns3::PipelinedCollective", "ChunkBytes") +
                   "), the grain of pipelining; 0 = a channel's share of a step is one message",
               [&o](const auto& v) { o.chunkBytes = ParseBytes(v, 0); }});
    table.Add({"stepLatency",
               collectives,
               "TIME",
               GetAttributeDefault("ns3::CollectiveAlgorithm", "StepLatency"),
               "time that each step of a collective takes beside the wire",
               [&o](const auto& v) { o.stepLatency = ParseDuration(v); }});
    table.Add({"launchLatency",
               collectives,
               "TIME",
               GetAttributeDefault("ns3::CollectiveAlgorithm", "LaunchLatency"),
               "time that each call of a collective takes beside the wire",
               [&o](const auto& v) { o.launchLatency = ParseDuration(v); }});
}

/**
 * Add the options of the run itself.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddRunOptions(OptionTable& table, ReplayOptions& o)
{
    const std::string group = "Run";
    table.Add({"outputDir",
               group,
               "DIRECTORY",
               "none",
               "where summary.json, ops.csv, collectives.csv, flows.csv, links.csv and trace.json "
               "(for Perfetto) go; made if it is not there",
               [&o](const auto& v) { o.outputDir = v.text; }});
    table.Add({"progress",
               group,
               "WHEN",
               o.progress,
               "show the share done on standard error: on, off, or auto (on a terminal)",
               [&o](const auto& v) {
                   o.progress = ParseWord(v, {"auto", "on", "off"});
               }});
    table.Add(
        {"seed", group, "NUMBER", "1", "seed of all random numbers (RngSeed)", [&o](const auto& v) {
             o.seed = ParseCount(v);
         }});
    table.Add({"run",
               group,
               "NUMBER",
               "1",
               "which of the runs with that seed (RngRun)",
               [&o](const auto& v) { o.run = ParseNumber(v, 0, UINT64_MAX); }});
    table.Add({"config",
               group,
               "FILE",
               "",
               "JSON object with these options as keys; the command line wins over it",
               [](const auto&) {}});
    table.Add({"help", group, "", "", "print this help", [&o](const auto&) { o.help = true; }});
}

} // namespace

OptionTable
CreateReplayOptionTable(ReplayOptions& options)
{
    OptionTable table;
    AddWorkloadOptions(table, options);
    AddShapeOptions(table, options);
    AddComputeOptions(table, options);
    AddFabricOptions(table, options);
    AddTransportOptions(table, options);
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
    os << "\nTopologies:\n";
    std::istringstream topologies(TopologyBuilder::GetHelp());
    for (std::string topology; std::getline(topologies, topology);)
    {
        std::string indent = "  ";
        for (const auto& line : WrapText(topology, 96))
        {
            os << indent << line << "\n";
            indent = "    ";
        }
    }
    os << "\nns-3:\n"
          "  --ns3::CLASS::ATTRIBUTE=VALUE sets the default of any attribute, --GLOBAL=VALUE any "
          "global value.\n"
          "  --PrintTypeIds, --PrintAttributes=TYPEID, --PrintGroups, --PrintGroup=GROUP, "
          "--PrintGlobals and\n"
          "  --PrintVersion tell what there is.\n"
          "\nExit code: 0 done, 1 an option or the input is wrong, 2 the replay could not "
          "finish.\n";
}

} // namespace ns3
