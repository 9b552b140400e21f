/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-lowering.h"

#include "kineto-message.h"

#include "ns3/input-values.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// A thread without a call for so long waits for another one that has worked meanwhile, us.
constexpr double THREAD_GAP = 200;

/// What is recorded as ended so long after the begin of something may have been waited for, us:
/// times of old traces are whole.
constexpr double CLOCK_GRAIN = 1;

/// Picoseconds of a microsecond.
constexpr double KINETO_UNIT = 1e6;

/**
 * @param event an op of the accelerator
 * @return whether it is a kernel of NCCL or RCCL
 */
bool
IsCommunication(const KinetoEvent& event)
{
    return BeginsWith(event.name, "ncclKernel") || BeginsWith(event.name, "ncclDevKernel");
}

/**
 * @param event an event of the host
 * @return whether it waits for the device
 */
bool
IsWaiting(const KinetoEvent& event)
{
    return event.kind == KinetoEvent::CALL && event.name.find("Synchronize") != std::string::npos;
}

/**
 * @param duration a time, us
 * @return the same, ps
 */
uint64_t
ToPicoseconds(double duration)
{
    return static_cast<uint64_t>(std::llround(std::max(duration, 0.0) * KINETO_UNIT));
}

} // namespace

KinetoLowering::KinetoLowering(const KinetoTrace& trace,
                               uint32_t rank,
                               FindRanks findRanks,
                               KinetoNotes& notes)
    : m_trace(trace),
      m_rank(rank),
      m_findRanks(std::move(findRanks)),
      m_notes(notes),
      m_builder(trace.file)
{
}

std::shared_ptr<const WorkloadProgram>
KinetoLowering::Lower(double offset, const EvenBytes& evenBytes)
{
    m_evenBytes = evenBytes;
    m_builder.SetNodes({});
    std::vector<const KinetoEvent*> events;
    for (const auto& event : m_trace.events)
    {
        if (event.kind == KinetoEvent::DEVICE)
        {
            ++m_launched[event.correlation];
        }
        events.push_back(&event);
    }
    // What waits for the device comes behind what it has waited for.
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) {
        return (IsWaiting(*a) ? a->end : a->start) < (IsWaiting(*b) ? b->end : b->start);
    });
    // A rank that begins later than others waits as long first.
    m_start = (m_trace.events.empty() ? 0 : m_trace.events.front().start) - offset;
    for (const auto* event : events)
    {
        switch (event->kind)
        {
        case KinetoEvent::NOTE:
            m_threads[event->track].spans.push_back(event);
            break;
        case KinetoEvent::CALL:
            AddCall(*event);
            break;
        case KinetoEvent::DEVICE:
            AddDevice(*event);
            break;
        }
    }
    return m_builder.Build();
}

KinetoLowering::OpIndex
KinetoLowering::AddOp(WorkloadOp op,
                      const KinetoEvent& event,
                      const WorkloadStream& stream,
                      int64_t track)
{
    const auto [found, isNew] = m_streams.try_emplace({stream.name, track});
    if (isNew)
    {
        auto named = stream;
        named.name += op.kind == OpKind::COMPUTE ? "-" + std::to_string(track) : "";
        found->second = m_builder.AddStream(named);
    }
    op.stream = found->second;
    op.origin = event.number;
    return m_builder.AddOp(op, event.name);
}

KinetoLowering::OpIndex
KinetoLowering::AddHostOp(const KinetoEvent& event, double begin, double end)
{
    auto& thread = m_threads[event.track];
    double from = thread.isNew ? m_start : thread.end;
    const bool isGap = begin - from >= THREAD_GAP;
    // Who has worked while the thread did nothing is what it has waited for.
    const Thread* other = nullptr;
    for (const auto& [track, candidate] : m_threads)
    {
        const bool isLater = !candidate.isNew && candidate.end > from && candidate.end <= begin;
        if (track != event.track && isGap && isLater)
        {
            other = &candidate;
            from = candidate.end;
        }
    }
    WorkloadOp op;
    op.amount = ToPicoseconds(end - from);
    const auto index = AddOp(op,
                             event,
                             {"cpu", false, Dimension::WORLD, StreamOrder::IN_ORDER, true},
                             event.track);
    if (other)
    {
        m_builder.AddFinishEdge(other->last, index);
    }
    thread.isNew = false;
    thread.end = end;
    thread.last = index;
    return index;
}

