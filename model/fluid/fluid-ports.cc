/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-ports.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

/// Links are held back until all together hold less than this share of the threshold of one.
constexpr double STILL_FULL = 0.5;

/// Share of what leaves that a link does not take in a step, until there is room for a packet. If
/// all took as much as leaves, links that wait for each other in a circle could go on for ever at
/// any rate; packets stand still there, as each waits until something has left.
constexpr double HALTING = 0.1;

/// Share of its capacity below which what a link carries is nothing: controls do not go so low.
constexpr double STILL = 1e-6;

/// Steps in a row without more than that after which nothing will move again: links that wait for
/// each other halve what they let through with each step, see FluidPorts::Pause().
constexpr uint32_t STILL_STEPS = 100;

/// Share of its capacity by which a port that forwards may carry more or less than it could.
constexpr double BALANCED = 1e-7;

/**
 * What has been forwarded goes before what waits in the memory of the host or switch, as
 * RdmaPortTransmitter asks the queue pairs for packets when its own queue is empty.
 *
 * Around a ring of hosts that forward, what one port leaves to the next depends on what that one
 * leaves to it. If each took all that it could, it would take too much in one round and too little
 * in the next one, as nothing is forwarded there yet when flows begin. So it takes as much more
 * as it would if those that pass changed with its own, flow by flow: the rounds converge, and in
 * the first one already where all ports are alike. (Where each host sends to the next k, without
 * this the change grows (k - 1) / 2 times with each round. With it rounds shrink it, as the sums of
 * (1 - m / k) cos(m a) over m < k, Fejer's kernel, are above 1/2.)
 *
 * @param link a link
 * @return what is left for flows that begin there
 */
double
GetOwnPart(const FluidLink& link)
{
    double forwarded = 0;
    double passing = 0;
    double beginning = 0;
    for (const auto& use : link.uses)
    {
        const FluidHop& hop = use.GetHop();
        // Passing traffic cannot be slowed down here: it takes its part of the link first.
        forwarded += use.IsOwn() ? 0 : hop.in;
        passing += !use.IsOwn() && use.flow->isActive ? hop.share : 0;
        beginning += use.IsOwn() && use.limit > 0 ? hop.share : 0;
    }
    const double left = std::max(0.0, link.carries - forwarded);
    if (passing == 0 || beginning == 0)
    {
        return left;
    }
    const double own = link.load - forwarded;
    const double change = left - own;
    return std::fabs(change) <= BALANCED * link.settings.capacity
               ? own
               : own + change * beginning / (beginning + passing);
}

/**
 * What a link holds of a buffer goes up and down while it is paused by turns. From the threshold on
 * what comes until the pause is felt goes on top, into the headroom (RdmaSharedBuffer); from
 * resumeOffset below it on what leaves until the first packet comes is missing. Who sends at half
 * the rate, as its port has other things to send as well, swings less far up and has less of the
 * buffer in the mean, hence less of what leaves there.
 *
 * @param buffer a buffer
 * @param link a link that leads to it
 * @param share part of what the link carries that goes there
 * @return bytes that it holds of the buffer in the mean while it is paused by turns
 */
double
GetMeanPart(const FluidBuffer& buffer, const FluidLink& link, double share)
{
    const double part = buffer.threshold(buffer.stored);
    const double leaves = link.pause.drained;
    const double comes = share * link.settings.capacity;
    const double most = part + std::max(0.0, comes - leaves) * link.settings.reaction;
    const double least = part - buffer.resumeOffset - leaves * link.settings.reaction;
    return (most + std::max(0.0, least)) / 2;
}

} // namespace

FluidPorts::FluidPorts(std::vector<FluidLink>& links)
    : m_links(links)
{
}

uint32_t
FluidPorts::AddBuffer(FluidBuffer buffer)
{
    m_buffers.push_back(std::move(buffer));
    return static_cast<uint32_t>(m_buffers.size() - 1);
}

void
FluidPorts::Request(uint32_t source)
{
    if (!m_links[source].source.isRequested)
    {
        m_links[source].source.isRequested = true;
        // Each port once, in the order in which they were asked for: no set decides the order.
        m_requests.push_back(source);
    }
}

std::vector<uint32_t>
FluidPorts::TakeRequests()
{
    for (const auto source : m_requests)
    {
        m_links[source].source.isRequested = false;
    }
    return std::exchange(m_requests, {});
}

void
FluidPorts::Note(const FluidFlow& flow)
{
    const FluidHop& first = flow.hops.front();
    FluidLink::Use& use = m_links[first.link].uses[first.place];
    // Who has nothing to send has no part in the port.
    use.limit = flow.isActive ? flow.limit : 0;
    use.rate = flow.rate;
}

