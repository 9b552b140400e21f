/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Largest p that a dragonfly takes by itself. Its 67 million hosts are beyond what a simulation
/// holds.
constexpr uint32_t DRAGONFLY_MAX_P = 64;

/// Most local and global ports of all routers together: 10 million links, which take 1 GB. More is
/// a slip of the keys; a million hosts need 3 million ports.
constexpr uint32_t DRAGONFLY_MAX_PORTS = 20000000;

/**
 * @ingroup workload-replay
 * @brief The numbers of a dragonfly.
 */
struct DragonflyShape
{
    uint64_t p{0};      //!< NICs of a router
    uint64_t a{0};      //!< routers of a group
    uint64_t h{0};      //!< global links of a router
    uint64_t groups{0}; //!< groups

    /**
     * @return most groups that the global links of a group can join
     */
    uint64_t GetMaxGroups() const
    {
        // Each global link of a group leads to another group.
        return a * h + 1;
    }

    // Products of keys of 32 bits may not fit into 64, so these are floating-point numbers, which
    // are exact up to 2^53.

    /**
     * @return NICs that all routers take
     */
    double GetCapacity() const
    {
        return static_cast<double>(p) * static_cast<double>(a) * static_cast<double>(groups);
    }

    /**
     * @return local and global ports of all routers
     */
    double GetRouterPorts() const
    {
        return static_cast<double>(groups) * static_cast<double>(a) *
               static_cast<double>(a - 1 + h);
    }
};

/**
 * @param spec the keys
 * @param shape the numbers
 * @throws WorkloadError if the keys make it larger than any simulation
 */
void
CheckSize(const TopologySpec& spec, const DragonflyShape& shape)
{
    if (shape.GetRouterPorts() > DRAGONFLY_MAX_PORTS)
    {
        throw spec.MakeError("at most " + std::to_string(DRAGONFLY_MAX_PORTS) +
                                 " ports between routers, groups x a x (a - 1 + h)",
                             std::to_string(shape.groups) + " x " + std::to_string(shape.a) +
                                 " x (" + std::to_string(shape.a) + " - 1 + " +
                                 std::to_string(shape.h) + ")");
    }
}

/**
 * @param spec the keys
 * @param nics number of NICs
 * @return a shape that holds them
 */
DragonflyShape
PlanDragonfly(const TopologySpec& spec, uint32_t nics)
{
    DragonflyShape shape;
    for (uint32_t n = 1; n <= DRAGONFLY_MAX_P; ++n)
    {
        // Balanced: a = 2p = 2h (J. Kim et al., ISCA 2008). A key that is given stays as it is.
        shape.p = spec.GetCount("p", n);
        shape.a = spec.GetCount("a", 2 * n);
        shape.h = spec.GetCount("h", n);
        const auto given = spec.GetCount("groups", 0);
        shape.groups = given == 0 ? shape.GetMaxGroups() : given;
        if (shape.groups <= shape.GetMaxGroups() && shape.GetCapacity() >= nics)
        {
            CheckSize(spec, shape);
            return shape;
        }
    }
    const auto a = std::to_string(shape.a);
    const auto groups = std::to_string(shape.groups);
    if (shape.groups > shape.GetMaxGroups())
    {
        throw spec.MakeError("at most a x h + 1 = " + a + " x " + std::to_string(shape.h) +
                                 " + 1 = " + std::to_string(shape.GetMaxGroups()) + " groups",
                             groups);
    }
    throw spec.MakeError("room for " + std::to_string(nics) + " NICs",
                         groups + " groups x " + a + " routers x " + std::to_string(shape.p) +
                             " NICs = " + std::to_string(shape.groups * shape.a * shape.p));
}

/**
 * Add the routers of all groups, and link those of a group each to each.
 *
 * @param [in,out] graph the graph
 * @param shape the numbers
 * @param parameters links
 * @return nodes of the routers, group after group
 */
std::vector<uint32_t>
AddGroups(TopologyGraph& graph, const DragonflyShape& shape, const FabricParameters& parameters)
{
    std::vector<uint32_t> routers;
    for (uint64_t group = 0; group < shape.groups; ++group)
    {
        const auto first = routers.size();
        for (uint64_t i = 0; i < shape.a; ++i)
        {
            const auto router =
                graph.AddSwitch("group" + std::to_string(group) + "-router" + std::to_string(i));
            for (auto other = first; other < routers.size(); ++other)
            {
                graph.AddLink(routers[other],
                              router,
                              parameters.nicRate,
                              parameters.GetCoreDelay());
            }
            routers.push_back(router);
        }
    }
    return routers;
}

/**
 * Link the groups.
 *
 * @param [in,out] graph the graph
 * @param routers nodes of the routers, group after group
 * @param shape the numbers
 * @param parameters links
 */
void
AddGlobalLinks(TopologyGraph& graph,
               const std::vector<uint32_t>& routers,
               const DragonflyShape& shape,
               const FabricParameters& parameters)
{
    if (shape.groups == 1)
    {
        return;
    }
    const auto others = shape.groups - 1;
    // Each pair of groups has the same number of links; ports that are left over have none.
    const auto rounds = shape.a * shape.h / others;
    for (uint64_t low = 0; low < shape.groups; ++low)
    {
        for (auto high = low + 1; high < shape.groups; ++high)
        {
            for (uint64_t round = 0; round < rounds; ++round)
            {
                // A group does not count itself, so the groups above it move down by one.
                const auto portOfLow = round * others + high - 1;
                const auto portOfHigh = round * others + low;
                graph.AddLink(routers[low * shape.a + portOfLow / shape.h],
                              routers[high * shape.a + portOfHigh / shape.h],
                              parameters.nicRate,
                              parameters.GetCoreDelay());
            }
        }
    }
}

} // namespace

TopologyGraph
BuildDragonflyTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto shape = PlanDragonfly(spec, CountNics(world, parameters));
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    const auto routers = AddGroups(graph, shape, parameters);
    for (uint32_t i = 0; i < nics.size(); ++i)
    {
        graph.AddLink(nics[i].node, routers[i / shape.p], nics[i].rate, parameters.GetEdgeDelay());
    }
    AddGlobalLinks(graph, routers, shape, parameters);
    return graph;
}

DEFINE_TOPOLOGY_GENERATOR(DragonflyTopology, BuildDragonflyTopology);
NS_STRATEGY_ENSURE_REGISTERED(DragonflyTopology,
                              "dragonfly",
                              "groups of routers, linked each to each: p NICs and h global "
                              "links per router, a routers per group (p = h = a / 2, the "
                              "smallest that holds the world), groups (a x h + 1)",
                              7);

} // namespace ns3
