/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-messenger.h"

#include "ns3/workload-error.h"

#include <utility>

namespace ns3
{

namespace
{

/// Stands where a collective's number stands in the context of point-to-point messages.
constexpr uint32_t POINT_TO_POINT = UINT32_MAX;

/// Bits of the claimed kind that say the kind; those above say the root.
constexpr uint32_t KIND_BITS = 8;

/**
 * @param call a collective
 * @return what its messages say that it is: kind and root
 */
uint32_t
GetClaimedKind(const CollectiveCall& call)
{
    const uint32_t root = HasRoot(call.kind) ? call.root : 0;
    return static_cast<uint32_t>(call.kind) | root << KIND_BITS;
}

/**
 * @param call a collective
 * @return the bytes that its messages say it has: none if the members rightly differ in them
 */
uint64_t
GetClaimedTotal(const CollectiveCall& call)
{
    return call.splits ? 0 : call.bytes;
}

/**
 * @param claim what a member says of a collective
 * @return " calls KIND of N bytes", and whose if the kind has a root
 */
std::string
Describe(const MessageMatcher::Claim& claim)
{
    const auto kind = static_cast<CollectiveKind>(claim.kind & ((1U << KIND_BITS) - 1));
    const auto text =
        " calls " + ToString(kind) + " of " + std::to_string(claim.total) + " bytes";
    return HasRoot(kind) ? text + " with member " + std::to_string(claim.kind >> KIND_BITS) +
                               " as the root"
                         : text;
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
        m_fault(Locate(m_rank, op.origin) + Describe(claim) + " as call " +
                std::to_string(sequence + 1) + " in " + GetCommunicator(op).name + ", but " +
                Locate(other->rank, other->origin) + Describe(*other));
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
                             const CollectiveTransfer& transfer)
{
    const uint32_t peer = GetCommunicator(op).ranks[transfer.peer];
    const uint64_t context = GetContext(op, sequence);
    if (transfer.action != CollectiveTransfer::SEND)
    {
        const uint64_t token = (static_cast<uint64_t>(stream) << 32) | lane;
        Post(context, peer, lane, {token, transfer.bytes, op.origin});
        return;
    }
    Message message;
    message.source = m_rank;
    message.destination = peer;
    message.channel = channel;
    message.bytes = transfer.bytes;
    message.cookie = stream;
    message.envelope = {context, lane, GetClaimedKind(call), GetClaimedTotal(call), op.origin};
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
                Locate(unreceived->source, unreceived->envelope.origin));
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
    Post(GetContext(op, POINT_TO_POINT), GetPeer(op), op.tag, {token, op.amount, op.origin});
}

std::vector<uint32_t>
RankMessenger::GetAwaited(const WorkloadOp& op, uint32_t sequence) const
{
    return m_matcher.GetAwaitedSources(GetContext(op, sequence));
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
    const SourceLocation place{m_workload->GetProgram(rank).GetFile(), line, 0, ""};
    return "rank " + std::to_string(rank) + " (" + place.ToString() + ")";
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
    m_receivedBytes += message.bytes;
    const auto& envelope = message.envelope;
    if (static_cast<uint32_t>(envelope.context) != POINT_TO_POINT)
    {
        const MessageMatcher::Claim claim{message.source,
                                          envelope.kind,
                                          envelope.total,
                                          envelope.origin};
        const auto other = m_matcher.Assert(envelope.context, claim);
        if (other)
        {
            m_fault(Locate(message.source, envelope.origin) + Describe(claim) + ", but " +
                    Locate(other->rank, other->origin) + Describe(*other) +
                    " at the same place in " +
                    m_workload->GetCommunicators().at(envelope.context >> 32).name);
            return;
        }
    }
    const auto match = m_matcher.Arrive(message);
    if (match)
    {
        Complete(*match);
    }
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
                " bytes, but " + Locate(message.source, message.envelope.origin) + " sends " +
                std::to_string(message.bytes) + " bytes");
        return;
    }
    m_received(stream, static_cast<uint32_t>(receive.token), message);
}

} // namespace ns3
