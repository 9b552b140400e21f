/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-replay-fabric.h"

#include "option-values.h"
#include "process-group.h"
#include "transport-kind.h"

#include "ns3/callback.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/input-values.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"
#include "ns3/string.h"
#include "ns3/tcp-message-transport.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Port that every rank listens on; each has an address of its own.
constexpr uint16_t PORT = 5000;

/// Largest packets that ns-3's MPI engine takes, bytes: its messages have 2000, of which what tags
/// and the engine itself need is left out.
constexpr uint32_t MPI_MTU = 1500;

} // namespace

TcpReplayFabric::TcpReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_fabric(m_ownFabric),
      m_endpoints(FindEndpoints(options, graph)),
      m_description(DescribeGraph(options, graph))
{
    m_fabric.SetPartition(MakePartition(graph));
    m_fabric.Install(graph, m_endpoints, options.fabric);
    m_fabric.AssignStreams(0);
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (const auto node : m_endpoints.GetNodes())
    {
        addresses->emplace_back(m_fabric.GetNodeAddress(node), PORT);
    }
    for (uint32_t address = 0; address < addresses->size(); ++address)
    {
        const auto node = m_fabric.GetNodes().Get(m_endpoints.GetNodes()[address]);
        const bool isHost = address < m_endpoints.GetNHosts();
        Ptr<TcpMessageTransport> transport;
        if (node->GetSystemId() == Simulator::GetSystemId())
        {
            transport = CreateObject<TcpMessageTransport>();
            Connect(transport);
            transport->Install(node, address, addresses);
        }
        (isHost ? m_hosts : m_switchNodes).Add(node);
        (isHost ? m_transports : m_switchTransports).emplace_back(transport);
    }
    DescribeTransports(options.fabric.mtu);
}

TcpReplayFabric::TcpReplayFabric(TcpFabricHelper& fabric,
                                 const std::vector<Ptr<MessageTransport>>& transports)
    : m_fabric(fabric),
      m_endpoints(fabric.GetGraph(), false)
{
    const auto& graph = fabric.GetGraph();
    m_description.topology = graph.GetName();
    m_description.nodes = graph.GetNNodes();
    m_description.links = graph.GetNLinks();
    m_description.transport = "tcp";
    m_transports = transports;
    for (const auto& transport : transports)
    {
        Connect(transport);
    }
    DescribeTransports(fabric.GetDevice(0, graph.GetLink(0).a)->GetMtu());
}

void
TcpReplayFabric::Connect(Ptr<MessageTransport> transport)
{
    transport->TraceConnectWithoutContext(
        "Retransmission",
        MakeCallback(&TcpReplayFabric::CountRetransmission, this));
    transport->TraceConnectWithoutContext("TimedOut",
                                          MakeCallback(&TcpReplayFabric::NoteTimeout, this));
    transport->TraceConnectWithoutContext("ConnectionFailed",
                                          MakeCallback(&TcpReplayFabric::NoteFailure, this));
}

void
TcpReplayFabric::DescribeTransports(uint32_t mtu)
{
    // All are alike, and each process has some.
    const auto own = std::find_if(m_transports.begin(), m_transports.end(), [](const auto& t) {
        return t != nullptr;
    });
    TypeIdValue congestionControl;
    (*own)->GetAttribute("CongestionControl", congestionControl);
    UintegerValue segment;
    (*own)->GetAttribute("SegmentSize", segment);
    m_description.cc = congestionControl.Get().GetName();
    m_description.routing = "ecmp";
    m_description.mtu = mtu;
    m_description.maxTrain = 1;
    m_description.goodputShare =
        TcpFabricHelper::GetGoodputShare(mtu, static_cast<uint32_t>(segment.Get()));
    m_description.timeoutAttribute = "at least ns3::TcpMessageTransport::MinRto";
}

void
TcpReplayFabric::CountRetransmission(uint32_t /* rank */, uint32_t /* peer */, uint32_t /* bytes */)
{
    ++m_retransmissions;
}

void
TcpReplayFabric::NoteTimeout(uint32_t /* rank */, uint32_t /* peer */, Time waited)
{
    m_timeouts.Add({1, waited, waited});
}

void
TcpReplayFabric::NoteFailure(uint32_t rank, uint32_t peer, const std::string& reason)
{
    m_failures.push_back("the connection from " + m_endpoints.Describe(*GetGraph(), rank) + " to " +
                         m_endpoints.Describe(*GetGraph(), peer) + " has failed: " + reason);
}

