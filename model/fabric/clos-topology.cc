/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "clos-topology.h"

#include "topology-servers.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief The numbers of a leaf-spine.
 */
struct ClosShape
{
    uint32_t hostsPerLeaf{0};  //!< NICs that a leaf takes
    uint32_t leaves{0};        //!< leaf switches
    uint32_t spines{0};        //!< spine switches; 0 = a single leaf needs none
    uint32_t linksPerSpine{0}; //!< parallel links from a leaf to each spine
    DataRate uplinkRate;       //!< rate of one of them, bit/s
    bool interleaved{false};   //!< servers go round the leaves, else ranks fill leaf after leaf
};

/**
 * @param dividend any number
 * @param divisor at least 1
 * @return the quotient, rounded up
 */
uint32_t
DivideUp(uint32_t dividend, uint32_t divisor)
{
    return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

/**
 * Find how many leaves there are, and how many NICs each takes.
 *
 * @param spec the keys
 * @param world number of ranks
 * @param parameters size of a server
 * @param [in,out] shape placement in; leaves and their size out
 */
void
SizeLeaves(const TopologySpec& spec,
           uint32_t world,
           const FabricParameters& parameters,
           ClosShape& shape)
{
    const auto servers = CountServers(world, parameters);
    // A world smaller than a server has a single, partial server.
    const auto perServer = std::min(parameters.gpusPerServer, world);
    auto serversPerLeaf = std::max(1U, CLOS_HOSTS_PER_LEAF / perServer);
    if (spec.Has("leaves"))
    {
        serversPerLeaf = DivideUp(servers, spec.GetCount("leaves", 1));
    }
    shape.hostsPerLeaf = spec.GetCount("hostsPerLeaf", serversPerLeaf * perServer);
    const auto needed = shape.interleaved
                            ? DivideUp(servers, std::max(1U, shape.hostsPerLeaf / perServer))
                            : DivideUp(world, shape.hostsPerLeaf);
    shape.leaves = spec.GetCount("leaves", needed);

    const auto capacity = static_cast<uint64_t>(shape.leaves) * shape.hostsPerLeaf;
    if (capacity < world)
    {
        throw spec.MakeError("a topology of at least " + std::to_string(world) + " hosts",
                             std::to_string(shape.leaves) + " leaves x " +
                                 std::to_string(shape.hostsPerLeaf) +
                                 " hosts per leaf = " + std::to_string(capacity));
    }
    const auto fullest = DivideUp(servers, shape.leaves) * perServer;
    if (shape.interleaved && fullest > shape.hostsPerLeaf)
    {
        throw spec.MakeError("at least " + std::to_string(fullest) + " hosts per leaf for " +
                                 std::to_string(servers) + " servers of " +
                                 std::to_string(perServer) + " interleaved over " +
                                 std::to_string(shape.leaves) + " leaves",
                             std::to_string(shape.hostsPerLeaf));
    }
}

/**
 * Find how many spines there are, and how many links lead to each.
 *
 * @param spec the keys
 * @param parameters rate of a NIC
 * @param [in,out] shape leaves and their size in; spines and links out
 */
void
SizeSpines(const TopologySpec& spec, const FabricParameters& parameters, ClosShape& shape)
{
    const auto oversubscription = spec.GetRatio("oversubscription", 1);
    shape.uplinkRate = spec.GetRate("uplinkRate", parameters.nicRate);
    const auto spines = spec.GetCount("spines", 0);
    if (shape.leaves == 1 && spines == 0)
    {
        return;
    }
    const auto hostRate = static_cast<double>(shape.hostsPerLeaf) *
                          static_cast<double>(parameters.nicRate.GetBitRate());
    const auto exact =
        hostRate / (oversubscription * static_cast<double>(shape.uplinkRate.GetBitRate()));
    std::ostringstream sum;
    sum << shape.hostsPerLeaf << " hosts x " << parameters.nicRate.GetBitRate() / 1e9
        << "Gbps / (oversubscription " << oversubscription << " x uplinks of "
        << shape.uplinkRate.GetBitRate() / 1e9 << "Gbps) = " << exact;
    // A ratio such as 1.2 has no exact binary form, so the quotient may miss a whole number.
    const auto uplinks = std::round(exact);
    if (uplinks < 1 || uplinks > 1e6 || std::abs(exact - uplinks) > 1e-6)
    {
        throw spec.MakeError("a whole number of uplinks per leaf", sum.str());
    }
    const auto count = static_cast<uint32_t>(uplinks);
    shape.spines = spines == 0 ? count : spines;
    if (count % shape.spines != 0)
    {
        throw spec.MakeError("a number of spines that divides the uplinks per leaf (" + sum.str() +
                                 ")",
                             std::to_string(shape.spines) + " spines");
    }
    shape.linksPerSpine = count / shape.spines;
}

} // namespace

TopologyGraph
BuildClosTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    ClosShape shape;
    shape.interleaved = spec.GetWord("placement", {"block", "interleaved"}) == "interleaved";
    SizeLeaves(spec, world, parameters, shape);
    SizeSpines(spec, parameters, shape);
    spec.CheckUnusedKeys();

    auto graph = MakeServers(world, parameters);
    std::vector<uint32_t> leaves;
    for (uint32_t leaf = 0; leaf < shape.leaves; ++leaf)
    {
        leaves.push_back(graph.AddSwitch("leaf" + std::to_string(leaf)));
    }
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        const auto leaf = shape.interleaved ? rank / parameters.gpusPerServer % shape.leaves
                                            : rank / shape.hostsPerLeaf;
        graph.AddLink(graph.GetHosts()[rank],
                      leaves[leaf],
                      parameters.nicRate,
                      parameters.linkDelay);
    }
    for (uint32_t spine = 0; spine < shape.spines; ++spine)
    {
        const auto node = graph.AddSwitch("spine" + std::to_string(spine));
        for (const auto leaf : leaves)
        {
            for (uint32_t i = 0; i < shape.linksPerSpine; ++i)
            {
                graph.AddLink(leaf, node, shape.uplinkRate, parameters.linkDelay);
            }
        }
    }
    return graph;
}

} // namespace ns3
