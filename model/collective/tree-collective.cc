/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-collective.h"

#include "channel-tuning.h"
#include "collective-costs.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <functional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TreeCollective");

NS_STRATEGY_ENSURE_REGISTERED(TreeCollective, "tree", "double binary trees", 2);

namespace
{

// What NCCL assumes for trees (tuning.cc).
constexpr double TREE_SHARE = 0.92;            //!< of the bus rate that trees reach
constexpr double LL_SHARE = 1 / 3.8;           //!< of that, in LL
constexpr double LL128_SHARE = 120.0 / 128;    //!< of that, in LL128
constexpr double LL128_SERVER_SHARE = 7.0 / 9; //!< of that, in LL128 in one server

/**
 * @param number a number, at least 1
 * @return its logarithm to base 2, rounded down
 */
uint32_t
GetLogarithm(uint64_t number)
{
    return CeilLog2(number + 1) - 1;
}

/**
 * @param index an index
 * @param shift how far to go on, at most size
 * @param size where to begin anew
 * @return the index so much further on in a circle
 */
uint32_t
Turn(uint32_t index, uint32_t shift, uint32_t size)
{
    return static_cast<uint32_t>((uint64_t{index} + shift) % size);
}

/**
 * Make a place in a tree over servers whose nodes are trees of the members of a server.
 *
 * @param call the collective
 * @param outer shape of the tree over servers
 * @param inner shape of the tree inside a server
 * @param first server at node 0 of the outer tree
 * @param head gives by server the rail of the member that stands in the outer tree
 * @return place of the member; the nodes are members
 */
TreePlace
NestPlaces(const CollectiveCall& call,
           TreePlace::Maker outer,
           TreePlace::Maker inner,
           uint32_t first,
           const std::function<uint32_t(uint32_t)>& head)
{
    const auto& servers = call.placement->GetServers();
    const auto nServers = static_cast<uint32_t>(servers.size());
    const auto& own = call.placement->GetPlace(call.index);
    const auto& members = servers[own.server];
    const auto size = static_cast<uint32_t>(members.size());
    const uint32_t top = head(own.server);

    // Within the server, counted from its top member.
    const auto below = inner(size, Turn(own.rail, size - top, size));
    auto place = below.Rename([&](uint32_t node) { return members[Turn(node, top, size)]; });
    const auto above = outer(nServers, Turn(own.server, nServers - first, nServers));
    // Depth and height run through both trees: members below go by the same rounds.
    place.depth += above.depth;
    // The largest server sets the height, so that it is the same for all members.
    place.height = above.height + inner(call.placement->GetLargestServer(), 0).height;
    if (own.rail != top)
    {
        return place;
    }
    const auto heads = above.Rename([&](uint32_t node) {
        const auto server = Turn(node, first, nServers);
        return servers[server][head(server)];
    });
    place.parent = heads.parent;
    // Servers before the members of the own one: what crosses the network is more urgent.
    place.children.insert(place.children.begin(), heads.children.begin(), heads.children.end());
    return place;
}

} // namespace

TypeId
TreeCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TreeCollective")
                            .SetParent<PipelinedCollective>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<TreeCollective>();
    return tid;
}

