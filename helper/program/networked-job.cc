/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "networked-job.h"

#include "process-group.h"
#include "transport-kind.h"

#include "ns3/boolean.h"
#include "ns3/catch-up-simulator-impl.h"
#include "ns3/collective-costs.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/flow-times.h"
#include "ns3/msccl-collective.h"
#include "ns3/nstime.h"
#include "ns3/replay-application.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"
#include "ns3/workload.h"

namespace ns3
{

namespace
{

/**
 * @param options what the user asks for, with a named set of the fabric
 * @return what collectives cost
 */
Ptr<const CollectiveCosts>
CreateCosts(const NetworkOptions& options)
{
    auto costs = CreateObject<CollectiveCosts>();
    const auto& fabric = options.fabric;
    const std::pair<std::string, Ptr<const AttributeValue>> ofFabric[] = {
        {"NvlinkRate", Create<DataRateValue>(fabric.nvlinkRate)},
        {"NicRate", Create<DataRateValue>(fabric.nicRate)},
        // Two links, since NCCL's latency of the network is that of a message through a switch.
        {"NetworkDelay", Create<TimeValue>(2 * fabric.linkDelay)},
        {"HostMemoryRate", Create<DataRateValue>(fabric.hostMemoryRate)},
        {"NicsPerServer", Create<UintegerValue>(fabric.nicsPerServer)},
    };
    for (const auto& [name, value] : ofFabric)
    {
        // An attribute that the user or the fabric names wins over what follows from the fabric.
        if (!options.IsSet("ns3::CollectiveCosts::" + name))
        {
            costs->SetAttribute(name, *value);
        }
    }
    if (options.IsGiven("stepLatency"))
    {
        costs->SetAttribute("StepLatency", TimeValue(options.stepLatency));
    }
    if (options.IsGiven("launchLatency"))
    {
        costs->SetAttribute("CallLatency", TimeValue(options.launchLatency));
    }
    return costs;
}

/**
 * A search takes up to a second, and simulations that follow one another are mostly of the same
 * servers.
 *
 * @param model servers
 * @param given channels from a file; null = none
 * @return the channels that NCCL finds in them, kept until others are asked for
 */
std::shared_ptr<const ServerChannels>
FindServerChannels(const ServerModel& model, const std::shared_ptr<const NcclGraphs>& given)
{
    static std::shared_ptr<const ServerChannels> channels;
    // Only the last model is kept: simulations that alternate between several are rare.
    if (!channels || !(channels->GetModel() == model) || channels->GetGiven() != given)
    {
        channels = std::make_shared<const ServerChannels>(model, given);
    }
    return channels;
}

/**
 * @param options what the user asks for
 * @param helper knows the algorithms and where the ranks stand
 * @throws WorkloadError if an algorithm that was chosen cannot do what the job wants of it
 */
void
CheckCollectives(const NetworkOptions& options, const ReplayHelper& helper)
{
    const auto unsupported = helper.FindUnsupported();
    if (!unsupported.empty())
    {
        throw WorkloadError(options.Locate("collective"),
                            "algorithms that suit where the ranks stand "
                            "(--collective=KIND.DIMENSION=ALGORITHM takes another)",
                            unsupported);
    }
    const auto wrong = helper.FindWrong();
    if (!wrong.empty())
    {
        throw WorkloadError(options.Locate("collective"),
                            "algorithms that bring every rank its data (wl-collective --check "
                            "checks more sizes)",
                            wrong);
    }
}

/**
 * Set the default of an attribute to what an option says, if there is one. An attribute that the
 * user names wins over options that set several, and over the named set of the fabric.
 *
 * @param options what the user asks for
 * @param option name of the option
 * @param attribute full name of the attribute
 * @param value what the option says
 */
void
SetDefault(const NetworkOptions& options,
           const std::string& option,
           const std::string& attribute,
           const AttributeValue& value)
{
    if (options.IsSet(option) && !options.IsGiven(attribute))
    {
        Config::SetDefault(attribute, value);
    }
}

/**
 * Set the defaults of the attributes of collectives that options are short names of.
 *
 * @param options what the user asks for
 */
void
SetCollectiveDefaults(const NetworkOptions& options)
{
    for (const std::string type : {"Ring", "Pipelined", "Nvls", "Collnet"})
    {
        const auto algorithm = "ns3::" + type + "Collective::";
        SetDefault(options, "channels", algorithm + "Channels", UintegerValue(options.channels));
        // The 0 of a fabric means NCCL's chunks, which follow from the server.
        if (options.IsGiven("chunkBytes") || !options.fabric.server.IsEmpty())
        {
            SetDefault(options,
                       "chunkBytes",
                       algorithm + "ChunkBytes",
                       UintegerValue(options.chunkBytes));
        }
    }
    const std::string algorithm = "ns3::CollectiveAlgorithm::";
    SetDefault(options, "stepLatency", algorithm + "StepLatency", TimeValue(options.stepLatency));
    SetDefault(options,
               "launchLatency",
               algorithm + "LaunchLatency",
               TimeValue(options.launchLatency));
}

/**
 * @param options what the user asks for
 * @param workload the job
 * @param [in,out] helper of the job
 * @throws WorkloadError if the user has given a class to a dimension that the job does not have
 */
void
SetUpTrafficClasses(const NetworkOptions& options, const Workload& workload, ReplayHelper& helper)
{
    if (options.IsGiven("trafficClass"))
    {
        CheckTrafficClasses(options.trafficClasses, workload);
    }
    // A fabric may have classes for jobs and transports of all kinds.
    const auto classes = FindTrafficClasses(options.trafficClasses, workload);
    for (uint32_t id = 0; id < classes.size() &&
                          TransportKind::Get(options)->Supports(TransportKind::Use::QUEUE_PAIRS);
         ++id)
    {
        if (classes[id])
        {
            helper.SetTrafficClass(id, *classes[id]);
        }
    }
}

/**
 * @param options what the user asks for
 * @return whether the transport knows who uses which ports, so that collectives may be reused
 */
bool
MayReuse(const NetworkOptions& options)
{
    return !HasLogGopsNetwork(options) &&
           TransportKind::Get(options)->Supports(TransportKind::Use::REUSE);
}

} // namespace

TopologyGraph
BuildTopology(const NetworkOptions& options, uint32_t world)
{
    if (TopologyFile::IsFileName(options.topology))
    {
        return TopologyFile::Read(options.topology, world, options.fabric);
    }
    const TopologySpec spec(options.topology, options.Locate("topology").ToString());
    return TopologyBuilder::Build(spec, world, options.fabric);
}

void
SetNetworkDefaults(const NetworkOptions& options)
{
    if (!options.IsGiven("SchedulerType"))
    {
        // The order of events is the same with all schedulers; with thousands of them waiting this
        // one is the fastest.
        Config::SetGlobal("SchedulerType", StringValue("ns3::RadixHeapScheduler"));
    }
    if (options.IsGiven("seed"))
    {
        RngSeedManager::SetSeed(options.seed);
    }
    if (options.IsGiven("run"))
    {
        RngSeedManager::SetRun(options.run);
    }
    TransportKind::Get(options)->SetDefaults(options);
    // Classes that are named become lossless, unless somebody says which are.
    const std::string lossless = "ns3::RdmaSwitch::LosslessPriorities";
    const bool hasPauses = options.flowControl == "pfc";
    if (options.IsSet("trafficClass") && !options.IsSet(lossless) && hasPauses)
    {
        Config::SetDefault(lossless, UintegerValue(GetLosslessPriorities(options.trafficClasses)));
    }
    SetDefault(options,
               "flowControl",
               "ns3::RdmaNetDevice::FlowControl",
               StringValue(options.flowControl));
    SetDefault(options, "maxTrain", "ns3::RdmaNic::MaxTrain", UintegerValue(options.maxTrain));
    if (options.exact == "on")
    {
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(1));
    }
    else if (MayReuse(options) && options.reuse == "on" &&
             !options.IsGiven("SimulatorImplementationType") && ProcessGroup::GetSize() == 1)
    {
        // To reuse is to go back in time when disturbed, which needs a simulator of its own.
        CatchUpSimulatorImpl::Choose();
    }
    SetCollectiveDefaults(options);
    if (options.logGops)
    {
        SetLogGopsDefaults(*options.logGops);
    }
}

