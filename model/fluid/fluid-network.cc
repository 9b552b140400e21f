/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-network.h"

#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// Steps without a change of its limit after which a flow is left alone that is not at rest: longer
/// than congestion control waits between two changes.
constexpr uint32_t STEADY_STEPS = 1000;

/// A limit that changes by less, as a share, in a step does not change.
constexpr double STEADY = 1e-3;

/// Rounds in which ports are shared out that forward to each other, at most: enough for rings in
/// which all hosts send alike. Where they do not, rounds may go on, and do at the next look.
constexpr uint32_t SHARE_ROUNDS = 32;

/// Share of its capacity from which on a link whose use is measured is looked at: below
/// what controls aim at (HPCC: 0.95).
constexpr double NEARLY_FULL = 0.9;

/**
 * @param link a link
 * @param busyFrom share of what it carries that makes it busy when it comes in
 * @return whether it is not busy so far, and gets more than it carries
 */
bool
GetsQueue(const FluidLink& link, double busyFrom)
{
    return !link.isBusy && !link.isDown && link.HasQueue() && link.load > link.carries * busyFrom;
}

/**
 * @param links all links
 * @param flow a flow
 * @return whether a link of its path is busy
 */
bool
IsCongested(const std::vector<FluidLink>& links, const FluidFlow& flow)
{
    return std::any_of(flow.hops.begin(), flow.hops.end(), [&links](const FluidHop& hop) {
        return links[hop.link].isBusy;
    });
}

/**
 * @param links all links
 * @param flow a flow that has something to send, or of which something waits
 * @return whether it has to take steps: what it was notified of earlier congestion may hold it back
 * still
 */
bool
NeedsSteps(const std::vector<FluidLink>& links, const FluidFlow& flow)
{
    return IsCongested(links, flow) || !flow.IsAtRest();
}

/**
 * @param [in,out] flow a flow
 * @param now time step
 * @return bytes of it that wait, by hop
 */
std::vector<double>
GetBacklogs(FluidFlow& flow, int64_t now)
{
    std::vector<double> backlogs;
    for (auto& hop : flow.hops)
    {
        hop.Advance(now);
        // Bytes on the wire, headers and gaps included.
        backlogs.push_back(hop.backlog);
    }
    return backlogs;
}

/**
 * Have a flow forget what it has been notified of.
 *
 * @param links all links
 * @param [in,out] flow the flow
 * @param now time step
 */
void
Forget(const std::vector<FluidLink>& links, FluidFlow& flow, int64_t now)
{
    flow.Notified(now);
    for (auto& hop : flow.hops)
    {
        hop.marks = links[hop.link].service.markTime;
    }
}

/**
 * Packets of flows that share a link come at random moments, so that some wait even where the link
 * carries all of them. A packet meets those of N others, each of which sends one in each period:
 * more than x wait with probability exp(-2 x (x / N + 1 - load)), the heavy-traffic limit of the
 * queue ND/D/1 (J. Roberts, U. Mocci, J. Virtamo, eds., "Broadband Network Teletraffic", Springer
 * 1996). All that pass at a moment meet the same queue, later ones another one: a control that goes
 * by the worst of several links sees more than the worst of their means.
 *
 * @param link a link
 * @param probability probability that more wait, above 0
 * @return bytes that wait for that reason
 */
double
GetPacketQueue(const FluidLink& link, double probability)
{
    if (link.uses.size() < 2 || !std::isfinite(link.counted.fullPacket))
    {
        return 0; // packets of one flow come one after another
    }
    const auto others = static_cast<double>(link.uses.size() - 1);
    const double idle = std::max(0.0, 1 - link.load / link.carries);
    const double depth = std::sqrt(idle * idle - 2 * std::log(probability) / others) - idle;
    // The root of 2 x (x / others + idle) + log(probability), in packets.
    return others / 2 * depth * link.counted.fullPacket;
}

/**
 * @param [in,out] links all links
 * @param [in,out] flow a flow that is notified of what it has met
 * @param now time step
 */
