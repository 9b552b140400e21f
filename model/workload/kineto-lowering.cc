/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-lowering.h"

#include "kineto-message.h"
#include "kineto-transfers.h"

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
    for (const auto& event : m_trace.events)
    {
        if (event.kind == KinetoEvent::DEVICE)
        {
            auto& [begin, end] = m_ops.try_emplace(event.correlation, event.start, 0).first->second;
            end = std::max(end, event.end);
        }
    }
    // A rank that begins later than others waits as long first.
    m_start = (m_trace.events.empty() ? 0 : m_trace.events.front().start) - offset;
    for (const auto& [time, event, isReturn] : ListMoments())
    {
        switch (event->kind)
        {
        case KinetoEvent::NOTE:
            m_threads[event->track].spans.all.push_back(event);
            break;
        case KinetoEvent::CALL:
            isReturn ? AddReturn(*event) : AddCall(*event);
            break;
        case KinetoEvent::DEVICE:
            AddDevice(*event);
            break;
        }
    }
    return m_builder.Build();
}

std::vector<KinetoLowering::Moment>
KinetoLowering::ListMoments() const
{
    std::vector<Moment> moments;
    for (const auto& event : m_trace.events)
    {
        // What waits for the device comes behind what it has waited for.
        moments.push_back({event.IsWaiting() ? event.end : event.start, &event, false});
        if (IsBlocking(event))
        {
            moments.push_back({event.end, &event, true});
        }
    }
    std::stable_sort(moments.begin(), moments.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    return moments;
}

bool
KinetoLowering::IsBlocking(const KinetoEvent& event) const
{
    const auto op = m_ops.find(event.correlation);
    const bool isCopy = event.kind == KinetoEvent::CALL && event.correlation != 0 &&
                        op != m_ops.end() && event.name.find("Memcpy") != std::string::npos;
    // Clocks of the host and the accelerator differ by some microseconds.
    return isCopy && event.end >= (op->second.first + op->second.second) / 2;
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
    if (event.IsWaiting())
    {
        AddHostOp(event, event.start, event.start);
        // What goes before waiting and what follows it take time, the waiting itself as long as it
        // takes now.
        const auto waits = FindWaits(INT64_MIN, event.start, event.end);
        thread.end = std::min(std::max(event.start, waits.end), event.end);
        const auto index = AddHostOp(event, event.start, event.end);
        AddEdges(waits, index);
    }
    else if (event.IsOrdering())
    {
        // What is launched next in a stream may depend on all others.
        thread.waited = event.start;
    }
    else if (m_ops.count(event.correlation) > 0 && event.correlation != 0)
    {
        // A copy that is waited for begins within its call, which prepares it if nothing else runs.
        const auto begin = m_busy <= event.start ? m_ops.at(event.correlation).first : event.start;
        const auto end = IsBlocking(event) ? std::max(begin, event.start) : event.end;
        m_launches[event.correlation] = {&event, AddHostOp(event, event.start, end), end};
    }
}

void
KinetoLowering::AddReturn(const KinetoEvent& event)
{
    const auto copied = m_last.find(event.correlation);
    if (copied != m_last.end())
    {
        m_threads[event.track].end = m_ops.at(event.correlation).second;
        m_builder.AddFinishEdge(copied->second, AddHostOp(event, event.start, event.end));
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
    const auto* call = isLaunched ? launch->second.call : nullptr;
    const double launched = call ? call->start : event.start;
    auto& stream = m_deviceStreams[event.track];
    // NCCL's stream waits for the one that computes before each communication
    // (ProcessGroupNCCL::syncStream).
    Waits waits;
    if (event.IsCommunication())
    {
        waits = FindWaits(event.track, launched, event.start);
    }
    else if (isLaunched)
    {
        const auto& thread = m_threads[call->track];
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
        waits.ops.push_back(launch->second.op);
    }
    OpIndex last = 0;
    const double delay = FindDelay(event, isLaunched ? &launch->second : nullptr);
    if (!event.IsCommunication() || !AddMessage(event, call, waits, last))
    {
        WorkloadOp op;
        op.amount = event.IsCommunication() ? 0 : ToPicoseconds(event.end - event.start + delay);
        last = AddOp(op, event, {"compute", true}, event.track);
        AddEdges(waits, last);
    }
    stream.ops.push_back({last, launched, event.end});
    m_last[event.correlation] = last;
}

double
KinetoLowering::FindDelay(const KinetoEvent& event, const Launch* launch)
{
    const double idle = event.start - std::max(launch ? launch->end : m_start, m_busy);
    // What was there already needs this time; how long a call takes to get there is no matter.
    const bool isThere = !launch || launch->end <= m_busy;
    m_busy = std::max(m_busy, event.end);
    m_notes.delayed += launch && idle >= THREAD_GAP ? 1 : 0;
    return isThere || idle >= THREAD_GAP ? std::max(idle, 0.0) : 0;
}

bool
KinetoLowering::AddMessage(const KinetoEvent& event,
                           const KinetoEvent* call,
                           const Waits& waits,
                           OpIndex& last)
{
    const auto* note =
        call ? KinetoValues::FindNote(m_threads[call->track].spans.all, *call) : nullptr;
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
    const auto member =
        static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), m_rank) - ranks.begin());
    WorkloadOp op;
    op.communicator = FindSlot(message.group, ranks);
    const auto kind = KinetoValues::FindCollective(word);
    if (!kind)
    {
        auto* spans = call ? &m_threads[call->track].spans : nullptr;
        const auto transfers =
            ListKinetoTransfers(event, message, spans, call, member, ranks.size());
        for (const auto& transfer : transfers)
        {
            m_notes.unsized += transfer.bytes ? 0 : 1;
        }
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
                                const std::vector<KinetoTransfer>& transfers,
                                WorkloadOp op,
                                const Waits& waits,
                                OpIndex& last)
{
    std::vector<OpIndex> ops;
    for (const auto& transfer : transfers)
    {
        op.kind = transfer.isSend ? OpKind::SEND : OpKind::RECV;
        op.peer = transfer.peer;
        op.amount = transfer.bytes.value_or(1);
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
