/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-messenger.h"

#include "collective-claim.h"
#include "switch-tag.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Stands where a collective's number stands in the context of point-to-point messages.
constexpr uint32_t POINT_TO_POINT = UINT32_MAX;

/**
 * @param call a collective
 * @param lane a lane
 * @param transfer a transfer of it to or from an NVSwitch
 * @return tag of its message
 */
uint32_t
MakeSwitchTag(const CollectiveCall& call, uint32_t lane, const CollectiveTransfer& transfer)
{
    const bool isMulticast = transfer.action == CollectiveTransfer::SWITCH_MULTICAST;
    const auto rail = isMulticast ? SwitchTag::ALL : call.placement->GetPlace(transfer.peer).rail;
    return SwitchTag{lane, rail}.Pack();
}

} // namespace

void
RankMessenger::Setup(std::shared_ptr<const Workload> workload,
                     uint32_t rank,
                     Ptr<MessageTransport> transport,
                     std::shared_ptr<const RankPlacement> placement,
                     ReceivedCallback received,
                     SentCallback sent,
                     FaultCallback fault)
{
    m_workload = std::move(workload);
    m_rank = rank;
    m_transport = transport;
    m_placement = std::move(placement);
    m_received = received;
    m_sent = sent;
    m_fault = fault;
    m_transport->SetCallbacks(MakeCallback(&RankMessenger::MessageArrived, this),
                              MakeCallback(&RankMessenger::MessageSent, this));
    const auto& slots = m_workload->GetCommunicatorSlots(rank);
    m_sequences.assign(slots.size(), 0);
    for (const auto id : slots)
    {
        m_indices.push_back(m_workload->GetCommunicators().at(id).IndexOf(rank));
    }
}

void
RankMessenger::Close()
{
    m_isClosed = true;
}

CollectiveCall
RankMessenger::MakeCall(const WorkloadOp& op) const
{
    return {op.collective,
            op.amount,
            m_indices[op.communicator],
            static_cast<uint32_t>(GetCommunicator(op).ranks.size()),
            m_workload->GetProgram(m_rank).GetSplits(op),
            m_placement ? &m_placement->Get(GetCommunicatorId(op)) : nullptr,
            op.peer};
}

std::optional<uint32_t>
RankMessenger::OpenCollective(const WorkloadOp& op, const CollectiveCall& call)
{
    const uint32_t sequence = m_sequences[op.communicator]++;
    const MessageMatcher::Claim claim{m_rank,
                                      GetClaimedKind(call),
                                      GetClaimedTotal(call),
                                      op.origin};
    const auto other = m_matcher.Assert(GetContext(op, sequence), claim);
    if (other)
    {
        m_fault(Locate(m_rank, op.origin) + DescribeClaim(claim) + " as call " +
                std::to_string(sequence + 1) + " in " + GetCommunicator(op).name + ", but " +
                Locate(other->rank, other->origin) + DescribeClaim(*other));
        return std::nullopt;
    }
    return sequence;
}

void
RankMessenger::StartTransfer(std::size_t stream,
                             const WorkloadOp& op,
                             const CollectiveCall& call,
                             uint32_t sequence,
                             uint32_t lane,
                             uint32_t channel,
                             const CollectiveTransfer& transfer,
                             uint64_t wireBytes)
{
    const bool usesSwitch = transfer.UsesSwitch();
    const auto peer = usesSwitch ? m_placement->GetSwitch(m_rank, channel)
                                 : GetCommunicator(op).ranks[transfer.peer];
    const auto tag = usesSwitch ? MakeSwitchTag(call, lane, transfer) : lane;
    const uint64_t context = GetContext(op, sequence);
    if (!transfer.IsSend())
    {
        const uint64_t token = (static_cast<uint64_t>(stream) << 32) | lane;
        Post(context, peer, tag, {token, wireBytes, transfer.bytes, op.origin});
        return;
    }
    Message message;
    message.source = m_rank;
    message.destination = peer;
    message.channel = channel;
    message.bytes = wireBytes;
    message.cookie = stream;
    message.envelope = {context, tag, GetClaimedKind(call), GetClaimedTotal(call), op.origin};
    m_transport->Send(message);
}

bool
RankMessenger::CloseCollective(const WorkloadOp& op, uint32_t sequence)
{
    const auto unreceived = m_matcher.Close(GetContext(op, sequence));
    if (unreceived)
    {
        m_fault(Locate(m_rank, op.origin) + " has completed " + ToString(op.collective) +
                " and leaves " + std::to_string(unreceived->bytes) + " bytes unreceived from " +
                LocateAuthor(*unreceived));
    }
    return !unreceived;
}

void
RankMessenger::Send(std::size_t stream, const WorkloadOp& op)
{
    Message message;
    message.source = m_rank;
    message.destination = GetPeer(op);
    message.bytes = op.amount;
    message.cookie = stream;
    message.envelope = {GetContext(op, POINT_TO_POINT), op.tag, 0, op.amount, op.origin};
    m_transport->Send(message);
}

void
RankMessenger::Receive(std::size_t stream, const WorkloadOp& op)
{
    const uint64_t token = static_cast<uint64_t>(stream) << 32;
    Post(GetContext(op, POINT_TO_POINT),
         GetPeer(op),
         op.tag,
         {token, op.amount, op.amount, op.origin});
}

