/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-fabric.h"
#include "transport-kind.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-network.h"
#include "ns3/ideal-port-isolation.h"
#include "ns3/log-gops-costs.h"
#include "ns3/log-gops-message-transport.h"
#include "ns3/strategy-registry.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief The perfect core. It has no packets, so that there is nothing to count and to cut.
 */
class IdealReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology
     */
    IdealReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    FabricDescription Describe() const override;
    Ptr<PortIsolation> IsolatePorts() const override;
    std::set<uint32_t> ListSendingPorts() const override;

  private:
    TopologyGraph m_graph;                                //!< the topology
    FabricDescription m_description;                      //!< what it is
    IdealFabricHelper m_fabric;                           //!< which link ends at which port
    Ptr<IdealNetwork> m_network;                          //!< the network
    std::vector<IdealPortIsolation::Switches> m_switches; //!< NVSwitches of each rank's server
};

/**
 * @ingroup workload-replay
 * @brief The network of the LogGOPS model.
 */
class LogGopsReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology, of which nothing but the hosts counts
     */
    LogGopsReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    FabricDescription Describe() const override;

  private:
    FabricDescription m_description; //!< what it is
};

IdealReplayFabric::IdealReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_graph(graph),
      m_description(DescribeGraph(options, graph))
{
    const auto endpoints = FindEndpoints(options, graph);
    const auto count = static_cast<uint32_t>(endpoints.GetNodes().size());
    m_hosts.Create(endpoints.GetNHosts());
    // Switches that take part in collectives have the addresses behind those of the hosts.
    m_switchNodes.Create(count - endpoints.GetNHosts());
    m_network = m_fabric.Install(graph, endpoints);
    for (const auto& range : endpoints.GetSwitches())
    {
        m_switches.push_back({range.first, range.count});
    }
    for (uint32_t address = 0; address < count; ++address)
    {
        const bool isHost = address < endpoints.GetNHosts();
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(m_network, address);
        (isHost ? m_transports : m_switchTransports).emplace_back(transport);
    }
}

FabricDescription
IdealReplayFabric::Describe() const
{
    return m_description;
}

Ptr<PortIsolation>
IdealReplayFabric::IsolatePorts() const
{
    auto isolation = CreateObject<IdealPortIsolation>();
    isolation->Setup(m_network, m_hosts.GetN(), m_switches);
    return isolation;
}

std::set<uint32_t>
IdealReplayFabric::ListSendingPorts() const
{
    std::set<uint32_t> directions;
    for (const auto host : m_graph.GetHosts())
    {
        for (const auto link : m_graph.GetLinksOf(host))
        {
            if (m_network->HasSent(m_fabric.GetPort(link, host)))
            {
                directions.insert(m_graph.GetDirection(link, host));
            }
        }
    }
    return directions;
}

LogGopsReplayFabric::LogGopsReplayFabric(const NetworkOptions& options, const TopologyGraph& graph)
    : m_description(DescribeGraph(options, graph))
{
    const auto costs = CreateObject<LogGopsCosts>();
    auto ranks = std::make_shared<LogGopsMessageTransport::Ranks>();
    m_hosts.Create(static_cast<uint32_t>(graph.GetHosts().size()));
    for (uint32_t rank = 0; rank < m_hosts.GetN(); ++rank)
    {
        auto transport = CreateObject<LogGopsMessageTransport>();
        transport->Setup(ranks, costs);
        ranks->push_back(PeekPointer(transport));
        m_transports.emplace_back(transport);
    }
}

FabricDescription
LogGopsReplayFabric::Describe() const
{
    return m_description;
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief The transport ideal: a network without packets, or the LogGOPS model in its place.
 */
class IdealTransportKind : public TransportKind
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
};

NS_STRATEGY_ENSURE_REGISTERED(IdealTransportKind,
                              "ideal",
                              "a perfect core without packets, the reference that a network is "
                              "judged against",
                              1);

TypeId
IdealTransportKind::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IdealTransportKind")
                            .SetParent<TransportKind>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<IdealTransportKind>();
    return tid;
}

std::string
IdealTransportKind::FindUnsupportedReason(Use use) const
{
    const bool can = use == Use::REUSE || use == Use::PARALLEL_LINKS || use == Use::LOG_GOPS;
    return can ? "" : TransportKind::FindUnsupportedReason(use);
}

std::unique_ptr<ReplayFabric>
IdealTransportKind::Create(const NetworkOptions& options, const TopologyGraph& graph) const
{
    if (HasLogGopsNetwork(options))
    {
        return std::make_unique<LogGopsReplayFabric>(options, graph);
    }
    return std::make_unique<IdealReplayFabric>(options, graph);
}

void
IdealTransportKind::SetDefaults(const NetworkOptions& options) const
{
    const std::string merged = "ns3::NvlsCollective::Merged";
    if (!options.IsGiven(merged))
    {
        // The NVLinks of a GPU are one port there.
        Config::SetDefault(merged, BooleanValue(true));
    }
}

} // namespace ns3