const std::vector<std::pair<FluidFlow*, double>>&
FluidPorts::ShareOut(const std::vector<uint32_t>& sources, int64_t now)
{
    m_changes.clear();
    for (const auto source : sources)
    {
        const auto& uses = m_links[source].uses;
        const auto& rates = Divide(source);
        FindLeads(source, rates, now);
        const bool isForwarding = uses.size() > m_links[source].source.flows;
        for (std::size_t i = 0; i < uses.size(); ++i)
        {
            const double change = std::fabs(rates[i] - uses[i].rate);
            if (uses[i].IsOwn() && change > FluidLink::ROUNDING * rates[i])
            {
                if (isForwarding)
                {
                    Request(source); // it may take more, or less, until it is balanced
                }
                m_changes.emplace_back(uses[i].flow, rates[i]);
            }
        }
    }
    std::stable_partition(m_changes.begin(), m_changes.end(), [](const auto& change) {
        return change.second < change.first->rate;
    });
    return m_changes;
}

const std::vector<double>&
FluidPorts::Divide(uint32_t source)
{
    m_limits.clear();
    for (const auto& use : m_links[source].uses)
    {
        // Flows of others pass through: they have their rates from the port that they come from.
        m_limits.push_back(use.limit);
    }
    return m_share.Divide(GetOwnPart(m_links[source]), m_limits);
}

void
FluidPorts::FindLeads(uint32_t source, const std::vector<double>& rates, int64_t now)
{
    FluidLink& link = m_links[source];
    if (!std::isfinite(link.counted.fullPacket))
    {
        return; // what is sent has no packets
    }
    m_round.clear();
    for (std::size_t i = 0; i < rates.size(); ++i)
    {
        FluidLink::Use& use = link.uses[i];
        const bool isActive = use.IsOwn() && use.limit > 0;
        use.isInRound = isActive && rates[i] < use.limit * (1 - FluidLink::ROUNDING);
        if (use.isInRound)
        {
            m_round.push_back(use.flow);
        }
        else if (isActive)
        {
            use.flow->turn.lead = 0; // its packets leave one by one at the rate of its own
        }
    }
    std::sort(m_round.begin(), m_round.end(), [](const FluidFlow* a, const FluidFlow* b) {
        return a->turn.begun < b->turn.begun;
    });
    const bool wasIdle = link.load <= FluidLink::ROUNDING * link.settings.capacity;
    if (wasIdle && m_round.size() > 1)
    {
        m_round.front()->turn.isAhead = true;
    }
    const auto count = static_cast<double>(m_round.size());
    const auto ahead =
        static_cast<double>(std::count_if(m_round.begin(), m_round.end(), [](const auto* flow) {
            return flow->turn.isAhead;
        }));
    double behind = count;
    for (auto* flow : m_round)
    {
        flow->Advance(now);
        behind -= 1;
        // Who is ahead ends a round earlier, and the others a packet later until then.
        const double slots = behind - ahead + (flow->turn.isAhead ? count : 0);
        flow->turn.lead = slots / count * link.counted.fullPacket;
    }
}

void
FluidPorts::LeaveLead(const FluidFlow& flow)
{
    const auto& uses = m_links[flow.hops.front().link].uses;
    const auto takes = [&flow](const FluidLink::Use& use) {
        return use.isInRound && use.flow->isActive && use.flow != &flow;
    };
    const auto others = std::count_if(uses.begin(), uses.end(), takes);
    for (const auto& use : uses)
    {
        if (takes(use))
        {
            use.flow->left += flow.left / static_cast<double>(others);
        }
    }
}

const std::vector<uint32_t>&
FluidPorts::FindFull(const std::vector<uint32_t>& busy)
{
    for (const auto number : busy)
    {
        m_buffers[m_links[number].settings.buffer].stored = 0;
    }
    for (const auto number : busy)
    {
        m_buffers[m_links[number].settings.buffer].stored += m_links[number].queue;
    }
    // One link holds no more than all do: mostly this shows already that none is to be held back.
    // (All links of a buffer find the same: who is the first to change it leaves it so.)
    m_full.clear();
    for (const auto number : busy)
    {
        FluidBuffer& buffer = m_buffers[m_links[number].settings.buffer];
        const double part = buffer.threshold(buffer.stored);
        buffer.isFull = buffer.stored >= part * (buffer.isFull ? STILL_FULL : 1);
        if (buffer.isFull)
        {
            m_full.push_back(number);
        }
    }
    return m_full;
}

std::vector<uint32_t>
FluidPorts::HoldBack(int64_t now, double step)
{
    // Pauses are worked out anew in each step.
    LetGo(now);
    m_inputs.clear();
    for (const auto number : m_full)
    {
        if (m_links[number].queue > 0)
        {
            Charge(m_links[number]);
        }
    }
    for (const auto& [number, buffer] : m_inputs)
    {
        Pause(number, m_buffers[buffer], now, step);
    }
    for (const auto& [number, buffer] : m_inputs)
    {
        // The sums are of one step; they are cleared here, as m_inputs lists just the links that
        // have any.
        m_links[number].pause.held = 0;
        m_links[number].pause.drained = 0;
        m_links[number].pause.brings = 0;
    }
    std::vector<uint32_t> queues;
    std::copy_if(m_held.begin(), m_held.end(), std::back_inserter(queues), [this](uint32_t number) {
        return m_links[number].HasQueue() && !m_links[number].isBusy;
    });
    return queues;
}