Ptr<const CollectiveSelection>
CreateAlgorithms(const NetworkOptions& options)
{
    auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
    for (const auto& choice : options.collectives)
    {
        if (choice.plan && !algorithms->Find(choice.kind, choice.algorithm))
        {
            algorithms->Add(CreateObject<MscclCollective>(choice.plan));
        }
        algorithms->Choose(choice.kind, choice.dimension, choice.algorithm, choice.protocol);
    }
    if (!options.fabricSet.empty())
    {
        algorithms->SetCosts(CreateCosts(options));
    }
    return algorithms;
}

std::vector<std::string>
CompareNcclGraph(const NetworkOptions& options)
{
    const auto& server = options.fabric.server;
    const auto& given = *options.ncclGraph;
    const auto placed = given.Place(server);
    // A server made of the channels says nothing of the search.
    if (!options.IsSet("server"))
    {
        return {};
    }
    // Not the channels that are used: these are those of the file.
    const ServerChannels channels(CreateCosts(options)->MakeServerModel(server));
    const auto& found = channels.Find(given.gpus, given.hasNetwork);
    std::vector<std::string> sentences{CompareChannels("rings", placed.ring, found.ring)};
    if (placed.tree.channels > 0)
    {
        sentences.push_back(CompareChannels("trees", placed.tree, found.tree));
    }
    if (placed.nvls.channels > 0)
    {
        sentences.push_back(CompareChannels("heads of NVLS", placed.nvls, found.nvls));
    }
    for (auto& sentence : sentences)
    {
        sentence += " (--ncclGraph)";
    }
    return sentences;
}