void
Notify(std::vector<FluidLink>& links, FluidFlow& flow, int64_t now)
{
    flow.Advance(now);
    RdmaTelemetry telemetry;
    FluidFeedback feedback;
    feedback.now = now;
    feedback.passed = static_cast<double>(now - flow.notifiedAt);
    feedback.sent = flow.observed;
    feedback.arrived = flow.GetArrived();
    // Marks of several queues are independent: what counts is that no queue marks a packet.
    double unmarked = 1;
    for (const auto& hop : flow.hops)
    {
        FluidLink& link = links[hop.link];
        const double marks = link.service.markTime - hop.marks;
        unmarked *= 1 - (marks > 0 ? hop.share * marks / feedback.passed : 0);
        if (flow.WantsTelemetry() && link.HasQueue())
        {
            link.Advance(now);
            link.telemetry.Note({now, link.served, link.queue});
            // Counters that a packet has carried of which the sender hears now.
            const auto reading = link.telemetry.Read(now - hop.behind);
            const double random = FluidDraw(static_cast<uint64_t>(now), hop.link);
            telemetry.Write({reading.at,
                             static_cast<uint64_t>(reading.served),
                             static_cast<uint64_t>(reading.queue + GetPacketQueue(link, random)),
                             link.settings.bitRate});
        }
    }
    Forget(links, flow, now);
    feedback.marked = 1 - unmarked;
    feedback.telemetry = flow.WantsTelemetry() ? &telemetry : nullptr;
    flow.Observe(feedback);
    const double limit = flow.GetLimit(now);
    const bool isSteady = std::fabs(limit - flow.limit) <= STEADY * flow.limit;
    // Steps in a row without a change.
    flow.steady = isSteady ? flow.steady + 1 : 0;
    flow.limit = limit;
}

/**
 * Have the memory of a flow fetched, but not what it refers to.
 *
 * @param flow the flow
 */
void
Fetch(const FluidFlow& flow)
{
    // The bytes of a cache line.
    for (std::size_t offset = 0; offset < sizeof(FluidFlow); offset += 64)
    {
        __builtin_prefetch(reinterpret_cast<const char*>(&flow) + offset);
    }
}

/**
 * Have the hops of a flow fetched.
 *
 * @param flow the flow, which has been fetched itself
 */
void
FetchHops(const FluidFlow& flow)
{
    for (const auto& hop : flow.hops)
    {
        // Hops of a flow stand one behind another, each on a cache line or two.
        __builtin_prefetch(&hop);
    }
}

/**
 * Visit flows one after another, while the memory of those behind them is fetched: a fabric has
 * more flows than a cache holds.
 *
 * @param flows the flows
 * @param visit is given each of them
 */
template <typename V>
void
VisitFlows(const std::vector<FluidFlow*>& flows, const V& visit)
{
    // Flows that are fetched ahead: a few, which take about as long as memory does.
    constexpr std::size_t ahead = 3;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        if (i + 2 * ahead < flows.size())
        {
            Fetch(*flows[i + 2 * ahead]);
        }
        if (i + ahead < flows.size())
        {
            FetchHops(*flows[i + ahead]);
        }
        visit(*flows[i]);
    }
}

} // namespace

FluidNetwork::FluidNetwork(std::vector<FluidLink>& links, Time step)
    : m_step(step.GetTimeStep()),
      m_links(links),
      m_schedule(m_links, m_step),
      m_ports(m_links)
{
    NS_ASSERT_MSG(m_step > 0, "steps take time");
}

FluidNetwork::~FluidNetwork()
{
    m_update.Cancel();
    m_nextStep.Cancel();
}

void
FluidNetwork::Start(FluidFlow& flow, double bytes)
{
    NS_ASSERT_MSG(!flow.hops.empty() && bytes > 0, "a flow with something to send");
    const int64_t now = Simulator::Now().GetTimeStep();
    flow.Advance(now);
    flow.turn.lead = 0;
    m_ports.Request(flow.hops.front().link);
    RequestUpdate(now);
    if (flow.isActive)
    {
        // There is more to send now, so the flow ends later.
        flow.Load(now, bytes, 0);
        SetRate(flow, flow.rate, now);
        return;
    }
    flow.isActive = true;
    flow.turn.begun = m_nBegun++;
    flow.turn.isAhead = false;
    if (!flow.isAttached)
    {
        Attach(flow);
    }
    // Telemetry has flows leave links a little below their capacity.
    m_busyFrom = flow.WantsTelemetry() ? NEARLY_FULL : m_busyFrom;
    flow.progress = GetProgress(flow);
    flow.limit = flow.GetLimit(now);
    flow.Load(now, bytes, 0);
    m_ports.Note(flow);
    if (NeedsSteps(m_links, flow))
    {
        AddStepping(flow);
    }
}

