/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-targets.h"

#include "background-request.h"
#include "circuit-file.h"
#include "collective-reference.h"
#include "hpcc-config.h"
#include "job-request.h"
#include "replay-option-table.h"
#include "workload-reader.h"

#include "ns3/accelerator-file.h"
#include "ns3/chakra-groups.h"
#include "ns3/flow-file.h"
#include "ns3/flow-sizes.h"
#include "ns3/input-yaml.h"
#include "ns3/keyed-values.h"
#include "ns3/msccl-check.h"
#include "ns3/msccl-file.h"
#include "ns3/nccl-graph.h"
#include "ns3/nccl-topology.h"
#include "ns3/operator-times.h"
#include "ns3/pipeline-layout.h"
#include "ns3/rdma-pinned-routing.h"
#include "ns3/server-description.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/topology-json-file.h"
#include "ns3/workload-error.h"

#include <map>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/// Hosts of the topology for inputs that name some.
constexpr uint32_t HOSTS = 16;

/// Most ops whose edges are followed, so that an execution takes no longer for it.
constexpr std::size_t MOST_OPS = 1 << 20;

/// Most links of a topology that is written again, likewise.
constexpr uint32_t MOST_LINKS = 1 << 14;

/**
 * @param input an input
 * @return it as text
 */
std::string
ToText(const FuzzInput& input)
{
    return {reinterpret_cast<const char*>(input.data), input.size};
}

/**
 * Read and check a plan of MSCCL or MSCCL++.
 *
 * @param path its file
 */
void
ReadPlan(const std::string& path)
{
    const MscclFile file(path);
    Require(file.GetPlan().gpus.size() > 1, "a plan has GPUs");
}

/**
 * @return a topology of HOSTS hosts
 */
const TopologyGraph&
GetGraph()
{
    static const auto graph =
        TopologyBuilder::Build(TopologySpec("clos:hostsPerLeaf=8"), HOSTS, FabricParameters());
    return graph;
}

/**
 * Check that all numbers of a program lead somewhere.
 *
 * @param workload what it belongs to
 * @param rank a rank that runs it
 */
void
CheckProgram(const Workload& workload, uint32_t rank)
{
    const auto& program = workload.GetProgram(rank);
    const auto& slots = workload.GetCommunicatorSlots(rank);
    const auto& ops = program.GetOps();
    std::vector<uint32_t> edges(ops.size());
    for (uint32_t index = 0; index < ops.size(); ++index)
    {
        const auto& op = ops[index];
        Require(op.stream < program.GetStreams().size(), "an op has a stream");
        program.GetOrigin(op);
        program.GetName(op);
        for (const auto& successors :
             {program.GetFinishSuccessors(index), program.GetStartSuccessors(index)})
        {
            for (const auto next : successors)
            {
                ++edges.at(next);
            }
        }
        if (op.kind == OpKind::COMPUTE)
        {
            continue;
        }
        Require(op.communicator < slots.size(), "an op has a communicator");
        const auto& ranks = workload.GetCommunicators().at(slots[op.communicator]).ranks;
        const bool isAny = op.kind == OpKind::RECV && op.peer == WorkloadOp::ANY_PEER;
        Require(isAny || op.peer < ranks.size(), "an op has a peer in its communicator");
    }
    for (uint32_t index = 0; index < ops.size(); ++index)
    {
        Require(edges[index] == program.GetPredecessorCount(index), "all edges are counted");
    }
}

/**
 * @param arguments what the user types
 * @return what that means; to parse it takes longer than to read a small file, and is done once
 */
const ReplayOptions&
GetOptions(const std::vector<std::string>& arguments)
{
    static std::map<std::vector<std::string>, ReplayOptions> parsed;
    const auto found = parsed.find(arguments);
    return found != parsed.end() ? found->second
                                 : parsed[arguments] = ParseReplayOptions(arguments);
}

/**
 * Read a workload as the program does, and check it.
 *
 * @param arguments what the user types
 */
void
ReadAs(const std::vector<std::string>& arguments)
{
    const auto workload = ReadWorkload(GetOptions(arguments));
    std::set<const WorkloadProgram*> checked;
    std::size_t ops = 0;
    for (uint32_t rank = 0; rank < workload->GetLayout().world && ops < MOST_OPS; ++rank)
    {
        const auto& program = workload->GetProgram(rank);
        if (checked.insert(&program).second)
        {
            ops += program.GetOps().size();
            CheckProgram(*workload, rank);
        }
    }
}

/**
 * Read a workload in several ways, each whether or not others have refused it.
 *
 * @param path the file
 * @param ways for each, what the user types beside the file
 */
