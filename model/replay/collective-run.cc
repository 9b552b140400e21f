/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"

#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

CollectiveRun::CollectiveRun(std::size_t stream,
                             const CollectiveAlgorithm& algorithm,
                             const CollectiveCall& call,
                             TransferCallback transfer,
                             DoneCallback done)
    : m_stream(stream),
      m_call(call),
      m_stepLatency(algorithm.GetStepLatency()),
      m_launchLatency(algorithm.GetLaunchLatency()),
      m_transfer(transfer),
      m_done(done)
{
    auto plan = algorithm.Plan(call);
    m_lanes.resize(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i)
    {
        m_lanes[i].steps = std::move(plan[i]);
    }
    m_openLanes = m_lanes.size();
}

CollectiveRun::~CollectiveRun()
{
    m_launch.Cancel();
    for (auto& lane : m_lanes)
    {
        lane.latency.Cancel();
    }
}

void
CollectiveRun::Start()
{
    if (m_launchLatency.IsStrictlyPositive() && !m_lanes.empty())
    {
        m_launch = Simulator::Schedule(m_launchLatency, &CollectiveRun::Launch, this);
        return;
    }
    Launch();
}

void
CollectiveRun::Launch()
{
    for (std::size_t lane = m_lanes.size(); lane-- > 0;)
    {
        m_ready.push_back(static_cast<uint32_t>(lane));
    }
    Drain();
}

void
CollectiveRun::Received(uint32_t lane)
{
    NS_ASSERT_MSG(m_lanes[lane].pending > 0, "more receives completed than were started");
    if (--m_lanes[lane].pending == 0)
    {
        m_ready.push_back(lane);
        Drain();
    }
}

void
CollectiveRun::Sent()
{
    NS_ASSERT_MSG(m_unsent > 0, "more messages sent than were started");
    --m_unsent;
    Drain();
}

const CollectiveCall&
CollectiveRun::GetCall() const
{
    return m_call;
}

void
CollectiveRun::NextStep(uint32_t lane)
{
    auto& state = m_lanes[lane];
    if (!state.steps->Next(state.step))
    {
        --m_openLanes;
        return;
    }
    if (m_stepLatency.IsStrictlyPositive() && !state.step.empty())
    {
        state.latency = Simulator::Schedule(m_stepLatency, &CollectiveRun::LatencyOver, this, lane);
        return;
    }
    StartTransfers(lane);
}

void
CollectiveRun::StartTransfers(uint32_t lane)
{
    auto& state = m_lanes[lane];
    // One more than there are, so that receives which complete at once do not end the step early.
    state.pending = 1;
    for (const auto& transfer : state.step)
    {
        if (transfer.action == CollectiveTransfer::SEND)
        {
            ++m_unsent;
        }
        else
        {
            ++state.pending;
        }
        m_transfer(m_stream, lane, state.steps->GetChannel(), transfer);
    }
    if (--state.pending == 0)
    {
        m_ready.push_back(lane);
    }
}

void
CollectiveRun::LatencyOver(uint32_t lane)
{
    // Receives that complete within must not let the run end before all transfers are started.
    m_draining = true;
    StartTransfers(lane);
    m_draining = false;
    Drain();
}

void
CollectiveRun::Drain()
{
    if (m_draining)
    {
        return;
    }
    m_draining = true;
    while (!m_ready.empty())
    {
        const auto lane = m_ready.back();
        m_ready.pop_back();
        NextStep(lane);
    }
    m_draining = false;
    if (m_openLanes == 0 && m_unsent == 0)
    {
        // The owner may delete this run in the call.
        const auto done = m_done;
        done(m_stream);
    }
}

} // namespace ns3
