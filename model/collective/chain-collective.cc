/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chain-collective.h"

#include "channel-tuning.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ChainCollective");

NS_STRATEGY_ENSURE_REGISTERED(ChainCollective, "chain", "one pipeline through all members", 3);

TypeId
ChainCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ChainCollective")
                            .SetParent<PipelinedCollective>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<ChainCollective>();
    return tid;
}

ChainCollective::ChainCollective()
    : PipelinedCollective("chain", {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
{
    NS_LOG_FUNCTION(this);
}

std::optional<double>
ChainCollective::Estimate(const CollectiveCall& call,
                          CollectiveProtocol protocol,
                          const CollectiveCosts& costs) const
{
    // Without described servers broadcast and reduce are chosen by their size (ChainBytes), not by
    // an estimate.
    if (!call.placement || !call.placement->GetChannels())
    {
        return std::nullopt;
    }
    return ChannelTuning(call, costs).Estimate(ChannelTuning::RING, protocol);
}

std::optional<uint32_t>
ChainCollective::CountMultiprocessors(const CollectiveCall& call) const
{
    return ChannelTuning::FindChannels(call, ChannelTuning::RING);
}

ChannelBundle
ChainCollective::GetBundle(const CollectiveCall& call) const
{
    return ChannelTuning::GetBundle(call, ChannelTuning::RING, GetChannels(call));
}

std::optional<uint64_t>
ChainCollective::CountNcclPieces(const CollectiveCall& call) const
{
    return ChannelTuning::CountPieces(call, ChannelTuning::RING);
}

TreePlace
ChainCollective::FindPlace(const CollectiveCall& call, uint32_t channel) const
{
    const auto* ring = call.placement ? &call.placement->GetRing(channel) : nullptr;
    auto getPosition = [ring](uint32_t member) {
        return ring ? ring->GetPosition(member) : member;
    };
    const uint64_t size = call.size;
    const uint64_t root = getPosition(call.root);
    const uint64_t own = getPosition(call.index);
    // A reduce must end at the root when it follows the ring, so its nodes count backwards.
    const bool isForward = call.kind == CollectiveKind::BROADCAST;
    const uint64_t node = (isForward ? own + size - root : root + size - own) % size;
    return TreePlace::MakeChain(call.size, static_cast<uint32_t>(node)).Rename([&](uint32_t other) {
        const auto position =
            static_cast<uint32_t>((isForward ? root + other : root + size - other) % size);
        return ring ? ring->GetMember(position) : position;
    });
}

} // namespace ns3
