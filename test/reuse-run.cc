/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reuse-run.h"

#include "catching-up.h"

#include "ns3/callback.h"
#include "ns3/collective-selection.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-port-isolation.h"
#include "ns3/nvls-collective.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/topology-builder.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <optional>

namespace ns3
{

namespace
{

/**
 * @param scenario what to run
 * @param rank a rank
 * @return number of the group by which it makes calls
 */
uint32_t
FindGroup(const ReuseScenario& scenario, uint32_t rank)
{
    if (scenario.inPairs)
    {
        return rank / 2;
    }
    return scenario.acrossServers ? rank % ReuseRun::SERVER : rank / ReuseRun::SERVER;
}

/**
 * @param program where to add computing and the calls behind it
 * @param scenario what to run
 * @param rank whose program it is
 */
void
AddCalls(WorkloadProgramBuilder& program, const ReuseScenario& scenario, uint32_t rank)
{
    uint32_t line = 0;
    for (const auto bytes : scenario.calls)
    {
        WorkloadOp compute;
        compute.kind = OpKind::COMPUTE;
        const bool isLate = rank < scenario.lateness.size();
        compute.amount = (isLate ? scenario.lateness[rank] : 10) * 1000000ULL;
        compute.origin = ++line;
        const auto before = program.AddOp(compute, "compute");
        WorkloadOp call;
        call.kind = OpKind::COLLECTIVE;
        call.collective = CollectiveKind::ALL_REDUCE;
        call.amount = bytes;
        call.stream = scenario.waits ? 1 : 1 + line / 2 % 2;
        call.origin = ++line;
        const auto reduce = program.AddOp(call, "all-reduce");
        program.AddFinishEdge(before, reduce);
        if (before > 0)
        {
            program.AddFinishEdge(before - (scenario.waits ? 1 : 2), before);
        }
    }
}

/**
 * @param program where to add 5 us of computing and a message of 1 MB behind it, beside the calls
 * @param scenario what to run
 * @param rank whose program it is, one of the pair
 */
void
AddMessage(WorkloadProgramBuilder& program, const ReuseScenario& scenario, uint32_t rank)
{
    const auto& pair = scenario.pair;
    const bool isSender = rank == pair.first;
    WorkloadOp compute;
    compute.kind = OpKind::COMPUTE;
    compute.amount = 5000000;
    const auto before = program.AddOp(compute, "compute");
    WorkloadOp message;
    message.kind = isSender ? OpKind::SEND : OpKind::RECV;
    message.amount = 1000000;
    message.peer = (isSender ? pair.second : pair.first) % ReuseRun::SERVER;
    message.stream = 2;
    program.AddFinishEdge(before, program.AddOp(message, "message"));
}

/**
 * @param scenario what to run
 * @param helper where to set how calls are carried out, unless they are as always
 */
void
SetAlgorithms(const ReuseScenario& scenario, ReplayHelper& helper)
{
    if (scenario.isTree || scenario.isNvls)
    {
        auto algorithms = CreateObject<CollectiveSelection>();
        Ptr<CollectiveAlgorithm> algorithm = CreateObject<TreeCollective>();
        if (scenario.isNvls)
        {
            algorithm = CreateObject<NvlsCollective>();
        }
        algorithms->Add(algorithm);
        helper.SetAlgorithms(algorithms);
    }
}

} // namespace

uint32_t
ReuseRun::CountGroups(const ReuseScenario& scenario)
{
    return FindGroup(scenario, WORLD - 1) + 1;
}

std::shared_ptr<Workload>
ReuseRun::MakeWorkload(const ReuseScenario& scenario)
{
    ParallelLayout layout;
    layout.world = WORLD;
    auto workload = std::make_shared<Workload>("test", "test", layout);
    std::vector<std::vector<uint32_t>> groups(CountGroups(scenario));
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        groups[FindGroup(scenario, rank)].push_back(rank);
    }
    std::vector<uint32_t> ids;
    ids.reserve(groups.size());
    for (const auto& group : groups)
    {
        ids.push_back(workload->AddCommunicator(
            {"group" + std::to_string(ids.size()), Dimension::TP, group}));
    }
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        WorkloadProgramBuilder builder("rank" + std::to_string(rank));
        builder.AddStream({"compute", true, Dimension::WORLD});
        builder.AddStream({"tp", false, Dimension::TP});
        builder.AddStream({"tp beside", false, Dimension::TP});
        AddCalls(builder, scenario, rank);
        const auto& pair = scenario.pair;
        if (pair.first != pair.second && (rank == pair.first || rank == pair.second))
        {
            AddMessage(builder, scenario, rank);
        }
        workload->SetRank(rank, builder.Build(), {ids[FindGroup(scenario, rank)]});
    }
    return workload;
}

