/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-messenger.h"

#include "message-envelope.h"

#include "ns3/log.h"
#include "ns3/peer-channels.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RankMessenger");

namespace
{

/**
 * @param call a collective
 * @param pipeline number of the members' pipelines that take part
 * @param transfer a transfer of one to or from an NVSwitch
 * @return tag of its message
 */
uint32_t
MakeSwitchTag(const CollectiveCall& call, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    const bool isMulticast = transfer.action == CollectiveTransfer::SWITCH_MULTICAST;
    const auto rail = isMulticast ? SwitchTag::ALL : call.placement->GetPlace(transfer.peer).rail;
    const bool isSum = transfer.action == CollectiveTransfer::SWITCH_REDUCE ||
                       transfer.action == CollectiveTransfer::SWITCH_RECV_SUM;
    return SwitchTag{pipeline, rail, isSum}.Pack();
}

/**
 * @param call a collective
 * @param pipeline a pipeline
 * @return tag of what a member sends to and gets from a switch of the network
 */
uint32_t
MakeNetworkTag(const CollectiveCall& call, uint32_t pipeline)
{
    return SwitchTag{pipeline, call.placement->GetPlace(call.index).server}.Pack();
}

} // namespace

void
RankMessenger::Setup(std::shared_ptr<const Workload> workload,
                     uint32_t rank,
                     Ptr<MessageTransport> transport,
                     std::shared_ptr<const RankPlacement> placement,
                     Owner& owner)
{
    m_workload = std::move(workload);
    m_rank = rank;
    m_transport = transport;
    m_placement = std::move(placement);
    m_owner = &owner;
    m_flow = CreateObject<PointToPointFlow>();
    m_flow->SetTransport(transport);
    m_collectiveFlow = CreateObject<CollectiveFlow>();
    m_collectiveFlow->Setup(rank, transport);
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
    for (auto& launch : m_launches)
    {
        launch.Cancel();
    }
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

std::optional<OpenedCollective>
RankMessenger::OpenCollective(std::size_t track, const WorkloadOp& op)
{
    const auto call = MakeCall(op);
    const uint32_t sequence = m_sequences[op.communicator]++;
    const CollectiveSignature signature(m_rank, call, op.origin);
    const auto other = m_matcher.FindContradiction(GetContext(op, sequence), signature);
    if (other)
    {
        Fail(signature.Describe(*m_workload) + " as call " + std::to_string(sequence + 1) + " in " +
             GetCommunicator(op).name + ", but " + other->Describe(*m_workload));
        return std::nullopt;
    }
    const auto& ranks = GetCommunicator(op).ranks;
    return OpenedCollective{track, op, call, sequence, GetCommunicatorId(op), ranks.data()};
}

void
RankMessenger::Expect(const OpenedCollective& collective, uint32_t member)
{
    // The sequence is the number of the call in the communicator, which all members count alike.
    const MessageContext context{collective.communicator, collective.sequence};
    m_collectiveFlow->Expect(collective.ranks[member], context.Pack());
}

void
RankMessenger::StartTransfer(const OpenedCollective& collective,
                             uint32_t pipeline,
                             const ChunkPipeline& steps,
                             const CollectiveTransfer& transfer,
                             uint64_t wireBytes)
{
    const auto& [track, op, call, sequence, communicator, ranks] = collective;
    const uint32_t channel = steps.GetChannel();
    const bool usesSwitch = transfer.UsesSwitch() || transfer.UsesNetworkSwitch();
    const auto peer = FindPeer(collective, channel, transfer);
    // The tag is the pipeline; by way of a switch also the rail or server that it is to or from.
    const auto theirs = steps.GetPeerPipeline(pipeline);
    const auto tag = transfer.UsesNetworkSwitch() ? MakeNetworkTag(call, pipeline)
                     : usesSwitch                 ? MakeSwitchTag(call, theirs, transfer)
                                                  : theirs;
    const uint64_t context = MessageContext{communicator, sequence}.Pack();
    if (!transfer.IsSend())
    {
        Post(context, peer, tag, {track, pipeline, wireBytes, transfer.bytes, op.origin});
        return;
    }
    const CollectiveSignature signature(m_rank, call, op.origin);
    Message message;
    message.source = m_rank;
    message.destination = peer;
    message.group = communicator;
    message.channel = channel;
    // Bytes of the protocol included: LL sends twice the payload, LL128 adds 8 to every 120.
    message.bytes = wireBytes;
    message.cookie = track;
    MessageEnvelope{context, tag, signature.kind, signature.total, op.origin}.AttachTo(message);
    if (usesSwitch)
    {
        // Switches have no buffers that a receiver frees: their messages are not held back.
        m_transport->Send(message);
    }
    else
    {
        m_collectiveFlow->Send(message);
    }
}

uint32_t
RankMessenger::FindPeer(const OpenedCollective& collective,
                        uint32_t channel,
                        const CollectiveTransfer& transfer) const
{
    if (transfer.UsesNetworkSwitch())
    {
        return m_placement->GetReductionTree(collective.communicator, channel).above.at(m_rank);
    }
    return transfer.UsesSwitch() ? m_placement->GetSwitch(m_rank, channel + transfer.stripe)
                                 : collective.ranks[transfer.peer];
}

bool
RankMessenger::CloseCollective(const OpenedCollective& collective)
{
    const auto& op = collective.op;
    const auto unreceived = m_matcher.Close(GetContext(op, collective.sequence));
    if (unreceived)
    {
        Fail(Locate(m_rank, op.origin) + " has completed " + ToString(op.collective) +
             " and leaves " + std::to_string(unreceived->bytes) + " bytes unreceived from " +
             LocateContributor(*unreceived));
    }
    return !unreceived;
}

void
RankMessenger::Reopen(const OpenedCollective& collective, uint64_t received)
{
    const auto& op = collective.op;
    // For its effect only: what arrives is not taken for messages of a completed call.
    m_matcher.FindContradiction(GetContext(op, collective.sequence),
                                CollectiveSignature(m_rank, collective.call, op.origin));
    // The messages to come count these bytes once more.
    m_receivedBytes -= received;
}

void
RankMessenger::StartPointToPoint(std::size_t track, const WorkloadOp& op)
{
    const Time latency = m_flow->GetLatency();
    if (latency.IsZero())
    {
        RunPointToPoint(track, &op);
        return;
    }
    // One event per track, so that it can be cancelled when the rank stops.
    m_launches.resize(std::max(m_launches.size(), track + 1));
    m_launches[track] =
        Simulator::Schedule(latency, &RankMessenger::RunPointToPoint, this, track, &op);
}

Message
RankMessenger::MakePointToPoint(const WorkloadOp& op) const
{
    Message message;
    message.source = m_rank;
    message.destination = GetPeer(op);
    message.group = GetCommunicatorId(op);
    const auto context = GetContext(op, MessageContext::POINT_TO_POINT);
    MessageEnvelope{context, static_cast<uint32_t>(op.tag), 0, op.amount, op.origin}.AttachTo(
        message);
    return message;
}

void
RankMessenger::RunPointToPoint(std::size_t track, const WorkloadOp* op)
{
    Message message = MakePointToPoint(*op);
    if (op->kind == OpKind::SEND)
    {
        message.bytes = op->amount;
        message.cookie = track;
        m_flow->Send(message, GetCopyRate(*op));
        return;
    }
    // Lets a sender that waits for the receiver go on (rendezvous).
    m_flow->Announce(message);
    const auto envelope = MessageEnvelope::Of(message);
    Post(envelope.context,
         message.destination,
         envelope.tag,
         {track, 0, op->amount, op->amount, op->origin});
}

const CollectivePlacement*
RankMessenger::FindPlacement(const WorkloadOp& op) const
{
    return m_placement ? &m_placement->Get(GetCommunicatorId(op)) : nullptr;
}

double
RankMessenger::GetCopyRate(const WorkloadOp& op) const
{
    const auto* placement = FindPlacement(op);
    const bool isDescribed = placement && placement->GetChannels();
    return isDescribed ? PeerChannels(*placement).GetRate(op.amount, 1) : 0;
}

WaitRecord
RankMessenger::DescribeWait(const WorkloadOp& op, uint32_t sequence) const
{
    const auto& program = m_workload->GetProgram(m_rank);
    WaitRecord
        wait{m_rank, program.GetName(op), program.GetOrigin(op), "", {}, false, m_workload.get()};
    const std::string bytes = std::to_string(op.amount) + " bytes";
    switch (op.kind)
    {
    case OpKind::COMPUTE:
        wait.what = "compute";
        wait.isCompute = true;
        break;
    case OpKind::SEND:
        wait.what = "send of " + bytes;
        wait.waitsFor = {GetPeer(op)};
        break;
    case OpKind::RECV:
        wait.what = "receive of " + bytes;
        wait.waitsFor = {GetPeer(op)};
        break;
    case OpKind::COLLECTIVE:
        wait.what = ToString(op.collective) + " of " + bytes + " in " + GetCommunicator(op).name +
                    ", call " + std::to_string(sequence + 1);
        wait.waitsFor = GetAwaited(op, sequence);
        break;
    }
    return wait;
}

std::vector<uint32_t>
RankMessenger::GetAwaited(const WorkloadOp& op, uint32_t sequence) const
{
    const auto context = GetContext(op, sequence);
    const auto receivers = m_collectiveFlow->GetAwaited(context);
    // Ordered sets: reports must not depend on the order of arrival.
    std::set<uint32_t> ranks(receivers.begin(), receivers.end());
    // Those that have not contributed to what an NVSwitch sends.
    std::set<uint32_t> contributors;
    for (const auto& [source, tag] : m_matcher.GetAwaited(context))
    {
        if (m_placement && m_placement->IsNetworkSwitch(source))
        {
            const auto lacking = m_placement->GetAwaitedInTrees(GetCommunicatorId(op), context);
            ranks.insert(lacking.begin(), lacking.end());
            // A rank does not wait for itself, though its tree may.
            ranks.erase(m_rank);
            continue;
        }
        (IsRank(source) ? ranks : contributors).insert(FindContributor(context, source, tag));
    }
    if (!contributors.empty())
    {
        // Those that keep the NVSwitch from adding up keep the others from going on, unless they
        // themselves wait for messages of other servers.
        const auto lacking = m_placement->GetAwaitedAtSwitches(m_rank, context);
        const bool isLacking = std::count(lacking.begin(), lacking.end(), m_rank) > 0;
        if (!lacking.empty() && (!isLacking || ranks.empty()))
        {
            contributors = {lacking.begin(), lacking.end()};
            ranks.clear();
        }
        contributors.erase(m_rank);
    }
    // Members that wait for each other's multicasts wait for another member in truth.
    const auto& awaited = ranks.empty() ? contributors : ranks;
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

bool
RankMessenger::UsesNetwork(const WorkloadOp& op) const
{
    if (!m_placement)
    {
        return false;
    }
    const auto& placement = m_placement->Get(GetCommunicatorId(op));
    if (op.kind == OpKind::COLLECTIVE)
    {
        // A collective that stays in one server uses NVLink only.
        return placement.GetServers().size() > 1;
    }
    const auto own = m_indices[op.communicator];
    return placement.GetPlace(op.peer).server != placement.GetPlace(own).server;
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
RankMessenger::LocateContributor(const Message& message) const
{
    const auto envelope = MessageEnvelope::Of(message);
    return Locate(FindContributor(envelope.context, message.source, envelope.tag), envelope.origin);
}

bool
RankMessenger::IsRank(uint32_t source) const
{
    return source < m_workload->GetLayout().world;
}

uint32_t
RankMessenger::FindContributor(uint64_t context, uint32_t source, uint32_t tag) const
{
    if (IsRank(source))
    {
        return source;
    }
    if (m_placement->IsNetworkSwitch(source))
    {
        // What comes from there has been checked against what this rank has said.
        return m_rank;
    }
    const auto id = MessageContext::Unpack(context).communicator;
    const auto& ranks = m_workload->GetCommunicators().at(id).ranks;
    const auto& placement = m_placement->Get(id);
    const auto own = placement.GetPlace(m_workload->GetCommunicators()[id].IndexOf(m_rank)).server;
    return ranks[placement.GetServers()[own].at(SwitchTag::Unpack(tag).rail)];
}

uint64_t
RankMessenger::GetContext(const WorkloadOp& op, uint32_t sequence) const
{
    return MessageContext{GetCommunicatorId(op), sequence}.Pack();
}

void
RankMessenger::MessageArrived(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.bytes);
    if (m_isClosed)
    {
        return;
    }
    const auto context = MessageContext::Of(message);
    const bool isCollective = context.sequence != MessageContext::POINT_TO_POINT;
    // An announcement has no kind and total to compare.
    if (isCollective && !CollectiveFlow::IsAnnouncement(message))
    {
        const auto contradiction = FindContradiction(message);
        if (!contradiction.empty())
        {
            Fail(contradiction);
            return;
        }
    }
    // Messages that went in parts are matched when the last part is there.
    const auto whole = isCollective ? m_collectiveFlow->Arrive(message) : m_flow->Arrive(message);
    const auto match = whole ? m_matcher.Arrive(*whole) : std::nullopt;
    if (match)
    {
        Complete(*match);
    }
}

std::string
RankMessenger::FindContradiction(const Message& message)
{
    const auto envelope = MessageEnvelope::Of(message);
    const auto contributor = FindContributor(envelope.context, message.source, envelope.tag);
    const CollectiveSignature signature(contributor, envelope);
    if (IsCompleted(envelope.context))
    {
        const auto context = MessageContext::Unpack(envelope.context);
        return signature.Describe(*m_workload) + " and sends " + std::to_string(message.bytes) +
               " bytes to rank " + std::to_string(m_workload->GetJobRank(m_rank).rank) +
               ", which has completed call " + std::to_string(context.sequence + 1) + " in " +
               m_workload->GetCommunicators().at(context.communicator).name + " without them";
    }
    const auto other = m_matcher.FindContradiction(envelope.context, signature);
    return other ? DescribeContradiction(*m_workload, envelope.context, signature, *other) : "";
}

void
RankMessenger::Fail(const std::string& message)
{
    NS_LOG_INFO(message);
    m_owner->Fail(message);
}

bool
RankMessenger::IsCompleted(uint64_t context)
{
    // A collective stays known from its call to its completion.
    if (m_matcher.Knows(context))
    {
        return false;
    }
    const auto [communicator, sequence] = MessageContext::Unpack(context);
    const auto& slots = m_workload->GetCommunicatorSlots(m_rank);
    // Messages reach members only, so the communicator is in the list.
    const auto slot = std::find(slots.begin(), slots.end(), communicator) - slots.begin();
    return sequence < m_sequences.at(slot);
}

void
RankMessenger::MessageSent(uint64_t cookie)
{
    if (!m_isClosed && cookie != PointToPointFlow::NO_COOKIE)
    {
        m_owner->MessageSent(static_cast<std::size_t>(cookie));
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
        return;
    }
    NS_LOG_LOGIC("rank " << m_rank << " waits for " << receive.bytes << " bytes from " << source);
}

void
RankMessenger::Complete(const MessageMatcher::Match& match)
{
    const auto& [receive, message] = match;
    if (receive.bytes != message.bytes)
    {
        Fail(Locate(m_rank, receive.origin) + " expects " + std::to_string(receive.bytes) +
             " bytes, but " + LocateContributor(message) + " sends " +
             std::to_string(message.bytes) + " bytes");
        return;
    }
    // Data only, without the flags of LL and LL128.
    m_receivedBytes += receive.payload;
    m_owner->MessageReceived(receive.track, receive.pipeline, message);
}

} // namespace ns3
