/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-network.h"

#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// Rates and bytes that differ by less, as a share, are the same: sums of rates are rounded.
constexpr double ROUNDING = 1e-9;

/// Bytes that count as none, well below one and above what is rounded of a message of 2^50.
constexpr double NO_BYTES = 1e-3;

/// Steps without a change of its limit after which a flow is left alone that is not at rest: longer
/// than congestion control waits between two changes.
constexpr uint32_t STEADY_STEPS = 1000;

/// A limit that changes by less, as a share, in a step does not change.
constexpr double STEADY = 1e-3;

/// A full link is so no longer when its queue has sunk below this part of its room.
constexpr double FULL_UNTIL = 0.98;

} // namespace

FluidNetwork::FluidNetwork(Time step)
    : m_step(step.GetTimeStep())
{
    NS_ASSERT_MSG(m_step > 0, "steps take time");
}

FluidNetwork::~FluidNetwork()
{
    Stop();
}

void
FluidNetwork::Stop()
{
    m_update.Cancel();
    m_nextStep.Cancel();
}

uint32_t
FluidNetwork::AddLink(const LinkSettings& settings)
{
    NS_ASSERT_MSG(settings.capacity > 0, "a link carries something");
    m_links.emplace_back();
    m_links.back().settings = settings;
    m_links.back().carries = settings.capacity;
    m_isRefilled.push_back(false);
    return static_cast<uint32_t>(m_links.size() - 1);
}

void
FluidNetwork::Start(FluidFlow& flow, double bytes)
{
    NS_ASSERT_MSG(!flow.isActive && !flow.hops.empty() && bytes > 0, "a flow that begins");
    const int64_t now = Simulator::Now().GetTimeStep();
    flow.id = flow.id == 0 ? ++m_nFlows : flow.id;
    flow.isActive = true;
    flow.left = bytes;
    flow.observed = 0;
    flow.toldAt = now;
    flow.since = now;
    if (!flow.isAttached)
    {
        Attach(flow);
    }
    flow.limit = flow.GetLimit(now, GetQueueing(flow));
    if (IsCongested(flow))
    {
        AddStepping(flow);
    }
    AddRefill(flow.hops.front().link);
    RequestUpdate(now);
}

double
FluidNetwork::GetQueueing(const FluidFlow& flow) const
{
    double steps = 0;
    for (const auto& hop : flow.hops)
    {
        const Link& link = m_links[hop.link];
        steps += link.isBusy ? hop.share * GetQueue(hop.link) / link.carries : 0;
    }
    return steps;
}

double
FluidNetwork::GetQueue(uint32_t number) const
{
    const Link& link = m_links[number];
    const auto passed = static_cast<double>(Simulator::Now().GetTimeStep() - link.since);
    const double queue = link.queue + (link.load - link.leaving) * passed;
    return link.isBusy ? std::max(queue, 0.0) : 0;
}

double
FluidNetwork::GetMarkedPart(uint32_t number) const
{
    const Link& link = m_links[number];
    return link.isBusy && link.settings.marking ? link.settings.marking(GetQueue(number)) : 0;
}

uint64_t
FluidNetwork::TakeMarks(uint32_t number, double packetBytes)
{
    Link& link = m_links[number];
    const auto marks = static_cast<uint64_t>(link.marked / packetBytes);
    const uint64_t untold = marks - link.toldMarks;
    link.toldMarks = marks;
    return untold;
}

void
FluidNetwork::Advance(Link& link, int64_t now)
{
    const auto passed = static_cast<double>(now - link.since);
    link.since = now;
    const double out = link.isBusy ? link.leaving : link.load;
    link.served += out * passed;
    if (link.isBusy && link.settings.marking)
    {
        link.marked += out * passed * link.settings.marking(link.queue);
    }
    link.queue = link.isBusy ? std::max(0.0, link.queue + (link.load - out) * passed) : 0;
    link.maxQueue = std::max(link.maxQueue, link.queue);
}

void
FluidNetwork::Advance(FluidFlow& flow, int64_t now)
{
    const double sent = flow.rate * static_cast<double>(now - flow.since);
    flow.since = now;
    flow.left -= sent;
    flow.observed += sent;
}

void
FluidNetwork::Advance(FluidHop& hop, int64_t now)
{
    const double more = (hop.in - hop.out) * static_cast<double>(now - hop.since);
    hop.backlog = std::max(0.0, hop.backlog + more);
    hop.since = now;
}

void
FluidNetwork::Attach(FluidFlow& flow)
{
    flow.isAttached = true;
    flow.steady = 0;
    for (uint32_t i = 0; i < flow.hops.size(); ++i)
    {
        auto& uses = m_links[flow.hops[i].link].uses;
        flow.hops[i].place = static_cast<uint32_t>(uses.size());
        uses.push_back({&flow, i});
    }
}

