/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-run.h"

#include "collective-placement.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

bool
SymbolicRun::HasPlace(const CollectiveCall& call, const CollectiveTransfer& transfer)
{
    m_hasPlaces = m_hasPlaces && transfer.offset != CollectiveTransfer::SOMEWHERE;
    return m_hasPlaces && call.kind != CollectiveKind::BARRIER;
}

bool
SymbolicRun::HasPlaces() const
{
    return m_hasPlaces;
}

SymbolicRun::SymbolicRun(const CollectiveAlgorithm& algorithm,
                         const std::vector<CollectiveCall>& calls,
                         const CollectiveSlots& slots,
                         bool isReversed)
    : m_calls(calls),
      m_isReversed(isReversed),
      m_buffers(calls),
      m_traffic(calls.size()),
      m_progress(calls.size()),
      m_blocked(calls.size()),
      m_connections(static_cast<uint32_t>(calls.size()), slots)
{
    for (const auto& call : calls)
    {
        m_known.push_back(m_buffers.GetSums().Only(call.index));
        for (auto& steps : algorithm.Plan(call))
        {
            const auto pipeline = static_cast<uint32_t>(m_progress[call.index].size());
            Progress progress;
            progress.channel = steps->GetChannel();
            progress.peer = steps->GetPeerPipeline(pipeline);
            progress.steps = std::move(steps);
            m_connections.Listen(call.index, pipeline, progress.peer);
            m_progress[call.index].push_back(std::move(progress));
            m_ready.emplace_back(call.index, pipeline);
        }
    }
}

SymbolicBuffers&
SymbolicRun::GetBuffers()
{
    return m_buffers;
}

uint32_t
SymbolicRun::GetKnown(uint32_t member) const
{
    return m_known[member];
}

const CollectiveTraffic&
SymbolicRun::GetTraffic(uint32_t member) const
{
    return m_traffic[member];
}

std::optional<CollectiveFault>
SymbolicRun::Run(uint64_t mostMessages)
{
    while (!m_ready.empty() && !m_fault)
    {
        if (m_count >= mostMessages)
        {
            return std::nullopt;
        }
        const auto [member, pipeline] = m_isReversed ? m_ready.back() : m_ready.front();
        m_isReversed ? m_ready.pop_back() : m_ready.pop_front();
        Advance(member, pipeline);
    }
    return m_fault ? m_fault : FindOpen();
}

uint64_t
SymbolicRun::CountMessages() const
{
    return m_count;
}

void
SymbolicRun::Advance(uint32_t member, uint32_t pipeline)
{
    auto& own = m_progress[member][pipeline];
    while (own.steps && !m_fault)
    {
        for (; own.received < own.awaited.size(); ++own.received)
        {
            if (!Receive(member, pipeline, own.awaited[own.received]))
            {
                return;
            }
        }
        for (; !own.sent.empty(); own.sent.pop_back())
        {
            if (!own.sent.back()->hasLeft)
            {
                return;
            }
        }
        if (!BeginStep(member, pipeline))
        {
            return;
        }
        // Others of the member may have waited for what is over now.
        for (const auto other : std::exchange(m_blocked[member], {}))
        {
            m_ready.emplace_back(member, other);
        }
    }
}

bool
SymbolicRun::BeginStep(uint32_t member, uint32_t pipeline)
{
    auto& own = m_progress[member][pipeline];
    if (own.steps->IsBlocked())
    {
        m_blocked[member].insert(pipeline);
        return false;
    }
    own.awaited.clear();
    own.received = 0;
    CollectiveStep step;
    if (!own.steps->Next(step))
    {
        own.steps.reset();
        return true;
    }
    ++own.count;
    ++m_traffic[member].steps;
    for (const auto& transfer : step)
    {
        if (transfer.IsSend())
        {
            Send(member, pipeline, transfer);
        }
        else
        {
            own.awaited.push_back(transfer);
        }
    }
    for (const auto& transfer : own.awaited)
    {
        Resume(m_connections.Post(GetRoute(member, pipeline, transfer)));
    }
    return true;
}

