/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builder.h"

#include "clos-topology.h"
#include "topology-servers.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/**
 * Build one switch with the NICs of all ranks. It has no keys.
 *
 * @param spec name and keys
 * @param world number of ranks
 * @param parameters servers and links
 * @return the graph
 */
TopologyGraph
BuildSingleSwitch(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    spec.CheckUnusedKeys();
    auto graph = MakeServers(world, parameters);
    const auto center = graph.AddSwitch("switch0");
    for (const auto host : graph.GetHosts())
    {
        graph.AddLink(host, center, parameters.nicRate, parameters.linkDelay);
    }
    return graph;
}

/**
 * Build a single switch if it has ports enough, else a leaf-spine. It has no keys.
 *
 * @param spec name and keys
 * @param world number of ranks
 * @param parameters servers and links
 * @return the graph
 */
TopologyGraph
BuildAuto(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    spec.CheckUnusedKeys();
    const bool isSmall = world <= CLOS_HOSTS_PER_LEAF;
    auto graph = isSmall ? BuildSingleSwitch(spec, world, parameters)
                         : BuildClosTopology(spec, world, parameters);
    graph.SetName(isSmall ? "single-switch" : "clos");
    return graph;
}

/**
 * @ingroup workload-replay
 * @brief A named topology.
 */
struct Entry
{
    const char* name;                   //!< name in options
    TopologyBuilder::Function function; //!< what builds it
    const char* help;                   //!< what it is, and its keys
};

/// The topologies, in the order of the help.
constexpr std::array<Entry, 3> TOPOLOGIES{{
    {"auto", &BuildAuto, "single-switch up to 32 ranks, clos without oversubscription beyond"},
    {"single-switch", &BuildSingleSwitch, "one switch with the NICs of all ranks"},
    {"clos",
     &BuildClosTopology,
     "leaf-spine: hostsPerLeaf (32 at most, whole servers), leaves (as needed), spines (one per "
     "uplink), oversubscription (1), uplinkRate (nicRate), placement (block; or interleaved)"},
}};

/**
 * @param spec whose location stands in the error
 * @param world number of ranks
 * @param parameters servers and links
 * @throws WorkloadError if a number is out of range
 */
void
CheckRanges(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto check = [&spec](bool right, const std::string& expected, const std::string& found) {
        if (!right)
        {
            throw spec.MakeError(expected, found);
        }
    };
    check(world > 0, "a world of at least 1 rank", "0");
    check(parameters.gpusPerServer > 0, "gpusPerServer of at least 1", "0");
    check(parameters.nicRate.GetBitRate() > 0, "nicRate above 0", "0bps");
    check(parameters.nvlinkRate.GetBitRate() > 0, "nvlinkRate above 0", "0bps");
    check(!parameters.linkDelay.IsStrictlyNegative(),
          "linkDelay of at least 0",
          std::to_string(parameters.linkDelay.GetNanoSeconds()) + "ns");
    check(!parameters.nvlinkDelay.IsStrictlyNegative(),
          "nvlinkDelay of at least 0",
          std::to_string(parameters.nvlinkDelay.GetNanoSeconds()) + "ns");
}

} // namespace

TopologyGraph
TopologyBuilder::Build(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto entry = std::find_if(TOPOLOGIES.begin(), TOPOLOGIES.end(), [&spec](const Entry& e) {
        return spec.GetName() == e.name;
    });
    if (entry == TOPOLOGIES.end())
    {
        const auto names = GetNames();
        std::string list;
        for (const auto& name : names)
        {
            list += (list.empty() ? "" : ", ") + name;
        }
        throw spec.MakeError("a topology (" + list + ")",
                             Quoted(spec.GetName()),
                             NearestName(spec.GetName(), names));
    }
    CheckRanges(spec, world, parameters);
    auto graph = entry->function(spec, world, parameters);
    if (graph.GetName().empty())
    {
        graph.SetName(entry->name);
    }
    graph.Validate(spec.GetLocation());
    return graph;
}

std::vector<std::string>
TopologyBuilder::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : TOPOLOGIES)
    {
        names.emplace_back(entry.name);
    }
    return names;
}

std::string
TopologyBuilder::GetHelp()
{
    std::string help;
    for (const auto& entry : TOPOLOGIES)
    {
        help += std::string(entry.name) + ": " + entry.help + "\n";
    }
    return help;
}

} // namespace ns3
