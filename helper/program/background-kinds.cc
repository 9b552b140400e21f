/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-kind.h"

#include "ns3/flow-list-reader.h"
#include "ns3/input-values.h"
#include "ns3/strategy-registry.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a permutation's flow unless the user says more: large enough to fill a path.
constexpr const char* PERMUTATION_BYTES = "1MiB";

/// Bytes of a sender of an incast, and most senders, unless the user says more (Y. Li et al.,
/// "HPCC", SIGCOMM 2019, section 5.3).
/// @{
constexpr const char* INCAST_BYTES = "500000";
constexpr uint32_t INCAST_SENDERS = 60;

/// @}

/**
 * @param file file of flows, as flows.csv has them or as other simulators do
 * @param graph the topology
 * @return the flows
 */
std::vector<BackgroundFlow>
ReadFlows(const std::string& file, const TopologyGraph& graph)
{
    const auto& nodes = graph.GetHosts();
    if (!IsFlowList(file))
    {
        return ReadFlowFile(file, static_cast<uint32_t>(nodes.size()));
    }
    auto list = ReadFlowList(file);
    if (list.byNode)
    {
        NumberByHost(list, nodes);
    }
    if (list.hosts > nodes.size())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "at most the " + std::to_string(nodes.size()) +
                                " hosts of the topology",
                            std::to_string(list.hosts));
    }
    return MakeBackgroundFlows(list);
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief Poisson arrivals, see PoissonTraffic.
 */
class PoissonBackground : public BackgroundKind
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PoissonBackground")
                                .SetParent<BackgroundKind>()
                                .SetGroupName("WorkloadReplay")
                                .AddConstructor<PoissonBackground>();
        return tid;
    }

    std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                           const TopologyGraph& graph) const override
    {
        const auto hosts = FindHosts(spec, graph);
        const auto sizes = spec.GetField("sizes", "web-search");
        return std::make_unique<PoissonTraffic>(hosts, FlowSizes::Parse(sizes), GetLoad(spec));
    }
};

NS_STRATEGY_ENSURE_REGISTERED(PoissonBackground,
                              "poisson",
                              "load, sizes = web-search, data-mining, storage, a size or a file",
                              0);

/**
 * @ingroup workload-replay
 * @brief A permutation, see PermutationTraffic.
 */
class PermutationBackground : public BackgroundKind
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PermutationBackground")
                                .SetParent<BackgroundKind>()
                                .SetGroupName("WorkloadReplay")
                                .AddConstructor<PermutationBackground>();
        return tid;
    }

    std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                           const TopologyGraph& graph) const override
    {
        const auto hosts = FindHosts(spec, graph);
        const auto bytes = GetBytes(spec, PERMUTATION_BYTES);
        return std::make_unique<PermutationTraffic>(hosts, bytes, GetLoad(spec));
    }
};

NS_STRATEGY_ENSURE_REGISTERED(PermutationBackground, "permutation", "load, bytes", 1);

/**
 * @ingroup workload-replay
 * @brief Incasts, see IncastTraffic.
 */
class IncastBackground : public BackgroundKind
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::IncastBackground")
                                .SetParent<BackgroundKind>()
                                .SetGroupName("WorkloadReplay")
                                .AddConstructor<IncastBackground>();
        return tid;
    }

    std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                           const TopologyGraph& graph) const override
    {
        const auto hosts = FindHosts(spec, graph);
        return std::make_unique<IncastTraffic>(hosts, GetShape(spec, hosts));
    }

  private:
    /**
     * @param spec an incast
     * @param hosts its hosts
     * @return what is sent
     */
    static IncastTraffic::Shape GetShape(const KeyedValues& spec, const TrafficHosts& hosts)
    {
        const auto others = static_cast<uint32_t>(hosts.hosts.size() - 1);
        IncastTraffic::Shape shape;
        shape.senders = spec.GetCount("senders", std::min(INCAST_SENDERS, others));
        shape.bytes = GetBytes(spec, INCAST_BYTES);
        shape.load = GetLoad(spec);
        if (shape.senders > others)
        {
            throw WorkloadError(spec.GetField("senders").where,
                                "at most " + std::to_string(others) +
                                    " senders, as many as there are other hosts",
                                std::to_string(shape.senders));
        }
        if (spec.Has("receiver"))
        {
            const auto field = spec.GetField("receiver");
            const auto receiver = ReadWhole(field.text);
            const auto found = std::find(hosts.hosts.begin(), hosts.hosts.end(), receiver);
            if (found == hosts.hosts.end())
            {
                throw WorkloadError(field.where, "a receiver that is one of the hosts", field.text);
            }
            // Its place among the hosts of this traffic, not among all.
            shape.receiver = static_cast<uint32_t>(found - hosts.hosts.begin());
        }
        return shape;
    }
};

NS_STRATEGY_ENSURE_REGISTERED(IncastBackground, "incast", "load, bytes, senders, receiver", 2);

/**
 * @ingroup workload-replay
 * @brief The flows of a file.
 */
class ListedBackground : public BackgroundKind
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ListedBackground")
                                .SetParent<BackgroundKind>()
                                .SetGroupName("WorkloadReplay")
                                .AddConstructor<ListedBackground>();
        return tid;
    }

    std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                           const TopologyGraph& graph) const override
    {
        if (!spec.Has("name"))
        {
            throw spec.MakeMissingError("name",
                                        "name of the file of flows, such as file:name=flows.csv");
        }
        return std::make_unique<ListedTraffic>(ReadFlows(spec.GetText("name"), graph));
    }
};

NS_STRATEGY_ENSURE_REGISTERED(ListedBackground, "file", "name = a table like flows.csv", 3);

} // namespace ns3