void
PlaceCollectives(const NetworkOptions& options,
                 const TopologyGraph& graph,
                 const FabricEndpoints& endpoints,
                 ReplayHelper& helper)
{
    const auto& server = options.fabric.server;
    // NCCL's search is for servers that are built as described; a file has servers of its own.
    if (!server.IsEmpty() && !options.fabricSet.empty() &&
        !TopologyFile::IsFileName(options.topology))
    {
        helper.SetServerChannels(
            FindServerChannels(CreateCosts(options)->MakeServerModel(server), options.ncclGraph));
    }
    helper.SetServers(graph);
    helper.SetSwitches(endpoints);
    helper.SetReductionTrees(graph, endpoints);
}

void
SetUpCollectives(const NetworkOptions& options, const TopologyGraph& graph, ReplayHelper& helper)
{
    PlaceCollectives(options, graph, ReplayFabric::FindEndpoints(options, graph), helper);
    helper.SetAlgorithms(CreateAlgorithms(options));
    CheckCollectives(options, helper);
}

NetworkedJob::NetworkedJob(const NetworkOptions& options,
                           const TopologyGraph& graph,
                           std::shared_ptr<const Workload> workload,
                           uint32_t iterations,
                           bool reuses)
    : fabric(ReplayFabric::Create(options, graph)),
      statistics(std::make_shared<ReplayStatistics>(workload))
{
    fabric->ScheduleFailures(options.linkFailures, graph);
    if (!options.circuits.empty())
    {
        fabric->ScheduleCircuits(ReadCircuitFile(options.circuits, graph));
    }
    ReplayHelper helper(workload);
    helper.SetAttribute("Iterations", UintegerValue(iterations));
    SetUpTrafficClasses(options, *workload, helper);
    SetUpCollectives(options, graph, helper);
    notes = helper.ListLeft();
    const auto layouts = helper.ListLayouts();
    notes.insert(notes.end(), layouts.begin(), layouts.end());
    const auto& switchTransports = fabric->GetSwitchTransports();
    if (!switchTransports.empty())
    {
        switches = helper.InstallSwitches(graph,
                                          ReplayFabric::FindEndpoints(options, graph),
                                          fabric->GetSwitchNodes(),
                                          switchTransports);
    }
    // Who watches for a stall takes silence for one.
    const bool mayBeSilent = reuses && MayReuse(options) && !fabric->RunsOn();
    const auto isolation = mayBeSilent ? fabric->IsolatePorts() : nullptr;
    if (isolation)
    {
        reuse = helper.ReuseCollectives(isolation);
    }
    ranks = helper.Install(fabric->GetHosts(), fabric->GetTransports());
    statistics->ConnectApplications(ranks);
    statistics->ConnectTransports(fabric->GetTransports());
    statistics->ConnectTransports(switchTransports);
    if (reuse)
    {
        reuse->TraceConnectWithoutContext(
            "Skipped",
            MakeCallback(&ReplayStatistics::AddSkipped, statistics.get()));
    }
    ListenToJobs();
}

NetworkedJob::NetworkedJob(std::shared_ptr<const Workload> workload,
                           const ApplicationContainer& ranks,
                           const std::vector<Ptr<MessageTransport>>& transports)
    : ranks(ranks),
      statistics(std::make_shared<ReplayStatistics>(workload))
{
    statistics->ConnectApplications(ranks);
    statistics->ConnectTransports(transports);
    ListenToJobs();
}

void
NetworkedJob::ListenToJobs()
{
    const auto& workload = statistics->ShareWorkload();
    // Each job has statistics of its own ranks besides those of all.
    std::vector<ApplicationContainer> members(workload->GetJobs().size());
    for (auto i = ranks.Begin(); i != ranks.End() && !members.empty(); ++i)
    {
        const auto rank = DynamicCast<ReplayApplication>(*i)->GetRank();
        const auto job = workload->GetJobRank(rank).job;
        if (job < members.size())
        {
            members[job].Add(*i);
        }
    }
    for (uint32_t job = 0; job < members.size(); ++job)
    {
        jobStatistics.push_back(std::make_shared<ReplayStatistics>(workload, job));
        jobStatistics.back()->ConnectApplications(members[job]);
    }
}

NetworkedJob::~NetworkedJob() = default;

} // namespace ns3
