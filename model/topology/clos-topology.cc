/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"
#include "topology-uplinks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// NICs that a leaf switch takes by default: half the ports of a 64-port switch, the
/// other half being uplinks.
constexpr uint32_t CLOS_HOSTS_PER_LEAF = 32;

/**
 * @ingroup workload-replay
 * @brief The numbers of a leaf-spine.
 */
struct ClosShape
{
    uint32_t hostsPerLeaf{0}; //!< NICs that a leaf takes
    uint32_t leaves{0};       //!< leaf switches
    bool interleaved{false};  //!< servers go round the leaves, else NICs fill leaf after leaf
    UplinkPlan uplinks;       //!< links from leaves to spines

    /**
     * @param nic a NIC
     * @param position how many NICs stand before it
     * @return the leaf that it is at, counted from 0
     */
    uint32_t GetLeaf(const ServerNic& nic, uint32_t position) const
    {
        return interleaved ? nic.server % leaves : position / hostsPerLeaf;
    }
};

/**
 * Find the numbers of a leaf-spine from the keys of BuildClosTopology().
 *
 * @param spec the keys
 * @param world number of ranks, at least 1
 * @param parameters size of a server and its NICs
 * @param portRate rate of the link from a NIC to its leaf, bit/s, above 0
 * @return the numbers
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does not
 *         fit
 */
ClosShape
PlanClos(const TopologySpec& spec,
         uint32_t world,
         const FabricParameters& parameters,
         DataRate portRate)
{
    ClosShape shape;
    shape.interleaved = spec.GetWord("placement", {"block", "interleaved"}) == "interleaved";
    const auto servers = CountServers(world, parameters);
    const auto nics = CountNics(world, parameters);
    // A world smaller than a server has a single, partial server.
    const auto perServer = CountNics(std::min(parameters.gpusPerServer, world), parameters);
    auto serversPerLeaf = std::max(1U, CLOS_HOSTS_PER_LEAF / perServer);
    // A leaf takes whole servers, unless hostsPerLeaf says otherwise.
    if (spec.Has("leaves"))
    {
        serversPerLeaf = DivideUp(servers, spec.GetCount("leaves", 1));
    }
    shape.hostsPerLeaf = spec.GetCount("hostsPerLeaf", serversPerLeaf * perServer);
    const auto needed = shape.interleaved
                            ? DivideUp(servers, std::max(1U, shape.hostsPerLeaf / perServer))
                            : DivideUp(nics, shape.hostsPerLeaf);
    shape.leaves = spec.GetCount("leaves", needed);

    const auto capacity = static_cast<uint64_t>(shape.leaves) * shape.hostsPerLeaf;
    if (capacity < nics)
    {
        throw spec.MakeError("room for " + std::to_string(nics) + " NICs",
                             std::to_string(shape.leaves) + " leaves x " +
                                 std::to_string(shape.hostsPerLeaf) +
                                 " NICs per leaf = " + std::to_string(capacity));
    }
    const auto fullest = DivideUp(servers, shape.leaves) * perServer;
    if (shape.interleaved && fullest > shape.hostsPerLeaf)
    {
        throw spec.MakeError("at least " + std::to_string(fullest) + " NICs per leaf for " +
                                 std::to_string(servers) + " servers of " +
                                 std::to_string(perServer) + " interleaved over " +
                                 std::to_string(shape.leaves) + " leaves",
                             std::to_string(shape.hostsPerLeaf));
    }
    shape.uplinks = PlanUplinks(spec, {shape.leaves, shape.hostsPerLeaf, portRate}, 0);
    if (shape.leaves == 1 && spec.Has("placement"))
    {
        shape.uplinks.idleKeys.emplace_back("placement");
    }
    return shape;
}

/**
 * Build the servers and, for each port of their NICs, the leaves that it leads to and their spines.
 *
 * @param spec the keys
 * @param world number of ranks
 * @param parameters servers and links
 * @param ports ports of a NIC
 * @param apart whether each port has spines of its own
 * @return the graph
 */
