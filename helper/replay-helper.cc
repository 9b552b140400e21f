/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-helper.h"

#include "wait-report.h"

#include "ns3/abort.h"
#include "ns3/collective-checker.h"
#include "ns3/in-switch-reducer.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/network-reducer.h"
#include "ns3/object-factory.h"
#include "ns3/rank-links.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-port-isolation.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"
#include "ns3/switch-trees.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/topology-servers.h"
#include "ns3/torus-shape.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Ports of ranks that share a node count up from here; below the ephemeral ports of ns-3.
constexpr uint16_t FIRST_PORT = 5000;

/// Messages that FindWrong() follows at most.
constexpr uint64_t MOST_CHECKED_MESSAGES = 200000;

/**
 * @param node a node
 * @return its first address that is not loopback
 */
Ipv4Address
GetFirstAddress(Ptr<Node> node)
{
    auto ipv4 = node->GetObject<Ipv4>();
    NS_ABORT_MSG_UNLESS(ipv4 && ipv4->GetNInterfaces() > 1 && ipv4->GetNAddresses(1) > 0,
                        "node " << node->GetId()
                                << " has no IPv4 address; install an internet stack and assign "
                                   "addresses before ReplayHelper::InstallTcp()");
    return ipv4->GetAddress(1, 0).GetLocal();
}

/**
 * @param node a node
 * @return whether this process simulates it; where there is one process, it does
 */
bool
IsOwn(Ptr<Node> node)
{
    return node->GetSystemId() == Simulator::GetSystemId();
}

/**
 * Aggregate a transport to its node, so that Config paths find it. Of ranks that share a node the
 * first one's is aggregated; applications have all of them, see ReplayApplication::Transport.
 *
 * @param node the node
 * @param transport the transport; may be aggregated already
 */
void
Aggregate(Ptr<Node> node, Ptr<MessageTransport> transport)
{
    const bool hasKind =
        node->GetObject<MessageTransport>(transport->GetInstanceTypeId()) != nullptr;
    if (!hasKind && !transport->GetObject<Node>())
    {
        node->AggregateObject(transport);
    }
}

/// Kinds and bytes of the collectives that a program calls, by communicator slot.
using CallsBySlot = std::map<uint32_t, std::set<std::pair<CollectiveKind, uint64_t>>>;

/**
 * @param program a program
 * @return the collectives that it calls, each once
 */
CallsBySlot
ListCalls(const WorkloadProgram& program)
{
    // Each once: programs repeat few different calls thousands of times.
    CallsBySlot calls;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::COLLECTIVE)
        {
            calls[op.communicator].insert({op.collective, op.amount});
        }
    }
    return calls;
}

/**
 * @param tree a tree of switches
 * @param addresses address of each node that messages go to
 * @return the same by address
 */
ReductionTree
NameByAddress(const SwitchTree& tree, const std::map<uint32_t, uint32_t>& addresses)
{
    ReductionTree named;
    named.reason = tree.reason;
    for (const auto& [node, place] : tree.switches)
    {
        auto& own = named.switches[addresses.at(node)];
        if (place.parent != SwitchTree::NO_PARENT)
        {
            own.parent = addresses.at(place.parent);
        }
        for (const auto child : place.children)
        {
            own.children.push_back(addresses.at(child));
        }
        std::sort(own.children.begin(), own.children.end());
    }
    for (const auto& [host, above] : tree.above)
    {
        named.above[addresses.at(host)] = addresses.at(above);
    }
    return named;
}

/**
 * Have the NVSwitches of a fabric take part in collectives.
 *
 * @param placement where the ranks stand
 * @param endpoints the nodes that messages go to
 */
void
AddServerSwitches(RankPlacement& placement, const FabricEndpoints& endpoints)
{
    std::vector<RankPlacement::Switches> switches;
    for (const auto& range : endpoints.GetSwitches())
    {
        switches.push_back({range.first, range.count});
    }
    placement.SetSwitches(std::move(switches));
}