void
KinetoLowering::AddCall(const KinetoEvent& event)
{
    auto& thread = m_threads[event.track];
    if (IsWaiting(event))
    {
        AddHostOp(event, event.start, event.start);
        // What goes before waiting and what follows it take time, the waiting itself as long as it
        // takes now.
        const auto waits = FindWaits(INT64_MIN, event.start, event.end);
        thread.end = std::min(std::max(event.start, waits.end), event.end);
        const auto index = AddHostOp(event, event.start, event.end);
        AddEdges(waits, index);
    }
    else if (event.name.find("StreamWaitEvent") != std::string::npos)
    {
        // What is launched next in a stream may depend on all others.
        thread.waited = event.start;
    }
    else if (m_launched.count(event.correlation) > 0 && event.correlation != 0)
    {
        m_launches[event.correlation] = {&event, AddHostOp(event, event.start, event.end)};
    }
}

KinetoLowering::Waits
KinetoLowering::FindWaits(int64_t stream, double launched, double end) const
{
    Waits waits;
    for (const auto& [track, other] : m_deviceStreams)
    {
        const auto& ops = other.ops;
        // The last one that may be waited for: those before it are over, too.
        const auto last = std::find_if(ops.rbegin(), ops.rend(), [&](const auto& op) {
            return op.launched <= launched && op.end <= end + CLOCK_GRAIN;
        });
        if (track != stream && last != ops.rend())
        {
            waits.ops.push_back(last->last);
            waits.end = std::max(waits.end, last->end);
        }
    }
    return waits;
}

void
KinetoLowering::AddEdges(const Waits& waits, OpIndex op)
{
    for (const auto before : waits.ops)
    {
        m_builder.AddFinishEdge(before, op);
    }
}

void
KinetoLowering::AddDevice(const KinetoEvent& event)
{
    const auto launch = m_launches.find(event.correlation);
    const bool isLaunched = launch != m_launches.end();
    m_notes.unlaunched += isLaunched ? 0 : 1;
    const double launched = isLaunched ? launch->second.first->start : event.start;
    auto& stream = m_deviceStreams[event.track];
    // NCCL's stream waits for the one that computes before each communication
    // (ProcessGroupNCCL::syncStream).
    Waits waits;
    if (IsCommunication(event))
    {
        waits = FindWaits(event.track, launched, event.start);
    }
    else if (isLaunched)
    {
        const auto& thread = m_threads[launch->second.first->track];
        if (thread.waited > stream.applied && thread.waited <= launched)
        {
            stream.applied = thread.waited;
            waits = FindWaits(event.track, thread.waited, event.start);
        }
    }
    // Streams keep their order, whatever else is known.
    if (!stream.ops.empty())
    {
        waits.ops.push_back(stream.ops.back().last);
    }
    if (isLaunched)
    {
        waits.ops.push_back(launch->second.second);
    }
    OpIndex last = 0;
    if (!IsCommunication(event) ||
        !AddMessage(event, isLaunched ? launch->second.first : nullptr, waits, last))
    {
        WorkloadOp op;
        op.amount = IsCommunication(event) ? 0 : ToPicoseconds(event.end - event.start);
        last = AddOp(op, event, {"compute", true}, event.track);
        AddEdges(waits, last);
    }
    stream.ops.push_back({last, launched, event.end});
}

bool
KinetoLowering::AddMessage(const KinetoEvent& event,
                           const KinetoEvent* call,
                           const Waits& waits,
                           OpIndex& last)
{
    const auto* note = call ? KinetoValues::FindNote(m_threads[call->track].spans, *call) : nullptr;
    // Older versions of PyTorch say nothing in the arguments of kernels.
    auto message = event.message;
    auto word = KinetoValues::FindCommunication(message.name.empty() ? event.name : message.name);
    const bool isNamed = !message.name.empty() || KinetoValues::FindCollective(word).has_value();
    if (!isNamed && note)
    {
        word = KinetoValues::FindCommunication(note->message.name.empty() ? note->name
                                                                          : note->message.name);
    }
    KinetoValues::Complete(note, message);
    const auto ranks = m_findRanks(event, message);
    m_member = static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), m_rank) - ranks.begin());
    WorkloadOp op;
    op.communicator = FindSlot(message.group, ranks);
    const auto kind = KinetoValues::FindCollective(word);
    if (!kind)
    {
        const auto transfers = ListTransfers(event, call, message, ranks.size());
        return AddPointToPoint(event, transfers, op, waits, last);
    }
    op.kind = OpKind::COLLECTIVE;
    op.collective = *kind;
    const auto bytes = KinetoValues::CountBytes(*kind, message, ranks.size());
    m_notes.unsized += bytes || *kind == CollectiveKind::BARRIER ? 0 : 1;
    op.amount = *kind == CollectiveKind::BARRIER ? 0 : bytes.value_or(0);
    auto& calls = m_collectives[op.communicator];
    if (m_evenBytes)
    {
        op.amount = m_evenBytes(op.communicator, static_cast<uint32_t>(calls.size()), op.amount);
    }
    const auto splits = KinetoValues::MakeSplits(*kind, message, ranks.size());
    op.splits = splits ? m_builder.AddSplits(*splits) : op.splits;
    // Nothing to move: the members only wait for each other.
    const bool isEmpty = op.amount == 0 && op.splits == UINT32_MAX;
    op.collective = isEmpty ? CollectiveKind::BARRIER : op.collective;
    calls.emplace_back(*kind, op.splits == UINT32_MAX ? op.amount : 0);
    const auto& name = m_slots[op.communicator].first;
    last =
        AddOp(op, event, {name.empty() ? "world" : name, false, Dimension::WORLD}, op.communicator);
    AddEdges(waits, last);
    return true;
}