void
TcpReplayFabric::Show(ReplayScene& scene) const
{
    ReplayFabric::Show(scene);
    scene.nodes = m_fabric.GetNodes();
    scene.getDevice = [this](uint32_t link, uint32_t node) -> Ptr<NetDevice> {
        return HasPort(link, node) ? m_fabric.GetDevice(link, node) : nullptr;
    };
    scene.setLinkUp = [&fabric = m_fabric](uint32_t link, bool up) { fabric.SetLinkUp(link, up); };
}

FabricDescription
TcpReplayFabric::Describe() const
{
    return m_description;
}

const TopologyGraph*
TcpReplayFabric::GetGraph() const
{
    return &m_fabric.GetGraph();
}

PortCounters
TcpReplayFabric::ReadPort(uint32_t link, uint32_t from) const
{
    return m_fabric.GetCounters(link, from);
}

bool
TcpReplayFabric::HasPort(uint32_t link [[maybe_unused]], uint32_t from) const
{
    return m_fabric.IsOwn(from);
}

PortReading
TcpReplayFabric::ReadPortNow(uint32_t link, uint32_t from) const
{
    PortReading reading;
    reading.counters = ReadPort(link, from);
    reading.sentBytes = static_cast<double>(reading.counters.bytes);
    std::tie(reading.queue, reading.maxQueue) = m_fabric.TakeQueue(link, from);
    return reading;
}

void
TcpReplayFabric::SetLinkUp(uint32_t link, bool up)
{
    m_fabric.SetLinkUp(link, up);
}

/**
 * @ingroup workload-replay
 * @brief The transport tcp.
 */
class TcpTransportKind : public TransportKind
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string FindUnsupportedReason(Use use) const override;
    std::unique_ptr<ReplayFabric> Create(const NetworkOptions& options,
                                         const TopologyGraph& graph) const override;
    void SetDefaults(const NetworkOptions& options) const override;
    std::string ParseCongestionControl(const TextField& cc) const override;
    std::string FindAttributeRemedy(const NetworkOptions& options,
                                    TypeId type,
                                    const std::string& attribute) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(TcpTransportKind, "tcp", "ns-3's internet stack", 0);

TypeId
TcpTransportKind::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpTransportKind")
                            .SetParent<TransportKind>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<TcpTransportKind>();
    return tid;
}

std::string
TcpTransportKind::FindUnsupportedReason(Use use) const
{
    const bool can = use == Use::PACKETS || use == Use::LINK_CHANGES || use == Use::PORTS ||
                     use == Use::PROCESSES;
    return can ? "" : TransportKind::FindUnsupportedReason(use);
}

std::unique_ptr<ReplayFabric>
TcpTransportKind::Create(const NetworkOptions& options, const TopologyGraph& graph) const
{
    if (ProcessGroup::GetSize() > 1 && options.fabric.mtu > MPI_MTU)
    {
        throw WorkloadError(options.Locate("mtu"),
                            "at most " + std::to_string(MPI_MTU) +
                                " with the transport tcp where several processes simulate "
                                "together, for more does not fit messages of ns-3's MPI engine",
                            std::to_string(options.fabric.mtu));
    }
    return std::make_unique<TcpReplayFabric>(options, graph);
}

void
TcpTransportKind::SetDefaults(const NetworkOptions& options) const
{
    const std::string control = "ns3::TcpMessageTransport::CongestionControl";
    if (!options.cc.empty() && !options.IsGiven(control))
    {
        const auto type = ParseCongestionControl({options.cc, options.Locate("cc")});
        Config::SetDefault(control, StringValue(type));
    }
}

std::string
TcpTransportKind::ParseCongestionControl(const TextField& cc) const
{
    return ns3::ParseCongestionControl(cc);
}

std::string
TcpTransportKind::FindAttributeRemedy(const NetworkOptions& options,
                                      TypeId type,
                                      const std::string& attribute) const
{
    const auto name = type.GetName();
    const bool isOwn = BeginsWith(name, "ns3::Tcp") || BeginsWith(name, "ns3::Ipv4");
    return isOwn ? "" : TransportKind::FindAttributeRemedy(options, type, attribute);
}

} // namespace ns3