bool
FluidPorts::LookWhetherStill(const std::vector<uint32_t>& busy,
                             const std::vector<FluidFlow*>& flows)
{
    const auto moves = [this](uint32_t number) {
        const FluidLink& link = m_links[number];
        return std::max(link.load, link.service.leaving) > STILL * link.settings.capacity;
    };
    const auto sends = [this](const FluidFlow* flow) {
        return flow->rate > STILL * m_links[flow->hops.front().link].settings.capacity;
    };
    // Where nobody is held back, whoever has something to send will before long.
    const bool isStill = !m_held.empty() && std::none_of(busy.begin(), busy.end(), moves) &&
                         std::none_of(m_held.begin(), m_held.end(), moves) &&
                         std::none_of(flows.begin(), flows.end(), sends);
    m_stillSteps = isStill ? m_stillSteps + 1 : 0;
    return StandsStill();
}

bool
FluidPorts::StandsStill() const
{
    return m_stillSteps >= STILL_STEPS;
}

std::vector<FluidFlow*>
FluidPorts::ListHeldFlows() const
{
    std::vector<FluidFlow*> flows;
    for (const auto number : m_held)
    {
        for (const auto& use : m_links[number].uses)
        {
            if (use.flow->isActive)
            {
                flows.push_back(use.flow);
            }
        }
    }
    return flows;
}

std::vector<uint32_t>
FluidPorts::ListAwaited(uint32_t number) const
{
    std::vector<uint32_t> awaited;
    for (const auto& use : StandsStill() ? m_links[number].uses : std::vector<FluidLink::Use>())
    {
        for (const auto& hop : use.flow->hops)
        {
            // A paused link carries less than it could.
            const bool isHeld = m_links[hop.link].carries < m_links[hop.link].settings.capacity;
            if (isHeld && hop.from == use.GetHop().to && hop.backlog >= 1)
            {
                awaited.push_back(hop.link);
            }
        }
    }
    return awaited;
}

void
FluidPorts::LetGo(int64_t now)
{
    for (const auto number : m_held)
    {
        FluidLink& link = m_links[number];
        link.Advance(now);
        link.carries = link.settings.capacity;
        if (link.source.flows > 0)
        {
            Request(number);
        }
    }
    m_held.clear();
}

void
FluidPorts::Charge(const FluidLink& link)
{
    for (const auto& use : link.uses)
    {
        const FluidHop& hop = use.GetHop();
        const auto& hops = use.flow->hops;
        double share = 0;
        for (uint32_t i = 0; i < use.hop; ++i)
        {
            // All links by which the flow reaches this node, of which each has brought its part.
            share += hops[i].to == hop.from ? hops[i].share : 0;
        }
        for (uint32_t i = 0; i < use.hop; ++i)
        {
            if (hops[i].to == hop.from && hop.backlog > 0)
            {
                FluidLink& input = m_links[hops[i].link];
                if (input.pause.held == 0)
                {
                    m_inputs.emplace_back(hops[i].link, link.settings.buffer);
                }
                // Where a flow comes by several links, each brings its share.
                input.pause.held += hop.backlog * hops[i].share / share;
                input.pause.drained += hop.out * hops[i].share / share;
                input.pause.brings += hop.in * hops[i].share / share;
            }
        }
    }
}

void
FluidPorts::Pause(uint32_t number, const FluidBuffer& buffer, int64_t now, double step)
{
    FluidLink& link = m_links[number];
    const FluidPause& pause = link.pause;
    const double carried = link.isBusy ? link.service.leaving : link.load;
    // Sums of rates that are none are rounded to either sign.
    const double share = pause.brings > 0 ? 1 / std::max(1.0, carried / pause.brings) : 1;
    double room = GetMeanPart(buffer, link, share) - pause.held;
    // There is room for a packet or for none: the last of it would be filled ever more slowly.
    room = room > 0 && room < link.settings.packet ? 0 : room;
    // Half of what leaves at least: its part changes with what the others hold.
    const double takes =
        std::max({0.0, pause.drained / 2, pause.drained * (1 - HALTING) + room / step});
    // All that it carries slows down alike, and the tightest of several queues that it feeds
    // decides.
    const double all = takes / share;
    if (all >= link.carries)
    {
        return;
    }
    link.Advance(now);
    if (link.carries == link.settings.capacity)
    {
        m_held.push_back(number);
    }
    link.carries = all;
    if (link.source.flows > 0)
    {
        Request(number);
    }
}

} // namespace ns3