bool
KinetoLowering::AddPointToPoint(const KinetoEvent& event,
                                const std::vector<PointToPoint>& transfers,
                                WorkloadOp op,
                                const Waits& waits,
                                OpIndex& last)
{
    std::vector<OpIndex> ops;
    for (const auto& transfer : transfers)
    {
        op.kind = transfer.isSend ? OpKind::SEND : OpKind::RECV;
        op.peer = transfer.peer;
        op.amount = transfer.bytes;
        const auto name = transfer.isSend ? "send" : "recv";
        ops.push_back(AddOp(op, event, {name, false, Dimension::PP, StreamOrder::PARALLEL}, 0));
        AddEdges(waits, ops.back());
    }
    if (ops.size() > 1)
    {
        // What follows in the stream waits for all of them.
        WorkloadOp end;
        last = AddOp(end, event, {"compute", true}, event.track);
        AddEdges({ops, 0}, last);
        return true;
    }
    last = ops.empty() ? 0 : ops.front();
    m_notes.skipped += ops.empty() ? 1 : 0;
    return !ops.empty();
}

std::vector<KinetoLowering::PointToPoint>
KinetoLowering::ListTransfers(const KinetoEvent& event,
                              const KinetoEvent* call,
                              const KinetoMessage& message,
                              std::size_t members)
{
    std::vector<PointToPoint> transfers;
    const auto add = [this, members, &transfers](const std::string& word,
                                                 const std::string& name,
                                                 const KinetoMessage& info) {
        // "nccl:send 0->1" and "nccl:recv 1<-0"; of two members the other one is meant.
        const auto arrow = std::min(name.find("->"), name.find("<-"));
        const auto number =
            arrow == std::string::npos ? std::nullopt : ReadWhole(name.substr(arrow + 2));
        const uint64_t other = members == 2 ? 1 - m_member : members;
        const auto peer = number ? *number : info.peer ? *info.peer : other;
        if ((word == "send" || word == "recv") && peer < members && peer != m_member)
        {
            const auto bytes = info.sent && *info.sent > 0 ? info.sent : info.received;
            m_notes.unsized += bytes ? 0 : 1;
            transfers.push_back({word == "send", static_cast<uint32_t>(peer), bytes.value_or(1)});
        }
    };
    // Spans are used up in their order: each belongs to the first kernel behind it.
    auto* thread = call ? &m_threads[call->track] : nullptr;
    for (; thread && thread->spent < thread->spans.size(); ++thread->spent)
    {
        const auto& span = *thread->spans[thread->spent];
        if (span.start > call->start)
        {
            break;
        }
        add(KinetoValues::FindCommunication(span.name), span.name, span.message);
    }
    if (transfers.empty())
    {
        add(KinetoValues::FindCommunication(message.name.empty() ? event.name : message.name),
            "",
            message);
    }
    return transfers;
}

uint32_t
KinetoLowering::FindSlot(const std::string& name, const std::vector<uint32_t>& ranks)
{
    const auto found = std::find_if(m_slots.begin(), m_slots.end(), [&](const auto& slot) {
        return slot.first == name && slot.second == ranks;
    });
    if (found != m_slots.end())
    {
        return static_cast<uint32_t>(found - m_slots.begin());
    }
    // Groups of the same ranks and another name have collectives in an order of their own.
    m_slots.emplace_back(name, ranks);
    m_collectives.emplace_back();
    return static_cast<uint32_t>(m_slots.size() - 1);
}

} // namespace ns3
