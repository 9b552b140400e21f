/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-option-table.h"

#include "background-kind.h"
#include "model-options.h"
#include "network-option-table.h"
#include "option-arguments.h"
#include "option-rules.h"
#include "output-options.h"
#include "transport-kind.h"
#include "workload-format.h"
#include "workload-reader.h"

#include "ns3/input-values.h"
#include "ns3/merged-jobs.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/strategy-registry.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A short name, for the tables of options.
using V = OptionValue;

/**
 * @param value the option format
 * @return the same
 * @throws WorkloadError if it is neither auto nor a format
 */
std::string
ParseFormat(const TextField& value)
{
    auto names = StrategyRegistry::GetNames(WorkloadFormat::GetTypeId());
    names.insert(names.begin(), "auto");
    const auto entries = StrategyRegistry::List(WorkloadFormat::GetTypeId());
    if (!StrategyRegistry::FindEntry(entries, value.text))
    {
        FindWord(value, names, JoinWords(names) + ", or another ns3::WorkloadFormat by its TypeId");
    }
    return value.text;
}

/**
 * @param value where ranks are to stand
 * @return the same
 * @throws WorkloadError if it is neither a word for it nor hosts
 */
TextField
ParsePlacement(const TextField& value)
{
    if (value.text.find_first_not_of("0123456789+-") != std::string::npos)
    {
        FindWord(value,
                 {"auto", "in-order", "whole"},
                 "auto, in-order, whole, or hosts such as "
                 "0-7+16-23");
    }
    else
    {
        ParseHosts(value);
    }
    return value;
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
    table.Add(
        "Workload",
        {{"workload",
          V::Text(o.workload, "FILE"),
          "file to replay, or directory of rank traces; required"},
         {"format",
          {"FORMAT", o.format, [&o](const auto& v) { o.format = ParseFormat(v); }},
          StrategyRegistry::GetHelp(WorkloadFormat::GetTypeId()) +
              ", another by its TypeId, or auto, which looks at the content"},
         {"iterations", V::Number(o.iterations), "iterations to run"},
         {"job",
          {"FILE|MODEL[:KEY=VALUE,...]", "none", [&o](const auto& v) { o.jobs.push_back(v); }},
          "instead of workload: one of several jobs in the network; may be given several times. "
          "Keys: name, start (a time), placement (packed, spread over servers, random, or hosts "
          "such as 0-7+16-23), iterations, and options of the workload, its shape and its compute "
          "times, which win over those of the command line",
          true,
          "workload"},
         {"placement",
          {"PLACES", "auto", [&o](const auto& v) { o.placement = ParsePlacement(v); }},
          "hosts of the ranks of the one workload: in-order; whole = with GPUs of each server "
          "idle, such as 8 of 72, where groups would else stand in two servers; or such as "
          "0-7+16-23; auto = whole on the servers of a named fabric if no more than a quarter "
          "idles"},
         {"background",
          {"KIND[:KEY=VALUE,...]", "none", [&o](const auto& v) { o.background.push_back(v); }},
          "traffic beside the jobs; may be given several times. Kinds: " +
              StrategyRegistry::GetHelp(BackgroundKind::GetTypeId()) +
              ". Load is a share of a host's rate. Keys of all: start, until (times), transport "
              "(same, or tcp beside rdma), hosts (such as 0-7+16-23, not of file)",
          true,
          "kind"},
         {"alone",
          V::Word(o.alone, {"on", "off"}, "WHETHER"),
          "with several jobs or background: run each job alone, too, and report what it loses"},
         {"backwardScale",
          {"FACTOR", "0", [&o](const auto& v) { o.backwardScale = ParseFactor(v); }},
          "op table: backward time of a row that states none, as a multiple of its forward "
          "time; 2 is the usual estimate"},
         {"repeat",
          {"FIRST:LAST:N", "", [&o](const auto& v) { o.repeat = ParseRowRepeat(v); }},
          "op table: the rows from FIRST to LAST stand N times in the model"},
         {"elementBytes",
          V::Number(o.elementBytes, 1, 1024),
          "op table: bytes of one element of a communication size; chakra: if given, sizes count "
          "elements of so many bytes"}});
}

