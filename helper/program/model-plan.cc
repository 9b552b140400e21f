/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-plan.h"

#include "model-options.h"

#include "ns3/model-lowering.h"
#include "ns3/model-size.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a GiB.
constexpr double GIB = 1024. * 1024 * 1024;

/**
 * Say what a collective call brings a member at least, over NVLink and through its NIC.
 *
 * @param op the call
 * @param members members of the communicator
 * @param inServer members in the server of this one
 * @param nServers servers that have members
 * @param [in,out] bound receives it
 */
void
AddCollective(const WorkloadOp& op,
              double members,
              double inServer,
              double nServers,
              TrafficBound& bound)
{
    const auto bytes = static_cast<double>(op.amount);
    const double away = 1 - 1 / nServers;
    switch (op.collective)
    {
    case CollectiveKind::ALL_TO_ALL:
        bound.serverBytes += bytes * (inServer - 1) / members;
        bound.networkBytes += bytes * (members - inServer) / members;
        return;
    case CollectiveKind::SHIFT:
        // Of the members of a server, one sends to another server.
        bound.serverBytes += bytes * (1 - (nServers > 1 ? 1 / inServer : 0));
        bound.networkBytes += nServers > 1 ? bytes / inServer : 0;
        return;
    default:
        // Within a server as over a ring; between servers each member moves its share.
        const double times = op.collective == CollectiveKind::ALL_REDUCE ? 2 : 1;
        bound.serverBytes += times * bytes * (inServer - 1) / inServer;
        bound.networkBytes += times * bytes * away / inServer;
        return;
    }
}

/**
 * @param graph a topology
 * @param ranks number of ranks
 * @return server of each rank
 */
std::vector<uint32_t>
FindServers(const TopologyGraph& graph, uint32_t ranks)
{
    std::vector<uint32_t> servers;
    const auto& hosts = graph.GetHosts();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const auto server = graph.GetNode(hosts[rank]).server;
        // A host that shares no server is one by itself.
        servers.push_back(server == TopologyGraph::NO_SERVER ? UINT32_MAX / 2 + rank : server);
    }
    return servers;
}

/**
 * @param workload a job
 * @param rank a rank of it
 * @return seconds that its accelerator computes
 */
double
GetComputeSeconds(const Workload& workload, uint32_t rank)
{
    double picoseconds = 0;
    for (const auto& op : workload.GetProgram(rank).GetOps())
    {
        picoseconds += op.kind == OpKind::COMPUTE ? static_cast<double>(op.amount) : 0;
    }
    return picoseconds * 1e-12;
}

/**
 * @param model a model
 * @return parameters that a token meets
 */
double
CountActiveParameters(const ModelDescription& model)
{
    const auto all = CountParameters(model);
    const auto& experts = model.experts;
    const double share = experts ? static_cast<double>(experts->topK) / experts->count : 1;
    // Of embeddings beside that of the vocabulary a token reads a row or a few.
    return static_cast<double>(all.shared - model.embeddingWeights) +
           share * static_cast<double>(all.experts);
}

/**
 * @param os where to
 * @param label what it is
 * @param text the text
 */
void
PrintLine(std::ostream& os, const std::string& label, const std::string& text)
{
    os << "  " << label << std::string(14 - label.size(), ' ') << text << "\n";
}

/**
 * @param count a number of parameters
 * @return it in billions, or below that in millions, in which small models are published
 */
std::string
FormatParameters(double count)
{
    return count < 1e9 ? FormatFixed(count / 1e6, 2) + " M" : FormatFixed(count / 1e9, 2) + " G";
}

/**
 * @param os where to
 * @param model a model
 */
void
PrintParameters(std::ostream& os, const ModelDescription& model)
{
    auto main = model;
    main.mtpLayers = 0;
    const auto total = static_cast<double>(CountParameters(main).GetTotal());
    const auto active = CountActiveParameters(main);
    PrintLine(os,
              "parameters",
              FormatParameters(total) +
                  (active < total ? ", " + FormatParameters(active) + " of them for a token" : ""));
    if (active < total && !model.tiedEmbedding)
    {
        // Publishers differ in what they count; of the embedding a token reads one row.
        const double embedding = static_cast<double>(model.vocabulary) * model.hidden;
        PrintLine(os,
                  "",
                  "these are " + FormatParameters(active - embedding) + " without the embedding, " +
                      FormatParameters(active - 2 * embedding) + " without the output layer, too");
    }
    if (model.mtpLayers > 0)
    {
        const auto all = static_cast<double>(CountParameters(model).GetTotal());
        PrintLine(os,
                  "",
                  FormatParameters(all - total) + " more in " +
                      FormatCount(model.mtpLayers, "layer") + " to predict further tokens");
    }
}