TopologyGraph
BuildLeafSpine(const TopologySpec& spec,
               uint32_t world,
               const FabricParameters& parameters,
               uint32_t ports,
               bool apart)
{
    // At least 1 bit/s, since a link without a rate is none.
    const DataRate share(std::max<uint64_t>(1, parameters.nicRate.GetBitRate() / ports));
    const auto portRate = ports == 1 ? share : spec.GetRate("portRate", share);
    const auto shape = PlanClos(spec, world, parameters, portRate);
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    std::vector<uint32_t> leaves;
    for (uint32_t port = 0; port < ports; ++port)
    {
        const auto plane = apart ? "plane" + std::to_string(port) + "-" : "";
        const auto tor = ports > 1 && !apart ? "-tor" + std::to_string(port) : "";
        const auto first = leaves.size();
        for (uint32_t i = 0; i < shape.leaves; ++i)
        {
            leaves.push_back(graph.AddSwitch(plane + "leaf" + std::to_string(i) + tor));
        }
        for (uint32_t i = 0; i < nics.size(); ++i)
        {
            const auto leaf = leaves[first + shape.GetLeaf(nics[i], i)];
            // A NIC that is reached through host memory may be slower than its port.
            const auto rate = std::min(portRate, nics[i].rate);
            graph.AddLink(nics[i].node, leaf, rate, parameters.GetEdgeDelay());
        }
        // With planes each port has spines of its own, else the last port adds them for all.
        if (apart || port + 1 == ports)
        {
            AddSpines(graph, leaves, shape.uplinks, parameters.GetCoreDelay(), plane);
            leaves.clear();
        }
    }
    NoteIdleKeys(graph, shape.uplinks, "hostsPerLeaf");
    return graph;
}

} // namespace

TopologyGraph
BuildClosTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    return BuildLeafSpine(spec, world, parameters, 1, false);
}

TopologyGraph
BuildDualPlaneTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    return BuildLeafSpine(spec, world, parameters, 2, true);
}

TopologyGraph
BuildDualTorTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    return BuildLeafSpine(spec, world, parameters, 2, false);
}

/// The key of a leaf-spine that says how many ranks are at a leaf.
#define DEFINE_LEAF_KEY                                                                            \
    std::string GetLeafKey(uint32_t ranks, const FabricParameters& parameters) const override      \
    {                                                                                              \
        return "hostsPerLeaf=" + std::to_string(CountNics(ranks, parameters));                     \
    }

DEFINE_TOPOLOGY_GENERATOR(ClosTopology, BuildClosTopology, DEFINE_LEAF_KEY);
NS_STRATEGY_ENSURE_REGISTERED(ClosTopology,
                              "clos",
                              "leaf-spine: hostsPerLeaf (32 at most, whole servers), leaves "
                              "(as needed), spines (one per uplink), oversubscription (1), "
                              "uplinkRate (nicRate), placement (block; or interleaved)",
                              2);

DEFINE_TOPOLOGY_GENERATOR(DualPlaneTopology, BuildDualPlaneTopology, DEFINE_LEAF_KEY);
NS_STRATEGY_ENSURE_REGISTERED(DualPlaneTopology,
                              "dual-plane",
                              "two leaf-spines, a port of every NIC in each: portRate "
                              "(nicRate / 2) and the keys of clos",
                              5);

DEFINE_TOPOLOGY_GENERATOR(DualTorTopology, BuildDualTorTopology, DEFINE_LEAF_KEY);
NS_STRATEGY_ENSURE_REGISTERED(DualTorTopology,
                              "dual-tor",
                              "leaf-spine with pairs of leaves, a port of every NIC at each: "
                              "portRate (nicRate / 2) and the keys of clos",
                              6);

} // namespace ns3
