/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-reducer.h"

#include "message-context.h"
#include "message-envelope.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NetworkReducer");

NS_OBJECT_ENSURE_REGISTERED(NetworkReducer);

TypeId
NetworkReducer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NetworkReducer")
            .SetParent<SwitchReducer>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<NetworkReducer>()
            .AddAttribute("MaxGroups",
                          "Groups that a switch serves, channels of communicators; one more is "
                          "refused, so that another algorithm is to be chosen for some. 0 = any "
                          "number. SHARP has a quota of them for each job "
                          "(SHARP_COLL_JOB_QUOTA_MAX_GROUPS), whose default depends on the switch.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NetworkReducer::m_maxGroups),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

NetworkReducer::NetworkReducer()
{
    NS_LOG_FUNCTION(this);
}

NetworkReducer::~NetworkReducer()
{
    NS_LOG_FUNCTION(this);
}

std::vector<uint32_t>
NetworkReducer::GetAwaited(uint64_t context) const
{
    const auto communicator = MessageContext::Unpack(context).communicator;
    const auto isRank = [this](uint32_t address) {
        return address < GetWorkload().GetLayout().world;
    };
    std::vector<uint32_t> ranks;
    const auto found = m_pending.find(context);
    for (const auto& [channel, tree] : GetPlacement().GetReductionTrees(communicator))
    {
        const auto place = tree.switches.find(GetAddress());
        if (found == m_pending.end() && place != tree.switches.end())
        {
            // Nobody below has come as far.
            const auto& children = place->second.children;
            std::copy_if(children.begin(), children.end(), std::back_inserter(ranks), isRank);
        }
    }
    if (found != m_pending.end())
    {
        for (const auto& [pipeline, sum] : found->second.sums)
        {
            const auto& tree = GetPlacement().GetReductionTree(communicator, sum.channel);
            const auto& children = tree.switches.at(GetAddress()).children;
            for (std::size_t child = 0; child < children.size(); ++child)
            {
                if (!sum.origins[child] && isRank(children[child]))
                {
                    ranks.push_back(children[child]);
                }
            }
        }
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

std::size_t
NetworkReducer::CountPendingReductions() const
{
    return m_pending.size();
}

uint64_t
NetworkReducer::GetMaxHeldBytes() const
{
    return m_maxHeldBytes;
}

void
NetworkReducer::DoReceive(const Message& message)
{
    const auto communicator = MessageContext::Of(message).communicator;
    const auto& tree = GetPlacement().GetReductionTree(communicator, message.channel);
    const auto& place = tree.switches.at(GetAddress());
    // From above comes the result, from below what is to be added.
    if (message.source == place.parent)
    {
        SendDown(message, place);
    }
    else if (Admit(message))
    {
        Add(message, place);
    }
}

bool
NetworkReducer::Admit(const Message& message)
{
    if (m_maxGroups == 0)
    {
        return true;
    }
    const auto communicator = MessageContext::Of(message).communicator;
    m_groups.emplace(communicator, message.channel);
    if (m_groups.size() <= m_maxGroups)
    {
        return true;
    }
    const auto signature = Sign(message);
    Fail(signature.rank,
         signature.Describe(GetWorkload()) + " in " +
             GetWorkload().GetCommunicators()[communicator].name +
             ", but a switch that it needs serves " + std::to_string(m_maxGroups) +
             " groups already: let switches add for fewer dimensions, with fewer Channels, or "
             "raise ns3::NetworkReducer::MaxGroups");
    return false;
}

CollectiveSignature
NetworkReducer::Sign(const Message& message) const
{
    // What switches send on is from the head of a server below them.
    const auto id = MessageContext::Of(message).communicator;
    const auto server = SwitchTag::Of(message).rail;
    const auto head = GetPlacement().Get(id).GetNetworkHead(server, message.channel);
    return {GetWorkload().GetCommunicators().at(id).ranks[head], MessageEnvelope::Of(message)};
}

void
NetworkReducer::Add(const Message& message, const ReductionTree::Place& place)
{
    const auto signature = Sign(message);
    const auto envelope = MessageEnvelope::Of(message);
    const auto [found, isNew] = m_pending.try_emplace(envelope.context);
    if (isNew)
    {
        found->second.signature = signature;
    }
    else if (!Agree(envelope.context, signature, found->second.signature))
    {
        return;
    }
    // A pipeline has one chunk at a time in the switches, so that one sum for each pipeline will
    // do.
    auto& sum = found->second.sums[SwitchTag::Of(message).pipeline];
    if (sum.origins.empty())
    {
        sum.channel = message.channel;
        sum.bytes = message.bytes;
        sum.origins.resize(place.children.size());
        m_heldBytes += sum.bytes;
        m_maxHeldBytes = std::max(m_maxHeldBytes, m_heldBytes);
    }
    const auto child = place.FindChild(message.source);
    NS_ASSERT_MSG(sum.bytes == message.bytes, "contributions of different lengths");
    NS_ASSERT_MSG(!sum.origins[child], "a second contribution before the result of the first");
    sum.origins[child] = envelope.origin;
    const auto isThere = [](const auto& origin) { return origin.has_value(); };
    if (!std::all_of(sum.origins.begin(), sum.origins.end(), isThere))
    {
        return;
    }
    // The root turns the sum round. Others keep its entry, which says whose lines the result bears.
    if (place.parent == ReductionTree::NO_PARENT)
    {
        SendDown(message, place);
        return;
    }
    Message total = message;
    total.source = GetAddress();
    total.destination = place.parent;
    Send(total);
}

void
NetworkReducer::SendDown(Message message, const ReductionTree::Place& place)
{
    auto envelope = MessageEnvelope::Of(message);
    const auto id = MessageContext::Of(message).communicator;
    const auto pipeline = SwitchTag::Of(message).pipeline;
    const auto found = m_pending.find(envelope.context);
    const auto sum = found->second.sums.at(pipeline);
    m_heldBytes -= sum.bytes;
    found->second.sums.erase(pipeline);
    if (found->second.sums.empty())
    {
        m_pending.erase(found);
    }
    const auto& communicator = GetWorkload().GetCommunicators().at(id);
    message.source = GetAddress();
    for (std::size_t child = 0; child < place.children.size(); ++child)
    {
        message.destination = place.children[child];
        if (message.destination < GetWorkload().GetLayout().world)
        {
            // A head expects its own server in the tag, a switch passes the tag on.
            const auto member = communicator.IndexOf(message.destination);
            const auto server = GetPlacement().Get(id).GetPlace(member).server;
            envelope.tag = SwitchTag{pipeline, server}.Pack();
        }
        envelope.origin = *sum.origins[child];
        envelope.AttachTo(message);
        Send(message);
    }
}

} // namespace ns3