TreeCollective::TreeCollective()
    : PipelinedCollective(
          "tree",
          {CollectiveKind::ALL_REDUCE, CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
{
    NS_LOG_FUNCTION(this);
}

double
TreeCollective::GetUsedShare(const CollectiveCall& call) const
{
    return ChannelTuning::GetUsedShare(call, ChannelTuning::TREE);
}

std::optional<uint32_t>
TreeCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    return ChannelTuning::FindChannels(call, ChannelTuning::TREE);
}

ChannelBundle
TreeCollective::GetBundle(const CollectiveCall& call) const
{
    return ChannelTuning::GetBundle(call, ChannelTuning::TREE, GetChannels(call));
}

std::optional<double>
TreeCollective::Estimate(const CollectiveCall& call,
                         CollectiveProtocol protocol,
                         const CollectiveCosts& costs) const
{
    if (call.kind != CollectiveKind::ALL_REDUCE)
    {
        return std::nullopt;
    }
    if (call.placement && call.placement->GetChannels())
    {
        return ChannelTuning(call, costs).Estimate(ChannelTuning::TREE, protocol);
    }
    const auto layout = CollectiveLayout::Of(call);
    double rate = TREE_SHARE * costs.GetBusRate(layout);
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        rate = std::min(rate * LL_SHARE, costs.GetLlMaxRate(layout)) *
               ChannelTuning::GetTreeCorrection(protocol, call.bytes);
        break;
    case CollectiveProtocol::LL128:
        rate *= (layout.servers == 1 ? LL128_SERVER_SHARE : LL128_SHARE) *
                ChannelTuning::GetTreeCorrection(protocol, call.bytes);
        break;
    case CollectiveProtocol::SIMPLE:
        rate *= ChannelTuning::GetTreeCorrection(protocol, call.bytes);
        break;
    }
    const auto latencies = GetLatencies(protocol, layout, costs);
    const auto depth = static_cast<double>(GetLogarithm(layout.servers));
    const double latency =
        latencies.base.GetSeconds() + 2 * ((layout.perServer - 1) * latencies.server.GetSeconds() +
                                           depth * latencies.network.GetSeconds());
    // The buffer goes up and comes down again.
    return latency + 2 * static_cast<double>(call.bytes) / rate;
}

uint32_t
TreeCollective::GetAutomaticChannels(const CollectiveCall& call) const
{
    if (const auto* found = call.placement ? call.placement->GetChannels() : nullptr;
        found && call.kind == CollectiveKind::ALL_REDUCE)
    {
        return std::min(found->CountTrees(),
                        ChannelTuning::CountChannels(call, ChannelTuning::TREE));
    }
    // In one server both trees would be the same chain.
    const bool isOneServer = call.placement && call.placement->GetServers().size() == 1;
    if (call.kind != CollectiveKind::ALL_REDUCE || isOneServer)
    {
        return 1;
    }
    return 2 * PipelinedCollective::GetAutomaticChannels(call);
}

std::optional<uint64_t>
TreeCollective::CountNcclPieces(const CollectiveCall& call) const
{
    // NCCL has no trees for the other kinds.
    if (call.kind != CollectiveKind::ALL_REDUCE)
    {
        return std::nullopt;
    }
    return ChannelTuning::CountPieces(call, ChannelTuning::TREE);
}

TreePlace
TreeCollective::FindPlace(const CollectiveCall& call, uint32_t channel) const
{
    if (call.kind == CollectiveKind::ALL_REDUCE)
    {
        if (const auto* found = call.placement ? call.placement->GetChannels() : nullptr)
        {
            return found->FindTreePlace(channel, call.index);
        }
        // Channels in pairs: a tree and its twin, in which inner servers of the first are leaves.
        const auto shape = channel % 2 == 0 ? &TreePlace::MakeInOrder : &TreePlace::MakeInOrderTwin;
        const auto head = [&call, channel](uint32_t server) {
            // Both trees of a pair cross the network by one rail.
            return call.placement->GetNetworkRail(server, channel / 2);
        };
        return call.placement ? NestPlaces(call, shape, &TreePlace::MakeChain, 0, head)
                              : shape(call.size, call.index);
    }
    if (call.placement)
    {
        const auto& root = call.placement->GetPlace(call.root);
        // All servers use the rail of the root, so that messages between them stay on it.
        const auto head = [&call, &root](uint32_t server) {
            return root.rail % static_cast<uint32_t>(call.placement->GetServers()[server].size());
        };
        return NestPlaces(call,
                          &TreePlace::MakeBinomial,
                          &TreePlace::MakeBinomial,
                          root.server,
                          head);
    }
    // Numbered from the root, which is node 0 of the binomial tree.
    const auto node = Turn(call.index, call.size - call.root, call.size);
    return TreePlace::MakeBinomial(call.size, node).Rename([&call](uint32_t other) {
        return Turn(other, call.root, call.size);
    });
}

} // namespace ns3