/**
 * Have the switches of the network take part in collectives, if there are any that messages
 * go to.
 *
 * @param placement where the ranks stand
 * @param graph the fabric
 * @param endpoints the nodes that messages go to
 */
void
AddReductionTrees(RankPlacement& placement,
                  const TopologyGraph& graph,
                  const FabricEndpoints& endpoints)
{
    const auto& nodes = endpoints.GetNodes();
    const auto first = endpoints.GetFirstNetworkSwitch();
    // Where hosts relay there is no switch; the trees say why.
    if (first == nodes.size() && !graph.HostsRelay())
    {
        return;
    }
    std::map<uint32_t, uint32_t> addresses;
    for (uint32_t address = 0; address < nodes.size(); ++address)
    {
        addresses[nodes[address]] = address;
    }
    auto trees = std::make_shared<const SwitchTrees>(graph);
    const auto find = [trees, nodes, addresses](const std::vector<uint32_t>& ranks,
                                                uint32_t index) {
        std::vector<uint32_t> hosts;
        std::transform(ranks.begin(), ranks.end(), std::back_inserter(hosts), [&](uint32_t rank) {
            return nodes[rank];
        });
        return NameByAddress(trees->Find(hosts, index), addresses);
    };
    placement.SetReductionTrees(find, first);
}

} // namespace

ReplayHelper::ReplayHelper(std::shared_ptr<const Workload> workload)
    : m_workload(std::move(workload)),
      m_algorithms(CreateDefaultAlgorithms())
{
    m_workload->Validate();
    m_factory.SetTypeId(ReplayApplication::GetTypeId());
}

void
ReplayHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
ReplayHelper::SetRankAttribute(uint32_t rank, const std::string& name, const AttributeValue& value)
{
    NS_ABORT_MSG_IF(rank >= m_workload->GetLayout().world,
                    "there is no rank " << rank << " in a workload of "
                                        << m_workload->GetLayout().world << " ranks");
    m_rankAttributes.insert({rank, {name, value.Copy()}});
}

void
ReplayHelper::SetAlgorithms(Ptr<const CollectiveSelection> algorithms)
{
    m_algorithms = algorithms;
}

Ptr<PortIsolation>
ReplayHelper::IsolatePorts(const RdmaFabricHelper& fabric, bool hasNvlink)
{
    std::vector<Ptr<RdmaMessageTransport>> transports;
    for (const auto* const list : {&fabric.GetTransports(), &fabric.GetSwitchTransports()})
    {
        for (const auto& transport : *list)
        {
            transports.push_back(DynamicCast<RdmaMessageTransport>(transport));
        }
    }
    auto isolation = CreateObject<RdmaPortIsolation>();
    isolation->Setup(fabric.GetNetwork(), std::move(transports), hasNvlink);
    return isolation;
}

Ptr<CollectiveReuse>
ReplayHelper::ReuseCollectives(Ptr<PortIsolation> isolation)
{
    m_reuse = CreateObject<CollectiveReuse>();
    m_reuse->Setup(m_workload, m_placement, isolation);
    return m_reuse;
}

void
ReplayHelper::SetTrafficClass(Dimension dimension, uint8_t trafficClass)
{
    const auto& communicators = m_workload->GetCommunicators();
    for (uint32_t id = 0; id < communicators.size(); ++id)
    {
        if (communicators[id].dimension == dimension)
        {
            SetTrafficClass(id, trafficClass);
        }
    }
}

void
ReplayHelper::SetTrafficClass(uint32_t communicator, uint8_t trafficClass)
{
    NS_ABORT_MSG_IF(trafficClass > 7, "traffic classes are 0 to 7, not " << +trafficClass);
    if (!m_trafficClasses)
    {
        m_trafficClasses = std::make_shared<TrafficClasses>(m_workload->GetCommunicators().size());
    }
    m_trafficClasses->at(communicator) = trafficClass;
}