/**
 * Add the options of Chakra traces.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddChakraOptions(OptionTable& table, ReplayOptions& o)
{
    const auto setBandwidth = [&o](const auto& v) {
        o.memoryBandwidth = static_cast<double>(ParseRate(v, 1).GetBitRate()) / 8;
    };
    table.Add(
        "Chakra traces",
        {{"commGroups",
          V::NonEmpty(o.commGroups, "FILE")
              .Default("NAME.json or comm_group.json beside the traces"),
          "groups of ranks, a JSON object {\"NAME\": [RANKS]}"},
         {"astraZeroIsWorld",
          V::Word(o.astraZeroIsWorld, {"auto", "on", "off"}, "WHEN"),
          "whether the group 0 is all ranks: on, as ASTRA-sim has it, off, or auto, which is on "
          "unless a group 0 is defined"},
         {"controlDependencies",
          V::Word(o.controlDependencies, {"auto", "on", "off"}, "WHEN"),
          "whether ops wait for their control dependencies: on, off, or auto, which is off for "
          "traces of PyTorch, where they are the call stack"},
         {"peakFlops",
          {"NUMBER", "unknown", [&o](const auto& v) { o.peakFlops = ParseFactor(v); }},
          "operations per second of an accelerator, such as 989e12, for computations that have "
          "no time"},
         {"memoryBandwidth",
          {"RATE", "unknown", setBandwidth},
          "rate of its memory, such as 3350GB/s, likewise; the longer of the two times counts"}});
}

/**
 * Add the options of GOAL schedules.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddGoalOptions(OptionTable& table, ReplayOptions& o)
{
    table.Add(
        "GOAL schedules",
        {{"logGops",
          {"L:o:g:G:O:S", "none", [&o](const auto& v) { o.logGops = ParseLogGops(v); }},
          "what messages cost in the LogGOPS model: L, o and g in ns, G and O in ns per byte, S in "
          "bytes, such as 2500:1500:1000:6:0:65535, the defaults of LogGOPSim. On the transport "
          "ideal they are all there is; on tcp and rdma o, O and S apply beside the network. "
          "Without it messages cost nothing but what the transport does, and senders wait until "
          "it has sent them"},
         {"sizes",
          V::Word(o.sizes, {"strict", "lenient"}, "HOW"),
          "strict: a message must be as long as its receive says; lenient: as long as its send "
          "says"}});
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
    const auto count = [](std::optional<uint32_t>& variable, const std::string& defaultText) {
        return V::Number(variable, 1, MAX_WORLD).Default(defaultText);
    };
    auto& layout = o.layout;
    const auto world = "tp cp dp pp; op table: " + std::to_string(DEFAULT_WORKERS);
    table.Add(
        "Shape of the job (an option wins over the file, the file over the default)",
        {{"world", count(layout.world, world), "ranks"},
         {"tp", count(layout.tp, "1"), "tensor parallel ranks"},
         {"cp", count(layout.cp, "1"), "context parallel ranks"},
         {"ep",
          count(layout.ep, "1"),
          "expert parallel ranks; they divide those of dp, of a model tp cp dp / etp"},
         {"dp", count(layout.dp, "world / (tp cp pp)"), "data parallel ranks"},
         {"pp", count(layout.pp, "1"), "pipeline stages"},
         {"microbatches", count(layout.microbatches, "1"), "microbatches of an iteration"},
         {"vpp", count(layout.vpp, "1"), "model chunks of a pipeline stage"},
         {"schedule",
          V::Word(o.schedule, PipelineSchedule::GetNames()),
          "order of the passes in the pipeline: " + JoinWords(PipelineSchedule::GetNames()) +
              "; 1f1b is interleaved if vpp is above 1"},
         {"order",
          V::Word(o.order, {"megatron", "literal"}),
          "layer file: megatron runs pipeline stages; literal runs all rows on every rank, as "
          "SimAI does"},
         {"ppBytes",
          V::Bytes(o.ppBytes, 1).Default("from the file"),
          "bytes of a message between pipeline stages"},
         {"bytesScale",
          {"FACTOR", "1", [&o](const auto& v) { o.bytesScale = ParseScale(v); }},
          "rank traces: factor of all recorded bytes, rounded up; with computeScale a job of the "
          "same shape that is smaller throughout, and as much faster to simulate"},
         {"profile",
          V::Word(o.profile, {"recorded", "robust"}, "HOW"),
          "rank traces of single GPUs: recorded, or robust, which takes a pass that is 1.4 times "
          "as "
          "long as its peers' or more, such as a cold one, to be as long as their median"}});
}

/**
 * @param value an option's value
 * @return a deviation of factors that stay above 0 within three times of it
 */
