/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-test-job.h"

#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/network-reducer.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/switch-reducer.h"
#include "ns3/tcp-message-transport.h"

#include <algorithm>

namespace ns3
{

NvlsTestJob::NvlsTestJob(const Fabric& fabric)
{
    std::vector<std::vector<uint32_t>> servers;
    for (uint32_t server = 0; server < fabric.servers.size(); ++server)
    {
        servers.emplace_back();
        for (uint32_t i = 0; i < fabric.servers[server]; ++i)
        {
            servers.back().push_back(
                m_graph.AddHost("host" + std::to_string(m_graph.GetNNodes()), server));
        }
    }
    std::vector<uint32_t> switches;
    for (uint32_t server = 0; server < servers.size(); ++server)
    {
        for (uint32_t i = 0; i < fabric.nSwitches; ++i)
        {
            const auto name = "nvswitch" + std::to_string(server) + "-" + std::to_string(i);
            switches.push_back(m_graph.AddNvswitch(name, server));
        }
    }
    for (uint32_t i = 0; i < fabric.nSwitches; ++i)
    {
        for (const auto host : m_graph.GetHosts())
        {
            const auto server = m_graph.GetNode(host).server;
            m_graph.AddLink(host,
                            switches[server * fabric.nSwitches + i],
                            DataRate(fabric.rate),
                            fabric.delay,
                            true);
        }
    }
    if (servers.size() > 1)
    {
        const auto spine = m_graph.AddSwitch("spine");
        for (const auto host : m_graph.GetHosts())
        {
            m_graph.AddLink(host, spine, DataRate(fabric.nicRate), fabric.delay);
        }
    }
    m_calls.resize(m_graph.GetHosts().size());
}

NvlsTestJob::NvlsTestJob(const TopologyGraph& graph)
    : m_graph(graph),
      m_withNetwork(true),
      m_calls(graph.GetHosts().size())
{
}

NvlsTestJob::~NvlsTestJob()
{
    Simulator::Destroy();
}

uint32_t
NvlsTestJob::AddCommunicator(const std::vector<uint32_t>& ranks)
{
    m_ranks.push_back(ranks);
    return static_cast<uint32_t>(m_ranks.size() - 1);
}

void
NvlsTestJob::CallAll(uint32_t communicator, CollectiveKind kind, uint64_t bytes, uint32_t root)
{
    for (const auto rank : m_ranks[communicator])
    {
        Call(rank, communicator, kind, bytes, root);
    }
}

void
NvlsTestJob::Call(uint32_t rank,
                  uint32_t communicator,
                  CollectiveKind kind,
                  uint64_t bytes,
                  uint32_t root)
{
    m_calls[rank].push_back({communicator, kind, bytes, root});
}

void
NvlsTestJob::BuildWorkload()
{
    ParallelLayout layout;
    layout.world = static_cast<uint32_t>(m_calls.size());
    m_workload = std::make_shared<Workload>("test", "test", layout);
    std::vector<uint32_t> ids;
    for (std::size_t i = 0; i < m_ranks.size(); ++i)
    {
        // Communicators of the same ranks are one unless they serve different dimensions.
        ids.push_back(m_workload->AddCommunicator(
            {"all" + std::to_string(i), static_cast<Dimension>(i), m_ranks[i]}));
    }
    for (uint32_t rank = 0; rank < layout.world; ++rank)
    {
        WorkloadProgramBuilder builder("rank" + std::to_string(rank));
        builder.AddStream({"compute", true, Dimension::WORLD});
        std::vector<uint32_t> slots;
        std::vector<uint32_t> slotOf(m_ranks.size(), 0);
        for (uint32_t i = 0; i < m_ranks.size(); ++i)
        {
            if (std::count(m_ranks[i].begin(), m_ranks[i].end(), rank) > 0)
            {
                slotOf[i] = static_cast<uint32_t>(slots.size());
                slots.push_back(ids[i]);
                builder.AddStream({"stream", false, static_cast<Dimension>(i)});
            }
        }
        uint32_t line = 0;
        for (const auto& call : m_calls[rank])
        {
            WorkloadOp op;
            op.kind = OpKind::COLLECTIVE;
            op.collective = call.kind;
            op.amount = call.bytes;
            op.communicator = slotOf[call.communicator];
            op.stream = static_cast<uint16_t>(1 + op.communicator);
            op.peer = call.root;
            op.origin = ++line;
            builder.AddOp(op, "op");
        }
        m_workload->SetRank(rank, builder.Build(), slots);
    }
}

void
NvlsTestJob::BuildNetwork(const std::string& transport)
{
    if (transport == "ideal")
    {
        BuildIdeal();
    }
    else if (transport == "rdma")
    {
        BuildRdma();
    }
    else
    {
        BuildTcp();
    }
}

void
NvlsTestJob::BuildIdeal()
{
    const auto endpoints = FindEndpoints();
    const auto network = IdealFabricHelper().Install(m_graph, endpoints);
    for (uint32_t address = 0; address < endpoints.GetNodes().size(); ++address)
    {
        const bool isHost = address < endpoints.GetNHosts();
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, address);
        (isHost ? m_hosts : m_switches).Create(1);
        (isHost ? m_transports : m_switchSide).emplace_back(transport);
    }
}