void
ReplayHelper::SetServers(std::vector<uint32_t> servers, std::vector<uint32_t> nics)
{
    const uint32_t world = m_workload->GetLayout().world;
    NS_ABORT_MSG_IF(servers.size() < world,
                    "the workload has " << world << " ranks, but servers are given for "
                                        << servers.size());
    NS_ABORT_MSG_IF(!nics.empty() && nics.size() < world,
                    "the workload has " << world << " ranks, but NICs are given for "
                                        << nics.size());
    m_placement = std::make_shared<RankPlacement>(m_workload, std::move(servers), std::move(nics));
}

void
ReplayHelper::SetServers(const TopologyGraph& graph)
{
    static_assert(TopologyGraph::NO_SERVER == CollectivePlacement::NO_SERVER,
                  "ranks that share their server with nobody are written alike");
    std::vector<uint32_t> servers;
    for (const auto host : graph.GetHosts())
    {
        servers.push_back(graph.GetNode(host).server);
    }
    SetServers(std::move(servers), FindNics(graph));
    const auto shape = FindTorusShape(graph);
    m_placement->SetTorus(shape.sizes, shape.wraps, shape.rates);
    m_placement->SetRankLinks(FindRankLinks(graph));
    if (!m_serverChannels)
    {
        return;
    }
    // A rank's number within its server, by the order of hosts.
    std::vector<uint32_t> devices;
    std::map<uint32_t, uint32_t> count;
    for (const auto host : graph.GetHosts())
    {
        const auto server = graph.GetNode(host).server;
        devices.push_back(server == TopologyGraph::NO_SERVER ? 0 : count[server]++);
    }
    m_placement->SetChannels(m_serverChannels, std::move(devices));
}

void
ReplayHelper::SetServerChannels(std::shared_ptr<const ServerChannels> channels)
{
    m_serverChannels = std::move(channels);
}

void
ReplayHelper::SetSwitches(const FabricEndpoints& endpoints)
{
    AddServerSwitches(*m_placement, endpoints);
}

void
ReplayHelper::SetReductionTrees(const TopologyGraph& graph, const FabricEndpoints& endpoints)
{
    AddReductionTrees(*m_placement, graph, endpoints);
}

ApplicationContainer
ReplayHelper::InstallSwitches(const TopologyGraph& graph,
                              const NodeContainer& nodes,
                              const std::vector<Ptr<MessageTransport>>& transports)
{
    return InstallSwitches(graph, FabricEndpoints(graph, true), nodes, transports);
}

ApplicationContainer
ReplayHelper::InstallSwitches(const TopologyGraph& graph,
                              const FabricEndpoints& endpoints,
                              const NodeContainer& nodes,
                              const std::vector<Ptr<MessageTransport>>& transports)
{
    const auto nSwitches = endpoints.GetNodes().size() - endpoints.GetNHosts();
    NS_ABORT_MSG_IF(nodes.GetN() != nSwitches || transports.size() != nSwitches,
                    "the topology has " << nSwitches << " switches that can take part, but there "
                                        << "are " << nodes.GetN() << " nodes and "
                                        << transports.size() << " transports");
    SetServers(graph);
    SetSwitches(endpoints);
    SetReductionTrees(graph, endpoints);
    m_switchTransports = transports;
    ApplicationContainer applications;
    for (uint32_t i = 0; i < nSwitches; ++i)
    {
        const uint32_t address = endpoints.GetNHosts() + i;
        if (!IsOwn(nodes.Get(i)))
        {
            continue;
        }
        if (m_trafficClasses)
        {
            transports[i]->SetTrafficClasses(m_trafficClasses);
        }
        // NVSwitches have the addresses before switches of the network.
        Ptr<SwitchReducer> reducer;
        if (address < endpoints.GetFirstNetworkSwitch())
        {
            reducer = CreateObject<InSwitchReducer>();
        }
        else
        {
            reducer = CreateObject<NetworkReducer>();
        }
        reducer->Setup(m_workload, m_placement, address, transports[i]);
        m_placement->SetAwaitedCallback(address, MakeCallback(&SwitchReducer::GetAwaited, reducer));
        nodes.Get(i)->AddApplication(reducer);
        Aggregate(nodes.Get(i), transports[i]);
        applications.Add(reducer);
    }
    return applications;
}