void
FluidNetwork::Detach(FluidFlow& flow)
{
    flow.isAttached = false;
    for (auto& hop : flow.hops)
    {
        // What sums of rates have lost in rounding does not stay.
        hop.backlog = 0;
        auto& uses = m_links[hop.link].uses;
        // The last one takes the free place.
        uses[hop.place] = uses.back();
        uses[hop.place].flow->hops[uses[hop.place].hop].place = hop.place;
        uses.pop_back();
    }
    RemoveStepping(flow);
}

void
FluidNetwork::SetRate(FluidFlow& flow, double rate, int64_t now)
{
    Advance(flow, now);
    flow.rate = rate;
    Propagate(flow, now);
    if (rate > 0)
    {
        const double steps = std::ceil(std::max(0.0, flow.left - NO_BYTES) / rate);
        m_due.Set(flow, now + static_cast<int64_t>(std::min(steps, 9e15)));
    }
    else if (flow.place != 0)
    {
        m_due.Remove(flow);
    }
}

void
FluidNetwork::Propagate(FluidFlow& flow, int64_t now)
{
    m_arriving.assign(flow.nodes, 0);
    m_arriving[0] = flow.rate;
    for (auto& hop : flow.hops)
    {
        const double in = m_arriving[hop.from] * hop.fraction;
        Link& link = m_links[hop.link];
        if (in != hop.in)
        {
            Advance(link, now);
            Advance(hop, now);
            link.load += in - hop.in;
            hop.in = in;
            if (!link.isBusy)
            {
                hop.out = in;
            }
            if (!link.isBusy && !link.settings.isSource &&
                link.load > link.carries * (1 + ROUNDING))
            {
                MakeBusy(link, now);
            }
        }
        m_arriving[hop.to] += hop.out;
    }
}

void
FluidNetwork::FindRoom(Link& link)
{
    std::vector<uint32_t> inputs;
    for (const auto& use : link.uses)
    {
        const auto node = use.flow->hops[use.hop].from;
        for (uint32_t i = 0; i < use.hop; ++i)
        {
            if (use.flow->hops[i].to == node)
            {
                inputs.push_back(use.flow->hops[i].link);
            }
        }
    }
    std::sort(inputs.begin(), inputs.end());
    const auto end = std::unique(inputs.begin(), inputs.end());
    link.room = link.settings.room(std::max<uint32_t>(1, end - inputs.begin()));
}

void
FluidNetwork::MakeBusy(Link& link, int64_t now)
{
    // All that comes in leaves until rates are known, see ServeFresh().
    link.isBusy = true;
    link.queue = 0;
    link.leaving = link.load;
    const auto number = static_cast<uint32_t>(&link - m_links.data());
    m_fresh.push_back(number);
    if (!link.isListed)
    {
        link.isListed = true;
        m_busy.push_back(number);
    }
    for (const auto& use : link.uses)
    {
        FluidHop& hop = use.flow->hops[use.hop];
        hop.backlog = 0;
        hop.since = now;
        AddStepping(*use.flow);
    }
}

void
FluidNetwork::AddStepping(FluidFlow& flow)
{
    flow.steady = 0;
    if (flow.stepping == UINT32_MAX)
    {
        // What it has sent while nothing was congested it has learned nothing from.
        Advance(flow, Simulator::Now().GetTimeStep());
        flow.observed = 0;
        flow.toldAt = flow.since;
        flow.stepping = static_cast<uint32_t>(m_stepping.size());
        m_stepping.push_back(&flow);
    }
    if (m_nextStep.IsExpired())
    {
        m_nextStep = Simulator::Schedule(TimeStep(m_step), &FluidNetwork::Step, this);
    }
}

void
FluidNetwork::RemoveStepping(FluidFlow& flow)
{
    if (flow.stepping != UINT32_MAX)
    {
        m_stepping.back()->stepping = flow.stepping;
        m_stepping[flow.stepping] = m_stepping.back();
        m_stepping.pop_back();
        flow.stepping = UINT32_MAX;
    }
}

void
FluidNetwork::Refill(uint32_t source, int64_t now)
{
    const auto& uses = m_links[source].uses;
    m_limits.clear();
    for (const auto& use : uses)
    {
        m_limits.push_back(use.flow->isActive ? use.flow->limit : 0);
    }
    const auto& rates = m_share.Divide(m_links[source].carries, m_limits);
    // Those that become slower go first, so that no link seems overloaded in between.
    for (const bool isSlower : {true, false})
    {
        for (std::size_t i = 0; i < uses.size(); ++i)
        {
            FluidFlow& flow = *uses[i].flow;
            const bool isSame = std::fabs(rates[i] - flow.rate) <= ROUNDING * rates[i];
            if (!isSame && (rates[i] < flow.rate) == isSlower)
            {
                SetRate(flow, rates[i], now);
            }
        }
    }
}

