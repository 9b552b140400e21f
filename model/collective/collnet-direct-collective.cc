/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-direct-collective.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollnetDirectCollective");

NS_STRATEGY_ENSURE_REGISTERED(CollnetDirectCollective,
                              CollnetDirectCollective::NAME,
                              "switches of the network reduce for heads in servers",
                              10);

namespace
{

/// Time by which a member is later for each other one that it sends to, ns (NCCL 2.30, tuning.cc).
constexpr int64_t PER_PEER = 400;

} // namespace

TypeId
CollnetDirectCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CollnetDirectCollective")
                            .SetParent<CollnetCollective>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<CollnetDirectCollective>();
    return tid;
}

CollnetDirectCollective::CollnetDirectCollective()
    : CollnetCollective(NAME, &TreePlace::MakeStar)
{
    NS_LOG_FUNCTION(this);
}

uint64_t
CollnetDirectCollective::GetDefaultChunk(uint64_t share, uint32_t members) const
{
    // The depth is 2 if a head has others below it (NCCL 2.30, graph/connect.cc, enqueue.cc).
    const uint64_t depth = members > 1 ? 2 : 1;
    return Halve(share, depth, {{64, 128 * 1024}, {8, 64 * 1024}, {8, 32 * 1024}});
}

Time
CollnetDirectCollective::GetExtraLatency(uint32_t members) const
{
    // To the heads and back.
    return NanoSeconds(2 * PER_PEER * (members - 1));
}

} // namespace ns3
