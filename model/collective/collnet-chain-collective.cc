/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-chain-collective.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollnetChainCollective");

NS_STRATEGY_ENSURE_REGISTERED(CollnetChainCollective,
                              CollnetChainCollective::NAME,
                              "switches of the network reduce for chains in servers",
                              9);

TypeId
CollnetChainCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CollnetChainCollective")
                            .SetParent<CollnetCollective>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<CollnetChainCollective>();
    return tid;
}

CollnetChainCollective::CollnetChainCollective()
    : CollnetCollective(NAME, &TreePlace::MakeChain)
{
    NS_LOG_FUNCTION(this);
}

uint64_t
CollnetChainCollective::GetDefaultChunk(uint64_t share, uint32_t members) const
{
    // Shorter chunks for shorter shares, so that each member of the chain has one to work at
    // (NCCL 2.30, enqueue.cc).
    return Halve(share, members, {{64, 128 * 1024}, {8, 64 * 1024}, {1, 32 * 1024}});
}

} // namespace ns3