void
ReadAll(const std::string& path, const std::vector<std::vector<std::string>>& ways)
{
    for (const auto& way : ways)
    {
        try
        {
            std::vector<std::string> arguments{"--workload=" + path};
            arguments.insert(arguments.end(), way.begin(), way.end());
            ReadAs(arguments);
        }
        catch (const WorkloadError&)
        {
            if (ways.size() == 1)
            {
                throw;
            }
        }
    }
}

/**
 * @param text text
 * @return its lines
 */
std::vector<std::string>
SplitLines(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/**
 * @param graph a topology that was read, to be written
 */
void
UseTopology(const TopologyGraph& graph)
{
    if (graph.GetNLinks() <= MOST_LINKS)
    {
        std::ostringstream json;
        WriteTopologyJson(json, graph);
    }
}

} // namespace

const std::vector<FuzzTarget>&
GetFuzzTargets()
{
    static const std::vector<FuzzTarget> targets{
        {"layer-file",
         "file.txt",
         [](const auto& input) {
             ReadAll(input.path,
                     {{"--format=simai"},
                      {"--format=simai", "--order=literal", "--world=8"},
                      {"--format=simai", "--schedule=zb-h1", "--pp=2", "--world=8"}});
         }},
        {"rank-trace",
         "file.txt",
         [](const auto& input) {
             ReadAll(input.path,
                     {{"--format=megatron"},
                      {"--format=megatron", "--world=16", "--pp=2"},
                      {"--format=megatron", "--world=64", "--pp=4", "--ep=2", "--schedule=gpipe"}});
         }},
        {"op-table",
         "file.tsv",
         [](const auto& input) {
             ReadAll(input.path,
                     {{"--format=op-table", "--dp=4", "--backwardScale=2"},
                      {"--format=op-table", "--repeat=layer:layer:3"}});
         }},
        {"chakra",
         "trace.0.et",
         [](const auto& input) {
             ReadAll(input.path,
                     {{"--format=chakra"},
                      {"--format=chakra",
                       "--controlDependencies=on",
                       "--astraZeroIsWorld=on",
                       "--elementBytes=2",
                       "--peakFlops=1e12",
                       "--memoryBandwidth=1e12"}});
         }},
        {"chakra-gzip",
         "trace.0.et.gz",
         [](const auto& input) { ReadAll(input.path, {{"--format=chakra"}}); }},
        {"chakra-json",
         "trace.0.json",
         [](const auto& input) { ReadAll(input.path, {{"--format=chakra"}}); }},
        {"chakra-groups",
         "groups.json",
         [](const auto& input) {
             ChakraGroups groups(HOSTS, "auto");
             groups.ReadFile(input.path);
             for (const std::string name : {"", "0", "1"})
             {
                 if (groups.IsKnown(name, true))
                 {
                     const auto ranks = groups.GetRanks(groups.Resolve(name));
                     Require(ranks.size() <= HOSTS, "a rank is in a group once");
                 }
             }
         }},
        {"goal-text",
         "file.goal",
         [](const auto& input) { ReadAll(input.path, {{"--format=goal"}}); }},
        {"goal-binary",
         "file.bin",
         [](const auto& input) { ReadAll(input.path, {{"--format=goal"}}); }},
        {"model",
         "model.json",
         [](const auto& input) {
             ReadAll(input.path,
                     {{"--format=model", "--world=8", "--tp=2", "--pp=2", "--microbatches=4"},
                      {"--format=model", "--world=8", "--ep=4", "--globalBatch=16"}});
         }},
        {"hugging-face",
         "config.json",
         [](const auto& input) {
             ReadAll(input.path, {{"--format=model", "--world=8"}});
         }},
        {"pipeline-layout",
         "",
         [](const auto& input) {
             const auto layout =
                 ParsePipelineLayout({ToText(input), {"--pipelineLayout", 0, 0, ""}});
             Require(layout.layers.size() == layout.mtpLayers.size(), "a part has both");
         }},
        {"accelerator",
         "accelerator.json",
         [](const auto& input) {
             FindAccelerator({input.path, {"--accelerator", 0, 0, ""}});
         }},
        {"operator-times", "times.tsv", [](const auto& input) { OperatorTimes times(input.path); }},
        {"config",
         "config.json",
         [](const auto& input) {
             CheckReplayOptions(ParseReplayOptions({"--config=" + input.path}));
         }},
        {"network-config", "SimAI.conf", [](const auto& input) { ReadHpccConfig(input.path); }},
        {"astra-system",
         "system.json",
         [](const auto& input) { ParseReplayOptions({"--config=" + input.path}); }},
        {"yaml",
         "file.yaml",
         [](const auto& input) {
             // What was read can be written, and each value has a place.
             const auto document = ParseYaml(WorkloadText(input.path));
             Require(!document.value.dump().empty(), "it is JSON");
             Require(document.places.count("") == 1 || document.value.is_null(), "it has a place");
         }},
        {"fabric",
         "fabric.json",
         [](const auto& input) { ParseReplayOptions({"--fabric=" + input.path}); }},
        {"reference",
         "reference.csv",
         [](const auto& input) {
             // Of a log of several collectives one is asked for, or it is refused.
             const std::optional<CollectiveKind> kinds[]{std::nullopt, CollectiveKind::ALL_GATHER};
             CollectiveReference reference(input.path, {kinds[input.size % 2]});
             reference.Find(1024);
         }},
        {"arguments",
         "",
         [](const auto& input) {
             CheckReplayOptions(ParseReplayOptions(SplitLines(ToText(input))));
         }},
        {"job",
         "",
         [](const auto& input) {
             auto options = GetOptions({"--job=llama3-8b:world=8,name=other"});
             options.jobs.push_back(
                 KeyedField{{"llama3-8b:" + ToText(input), {"--job", 0, 0, ""}}});
             PlaceJobs(ReadJobs(options), GetGraph());
         }},
        {"topology-text",
         "file.topo",
         [](const auto& input) { UseTopology(TopologyFile::Read(input.path, 0)); }},
        {"topology-htsim",
         "fat.topo",
         [](const auto& input) { UseTopology(TopologyFile::Read(input.path, 0)); }},
        {"topology-astra",
         "network.yml",
         [](const auto& input) { UseTopology(TopologyFile::Read(input.path, 0)); }},
        {"topology-infra",
         "infra.yaml",
         [](const auto& input) { UseTopology(TopologyFile::Read(input.path, 0)); }},
        {"topology-json",
         "file.json",
         [](const auto& input) { UseTopology(TopologyFile::Read(input.path, 0)); }},
        {"topology-name",
         "",
         [](const auto& input) {
             UseTopology(
                 TopologyBuilder::Build(TopologySpec(ToText(input)), HOSTS, FabricParameters()));
         }},
        {"server",
         "",
         [](const auto& input) {
             const auto server = ServerDescription::Parse({ToText(input), {"--server", 0, 0, ""}});
             for (uint32_t gpu = 0; gpu < server.gpus.size(); ++gpu)
             {
                 Require(server.FindNearestNic(gpu) < server.nics.size(), "a GPU has a NIC");
             }
         }},
        {"nccl-topology",
         "server.xml",
         [](const auto& input) {
             const auto server = ReadNcclTopology(input.path).server;
             for (uint32_t gpu = 0; gpu < server.gpus.size(); ++gpu)
             {
                 Require(server.FindNearestNic(gpu) < server.nics.size(), "a GPU has a NIC");
             }
         }},
        {"nccl-graph",
         "graph.xml",
         [](const auto& input) {
             const auto graphs = ReadNcclGraphs(input.path);
             const auto placed = graphs.Place(graphs.MakeServer());
             Require(placed.ring.channels > 0, "there are rings");
         }},
        {"msccl", "plan.xml", [](const auto& input) { ReadPlan(input.path); }},
        {"mscclpp", "plan.json", [](const auto& input) { ReadPlan(input.path); }},
        {"flows", "flows.csv", [](const auto& input) { ReadFlowFile(input.path, HOSTS); }},
        {"kineto",
         "trace.json",
         [](const auto& input) { ReadAll(input.path, {{"--format=kineto"}}); }},
        {"pytorch-et",
         "trace.json",
         [](const auto& input) { ReadAll(input.path, {{"--format=pytorch-et"}}); }},
        {"flow-list",
         "flows.cm",
         [](const auto& input) { ReadAll(input.path, {{"--format=flows"}}); }},
        {"flow-sizes",
         "sizes.txt",
         [](const auto& input) {
             const auto sizes = FlowSizes::Parse({input.path, {"--background", 0, 0, ""}});
             for (const auto share : {0.0, 0.3, 1.0})
             {
                 Require(sizes.Get(share) >= 1, "a flow has bytes");
             }
         }},
        {"background",
         "",
         [](const auto& input) {
             auto traffic =
                 MakeBackground({KeyedField{{ToText(input), {"--background", 0, 0, ""}}}},
                                *TransportKind::Find({"rdma", {"--transport", 0, 0, ""}}),
                                GetGraph(),
                                1);
             for (uint32_t flow = 0; flow < 8; ++flow)
             {
                 traffic.front().pattern->Next();
             }
         }},
        {"circuits",
         "circuits.json",
         [](const auto& input) { ReadCircuitFile(input.path, GetGraph()); }},
        {"pinned-routes",
         "routes.txt",
         [](const auto& input) {
             const auto routing = CreateObject<RdmaPinnedRouting>();
             routing->SetAttribute("File", StringValue(input.path));
             routing->SetGraph(GetGraph());
         }},
        {"frame", "", FuzzFrame},
    };
    return targets;
}

} // namespace ns3