void
FluidNetwork::RefillAll(int64_t now)
{
    for (const auto source : m_refill)
    {
        m_isRefilled[source] = false;
        Refill(source, now);
    }
    m_refill.clear();
    ServeFresh(now);
}

void
FluidNetwork::ServeFresh(int64_t now)
{
    // What less passes one link may show another one that it is not overloaded, never that it is.
    for (const auto number : m_fresh)
    {
        Link& link = m_links[number];
        Serve(link, now);
        for (std::size_t i = 0; i < link.uses.size(); ++i)
        {
            Propagate(*link.uses[i].flow, now);
        }
    }
    m_fresh.clear();
}

void
FluidNetwork::AddRefill(uint32_t source)
{
    if (!m_isRefilled[source])
    {
        m_isRefilled[source] = true;
        m_refill.push_back(source);
    }
}

void
FluidNetwork::RequestUpdate(int64_t due)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_update.IsExpired() || due < m_updateDue)
    {
        m_update.Cancel();
        m_updateDue = std::max(due, now);
        m_update = Simulator::Schedule(TimeStep(m_updateDue - now), &FluidNetwork::Update, this);
    }
}

void
FluidNetwork::Update()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    while (!m_due.IsEmpty() && m_due.Top().due <= now)
    {
        Finish(m_due.Top(), now);
    }
    RefillAll(now);
    if (!m_due.IsEmpty())
    {
        RequestUpdate(m_due.Top().due);
    }
}

void
FluidNetwork::Finish(FluidFlow& flow, int64_t now)
{
    Advance(flow, now);
    // What was sent of the time step in which it ends belongs to what follows.
    const double surplus = std::min(0.0, flow.left);
    const double next = flow.Emptied(now, GetQueueing(flow));
    if (next > 0)
    {
        flow.left = std::max(next + surplus, NO_BYTES);
        SetRate(flow, flow.rate, now);
        return;
    }
    flow.isActive = false;
    SetRate(flow, 0, now);
    AddRefill(flow.hops.front().link);
    // What waits at busy links goes on after it.
    if (!IsCongested(flow))
    {
        Detach(flow);
    }
}

void
FluidNetwork::Step()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    UpdateQueues(now);
    UpdateHolds(now);
    ServeQueues(now);
    TellFlows(now);
    ShareOut(now);
    ReleaseSettled();
    if (!m_stepping.empty() || !m_busy.empty())
    {
        m_nextStep = Simulator::Schedule(TimeStep(m_step), &FluidNetwork::Step, this);
    }
    if (!m_due.IsEmpty())
    {
        RequestUpdate(m_due.Top().due);
    }
}

void
FluidNetwork::UpdateQueues(int64_t now)
{
    for (const auto number : m_busy)
    {
        Link& link = m_links[number];
        Advance(link, now);
        link.queue = 0;
        for (const auto& use : link.uses)
        {
            FluidHop& hop = use.flow->hops[use.hop];
            Advance(hop, now);
            link.queue += hop.backlog;
        }
        link.maxQueue = std::max(link.maxQueue, link.queue);
        FindRoom(link);
        link.isFull = link.queue >= link.room * (link.isFull ? FULL_UNTIL : 1);
    }
}

void
FluidNetwork::UpdateHolds(int64_t now)
{
    // What full links take in goes by what they have carried themselves since the last step.
    std::vector<std::pair<const Link*, double>> full;
    for (const auto number : m_busy)
    {
        if (m_links[number].isFull)
        {
            full.emplace_back(&m_links[number], m_links[number].carries);
        }
    }
    for (const auto number : m_held)
    {
        Link& link = m_links[number];
        Advance(link, now);
        link.carries = link.settings.capacity;
        if (link.settings.isSource)
        {
            AddRefill(number);
        }
    }
    m_held.clear();
    for (const auto& [link, takes] : full)
    {
        HoldBack(*link, takes, now);
    }
}

double
FluidNetwork::GetDemand(const Link& link)
{
    if (!link.settings.isSource)
    {
        return link.queue > NO_BYTES ? link.settings.capacity
                                     : std::min(link.load, link.settings.capacity);
    }
    double limits = 0;
    for (const auto& use : link.uses)
    {
        limits += use.flow->isActive ? use.flow->limit : 0;
    }
    return std::min(limits, link.settings.capacity);
}