void
FluidNetwork::Stop(FluidFlow& flow)
{
    if (flow.isActive)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        flow.isActive = false;
        // What waits in queues still drains; nothing is added to it.
        SetRate(flow, 0, now);
        m_ports.Request(flow.hops.front().link);
        RequestUpdate(now);
    }
}

std::vector<double>
FluidNetwork::Leave(FluidFlow& flow)
{
    m_schedule.Resume(flow);
    if (!flow.isAttached)
    {
        return {};
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    const auto waiting = GetBacklogs(flow, now);
    // The port that it leaves has more for others.
    m_ports.Request(flow.hops.front().link);
    RequestUpdate(now);
    Detach(flow);
    if (flow.place != 0)
    {
        m_due.Remove(flow);
    }
    return waiting;
}

void
FluidNetwork::Take(FluidFlow& flow,
                   std::vector<FluidHop> hops,
                   uint32_t nodes,
                   const std::vector<double>& waiting)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    flow.hops = std::move(hops);
    flow.nodes = nodes;
    const double all = std::accumulate(waiting.begin(), waiting.end(), 0.0);
    if (!flow.isActive && all < FluidLink::NO_BYTES)
    {
        return; // its links know of it when it sends
    }
    Attach(flow);
    for (std::size_t i = 0; i < waiting.size(); ++i)
    {
        FluidHop& hop = flow.hops[std::min(i, flow.hops.size() - 1)];
        FluidLink& link = m_links[hop.link];
        if (waiting[i] > FluidLink::NO_BYTES && link.HasQueue() && !link.isDown)
        {
            if (!link.isBusy)
            {
                MakeBusy(link, now);
            }
            // A shorter path takes what is left in its last queue.
            link.Take(hop, waiting[i], now);
        }
    }
    SetRate(flow, flow.rate, now);
    flow.progress = GetProgress(flow);
    if (NeedsSteps(m_links, flow))
    {
        AddStepping(flow);
    }
    m_ports.Request(flow.hops.front().link);
    RequestUpdate(now);
}

void
FluidNetwork::SetLinkUp(uint32_t number, bool isUp)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    FluidLink& link = m_links[number];
    // What they lose depends on what waits.
    const auto users = link.uses;
    for (const auto& use : users)
    {
        m_schedule.Resume(*use.flow);
    }
    link.Advance(now);
    link.isDown = !isUp;
    if (!isUp)
    {
        // What waited at the link is lost; Lose() has the flows send it again.
        link.isBusy = false;
        link.queue = 0;
        link.service.held = 0;
    }
    // Who has not stopped sending into it may send more than it carries.
    if (GetsQueue(link, m_busyFrom))
    {
        MakeBusy(link, now);
    }
    // A flow that is notified may take another path, and leave the link.
    const auto uses = link.uses;
    for (const auto& use : uses)
    {
        if (!isUp)
        {
            use.flow->Lose(now, use.hop);
            FluidHop& hop = use.GetHop();
            hop.Advance(now);
            hop.backlog = 0;
        }
        use.GetHop().out = use.GetHop().in;
        Propagate(*use.flow, now);
        if (isUp)
        {
            use.flow->UpdatePath();
        }
    }
    RequestUpdate(now);
}

FluidProgress
FluidNetwork::GetProgress(FluidFlow& flow)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    // What waits of a deferred flow is not known, and its rates are of when it was deferred.
    m_schedule.Resume(flow);
    FluidProgress progress;
    progress.step = static_cast<double>(m_step);
    double least = 0;
    for (auto& hop : flow.hops)
    {
        hop.Advance(now);
        // Time steps; of several paths the mean, by the share that goes there.
        progress.queueing += hop.share * m_links[hop.link].GetDelay(now);
        const FluidLink& link = m_links[hop.link];
        progress.least += hop.share * link.GetQueue(now) / link.settings.capacity;
        progress.waiting += hop.backlog;
        if (hop.share == 1)
        {
            // What waits before a slower link has to pass that one, too.
            least = std::max(least, progress.waiting / m_links[hop.link].settings.capacity);
        }
        if (link.isBusy)
        {
            progress.isHeld = true;
            // Telemetry is read of links that are busy and carry all that comes.
            const double left = std::max(0.0, link.carries - (link.load - hop.in));
            progress.free = std::min(progress.free, left / hop.share);
        }
        // All that leads to the last node comes there.
        progress.arriving += hop.to == flow.hops.back().to ? hop.out : 0;
    }
    progress.queueing = std::max(progress.queueing, least);
    progress.least = std::max(progress.least, least);
    return progress;
}

