/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builder.h"

#include "topology-builders.h"
#include "topology-servers.h"

#include "ns3/object-factory.h"

#include <string>
#include <unordered_set>

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
    const auto nics = AddNics(graph, parameters);
    // Ports of one switch never block each other: only the NICs limit.
    const auto center = graph.AddSwitch("switch0");
    for (const auto& nic : nics)
    {
        graph.AddLink(nic.node, center, nic.rate, parameters.GetEdgeDelay());
    }
    return graph;
}

/**
 * Build a rail-optimised leaf-spine, sized to the world. It has no keys.
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
    auto graph = BuildRailTopology(spec, world, parameters);
    // Reports name what was built, not how it was asked for.
    graph.SetName("rail");
    return graph;
}

/// Most NICs of a rank; more is a slip.
constexpr uint32_t MAX_NICS_PER_RANK = 64;

/**
 * @param spec whose location stands in the error
 * @param parameters size of a server and its NICs
 * @throws WorkloadError if there are too many NICs, with the most that would do
 */
void
CheckNics(const TopologySpec& spec, const FabricParameters& parameters)
{
    const auto gpus = parameters.gpusPerServer;
    const auto most = uint64_t{gpus} * MAX_NICS_PER_RANK;
    if (parameters.nicsPerServer > most)
    {
        throw spec.MakeError("nicsPerServer of at most " + std::to_string(MAX_NICS_PER_RANK) +
                                 " times the gpusPerServer of " + std::to_string(gpus),
                             std::to_string(parameters.nicsPerServer),
                             std::to_string(most));
    }
}

/**
 * @param spec whose location stands in the error
 * @param generator what it names
 * @param parameters servers and links
 * @throws WorkloadError if servers have no NVLink or no NVSwitches, or NVLink could not leave them
 */
void
CheckNvlink(const TopologySpec& spec,
            const TopologyGenerator& generator,
            const FabricParameters& parameters)
{
    const auto switches = parameters.nvSwitches;
    const auto rate = parameters.nvlinkRate.GetBitRate();
    // Each NVSwitch has an equal part of the rate, of 1 bit/s at least.
    if (switches == 0 || rate < switches)
    {
        throw spec.MakeError(switches == 0 ? "nvSwitches of at least 1" : "nvlinkRate above 0",
                             switches == 0 ? "0" : std::to_string(rate) + "bps");
    }
    if (parameters.nvlinkServers == 0 || !(parameters.nvlinkOversubscription > 0))
    {
        throw spec.MakeError("nvlinkServers and nvlinkOversubscription above 0", "0");
    }
    if (switches > 1 && (!generator.HasServers() || parameters.gpusPerServer == 1) &&
        parameters.nvlinkServers == 1)
    {
        throw spec.MakeError("one NVSwitch where there is no NVLink",
                             "nvSwitches " + std::to_string(switches));
    }
    if (parameters.nvlinkServers > 1 && generator.HasRelayingRanks())
    {
        throw spec.MakeError("nvlinkServers of 1 for a " + spec.GetName() +
                                 ", in which ranks relay",
                             std::to_string(parameters.nvlinkServers));
    }
}

/**
 * @param spec whose location stands in the error
 * @param generator what it names
 * @param world number of ranks
 * @param parameters servers without NVLink
 * @throws WorkloadError if it is not known what joins their ranks, or these could not leave them
 */
void
CheckPcie(const TopologySpec& spec,
          const TopologyGenerator& generator,
          uint32_t world,
          const FabricParameters& parameters)
{
    if (parameters.server.IsEmpty())
    {
        throw spec.MakeError("a server that says which GPUs and NICs stand behind which PCIe "
                             "switch, for servers without NVLink",
                             "none");
    }
    if (!generator.HasServers())
    {
        throw spec.MakeError("NVLink, or none of both, for a " + spec.GetName() +
                                 ", which has no servers",
                             "PCIe");
    }
    if (parameters.server.nics.empty() && world > parameters.gpusPerServer)
    {
        throw spec.MakeError("a NIC in the server described, as there are several servers", "none");
    }
    if (parameters.pcieRate.GetBitRate() == 0 || parameters.socketRate.GetBitRate() == 0)
    {
        throw spec.MakeError("pcieRate and socketRate above 0", "0bps");
    }
}

/**
 * @param spec whose location stands in the error
 * @param generator what it names
 * @param world number of ranks
 * @param parameters servers and links
 * @throws WorkloadError if a number is out of range
 */
