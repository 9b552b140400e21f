/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveRun");

CollectiveRun::CollectiveRun(const OpenedCollective& collective,
                             const CollectivePlan& plan,
                             RankMessenger& messenger,
                             DoneCallback done)
    : m_collective(collective),
      m_plan(plan),
      m_messenger(messenger),
      m_done(done)
{
    NS_LOG_FUNCTION(this << plan.GetName() << collective.call.bytes << collective.sequence);
}

CollectiveRun::~CollectiveRun()
{
    m_launch.Cancel();
    for (auto& kept : m_kept)
    {
        kept.start.Cancel();
    }
    for (auto& pipeline : m_pipelines)
    {
        pipeline.latency.Cancel();
        pipeline.reduction.Cancel();
    }
}

void
CollectiveRun::Wait()
{
    if (!m_waits && m_plan.terms.HasLatency())
    {
        m_waits = true;
        m_waitsSince = Simulator::Now();
        Begin();
    }
}

void
CollectiveRun::Start()
{
    if (!std::exchange(m_waits, false))
    {
        Begin();
        return;
    }
    // What goes at once may complete the run, which is its owner's to delete.
    std::size_t first = 0;
    while (first < m_kept.size() && m_kept[first].delay.IsZero())
    {
        ++first;
    }
    for (std::size_t i = first; i < m_kept.size(); ++i)
    {
        m_kept[i].start =
            Simulator::Schedule(m_kept[i].delay, &CollectiveRun::StartKept, this, i, i + 1);
    }
    StartKept(0, first);
}

void
CollectiveRun::StartKept(std::size_t first, std::size_t end)
{
    // What is sent or received at once must not let the run end before this is over.
    m_draining = true;
    for (std::size_t i = first; i < end; ++i)
    {
        StartTransfer(m_kept[i].pipeline, m_kept[i].transfer);
    }
    m_draining = false;
    Drain();
}

void
CollectiveRun::Begin()
{
    auto pipelines = m_plan.algorithm->Plan(m_plan.Complete(m_collective.call));
    m_pipelines.resize(pipelines.size());
    for (std::size_t i = 0; i < pipelines.size(); ++i)
    {
        m_pipelines[i].steps = std::move(pipelines[i]);
    }
    m_openPipelines = m_pipelines.size();
    if (m_plan.terms.launch.IsStrictlyPositive() && !m_pipelines.empty())
    {
        // Time until the kernel runs on the GPU.
        m_launch = Simulator::Schedule(m_plan.terms.launch, &CollectiveRun::Launch, this);
        return;
    }
    Launch();
}

void
CollectiveRun::Skip(uint64_t received)
{
    // Payload, as if its messages had come.
    m_messenger.NoteReceived(received);
    // The owner may delete this run in the call.
    const auto done = m_done;
    done(m_collective.track);
}

uint64_t
CollectiveRun::CountReceivedBytes() const
{
    return m_plan.algorithm->GetReceivedBytes(m_plan.Complete(m_collective.call));
}

void
CollectiveRun::Launch()
{
    // Drain() takes from the back, so that pipeline 0 begins first.
    for (std::size_t pipeline = m_pipelines.size(); pipeline-- > 0;)
    {
        // Steps are made by Drain() alone, so that the stack stays flat however many complete at
        // once.
        m_ready.push_back(static_cast<uint32_t>(pipeline));
    }
    Drain();
}

void
CollectiveRun::Received(uint32_t pipeline)
{
    NS_ASSERT_MSG(m_pipelines[pipeline].pending > 0, "more receives completed than were started");
    if (--m_pipelines[pipeline].pending == 0)
    {
        StepReceived(pipeline);
        Drain();
    }
}

void
CollectiveRun::Sent()
{
    NS_ASSERT_MSG(m_unsent > 0, "more messages sent than were started");
    // The run stays until the last acknowledgement: the transport refers to its track.
    --m_unsent;
    Drain();
}

const OpenedCollective&
CollectiveRun::GetCollective() const
{
    return m_collective;
}

const CollectivePlan&
CollectiveRun::GetPlan() const
{
    return m_plan;
}

void
CollectiveRun::NextStep(uint32_t pipeline)
{
    if (m_pipelines[pipeline].steps->IsBlocked())
    {
        m_blocked.push_back(pipeline);
        return;
    }
    // Not kept by the pipeline: memory that was just used is in the cache.
    CollectiveStep step;
    step.reserve(2);
    if (!m_pipelines[pipeline].steps->Next(step))
    {
        --m_openPipelines;
        return;
    }
    // What the pipeline has done may be what others wait for.
    m_ready.insert(m_ready.end(), m_blocked.rbegin(), m_blocked.rend());
    m_blocked.clear();
    for (auto& transfer : step)
    {
        // Only bytes are moved, wherever they stand: the lists would outlive the step.
        transfer.parts = {};
    }
    StartTransfers(pipeline, step);
}