void
FluidNetwork::Attach(FluidFlow& flow)
{
    flow.isAttached = true;
    for (uint32_t i = 0; i < flow.hops.size(); ++i)
    {
        m_links[flow.hops[i].link].Attach(flow, i);
    }
    ++m_links[flow.hops.front().link].source.flows;
    m_ports.Note(flow);
}

void
FluidNetwork::Detach(FluidFlow& flow)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    flow.isAttached = false;
    for (auto& hop : flow.hops)
    {
        // A last part of a byte, and what sums of rates have lost in rounding, does not stay.
        m_links[hop.link].Drop(hop, now);
    }
    --m_links[flow.hops.front().link].source.flows;
    m_schedule.Remove(flow);
}

void
FluidNetwork::SetRate(FluidFlow& flow, double rate, int64_t now)
{
    flow.Advance(now);
    if (rate != flow.rate)
    {
        // Bytes and marks that it was to hear of gather at another rate, if it hears of any.
        flow.isIndifferent ? m_schedule.Track(flow) : m_schedule.Resume(flow);
        flow.changedAt = now;
    }
    flow.rate = rate;
    m_ports.Note(flow);
    Propagate(flow, now);
    if (rate > 0)
    {
        m_due.Set(flow, flow.FindEnd());
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
        FluidLink& link = m_links[hop.link];
        if (in != hop.in)
        {
            link.ChangeInput(hop, in, now);
            if (GetsQueue(link, m_busyFrom))
            {
                MakeBusy(link, now);
            }
            // What is forwarded leaves those that begin there more or less, at the next look.
            if (link.source.flows > 0 && hop.from > 0)
            {
                m_ports.Request(hop.link);
            }
        }
        m_arriving[hop.to] += link.isDown ? 0 : hop.out;
    }
}

void
FluidNetwork::MakeBusy(FluidLink& link, int64_t now)
{
    link.BeginQueue(now);
    const auto number = static_cast<uint32_t>(&link - m_links.data());
    m_fresh.push_back(number);
    if (!link.isListed)
    {
        link.isListed = true;
        m_busy.push_back(number);
    }
    for (const auto& use : link.uses)
    {
        AddStepping(*use.flow);
        use.flow->progress.isHeld = true;
    }
}

void
FluidNetwork::AddStepping(FluidFlow& flow)
{
    flow.steady = 0;
    m_schedule.Resume(flow);
    if (flow.stepping == UINT32_MAX)
    {
        flow.progress = GetProgress(flow);
        // What it has sent while nothing was congested it has learned nothing from.
        flow.Advance(Simulator::Now().GetTimeStep());
        Forget(m_links, flow, flow.since);
        m_schedule.Add(flow);
    }
    if (m_nextStep.IsExpired())
    {
        m_nextStep =
            Simulator::Schedule(TimeStep(m_ports.GetStep(m_step)), &FluidNetwork::Step, this);
    }
}

void
FluidNetwork::RefillAll(int64_t now)
{
    // Flows that a new queue slows down leave their ports to others. What that changes further
    // waits for the next look.
    for (const bool isFirst : {true, false})
    {
        // Only what ports forward to others has these asked for again.
        for (uint32_t round = 0; round < SHARE_ROUNDS; ++round)
        {
            for (const auto& [flow, rate] : m_ports.ShareOut(m_ports.TakeRequests(), now))
            {
                SetRate(*flow, rate, now);
            }
            if (!m_ports.IsRequested())
            {
                break;
            }
        }
        const bool isSame = m_fresh.empty();
        ServeFresh(now);
        if (isSame && isFirst)
        {
            return;
        }
    }
}

void
FluidNetwork::ServeFresh(int64_t now)
{
    // What less passes one link shows others mostly that they are not overloaded. One that a pause
    // or its end overloads all the same is served at the next look.
    const auto fresh = std::exchange(m_fresh, {});
    for (const auto number : fresh)
    {
        FluidLink& link = m_links[number];
        link.Serve(now, static_cast<double>(m_ports.GetStep(m_step)), m_busyFrom);
        for (const auto& use : link.uses)
        {
            Propagate(*use.flow, now);
        }
    }
    // Windows let no more into the new queue than is acknowledged.
    for (const auto number : fresh)
    {
        for (const auto& use : m_links[number].uses)
        {
            FluidFlow& flow = *use.flow;
            if (flow.isActive)
            {
                flow.progress = GetProgress(flow);
                flow.limit = flow.GetLimit(now);
                m_ports.Note(flow);
                m_ports.Request(flow.hops.front().link);
            }
        }
    }
}