void
NvlsTestJob::BuildRdma()
{
    m_rdma.SetCongestionControl("ns3::RdmaNoCongestionControl");
    m_rdma.SetMtu(MTU);
    const auto endpoints = FindEndpoints();
    m_rdma.Install(m_graph, endpoints);
    m_rdma.AssignStreams(1);
    m_hosts = m_rdma.GetHosts();
    m_switches = m_rdma.GetSwitchNodes();
    m_transports = m_rdma.GetTransports();
    m_switchSide = m_rdma.GetSwitchTransports();
    for (const auto node : endpoints.GetNodes())
    {
        m_rdma.GetNodes().Get(node)->GetObject<RdmaNic>()->TraceConnectWithoutContext(
            "Retransmission",
            MakeCallback(&NvlsTestJob::CountRetransmission, this));
    }
    const auto network = m_rdma.GetNetwork();
    for (const auto& failure : m_failures)
    {
        Simulator::Schedule(failure.down, &RdmaNetwork::SetLinkUp, network, failure.link, false);
        if (!failure.up.IsZero())
        {
            Simulator::Schedule(failure.up, &RdmaNetwork::SetLinkUp, network, failure.link, true);
        }
    }
    upPayload.resize(m_graph.GetNLinks(), 0);
    downPayload.resize(m_graph.GetNLinks(), 0);
    for (uint32_t link = 0; link < m_graph.GetNLinks(); ++link)
    {
        const auto& ends = m_graph.GetLink(link);
        m_rdma.GetDevice(link, ends.a)
            ->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeBoundCallback(&NvlsTestJob::CountPayload, &upPayload[link]));
        m_rdma.GetDevice(link, ends.b)
            ->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeBoundCallback(&NvlsTestJob::CountPayload, &downPayload[link]));
    }
}

void
NvlsTestJob::BuildTcp()
{
    const auto endpoints = FindEndpoints();
    m_tcp.Install(m_graph, endpoints, FabricParameters());
    m_tcp.AssignStreams(1);
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (const auto node : endpoints.GetNodes())
    {
        addresses->emplace_back(m_tcp.GetNodeAddress(node), 5000);
    }
    for (uint32_t address = 0; address < addresses->size(); ++address)
    {
        const auto node = m_tcp.GetNodes().Get(endpoints.GetNodes()[address]);
        const bool isHost = address < endpoints.GetNHosts();
        auto transport = CreateObject<TcpMessageTransport>();
        transport->Install(node, address, addresses);
        (isHost ? m_hosts : m_switches).Add(node);
        (isHost ? m_transports : m_switchSide).emplace_back(transport);
    }
}

FabricEndpoints
NvlsTestJob::FindEndpoints() const
{
    return FabricEndpoints(m_graph, true, m_withNetwork);
}

void
NvlsTestJob::FailLink(uint32_t link, Time down, Time up)
{
    m_failures.push_back({link, down, up});
}

void
NvlsTestJob::CountRetransmission(const RdmaPacket& /* packet */)
{
    ++retransmissions;
}

void
NvlsTestJob::CountPayload(uint64_t* payload, const RdmaPacket& packet)
{
    *payload += packet.type == RdmaPacket::DATA ? packet.payload : 0;
}

void
NvlsTestJob::Run(const std::string& transport, Ptr<const CollectiveAlgorithm> algorithm)
{
    BuildWorkload();
    BuildNetwork(transport);
    auto algorithms = CreateObject<CollectiveSelection>();
    algorithms->Add(algorithm);
    ReplayHelper helper(m_workload);
    helper.SetAlgorithms(algorithms);
    const auto switches =
        helper.InstallSwitches(m_graph, FindEndpoints(), m_switches, m_switchSide);
    const auto applications = helper.Install(m_hosts, m_transports);
    for (auto i = switches.Begin(); i != switches.End(); ++i)
    {
        DynamicCast<SwitchReducer>(*i)->SetFaultCallback(MakeCallback(&NvlsTestJob::Failed, this));
    }
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        auto application = DynamicCast<ReplayApplication>(*i);
        expectedBytes.push_back(application->GetExpectedBytes());
        application->SetFaultCallback(MakeCallback(&NvlsTestJob::Failed, this));
        application->TraceConnectWithoutContext(
            "CollectiveFinished",
            MakeCallback(&NvlsTestJob::CollectiveFinished, this));
    }
    Simulator::Run();
    waits = ReplayHelper::DescribeWaits(applications);
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        receivedBytes.push_back(DynamicCast<ReplayApplication>(*i)->GetReceived().bytes);
    }
    for (auto i = switches.Begin(); i != switches.End(); ++i)
    {
        pendingReductions += DynamicCast<SwitchReducer>(*i)->CountPendingReductions();
        if (const auto reducer = DynamicCast<NetworkReducer>(*i))
        {
            heldBytes.push_back(reducer->GetMaxHeldBytes());
        }
    }
}

const TopologyGraph&
NvlsTestJob::GetGraph() const
{
    return m_graph;
}

void
NvlsTestJob::CollectiveFinished(const CollectiveRecord& record)
{
    collectives.push_back(record);
    end = Max(end, record.end);
}

void
NvlsTestJob::Failed(const ReplayFault& fault)
{
    faults.push_back(fault.message);
    Simulator::Stop();
}

} // namespace ns3