double
ParseSpread(const TextField& value)
{
    constexpr double most = 0.3;
    const auto spread = ParseShare(value);
    if (spread > most)
    {
        throw WorkloadError(value, "a share from 0 to 0.3");
    }
    return spread;
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
    const auto addStraggler = [&o](const auto& v) {
        const auto [rank, factor] = ParseRankFactor(v);
        o.stragglers[rank] = {factor, v.where};
    };
    table.Add(
        "Compute times",
        {{"computeScale",
          {"FACTOR", "1", [&o](const auto& v) { o.computeScale = ParseScale(v); }},
          "factor of all compute times; 0.5 is an accelerator twice as fast"},
         {"straggler",
          {"RANK:FACTOR", "none", addStraggler},
          "a rank whose compute takes FACTOR times as long; may be given several times, once for "
          "each rank",
          true},
         {"jitter",
          {"SHARE", "0", [&o](const auto& v) { o.jitter = ParseShare(v); }},
          "standard deviation of each compute op's time as a share of it, such as 0.05; drawn "
          "log-normal with the unvaried time as mean, see seed and run"},
         {"speedSpread",
          {"SHARE", "0", [&o](const auto& v) { o.speedSpread = ParseSpread(v); }},
          "standard deviation of the ranks' compute times, each of which stays at its own factor; "
          "normal around 1, see seed and run"},
         {"communicationShare",
          {"SHARE|server:SHARE,network:SHARE",
           "0",
           [&o](const auto& v) { o.communicationShare = ParseCommunicationShare(v); }},
          "share of an accelerator that its communication takes from computations beside it, "
          "within a server and over the network (in --job with + for the comma); for compute times "
          "that were not measured beside it. Models have the multiprocessors of NCCL's channels "
          "instead, where those are known. Calculon has server:0.15,network:0.02"}});
}

/**
 * Add the options that say what becomes of a replay.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddProcessOptions(OptionTable& table, ReplayOptions& o)
{
    table.Add(RUN_GROUP,
              {{"exportChakra",
                V::Text(o.exportChakra, "PREFIX").Default("none"),
                "write the workload as Chakra traces, PREFIX.RANK.et, and its groups, PREFIX.json, "
                "and simulate nothing"},
               {"mpi",
                V::Number(o.processes, 1, 1024).Default("no MPI"),
                "for ./wl-replay, the script, which starts so many processes that simulate "
                "together, with "
                "the same results; mpirun starts the program itself"},
               {"progress",
                V::Word(o.progress, {"auto", "on", "off"}, "WHEN"),
                "show the share done on standard error: on, off, or auto (on a terminal)"}});
}

/**
 * @param background traffic beside the jobs, which may be wrong
 * @return whether it goes over TCP
 */
bool
IsOverTcp(const KeyedField& background)
{
    if (!background.object)
    {
        return background.text.find("transport=tcp") != std::string::npos;
    }
    const auto& members = background.object->members;
    return std::any_of(members.begin(), members.end(), [](const auto& member) {
        return member.first == "transport" && member.second.text == "tcp";
    });
}

/**
 * @param options what the user asks for
 * @return what reuse has to be if it is on and cannot be; empty = it can
 */
std::string
FindRightReuse(const ReplayOptions& options)
{
    const auto reason = options.FindReuseUnsupportedReason();
    const bool isAskedFor = options.IsGiven("reuse") && options.reuse == "on";
    return isAskedFor && !reason.empty() ? "off with " + reason : "";
}

/**
 * @param options what the user asks for
 * @return how to start as many processes as mpi says; empty = it says nothing
 */