void
CheckRanges(const TopologySpec& spec,
            const TopologyGenerator& generator,
            uint32_t world,
            const FabricParameters& parameters)
{
    const auto check = [&spec](bool right, const std::string& expected, const std::string& found) {
        if (!right)
        {
            throw spec.MakeError(expected, found);
        }
    };
    check(world > 0, "a world of at least 1 rank", "0");
    check(parameters.gpusPerServer > 0, "gpusPerServer of at least 1", "0");
    CheckNics(spec, parameters);
    check(parameters.nicRate.GetBitRate() > 0, "nicRate above 0", "0bps");
    check(parameters.hostMemoryRate.GetBitRate() > 0, "hostMemoryRate above 0", "0bps");
    const auto gpus = parameters.server.gpus.size();
    check(gpus == 0 || parameters.gpusPerServer <= gpus,
          "gpusPerServer of at most " + std::to_string(gpus) + ", the GPUs of the server described",
          std::to_string(parameters.gpusPerServer));
    parameters.pcie ? CheckPcie(spec, generator, world, parameters)
                    : CheckNvlink(spec, generator, parameters);
    const std::vector<std::pair<std::string, Time>> times{
        {"linkDelay", parameters.linkDelay},
        {"nvlinkDelay", parameters.nvlinkDelay},
        {"nicLatency", parameters.nicLatency},
        {"switchLatency", parameters.switchLatency},
        {"fecLatency", parameters.fecLatency}};
    for (const auto& [name, time] : times)
    {
        check(!time.IsStrictlyNegative(),
              name + " of at least 0",
              std::to_string(time.GetNanoSeconds()) + "ns");
    }
}

/**
 * Look at what users' own generators may get wrong.
 *
 * @param spec whose location stands in the error
 * @param graph what a generator has built
 * @param world number of ranks
 * @throws WorkloadError if ranks have no host of their own each, or nodes share a name, which
 *         options and files know them by
 */
void
CheckNodes(const TopologySpec& spec, const TopologyGraph& graph, uint32_t world)
{
    const auto hosts = graph.GetHosts().size();
    if (hosts != world)
    {
        throw spec.MakeError("a host from " + spec.GetName() + " for each of " +
                                 std::to_string(world) + " ranks",
                             std::to_string(hosts));
    }
    std::unordered_set<std::string> names;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& name = graph.GetNode(node).name;
        if (!names.insert(name).second)
        {
            throw spec.MakeError("nodes with names of their own from " + spec.GetName(),
                                 "two with the name " + Quoted(name));
        }
    }
}

} // namespace

DEFINE_TOPOLOGY_GENERATOR(AutoTopology, BuildAuto);
NS_STRATEGY_ENSURE_REGISTERED(AutoTopology,
                              "auto",
                              "rail with its defaults, sized to the world",
                              0);

DEFINE_TOPOLOGY_GENERATOR(SingleSwitchTopology, BuildSingleSwitch);
NS_STRATEGY_ENSURE_REGISTERED(SingleSwitchTopology, "single-switch", "one switch with all NICs", 1);

TopologyGraph
TopologyBuilder::Build(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto entries = StrategyRegistry::List(TopologyGenerator::GetTypeId());
    const auto* entry = StrategyRegistry::FindEntry(entries, spec.GetName());
    if (!entry)
    {
        throw spec.MakeError("a topology (" + JoinWords(GetNames()) + ", or another by its TypeId)",
                             Quoted(spec.GetName()),
                             StrategyRegistry::FindNearest(entries, spec.GetName()));
    }
    const auto generator = ObjectFactory(entry->type.GetName()).Create<TopologyGenerator>();
    CheckRanges(spec, *generator, world, parameters);
    auto graph = generator->Build(spec, world, parameters);
    if (graph.GetName().empty())
    {
        graph.SetName(entry->name);
    }
    CheckNodes(spec, graph, world);
    // Topologies of users' own generators, too, must join all hosts.
    graph.Validate(spec.GetLocation());
    return graph;
}

std::vector<std::string>
TopologyBuilder::GetNames()
{
    return StrategyRegistry::GetNames(TopologyGenerator::GetTypeId());
}

std::vector<std::string>
TopologyBuilder::GetHelp()
{
    std::vector<std::string> lines;
    for (const auto& entry : StrategyRegistry::List(TopologyGenerator::GetTypeId()))
    {
        lines.push_back(entry.name + ": " + entry.help);
    }
    return lines;
}

} // namespace ns3