std::vector<uint32_t>
RankMessenger::GetAwaited(const WorkloadOp& op, uint32_t sequence) const
{
    const auto context = GetContext(op, sequence);
    std::set<uint32_t> ranks;
    std::set<uint32_t> authors;
    for (const auto& [source, tag] : m_matcher.GetAwaited(context))
    {
        (IsRank(source) ? ranks : authors).insert(FindAuthor(context, source, tag));
    }
    if (!authors.empty())
    {
        // Those that keep the NVSwitch from adding up keep the others from going on, unless they
        // are kept from it by what other servers owe them.
        const auto lacking = m_placement->GetAwaitedAtSwitches(m_rank, context);
        const bool isLacking = std::count(lacking.begin(), lacking.end(), m_rank) > 0;
        if (!lacking.empty() && (!isLacking || ranks.empty()))
        {
            authors = {lacking.begin(), lacking.end()};
            ranks.clear();
        }
        authors.erase(m_rank);
    }
    // Members that wait for each other's multicasts wait for somebody else at heart.
    const auto& awaited = ranks.empty() ? authors : ranks;
    return {awaited.begin(), awaited.end()};
}

uint32_t
RankMessenger::GetPeer(const WorkloadOp& op) const
{
    return GetCommunicator(op).ranks.at(op.peer);
}

uint32_t
RankMessenger::GetCommunicatorId(const WorkloadOp& op) const
{
    return m_workload->GetCommunicatorSlots(m_rank)[op.communicator];
}

const Communicator&
RankMessenger::GetCommunicator(const WorkloadOp& op) const
{
    return m_workload->GetCommunicators()[GetCommunicatorId(op)];
}

uint64_t
RankMessenger::GetReceivedBytes() const
{
    return m_receivedBytes;
}

std::string
RankMessenger::Locate(uint32_t rank, uint32_t line) const
{
    return LocateLine(*m_workload, rank, line);
}

std::string
RankMessenger::LocateAuthor(const Message& message) const
{
    const auto& envelope = message.envelope;
    return Locate(FindAuthor(envelope.context, message.source, envelope.tag), envelope.origin);
}

bool
RankMessenger::IsRank(uint32_t source) const
{
    return source < m_workload->GetLayout().world;
}

uint32_t
RankMessenger::FindAuthor(uint64_t context, uint32_t source, uint32_t tag) const
{
    if (IsRank(source))
    {
        return source;
    }
    const auto id = static_cast<uint32_t>(context >> 32);
    const auto& ranks = m_workload->GetCommunicators().at(id).ranks;
    const auto& placement = m_placement->Get(id);
    const auto own = placement.GetPlace(m_workload->GetCommunicators()[id].IndexOf(m_rank)).server;
    return ranks[placement.GetServers()[own].at(SwitchTag::Unpack(tag).rail)];
}

uint64_t
RankMessenger::GetContext(const WorkloadOp& op, uint32_t sequence) const
{
    return (static_cast<uint64_t>(GetCommunicatorId(op)) << 32) | sequence;
}

void
RankMessenger::MessageArrived(const Message& message)
{
    if (m_isClosed)
    {
        return;
    }
    const auto& envelope = message.envelope;
    if (static_cast<uint32_t>(envelope.context) != POINT_TO_POINT)
    {
        const auto author = FindAuthor(envelope.context, message.source, envelope.tag);
        const MessageMatcher::Claim claim{author, envelope.kind, envelope.total, envelope.origin};
        if (IsCompleted(envelope.context))
        {
            m_fault(LocateLine(*m_workload, author, envelope.origin) + DescribeClaim(claim) +
                    " and sends " + std::to_string(message.bytes) + " bytes to rank " +
                    std::to_string(m_rank) + ", which has completed call " +
                    std::to_string(static_cast<uint32_t>(envelope.context) + 1) + " in " +
                    m_workload->GetCommunicators().at(envelope.context >> 32).name +
                    " without them");
            return;
        }
        const auto other = m_matcher.Assert(envelope.context, claim);
        if (other)
        {
            m_fault(DescribeContradiction(*m_workload, envelope.context, claim, *other));
            return;
        }
    }
    const auto match = m_matcher.Arrive(message);
    if (match)
    {
        Complete(*match);
    }
}

bool
RankMessenger::IsCompleted(uint64_t context) const
{
    // A collective stays known from its call to its completion.
    if (m_matcher.Knows(context))
    {
        return false;
    }
    const auto& slots = m_workload->GetCommunicatorSlots(m_rank);
    const auto slot = std::find(slots.begin(), slots.end(), context >> 32) - slots.begin();
    return static_cast<uint32_t>(context) < m_sequences.at(slot);
}

void
RankMessenger::MessageSent(uint64_t cookie)
{
    if (!m_isClosed)
    {
        m_sent(static_cast<std::size_t>(cookie));
    }
}

void
RankMessenger::Post(uint64_t context,
                    uint32_t source,
                    uint32_t tag,
                    const MessageMatcher::Receive& receive)
{
    const auto match = m_matcher.Post(context, source, tag, receive);
    if (match)
    {
        Complete(*match);
    }
}

void
RankMessenger::Complete(const MessageMatcher::Match& match)
{
    const auto& [receive, message] = match;
    const auto stream = static_cast<std::size_t>(receive.token >> 32);
    if (receive.bytes != message.bytes)
    {
        m_fault(Locate(m_rank, receive.origin) + " expects " + std::to_string(receive.bytes) +
                " bytes, but " + LocateAuthor(message) + " sends " + std::to_string(message.bytes) +
                " bytes");
        return;
    }
    m_receivedBytes += receive.payload;
    m_received(stream, static_cast<uint32_t>(receive.token), message);
}

} // namespace ns3
