/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"
#include "topology-uplinks.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Servers that a rail leaf takes by default: half the ports of a switch of 128, such
/// as 51.2 Tb/s switches have at 400 Gb/s, the other half being uplinks.
constexpr uint32_t RAIL_SERVERS_PER_GROUP = 64;

/// Ports of a spine, from which the default number of spines follows.
constexpr uint32_t RAIL_SPINE_PORTS = 128;

} // namespace

TopologyGraph
BuildRailTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto servers = CountServers(world, parameters);
    const auto rails = CountRails(world, parameters);
    // Groups as even as can be: 65 servers make groups of 33 and 32, not of 64 and 1.
    const auto even = DivideUp(servers, DivideUp(servers, RAIL_SERVERS_PER_GROUP));
    const bool isRailOnly = spec.GetText("spines") == "0";
    const auto serversPerGroup = spec.GetCount("serversPerGroup", isRailOnly ? servers : even);
    const auto groups = DivideUp(servers, serversPerGroup);
    UplinkPlan uplinks;
    if (!isRailOnly)
    {
        uplinks = PlanUplinks(spec,
                              {rails * groups, serversPerGroup, parameters.nicRate},
                              RAIL_SPINE_PORTS);
    }
    else if (groups > 1)
    {
        throw spec.MakeError("serversPerGroup of at least " + std::to_string(servers) +
                                 ", the servers of the job, for a rail without spines, which would "
                                 "join groups",
                             std::to_string(serversPerGroup));
    }
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    // Without spines only NVLink joins the rails, so that ranks have to forward packets for others.
    if (isRailOnly && rails > 1 && parameters.gpusPerServer > 1)
    {
        graph.LetHostsRelay();
    }
    const auto nics = AddNics(graph, parameters);
    std::vector<uint32_t> leaves;
    for (uint32_t rail = 0; rail < rails; ++rail)
    {
        for (uint32_t group = 0; group < groups; ++group)
        {
            leaves.push_back(
                graph.AddSwitch("rail" + std::to_string(rail) + "-leaf" + std::to_string(group)));
        }
    }
    for (const auto& nic : nics)
    {
        graph.AddLink(nic.node,
                      leaves[nic.index * groups + nic.server / serversPerGroup],
                      nic.rate,
                      parameters.GetEdgeDelay());
    }
    AddSpines(graph, leaves, uplinks, parameters.GetCoreDelay());
    NoteIdleKeys(graph, uplinks, "serversPerGroup");
    return graph;
}

DEFINE_TOPOLOGY_GENERATOR(
    RailTopology,
    BuildRailTopology,
    std::string GetLeafKey(uint32_t ranks, const FabricParameters& parameters) const override {
        return "serversPerGroup=" + std::to_string(CountServers(ranks, parameters));
    });
NS_STRATEGY_ENSURE_REGISTERED(RailTopology,
                              "rail",
                              "a leaf per NIC index and group of servers, joined by spines: "
                              "serversPerGroup (64 at most), spines (as few of 128 ports as "
                              "suffice; 0 = rail-only: ranks relay between NVLink and their "
                              "rail), oversubscription (1), uplinkRate (nicRate)",
                              4);

} // namespace ns3