void
ReuseRun::Install(const ReuseScenario& scenario, const TopologyGraph& graph, bool reuses)
{
    if (!scenario.isIdeal)
    {
        RdmaFabricHelper fabric;
        fabric.SetNicAttribute("MaxTrain", UintegerValue(scenario.maxTrain));
        if (scenario.isFluid)
        {
            fabric.SetProtocol("ns3::FluidProtocol");
        }
        fabric.Install(graph, FabricEndpoints(graph, scenario.isNvls));
        fabric.AssignStreams(0);
        m_hosts = fabric.GetHosts();
        m_transports = {fabric.GetTransports(), fabric.GetNetwork()};
        m_switches = fabric.GetSwitchNodes();
        m_switchTransports = fabric.GetSwitchTransports();
        m_isolation = reuses ? ReplayHelper::IsolatePorts(fabric) : nullptr;
        return;
    }
    const FabricEndpoints endpoints(graph, scenario.isNvls);
    const auto count = static_cast<uint32_t>(endpoints.GetNodes().size());
    const auto network = IdealFabricHelper().Install(graph, endpoints);
    m_hosts.Create(WORLD);
    m_switches.Create(count - WORLD);
    for (uint32_t address = 0; address < count; ++address)
    {
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, address);
        (address < WORLD ? m_transports.ranks : m_switchTransports).emplace_back(transport);
    }
    if (reuses)
    {
        std::vector<IdealPortIsolation::Switches> switches;
        for (const auto& range : endpoints.GetSwitches())
        {
            switches.push_back({range.first, range.count});
        }
        auto isolation = CreateObject<IdealPortIsolation>();
        isolation->Setup(network, WORLD, switches);
        m_isolation = isolation;
    }
}

ReuseRun::ReuseRun(const ReuseScenario& scenario, bool reuses)
{
    std::optional<CatchingUp> catchingUp;
    if (scenario.catchesUp)
    {
        catchingUp.emplace();
    }
    FabricParameters parameters;
    parameters.gpusPerServer = SERVER;
    parameters.nvSwitches = scenario.nvSwitches;
    const auto graph = TopologyBuilder::Build(TopologySpec("rail"), WORLD, parameters);
    Install(scenario, graph, reuses);
    ReplayHelper helper(MakeWorkload(scenario));
    if (!scenario.inPairs)
    {
        helper.SetServers(graph);
    }
    SetAlgorithms(scenario, helper);
    if (scenario.isNvls)
    {
        helper.InstallSwitches(graph, FabricEndpoints(graph, true), m_switches, m_switchTransports);
    }
    for (const auto& transport : m_switchTransports)
    {
        transport->TraceConnectWithoutContext("Carried", MakeCallback(&ReuseRun::Count, this));
    }
    Ptr<CollectiveReuse> reuse;
    if (reuses)
    {
        reuse = helper.ReuseCollectives(m_isolation);
        reuse->TraceConnectWithoutContext("Skipped", MakeCallback(&ReuseRun::CountSkipped, this));
    }
    auto ranks = helper.Install(m_hosts, m_transports.ranks);
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        ranks.Get(rank)->TraceConnectWithoutContext("CollectiveFinished",
                                                    MakeCallback(&ReuseRun::Note, this));
        m_transports.ranks[rank]->TraceConnectWithoutContext("Carried",
                                                             MakeCallback(&ReuseRun::Count, this));
    }
    if (scenario.disturb)
    {
        scenario.disturb(m_transports);
    }
    if (scenario.stop > 0)
    {
        ranks.Stop(MicroSeconds(scenario.stop));
    }
    Simulator::Run();
    for (uint32_t rank = 0; rank < WORLD; ++rank)
    {
        outcome.received.push_back(
            DynamicCast<ReplayApplication>(ranks.Get(rank))->GetReceived().bytes);
    }
    for (uint32_t link = 0; !scenario.isIdeal && link < graph.GetNLinks(); ++link)
    {
        for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            outcome.ports.push_back(m_transports.network->GetPort(link, node)->GetCounters());
        }
    }
    for (uint32_t treatment = 0; reuses && treatment < CollectiveReuse::NOTHING; ++treatment)
    {
        outcome.counts[treatment] = reuse->GetN(static_cast<CollectiveReuse::Treatment>(treatment));
    }
    outcome.observed = reuses ? reuse->GetNObserved() : 0;
    Simulator::Destroy();
}

} // namespace ns3