std::string
DescribeProcesses(const ReplayOptions& options)
{
    const auto count = std::to_string(options.processes);
    return options.IsGiven("mpi")
               ? "mpirun -np " + count + " before the program, or ./wl-replay --mpi=" + count +
                     ", the script"
               : "";
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if there is no background traffic that has a traffic class
 */
void
CheckBackgroundClass(const ReplayOptions& options)
{
    for (const auto& choice : options.trafficClasses)
    {
        if (choice.job == BACKGROUND_COMMUNICATOR && options.background.empty())
        {
            throw WorkloadError(choice.where, "background traffic (--background)", "none");
        }
    }
}

/// Which options of a replay go together; the first rule that is broken is reported.
const std::vector<OptionRule<ReplayOptions>> REPLAY_RULES{
    {"reuse", FindRightReuse, "'on'"},
    {"mpi", DescribeProcesses, "a program that is to start others"},
    {{"job",
      "background",
      "iterations",
      "computeScale",
      "straggler",
      "jitter",
      "speedSpread",
      "communicationShare",
      "outputDir",
      "dryRun"},
     Given("exportChakra"),
     " with exportChakra, which writes one iteration of the workload as it is"},
    {CheckOutputOptions},
    {{"background"},
     [](const auto& o) { return HasLogGopsNetwork(o); },
     " with logGops on the transport ideal, where messages share nothing"},
    {CheckBackgroundClass},
    {{"workload", "format"}, Given("model"), " besides --model, which takes its place"},
    {{"efficiency"},
     [](const auto& o) { return !o.stepTime.IsZero(); },
     " with stepTime, which finds it"},
    {{"job", "background", "dryRun", "exportChakra"},
     [](const auto& o) { return !o.stepTime.IsZero(); },
     " with stepTime, which replays the job by itself"},
    {{"workload", "model"},
     [](const auto& o) { return !o.jobs.empty(); },
     " besides --job, which takes its place"},
    {{"placement"},
     [](const auto& o) { return !o.jobs.empty(); },
     " with --job, which has a key placement"},
    {{"placement"},
     [](const auto& o) { return o.workload.empty(); },
     " without a workload, whose ranks it is about"},
    {{"alone"},
     [](const auto& o) { return o.jobs.empty() && o.background.empty(); },
     " with one job, which has nothing beside it"},
    {"workload",
     [](const auto& o) {
         return o.jobs.empty() && o.workload.empty() && !(o.dryRun && o.layout.world);
     },
     "a file or directory to replay, such as --workload=examples/workloads/gpt2-large-ops.tsv",
     "none"},
    {CheckNetworkOptions},
};

} // namespace

OptionTable
CreateReplayOptionTable(ReplayOptions& options)
{
    OptionTable table;
    AddWorkloadOptions(table, options);
    AddChakraOptions(table, options);
    AddGoalOptions(table, options);
    AddModelOptions(table, options);
    AddShapeOptions(table, options);
    AddComputeOptions(table, options);
    AddFabricOptions(
        table,
        options,
        "print what the fabric is and simulate nothing; with outputDir, write fabric.json and "
        "fabric.dot; needs no workload if the world is given");
    const auto choose = [&o = options](const auto& v) {
        o.collectives = ParseCollectiveChoices(v);
    };
    table.Add(COLLECTIVE_GROUP,
              {{"collective",
                {"LIST", "auto", choose},
                "algorithms, KIND[.DIMENSION]=ALGORITHM[/PROTOCOL] with commas between, such as "
                "all-reduce=tree,broadcast.dp=chain, see Algorithms below, or a file of MSCCL or "
                "MSCCL++; "
                "protocols, with a fabric: simple, ll128, ll; auto = the fastest by the costs of "
                "the fabric, or without one by "
                "kind and size"}});
    AddCollectiveOptions(table, options);
    AddOutputOptions(table, options);
    AddProcessOptions(table, options);
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

ReplayOptions
ParseReplayOptions(const std::vector<std::string>& arguments)
{
    ReplayOptions options;
    const auto table = CreateReplayOptionTable(options);
    ParseArguments({"workload", "replay"}, table, arguments, options);
    if (options.jobs.empty())
    {
        CheckNoJobs(options.trafficClasses);
    }
    // Asked for before background traffic is parsed, which takes the topology.
    options.hasTcpBeside =
        std::any_of(options.background.begin(), options.background.end(), IsOverTcp);
    return options;
}

void
CheckReplayOptions(const ReplayOptions& options)
{
    ApplyRules(REPLAY_RULES, options);
}

} // namespace ns3