std::shared_ptr<SymbolicMessage>
SymbolicRun::MakeMessage(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    auto message = std::make_shared<SymbolicMessage>();
    message->bytes = transfer.bytes;
    message->known = m_known[member];
    message->step = GetStep(member, pipeline);
    message->sender = member;
    message->pipeline = pipeline;
    message->channel = m_progress[member][pipeline].channel;
    if (HasPlace(m_calls[member], transfer))
    {
        Fail(pipeline, m_buffers.Read(m_calls[member], transfer, message->pieces));
    }
    return message;
}

void
SymbolicRun::Send(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    const auto message = MakeMessage(member, pipeline, transfer);
    const auto& placement = m_calls[member].placement;
    auto& sums = m_buffers.GetSums();
    auto& own = m_progress[member][pipeline];
    ++m_count;
    auto& traffic = m_traffic[member];
    traffic.sentBytes += transfer.bytes;
    traffic.largestMessage = std::max(traffic.largestMessage, transfer.bytes);
    switch (transfer.action)
    {
    case CollectiveTransfer::SWITCH_REDUCE:
        DeliverSum(pipeline,
                   m_switches.AddInServer(message,
                                          {SymbolicConnections::SUM, transfer.peer, own.peer},
                                          *placement,
                                          sums));
        break;
    case CollectiveTransfer::NETWORK_REDUCE:
        DeliverSum(pipeline, m_switches.AddInNetwork(message, *placement, sums));
        break;
    case CollectiveTransfer::SWITCH_MULTICAST:
        // Switches have no slots.
        message->hasLeft = true;
        for (const auto other : placement->GetServers()[placement->GetPlace(member).server])
        {
            Deliver({member, other, own.peer}, message);
        }
        break;
    default:
        ++traffic.sentTo[transfer.peer].messages;
        traffic.sentTo[transfer.peer].bytes += transfer.bytes;
        own.sent.push_back(message);
        Deliver({member, transfer.peer, own.peer}, message);
    }
}

void
SymbolicRun::DeliverSum(uint32_t pipeline, const SymbolicSwitches::Outcome& outcome)
{
    Fail(pipeline, outcome.fault);
    for (const auto& route : outcome.routes)
    {
        if (outcome.total)
        {
            Deliver(route, outcome.total);
        }
    }
}

void
SymbolicRun::Deliver(const SymbolicConnections::Route& route,
                     const std::shared_ptr<SymbolicMessage>& message)
{
    // Nothing else checks the peers that algorithms name.
    const auto receiver = std::get<1>(route);
    if (receiver >= m_calls.size())
    {
        Fail(message->pipeline,
             CollectiveFault{message->sender,
                             "",
                             {},
                             "a receiver, of " + std::to_string(m_calls.size()) + " members",
                             std::to_string(receiver),
                             ""});
        return;
    }
    Resume(m_connections.Deliver(route, message));
}

void
SymbolicRun::Resume(const SymbolicConnections::Pipelines& ready)
{
    m_ready.insert(m_ready.end(), ready.begin(), ready.end());
}

SymbolicConnections::Route
SymbolicRun::GetRoute(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer) const
{
    const bool isNetwork = transfer.action == CollectiveTransfer::NETWORK_RECV;
    const bool isSum = transfer.action == CollectiveTransfer::SWITCH_RECV_SUM;
    return {isNetwork ? SymbolicConnections::NETWORK
            : isSum   ? SymbolicConnections::SUM
                      : transfer.peer,
            member,
            m_progress[member][pipeline].peer};
}