void
CollectiveRun::StartTransfers(uint32_t pipeline, const CollectiveStep& step)
{
    auto& state = m_pipelines[pipeline];
    // One more than there are, so that receives which complete at once do not end the step early.
    state.pending = 1;
    state.reduced = 0;
    for (const auto& transfer : step)
    {
        if (transfer.IsSend())
        {
            // Counted before it is sent: a buffered message may be reported sent within the call.
            ++m_unsent;
            Send(pipeline, transfer);
            continue;
        }
        ++state.pending;
        // Bytes that the kernel reads and adds when all of them are there.
        state.reduced += transfer.action == CollectiveTransfer::RECV_REDUCE ? transfer.bytes : 0;
        StartTransfer(pipeline, transfer);
    }
    if (--state.pending == 0)
    {
        StepReceived(pipeline);
    }
}

void
CollectiveRun::Send(uint32_t pipeline, const CollectiveTransfer& transfer)
{
    auto& delayed = m_pipelines[pipeline].delayed;
    const bool isNetwork = m_collective.call.IsNetwork(transfer);
    const Time latency = m_plan.terms.GetLatency(transfer.bytes, isNetwork);
    if (latency.IsZero() && delayed.empty())
    {
        StartTransfer(pipeline, transfer);
        return;
    }
    // Messages of a pipeline to one receiver keep their order; others have connections of their
    // own.
    Time due = Simulator::Now() + latency;
    for (const auto& other : delayed)
    {
        const bool isSwitch = (other.transfer.UsesSwitch() && transfer.UsesSwitch()) ||
                              (other.transfer.UsesNetworkSwitch() && transfer.UsesNetworkSwitch());
        if (isSwitch || other.transfer.peer == transfer.peer)
        {
            due = std::max(due, other.due);
        }
    }
    // Kept by due time; equal ones in the order in which they came.
    auto place = delayed.end();
    while (place != delayed.begin() && std::prev(place)->due > due)
    {
        --place;
    }
    const bool isFirst = place == delayed.begin();
    delayed.insert(place, {due, transfer});
    if (isFirst)
    {
        m_pipelines[pipeline].latency.Cancel();
        m_pipelines[pipeline].latency = Simulator::Schedule(due - Simulator::Now(),
                                                            &CollectiveRun::LatencyOver,
                                                            this,
                                                            pipeline);
    }
}

void
CollectiveRun::LatencyOver(uint32_t pipeline)
{
    auto& state = m_pipelines[pipeline];
    // Lets go of the event that runs, so that the next one has its memory, which is in the cache.
    state.latency = EventId();
    const auto transfer = state.delayed.front().transfer;
    state.delayed.erase(state.delayed.begin());
    if (!state.delayed.empty())
    {
        state.latency = Simulator::Schedule(state.delayed.front().due - Simulator::Now(),
                                            &CollectiveRun::LatencyOver,
                                            this,
                                            pipeline);
    }
    // The message may be sent at once, which must not let the run end before this is over.
    m_draining = true;
    StartTransfer(pipeline, transfer);
    m_draining = false;
    Drain();
}

void
CollectiveRun::StepReceived(uint32_t pipeline)
{
    auto& state = m_pipelines[pipeline];
    if (m_plan.terms.reductionRate > 0 && state.reduced > 0)
    {
        // The next step sends what the kernel has added by then.
        const double seconds =
            // bytes by bytes/s
            static_cast<double>(state.reduced) / static_cast<double>(m_plan.terms.reductionRate);
        state.reduction =
            Simulator::Schedule(Seconds(seconds), &CollectiveRun::ReductionOver, this, pipeline);
        return;
    }
    m_ready.push_back(pipeline);
}

void
CollectiveRun::ReductionOver(uint32_t pipeline)
{
    m_pipelines[pipeline].reduction = EventId();
    m_ready.push_back(pipeline);
    Drain();
}

void
CollectiveRun::StartTransfer(uint32_t pipeline, const CollectiveTransfer& transfer)
{
    if (m_waits)
    {
        m_kept.push_back({Simulator::Now() - m_waitsSince, pipeline, transfer, EventId()});
        return;
    }
    auto& expected = m_pipelines[pipeline].expected;
    // Switches have no slots, so that there is nothing to announce to them.
    const bool isFromMember =
        !transfer.IsSend() && !transfer.UsesSwitch() && !transfer.UsesNetworkSwitch();
    if (isFromMember && transfer.peer != expected)
    {
        expected = transfer.peer;
        // Clear to send: only when the peer changes, as one announcement holds for the whole call.
        m_messenger.Expect(m_collective, expected);
    }
    m_messenger.StartTransfer(m_collective,
                              pipeline,
                              *m_pipelines[pipeline].steps,
                              transfer,
                              m_plan.GetWireBytes(m_collective.call, transfer));
}

void
CollectiveRun::Drain()
{
    // Called again from within NextStep(); the loop below takes what has become ready.
    if (m_draining)
    {
        return;
    }
    m_draining = true;
    while (!m_ready.empty())
    {
        const auto pipeline = m_ready.back();
        m_ready.pop_back();
        NextStep(pipeline);
    }
    m_draining = false;
    if (m_openPipelines == 0 && m_unsent == 0)
    {
        // The owner may delete this run in the call.
        const auto done = m_done;
        done(m_collective.track);
    }
}

} // namespace ns3