void
FluidNetwork::HoldBack(const Link& full, double takes, int64_t now)
{
    // Part of what each link carries that comes here: it does not change when the link is held
    // back.
    std::map<uint32_t, double> inputs;
    for (const auto& use : full.uses)
    {
        const auto& hops = use.flow->hops;
        for (uint32_t i = 0; i < use.hop; ++i)
        {
            if (hops[i].to == hops[use.hop].from)
            {
                inputs[hops[i].link] += hops[i].out * hops[use.hop].fraction;
            }
        }
    }
    std::vector<double> parts;
    m_limits.clear();
    for (const auto& [number, rate] : inputs)
    {
        const Link& input = m_links[number];
        const double out = input.isBusy ? input.leaving : input.load;
        parts.push_back(out > 0 ? std::min(1.0, rate / out) : 0);
        m_limits.push_back(GetDemand(input) * parts.back());
    }
    const auto& taken = m_share.Divide(takes, m_limits);
    std::size_t i = 0;
    for (const auto& [number, rate] : inputs)
    {
        Link& input = m_links[number];
        if (taken[i] < m_limits[i] * (1 - ROUNDING))
        {
            Advance(input, now);
            input.carries = std::min(input.carries, taken[i] / parts[i]);
            m_held.push_back(number);
            if (input.settings.isSource)
            {
                AddRefill(number);
            }
            else if (!input.isBusy)
            {
                MakeBusy(input, now);
            }
        }
        ++i;
    }
}

void
FluidNetwork::ServeQueues(int64_t now)
{
    std::size_t kept = 0;
    for (const auto number : m_busy)
    {
        Serve(m_links[number], now);
        m_links[number].isListed = m_links[number].isBusy;
        if (m_links[number].isBusy)
        {
            m_busy[kept++] = number;
        }
    }
    m_busy.resize(kept);
}

void
FluidNetwork::Serve(Link& link, int64_t now)
{
    const auto step = static_cast<double>(m_step);
    Advance(link, now);
    // What will have come by the end of the step leaves as far as the link carries it.
    const double waiting = link.queue + link.load * step;
    link.isBusy = waiting > link.carries * step * (1 + ROUNDING);
    const double part = link.isBusy ? link.carries * step / waiting : 1;
    link.leaving = waiting * part / step;
    for (const auto& use : link.uses)
    {
        FluidHop& hop = use.flow->hops[use.hop];
        Advance(hop, now);
        hop.out = link.isBusy ? (hop.backlog + hop.in * step) * part / step : hop.in;
    }
}

void
FluidNetwork::TellFlows(int64_t now)
{
    RdmaTelemetry telemetry;
    for (auto* const flow : m_stepping)
    {
        if (!flow->isActive)
        {
            continue;
        }
        Advance(*flow, now);
        FluidFeedback feedback;
        feedback.now = now;
        feedback.passed = static_cast<double>(now - flow->toldAt);
        feedback.sent = flow->observed;
        feedback.queueing = GetQueueing(*flow);
        flow->observed = 0;
        flow->toldAt = now;
        double unmarked = 1;
        telemetry.count = 0;
        for (const auto& hop : flow->hops)
        {
            Link& link = m_links[hop.link];
            unmarked *= 1 - hop.share * GetMarkedPart(hop.link);
            if (flow->WantsTelemetry() && !link.settings.isSource)
            {
                Advance(link, now);
                telemetry.Write({now,
                                 static_cast<uint64_t>(link.served),
                                 static_cast<uint64_t>(link.queue),
                                 link.settings.bitRate});
            }
        }
        feedback.marked = 1 - unmarked;
        feedback.telemetry = flow->WantsTelemetry() ? &telemetry : nullptr;
        flow->Observe(feedback);
        const double limit = flow->GetLimit(now, feedback.queueing);
        const bool isSteady = std::fabs(limit - flow->limit) <= STEADY * flow->limit;
        flow->steady = isSteady ? flow->steady + 1 : 0;
        flow->limit = limit;
    }
}

void
FluidNetwork::ShareOut(int64_t now)
{
    for (const auto* const flow : m_stepping)
    {
        AddRefill(flow->hops.front().link);
    }
    RefillAll(now);
    // What leaves busy links has changed, whether rates have or not.
    for (std::size_t i = 0; i < m_stepping.size(); ++i)
    {
        Propagate(*m_stepping[i], now);
    }
}

void
FluidNetwork::ReleaseSettled()
{
    for (std::size_t i = m_stepping.size(); i > 0; --i)
    {
        FluidFlow& flow = *m_stepping[i - 1];
        if (IsCongested(flow))
        {
            continue;
        }
        if (!flow.isActive)
        {
            Detach(flow);
        }
        else if (flow.steady >= (flow.IsAtRest() ? 1 : STEADY_STEPS))
        {
            RemoveStepping(flow);
        }
    }
}

bool
FluidNetwork::IsCongested(const FluidFlow& flow) const
{
    return std::any_of(flow.hops.begin(), flow.hops.end(), [this](const FluidHop& hop) {
        return m_links[hop.link].isBusy;
    });
}

} // namespace ns3