bool
SymbolicRun::Receive(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    const auto message = m_connections.Take(GetRoute(member, pipeline, transfer));
    if (!message)
    {
        return false;
    }
    m_traffic[member].receivedBytes += message->bytes;
    if (m_calls[member].kind == CollectiveKind::BARRIER)
    {
        m_known[member] = m_buffers.GetSums().Unite(m_known[member], message->known);
    }
    if (message->bytes != transfer.bytes)
    {
        Fail(
            pipeline,
            CollectiveFault{member,
                            "",
                            {},
                            "a message of " + std::to_string(transfer.bytes) + " bytes",
                            std::to_string(message->bytes) + ", which " + message->DescribeSender(),
                            ""});
    }
    else if (HasPlace(m_calls[member], transfer))
    {
        const SymbolicBuffers::Step step{pipeline, GetStep(member, pipeline)};
        Fail(pipeline, m_buffers.Store(m_calls[member], step, transfer, *message));
    }
    return true;
}

uint64_t
SymbolicRun::GetStep(uint32_t member, uint32_t pipeline) const
{
    const auto count = m_progress[member][pipeline].count;
    return count - std::min<uint64_t>(count, 1);
}

void
SymbolicRun::Fail(uint32_t pipeline, std::optional<CollectiveFault> fault)
{
    // What comes after the first fault may be of its making.
    if (fault && !m_fault)
    {
        fault->step = DescribeSymbolicStep(pipeline, GetStep(fault->member, pipeline));
        m_fault = std::move(fault);
    }
}

std::pair<CollectiveFault, bool>
SymbolicRun::DescribeWait(uint32_t member, uint32_t pipeline) const
{
    const auto& own = m_progress[member][pipeline];
    CollectiveFault fault{member,
                          DescribeSymbolicStep(pipeline, GetStep(member, pipeline)),
                          {},
                          "steps that come to an end",
                          "",
                          ""};
    if (own.received < own.awaited.size())
    {
        const auto& transfer = own.awaited[own.received];
        const bool isNetwork = transfer.action == CollectiveTransfer::NETWORK_RECV;
        const auto from = isNetwork ? SymbolicConnections::NETWORK : transfer.peer;
        fault.found = "one that waits for " + std::to_string(transfer.bytes) + " bytes of " +
                      (isNetwork ? "the network" : "rank " + std::to_string(from));
        // To blame is who waits for somebody that has nothing left to do.
        bool isOver = from < m_progress.size();
        for (uint32_t i = 0; isOver && i < m_progress[from].size(); ++i)
        {
            const bool isPeer = m_progress[from][i].peer == own.peer;
            isOver = !isPeer || !m_progress[from][i].steps;
        }
        fault.found += isOver ? ", which has no step left that sends them" : ", which waits, too";
        fault.advice = isOver ? "the steps of rank " + std::to_string(from)
                              : "which of the two should send first";
        return {fault, isOver};
    }
    const auto waits = std::find_if(own.sent.begin(), own.sent.end(), [](const auto& message) {
        return !message->hasLeft;
    });
    if (waits != own.sent.end())
    {
        const auto& slots = m_connections.GetSlots();
        fault.found = "one whose " + std::to_string((*waits)->bytes) + " bytes have no room: the " +
                      std::to_string(slots.count) + " slots of " + std::to_string(slots.bytes) +
                      " bytes of their connection are full, and their receive is never posted";
        fault.advice = "receives that its peer should post before it sends more";
        return {fault, true};
    }
    fault.found = "one that waits for another pipeline of the rank";
    return {fault, false};
}

std::optional<CollectiveFault>
SymbolicRun::FindOpen() const
{
    std::optional<CollectiveFault> first;
    for (uint32_t member = 0; member < m_progress.size(); ++member)
    {
        for (uint32_t pipeline = 0; pipeline < m_progress[member].size(); ++pipeline)
        {
            if (m_progress[member][pipeline].steps)
            {
                const auto [fault, isToBlame] = DescribeWait(member, pipeline);
                if (isToBlame)
                {
                    return fault;
                }
                first = first ? first : fault;
            }
        }
    }
    // Pipelines that wait say more than what is left because of them.
    first = first ? first : m_connections.FindLeft();
    return first ? first : m_switches.FindLeft();
}

} // namespace ns3