/**
 * @param os where to
 * @param job a job
 * @param times times of operators
 */
void
PrintSize(std::ostream& os, const ModelJob& job, const ModelTimes& times)
{
    const auto& layout = job.layout;
    const auto& training = job.training;
    const double tokens = static_cast<double>(job.GetGlobalBatch()) * training.sequence;
    const double flops = GetFlopsPerToken(job.model, training.sequence);
    PrintParameters(os, job.model);
    PrintLine(os,
              "iteration",
              std::to_string(job.GetGlobalBatch()) + " sequences of " +
                  std::to_string(training.sequence) + " tokens, " +
                  FormatCount(layout.microbatches, "microbatch") + " of " +
                  FormatCount(training.microbatchSize, "sequence") + " for each of " +
                  FormatCount(layout.dp, "replica"));
    PrintLine(os,
              "FLOPs",
              FormatFixed(flops / 1e9, 2) + " G a token (attention causal, nothing twice), " +
                  FormatFixed(flops * tokens / layout.world / 1e12, 1) + " T a rank and iteration");
    ModelMemory most;
    uint32_t stage = 0;
    for (uint32_t i = 0; i < layout.pp; ++i)
    {
        const auto memory = GetMemory(job, i);
        if (memory.GetTotal() > most.GetTotal())
        {
            most = memory;
            stage = i;
        }
    }
    const auto capacity = times.accelerator.GetParameters().memoryBytes;
    PrintLine(os,
              "memory",
              FormatFixed(most.GetTotal() / GIB, 1) + " of " +
                  FormatFixed(static_cast<double>(capacity) / GIB, 0) + " GiB a rank of stage " +
                  std::to_string(stage) + ":\n" + std::string(16, ' ') + "parameters " +
                  FormatFixed(most.parameters / GIB, 1) + ", gradients " +
                  FormatFixed(most.gradients / GIB, 1) + ", optimizer " +
                  FormatFixed(most.optimizer / GIB, 1) + ", activations " +
                  FormatFixed(most.activations / GIB, 1));
}

/**
 * @param job a job
 * @param stage a stage of its pipeline
 * @return its layers by part, with what else the parts have: "1 + 2 + 2, embedding"
 */
std::string
DescribeLayers(const ModelJob& job, uint32_t stage)
{
    const auto chunks = job.schedule->CountChunks(job.shape);
    std::string layers;
    std::string more;
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        const auto part = job.schedule->GetPart(job.shape, stage, chunk);
        layers += (chunk > 0 ? " + " : "") + std::to_string(job.partLayers[part]);
        more += part == 0 ? ", embedding" : "";
        const auto mtp = job.partMtpLayers[part];
        more += mtp > 0 ? ", " + std::to_string(mtp) + " further" : "";
        more += part + 1 == job.partLayers.size() ? ", loss" : "";
    }
    return layers + more;
}

/**
 * Print what each stage of a pipeline has, keeps and computes.
 *
 * @param os where to
 * @param job a job
 */
void
PrintStages(std::ostream& os, const ModelJob& job)
{
    if (job.layout.pp == 1)
    {
        return;
    }
    TextTable table;
    table.AddColumn("stage", TextTable::LEFT);
    table.AddColumn("layers of its parts", TextTable::LEFT);
    for (const auto* heading : {"parameters, G a rank", "memory, GiB", "TFLOP a rank"})
    {
        table.AddColumn(heading, TextTable::RIGHT);
    }
    // Stages that hold a part of two share its work.
    const double tokens = static_cast<double>(job.GetGlobalBatch()) * job.training.sequence /
                          job.CountCopies() / (job.layout.world / job.layout.pp);
    for (uint32_t stage = 0; stage < job.layout.pp; ++stage)
    {
        const auto chunks = job.schedule->CountChunks(job.shape);
        double flops = 0;
        double parameters = 0;
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            const auto part = job.schedule->GetPart(job.shape, stage, chunk);
            flops += GetPartFlopsPerToken(job, part) * tokens;
            parameters += static_cast<double>(CountPartParameters(job, part).GetTotal());
        }
        table.AddRow({std::to_string(stage),
                      DescribeLayers(job, stage),
                      FormatFixed(parameters / 1e9, 3),
                      FormatFixed(GetMemory(job, stage).GetTotal() / GIB, 1),
                      FormatFixed(flops / 1e12, 1)});
    }
    table.Print(os);
    os << "\n";
}

/**
 * @param options what the user asks for
 * @param bound bytes of a rank
 * @return seconds that they take at the rates of its links, over NVLink and through its NIC
 */