void
FluidNetwork::RequestUpdate(int64_t due)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_update.IsExpired() || due < static_cast<int64_t>(m_update.GetTs()))
    {
        m_update.Cancel();
        m_update =
            Simulator::Schedule(TimeStep(std::max(due, now) - now), &FluidNetwork::Update, this);
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
    flow.Advance(now);
    const double next = flow.Emptied(now, GetProgress(flow).least);
    if (next > 0)
    {
        // What is left of its last packet, and what was sent of the time step in which it ends,
        // belongs to what follows.
        flow.Load(now, next, flow.left);
        SetRate(flow, flow.rate, now);
        return;
    }
    m_ports.LeaveLead(flow);
    flow.isActive = false;
    SetRate(flow, 0, now);
    m_ports.Request(flow.hops.front().link);
    // What waits at busy links goes on after it.
    if (!IsCongested(m_links, flow))
    {
        Detach(flow);
    }
}

void
FluidNetwork::Step()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    for (const auto number : m_busy)
    {
        m_links[number].UpdateQueue(now);
    }
    // Who holds how much of a full buffer is asked of each flow.
    for (const auto number : m_ports.FindFull(m_busy))
    {
        m_links[number].ResumeAll();
    }
    const int64_t step = m_ports.GetStep(m_step);
    for (const auto number : m_ports.HoldBack(now, static_cast<double>(step)))
    {
        if (!m_links[number].isBusy)
        {
            MakeBusy(m_links[number], now);
        }
    }
    ServeQueues(now);
    NotifyFlows(now);
    // What leaves busy links has changed, whether its rate does or not: links behind them that get
    // too much of it are served below.
    VisitFlows(m_schedule.GetHeld(), [this, now](FluidFlow& flow) { Propagate(flow, now); });
    RefillAll(now);
    ReleaseSettled(now);
    if (m_ports.LookWhetherStill(m_busy, m_schedule.GetSelected()))
    {
        // At next to nothing they would end after hours.
        for (auto* const flow : m_ports.ListHeldFlows())
        {
            SetRate(*flow, 0, now);
        }
        // What little ports have been given in this step asks for no other one.
        m_nextStep.Cancel();
    }
    else if (m_nextStep.IsExpired() && (!m_schedule.IsEmpty() || !m_busy.empty()))
    {
        // Whoever became congested above may have asked for it already.
        m_nextStep = Simulator::Schedule(TimeStep(step), &FluidNetwork::Step, this);
    }
    if (!m_due.IsEmpty())
    {
        RequestUpdate(m_due.Top().due);
    }
}

void
FluidNetwork::ServeQueues(int64_t now)
{
    std::size_t kept = 0;
    for (const auto number : m_busy)
    {
        if (!m_links[number].IsOverloaded(m_busyFrom))
        {
            m_schedule.ResumeAll(m_links[number]);
        }
        m_links[number].Serve(now, static_cast<double>(m_ports.GetStep(m_step)), m_busyFrom);
        m_links[number].isListed = m_links[number].isBusy;
        if (m_links[number].isBusy)
        {
            m_busy[kept++] = number;
        }
    }
    m_busy.resize(kept);
}

void
FluidNetwork::NotifyFlows(int64_t now)
{
    m_schedule.Select(now, m_busy);
    VisitFlows(m_schedule.GetSelected(), [this, now](FluidFlow& flow) {
        flow.progress = GetProgress(flow);
        const double limit = flow.limit;
        Notify(m_links, flow, now);
        if (flow.limit != limit)
        {
            m_ports.Note(flow);
            m_ports.Request(flow.hops.front().link);
        }
    });
}

void
FluidNetwork::ReleaseSettled(int64_t now)
{
    VisitFlows(m_schedule.GetSelected(), [this, now](FluidFlow& flow) {
        // Of what waits a part leaves in each step, so that little of it stays for long.
        if (!flow.isActive && flow.progress.waiting < 1)
        {
            Detach(flow);
        }
        else if (!flow.progress.isHeld && flow.steady >= (flow.IsAtRest() ? 1 : STEADY_STEPS))
        {
            m_schedule.Remove(flow);
        }
        else
        {
            m_schedule.DeferIfPossible(flow, now, m_ports.IsFull(m_links[flow.hops.back().link]));
        }
    });
}

} // namespace ns3
