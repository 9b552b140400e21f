/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-feedback-schedule.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Flows whose limit changes slowly hear each so many steps while nothing holds them back.
constexpr uint64_t PATIENCE = 8;

/**
 * @param links all links
 * @param flow a flow
 * @return what waits of it, if anything, waits at its last link alone, all of it
 */
bool
WaitsAtLastLink(const std::vector<FluidLink>& links, const FluidFlow& flow)
{
    const auto& last = flow.hops.back();
    return last.share == 1 && links[last.link].isBusy &&
           std::none_of(flow.hops.begin(), flow.hops.end() - 1, [&links](const FluidHop& hop) {
               return links[hop.link].isBusy;
           });
}

} // namespace

FluidFeedbackSchedule::FluidFeedbackSchedule(std::vector<FluidLink>& links, int64_t step)
    : m_links(links),
      m_step(step)
{
}

void
FluidFeedbackSchedule::Add(FluidFlow& flow)
{
    flow.stepping = static_cast<uint32_t>(m_flows.size());
    m_flows.push_back(&flow);
}

void
FluidFeedbackSchedule::Remove(FluidFlow& flow)
{
    if (flow.stepping != UINT32_MAX)
    {
        // The last one takes the free place, so that nothing is searched or moved.
        m_flows.back()->stepping = flow.stepping;
        m_flows[flow.stepping] = m_flows.back();
        m_flows.pop_back();
        flow.stepping = UINT32_MAX;
    }
}

void
FluidFeedbackSchedule::Resume(FluidFlow& flow)
{
    if (flow.deferredTo != 0)
    {
        Track(flow);
        flow.isIndifferent = false;
        const FluidHop& last = flow.hops.back();
        m_links[last.link].uses[last.place].marks = FluidLink::NO_MARKS;
        flow.deferredTo = 0;
        --m_nDeferred;
        Add(flow);
    }
}

void
FluidFeedbackSchedule::Track(FluidFlow& flow)
{
    const FluidHop& last = flow.hops.back();
    FluidLink& link = m_links[last.link];
    if (last.place >= link.nServed)
    {
        link.Resume(last.place);
    }
}

void
FluidFeedbackSchedule::ResumeAll(FluidLink& link)
{
    for (std::size_t i = 0; i < link.uses.size(); ++i)
    {
        // One that it has passed may take its place.
        Resume(*link.uses[i].flow);
    }
}

uint64_t
FluidFeedbackSchedule::FindNextFeedback(const FluidFlow& flow, int64_t now) const
{
    const auto step = static_cast<uint64_t>(now / m_step);
    // Links go on at the rates of the last Serve() until the next, in which a change of now counts.
    if (flow.changedAt == now)
    {
        return 0;
    }
    // Whole steps before the first one in which the change counts: one that falls on a step counts
    // in it.
    const int64_t steps = (flow.GetNextChange(now) - now - 1) / m_step;
    if (steps > 0)
    {
        return step + 1 + std::min<uint64_t>(steps, MOST - 1);
    }
    // Those of a port hear in the same step, so that the port is shared out once for all.
    const uint64_t phase = flow.hops.front().link / 2 % PATIENCE;
    const bool canWait = flow.IsPatient() && !flow.progress.isHeld;
    return canWait ? step + 1 + (phase + PATIENCE - (step + 1) % PATIENCE) % PATIENCE : 0;
}

void
FluidFeedbackSchedule::DeferIfPossible(FluidFlow& flow, int64_t now, bool isFull)
{
    const uint64_t next = FindNextFeedback(flow, now);
    if (next == 0)
    {
        return;
    }
    if (flow.progress.isHeld)
    {
        const FluidHop& last = flow.hops.back();
        FluidLink& link = m_links[last.link];
        // What waits has come faster, perhaps, than what leaves now.
        const double pace = (link.service.next - link.service.entry) / link.service.steps;
        const FluidLink::Use& use = link.uses[last.place];
        const double comes =
            use.arrivals.IsEmpty() ? 0 : use.arrivals.GetLargestRate(link.service.entry);
        const double out = std::max(last.out, pace * comes);
        const double marks = out > 0 ? flow.GetMarksLeft(out) : FluidLink::NO_MARKS;
        const double marked = link.settings.marking ? link.settings.marking(link.queue) : 0;
        // It has to hear of marks in the next step or two, or pass on what leaves a queue.
        if (marks < 2 * marked * static_cast<double>(m_step) || !WaitsAtLastLink(m_links, flow))
        {
            return;
        }
        link.uses[last.place].marks = link.service.markTime + marks;
        flow.isIndifferent =
            marks == FluidLink::NO_MARKS && flow.GetNextChange(now) == FluidFlow::NEVER;
        if (!isFull)
        {
            link.Defer(last.place);
        }
    }
    Remove(flow);
    flow.deferredTo = next;
    m_deferred[next % m_deferred.size()].push_back(&flow);
    ++m_nDeferred;
}

void
FluidFeedbackSchedule::ResumeDue(uint64_t step, const std::vector<uint32_t>& busy)
{
    auto& bucket = m_deferred[step % m_deferred.size()];
    for (auto* const flow : bucket)
    {
        // Who was resumed early stands there still, once or several times.
        if (flow->deferredTo == step)
        {
            Resume(*flow);
        }
    }
    bucket.clear();
    for (const auto number : busy)
    {
        const FluidLink& link = m_links[number];
        for (std::size_t i = 0; i < link.uses.size(); ++i)
        {
            // One that it has passed may take its place.
            if (link.uses[i].marks <= link.service.markTime)
            {
                Resume(*link.uses[i].flow);
            }
        }
    }
}

void
FluidFeedbackSchedule::Select(int64_t now, const std::vector<uint32_t>& busy)
{
    ResumeDue(static_cast<uint64_t>(now / m_step), busy);
    m_selected = m_flows;
    m_held.clear();
    for (auto* const flow : m_selected)
    {
        if (flow->progress.isHeld)
        {
            m_held.push_back(flow);
        }
    }
}

} // namespace ns3
