/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-spray-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSprayRouting");

NS_OBJECT_ENSURE_REGISTERED(RdmaSprayRouting);

namespace
{

/// Destinations whose turns a node remembers, at most. They take 8 KiB.
constexpr std::size_t PLACES = 1024;

} // namespace

TypeId
RdmaSprayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaSprayRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaSprayRouting>();
    return tid;
}

RdmaSprayRouting::RdmaSprayRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaSprayRouting::~RdmaSprayRouting()
{
    NS_LOG_FUNCTION(this);
}

std::string
RdmaSprayRouting::GetName() const
{
    return "spray";
}

bool
RdmaSprayRouting::Reorders() const
{
    return true;
}

uint32_t
RdmaSprayRouting::Choose(uint32_t node,
                         uint64_t salt,
                         const RdmaPacket& packet,
                         const RdmaNextHops& hops)
{
    return hops.SkipDown(FindTurn(node, salt, packet).next++ % hops.size());
}

RdmaSprayRouting::Turn&
RdmaSprayRouting::FindTurn(uint32_t node, uint64_t salt, const RdmaPacket& packet)
{
    if (node >= m_turns.size())
    {
        m_turns.resize(node + 1);
    }
    auto& turns = m_turns[node];
    if (turns.empty())
    {
        turns.resize(PLACES);
    }
    const uint32_t key = packet.destination << 1 | (packet.type == RdmaPacket::DATA ? 1U : 0U);
    const uint64_t hash = EcmpMix(key ^ salt);
    Turn& turn = turns[hash % PLACES];
    if (turn.key != key)
    {
        turn.key = key;
        // What was there before makes the start another one each time.
        turn.next = static_cast<uint32_t>(EcmpMix(hash ^ turn.next));
    }
    return turn;
}

} // namespace ns3