std::pair<double, double>
GetLinkSeconds(const ReplayOptions& options, const TrafficBound& bound)
{
    const auto& fabric = options.fabric;
    // 0 means one NIC per GPU.
    const double perGpu =
        fabric.nicsPerServer > 0 ? 1. * fabric.nicsPerServer / fabric.gpusPerServer : 1;
    return {bound.serverBytes * 8 / static_cast<double>(options.fabric.nvlinkRate.GetBitRate()),
            bound.networkBytes * 8 /
                (perGpu * static_cast<double>(options.fabric.nicRate.GetBitRate()))};
}

} // namespace

std::array<TrafficBound, N_DIMENSIONS>
BoundTraffic(const Workload& workload, uint32_t rank, const std::vector<uint32_t>& servers)
{
    std::array<TrafficBound, N_DIMENSIONS> bounds;
    const auto& program = workload.GetProgram(rank);
    const auto& slots = workload.GetCommunicatorSlots(rank);
    std::map<uint32_t, std::pair<double, double>> shapes;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::COMPUTE || op.kind == OpKind::RECV)
        {
            continue;
        }
        const auto& communicator = workload.GetCommunicators()[slots[op.communicator]];
        auto& bound = bounds[static_cast<std::size_t>(communicator.dimension)];
        ++bound.calls;
        if (op.kind == OpKind::SEND)
        {
            const bool isNear = servers[communicator.ranks[op.peer]] == servers[rank];
            (isNear ? bound.serverBytes : bound.networkBytes) += static_cast<double>(op.amount);
            continue;
        }
        // By communicator, counted at its first call.
        auto& [inServer, nServers] = shapes[op.communicator];
        if (nServers == 0)
        {
            std::set<uint32_t> distinct;
            for (const auto member : communicator.ranks)
            {
                distinct.insert(servers[member]);
                inServer += servers[member] == servers[rank] ? 1 : 0;
            }
            nServers = static_cast<double>(distinct.size());
        }
        AddCollective(op,
                      static_cast<double>(communicator.ranks.size()),
                      inServer,
                      nServers,
                      bound);
    }
    return bounds;
}

void
PrintModelPlan(std::ostream& os, const ReplayOptions& options, const TopologyGraph& graph)
{
    const auto request = GetModelOptions(options);
    const auto job = CompleteModelJob(request);
    const auto times = ReadModelTimes(request);
    const auto workload = LowerModel(job, times);
    const auto servers = FindServers(graph, job.layout.world);
    os << "Model " << job.model.name << " on " << FormatCount(job.layout.world, "rank") << " of "
       << times.accelerator.GetParameters().name << "\n\n";
    PrintSize(os, job, times);
    TextTable table;
    table.AddColumn("dimension", TextTable::LEFT);
    for (const auto* heading : {"calls", "NVLink MB", "ms at its rate", "NIC MB", "ms at its rate"})
    {
        table.AddColumn(heading, TextTable::RIGHT);
    }
    // Ranks of a stage do the same; the one with the most work bounds the iteration.
    const uint32_t perStage = job.layout.world / job.layout.pp;
    uint32_t busiest = 0;
    for (uint32_t stage = 1; stage < job.layout.pp; ++stage)
    {
        busiest =
            GetComputeSeconds(*workload, stage * perStage) > GetComputeSeconds(*workload, busiest)
                ? stage * perStage
                : busiest;
    }
    const auto bounds = BoundTraffic(*workload, busiest, servers);
    std::pair<double, double> sum;
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        const auto& bound = bounds[i];
        if (bound.serverBytes + bound.networkBytes == 0)
        {
            continue;
        }
        const auto [server, network] = GetLinkSeconds(options, bound);
        sum.first += server;
        sum.second += network;
        table.AddRow({ToString(static_cast<Dimension>(i)),
                      std::to_string(bound.calls),
                      FormatFixed(bound.serverBytes / 1e6, 1),
                      FormatFixed(server * 1e3, 3),
                      FormatFixed(bound.networkBytes / 1e6, 1),
                      FormatFixed(network * 1e3, 3)});
    }
    PrintLine(os,
              "bounds",
              "of rank " + std::to_string(busiest) + ", the busiest: compute " +
                  FormatFixed(GetComputeSeconds(*workload, busiest) * 1e3, 1) + " ms, NVLink " +
                  FormatFixed(sum.first * 1e3, 1) + " ms, NIC " + FormatFixed(sum.second * 1e3, 1) +
                  " ms");
    os << "\n";
    PrintStages(os, job);
    if (!table.IsEmpty())
    {
        table.Print(os);
        os << "\n";
    }
    for (const auto& warning : workload->GetWarnings())
    {
        PrintHanging(os, "  note: ", "        ", warning);
    }
}

} // namespace ns3