CollectiveCall
ReplayHelper::MakeCall(uint32_t communicator, CollectiveKind kind, uint64_t bytes) const
{
    CollectiveCall call;
    call.kind = kind;
    call.bytes = bytes;
    call.size = static_cast<uint32_t>(m_workload->GetCommunicators()[communicator].ranks.size());
    call.placement = m_placement ? &m_placement->Get(communicator) : nullptr;
    return call;
}

void
ReplayHelper::VisitCalls(
    const std::function<bool(const Communicator&, const CollectiveCall&)>& visit) const
{
    const auto& communicators = m_workload->GetCommunicators();
    std::map<const WorkloadProgram*, CallsBySlot> programs;
    for (uint32_t id = 0; id < communicators.size(); ++id)
    {
        // All members call the same, so that the first one speaks for all.
        const auto& communicator = communicators[id];
        const auto rank = communicator.ranks.front();
        const auto& slots = m_workload->GetCommunicatorSlots(rank);
        const auto* program = &m_workload->GetProgram(rank);
        const auto [found, isNew] = programs.try_emplace(program);
        if (isNew)
        {
            found->second = ListCalls(*program);
        }
        const auto slot = std::find(slots.begin(), slots.end(), id) - slots.begin();
        for (const auto& [kind, bytes] : found->second[static_cast<uint32_t>(slot)])
        {
            if (!visit(communicator, MakeCall(id, kind, bytes)))
            {
                return;
            }
        }
    }
}

std::string
ReplayHelper::FindUnsupported() const
{
    std::string text;
    VisitCalls([this, &text](const auto& communicator, const auto& call) {
        const auto plan = m_algorithms->Select(call, communicator.dimension);
        const auto reason = plan.algorithm->FindUnsupportedReason(call);
        if (!reason.empty())
        {
            text = plan.algorithm->GetName() + " for " + ToString(call.kind) + " in " +
                   communicator.name + ": " + reason;
        }
        return reason.empty();
    });
    return text;
}

std::string
ReplayHelper::FindWrong() const
{
    std::string text;
    uint64_t left = MOST_CHECKED_MESSAGES;
    std::set<std::tuple<const CollectiveAlgorithm*, CollectiveKind, uint32_t, uint64_t, uint32_t>>
        checked;
    VisitCalls([&](const auto& communicator, const auto& call) {
        const auto plan = m_algorithms->Select(call, communicator.dimension);
        // The module's own are checked by its tests; others once where they are called alike.
        const auto group = plan.algorithm->GetInstanceTypeId().GetGroupName();
        const bool isNew =
            group != CollectiveSelection::GetTypeId().GetGroupName() &&
            checked.insert({plan.algorithm, call.kind, call.size, call.bytes, call.root}).second;
        if (isNew)
        {
            CollectiveChecker checker(plan.algorithm, plan.Complete(call));
            checker.SetMostMessages(left);
            const auto fault = checker.Check();
            left -= std::min(left, checker.CountMessages());
            text = fault ? plan.algorithm->GetName() + " for " + ToString(call.kind) + " in " +
                               communicator.name + ": " + fault->Describe()
                         : "";
        }
        return text.empty() && left > 0;
    });
    return text;
}

std::vector<std::string>
ReplayHelper::ListLeft() const
{
    std::vector<std::string> sentences;
    VisitCalls([this, &sentences](const auto& communicator, const auto& call) {
        const auto* left = m_algorithms->FindLeft(call, communicator.dimension);
        const auto text = left
                              ? left->GetName() + " leaves calls of " + ToString(call.kind) +
                                    " to the automatic choice: " + left->FindUnsupportedReason(call)
                              : "";
        if (left && std::find(sentences.begin(), sentences.end(), text) == sentences.end())
        {
            sentences.push_back(text);
        }
        return true;
    });
    return sentences;
}

std::vector<std::string>
ReplayHelper::ListLayouts() const
{
    std::vector<std::string> sentences;
    VisitCalls([this, &sentences](const auto& communicator, const auto& call) {
        const auto plan = m_algorithms->Select(call, communicator.dimension);
        const auto text = plan.algorithm->DescribeLayout(call);
        if (!text.empty() && std::find(sentences.begin(), sentences.end(), text) == sentences.end())
        {
            sentences.push_back(text);
        }
        return true;
    });
    return sentences;
}

ApplicationContainer
ReplayHelper::Install(const NodeContainer& nodes,
                      const std::vector<Ptr<MessageTransport>>& transports) const
{
    const uint32_t world = m_workload->GetLayout().world;
    NS_ABORT_MSG_IF(nodes.GetN() < world,
                    "the workload has " << world << " ranks, but there are " << nodes.GetN()
                                        << " nodes; a node may be given for several ranks");
    NS_ABORT_MSG_IF(transports.size() < world,
                    "the workload has " << world << " ranks, but there are " << transports.size()
                                        << " transports");
    if (m_reuse)
    {
        m_reuse->SetTransports(transports, m_switchTransports);
    }
    ApplicationContainer applications;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        // A process has applications on its own nodes alone; ranks keep their numbers in all
        // processes.
        if (!IsOwn(nodes.Get(rank)))
        {
            continue;
        }
        auto application = m_factory.Create<ReplayApplication>();
        const auto [first, last] = m_rankAttributes.equal_range(rank);
        for (auto i = first; i != last; ++i)
        {
            application->SetAttribute(i->second.name, *i->second.value);
        }
        if (m_trafficClasses)
        {
            transports[rank]->SetTrafficClasses(m_trafficClasses);
        }
        if (!transports[rank]->Serves(rank))
        {
            throw WorkloadError({"ReplayHelper::Install()"},
                                "the transports in the order of the fabric's hosts (MergeJobs() "
                                "places ranks on any of them)",
                                "another host's for rank " + std::to_string(rank));
        }
        application->Setup(m_workload, rank, transports[rank], m_algorithms, m_placement);
        application->SetReuse(m_reuse);
        nodes.Get(rank)->AddApplication(application);
        Aggregate(nodes.Get(rank), transports[rank]);
        applications.Add(application);
    }
    return applications;
}

ApplicationContainer
ReplayHelper::InstallTcp(const NodeContainer& nodes) const
{
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    std::map<uint32_t, uint16_t> nextPort;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        // Ranks that share a node have the same address.
        const uint16_t port = FIRST_PORT + nextPort[(*node)->GetId()]++;
        addresses->emplace_back(GetFirstAddress(*node), port);
    }
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        auto transport = CreateObject<TcpMessageTransport>();
        transport->Install(nodes.Get(rank), rank, addresses);
        transports.emplace_back(transport);
    }
    return Install(nodes, transports);
}

int64_t
ReplayHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t used = 0;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(*i);
        NS_ABORT_MSG_UNLESS(application, "AssignStreams() takes applications of ReplayHelper");
        // By rank: what is drawn for it does not depend on which process has which ranks.
        const int64_t first = application->GetRank();
        used = std::max(used, first + application->AssignStreams(stream + first));
    }
    return used;
}

std::vector<std::string>
ReplayHelper::DescribeWaits(const ApplicationContainer& applications)
{
    return ns3::DescribeWaits(ListWaits(applications));
}

std::vector<WaitRecord>
ReplayHelper::ListWaits(const ApplicationContainer& applications)
{
    std::vector<WaitRecord> waits;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(*i);
        NS_ABORT_MSG_UNLESS(application, "ListWaits() takes applications of ReplayHelper");
        const auto more = application->GetWaits();
        waits.insert(waits.end(), more.begin(), more.end());
    }
    return waits;
}

Ptr<CollectiveSelection>
ReplayHelper::CreateDefaultAlgorithms()
{
    auto algorithms = CreateObject<CollectiveSelection>();
    for (const auto& entry : StrategyRegistry::List(CollectiveAlgorithm::GetTypeId()))
    {
        algorithms->Add(ObjectFactory(entry.type.GetName()).Create<CollectiveAlgorithm>());
    }
    return algorithms;
}

} // namespace ns3
