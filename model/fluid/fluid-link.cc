/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-link.h"

#include "ns3/rdma-packet.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Share of its capacity that a link is taken to carry at least where waiting times are estimated.
constexpr double LEAST_SHARE = 1e-3;

/// Steps over which what a link carries is averaged for that: a few round trips.
constexpr double PACE_STEPS = 16;

/**
 * @param link a link
 * @param passed time steps since it was looked at last
 * @return bytes that have left it in that time: all that has come, or what it can carry
 */
double
GetOutput(const FluidLink& link, double passed)
{
    const double come = link.load * passed;
    return link.isBusy ? std::min(link.queue + come, link.carries * passed) : come;
}

/**
 * Have two flows change places.
 *
 * @param [in,out] uses flows of a link
 * @param a an index
 * @param b another one, or the same
 */
void
Swap(std::vector<FluidLink::Use>& uses, uint32_t a, uint32_t b)
{
    std::swap(uses[a], uses[b]);
    uses[a].GetHop().place = a;
    uses[b].GetHop().place = b;
}

/**
 * Have the port of a link count what waits, if it is the most since somebody looked there.
 *
 * @param link the link
 */
void
NoteQueue(const FluidLink& link)
{
    auto& most = link.settings.counters->maxQueue;
    most = std::max(most, static_cast<uint64_t>(link.queue));
}

/**
 * @param link a link
 * @param now time step
 * @return time step by which what has left had come
 */
double
FindEntry(const FluidLink& link, int64_t now)
{
    const auto& service = link.service;
    return std::max(service.entry,
                    service.arrivals.FindEntry(static_cast<double>(now), service.held));
}

/**
 * @param link a link
 * @param use a flow whose hop there is true of now
 * @param now time step
 * @return rate at which it leaves for the rest of the step
 */
double
FindOutput(const FluidLink& link, const FluidLink::Use& use, int64_t now)
{
    const FluidHop& hop = use.GetHop();
    const double end = static_cast<double>(link.service.at) + link.service.steps;
    const double rest = end - static_cast<double>(now);
    // What will have come by the end and has not come after the entry.
    return std::max(0.0, hop.backlog + hop.in * rest - use.GetSince(link.service.next, end)) / rest;
}

} // namespace

void
FluidLink::Advance(int64_t now)
{
    const auto passed = static_cast<double>(now - since);
    // Bytes; rates are bytes per time step.
    const double out = GetOutput(*this, passed);
    if (isBusy && settings.marking)
    {
        marked += out * settings.marking(queue);
    }
    served += out;
    if (carries < settings.capacity)
    {
        // A port that is paused by turns sends at its full rate in between.
        pause.paused += passed * (1 - carries / settings.capacity);
    }
    queue = isBusy ? std::max(0.0, queue + load * passed - out) : 0;
    service.held = isBusy ? service.held + (load - service.leaving) * passed : 0;
    if (isBusy)
    {
        NoteQueue(*this);
    }
    since = now;
}

double
FluidLink::GetUncountedBytes(int64_t now) const
{
    const auto passed = static_cast<double>(now - since);
    const double sent = served + GetOutput(*this, passed);
    // Of a message that is under way the packets are taken for full ones.
    return (sent - counted.GetWireBytes()) * (1 - counted.gap / counted.fullPacket);
}

double
FluidLink::GetQueue(int64_t now) const
{
    const auto passed = static_cast<double>(now - since);
    return isBusy ? std::max(0.0, queue + load * passed - GetOutput(*this, passed)) : 0;
}

double
FluidLink::GetDelay(int64_t now) const
{
    return isBusy ? GetQueue(now) / std::max(service.pace, settings.capacity * LEAST_SHARE) : 0;
}

void
FluidLink::Attach(FluidFlow& flow, uint32_t hop)
{
    uses.push_back({&flow, &flow.hops[hop], hop});
    Swap(uses, static_cast<uint32_t>(uses.size() - 1), nServed++);
}

void
FluidLink::Detach(uint32_t place)
{
    // The last one takes the free place, first of those that are not deferred, then of all.
    Swap(uses, place, --nServed);
    Swap(uses, nServed, static_cast<uint32_t>(uses.size() - 1));
    uses.pop_back();
}

void
FluidLink::Defer(uint32_t place)
{
    Swap(uses, place, --nServed);
}

void
FluidLink::Resume(uint32_t place)
{
    const Use& use = uses[place];
    FluidHop& hop = use.GetHop();
    const double waits =
        std::max(0.0, use.GetSince(service.entry, static_cast<double>(service.at)));
    hop.passed += hop.in * static_cast<double>(service.at - hop.since) - (waits - hop.backlog);
    hop.backlog = waits;
    hop.since = service.at;
    hop.out = FindOutput(*this, use, service.at);
    Swap(uses, place, nServed++);
}

void
FluidLink::ResumeAll()
{
    while (nServed < uses.size())
    {
        Resume(nServed);
    }
}

void
FluidLink::Count(double messagePackets, double frameBytes)
{
    const Counted before = counted;
    counted.packets += messagePackets;
    counted.frames += frameBytes;
    // Sums of equal shares are rounded.
    const auto count = [](double sum, double earlier) {
        return static_cast<uint64_t>(sum + NO_BYTES) - static_cast<uint64_t>(earlier + NO_BYTES);
    };
    // Added, as the port may have been credited with what was not simulated.
    PortCounters& counters = *settings.counters;
    counters.packets += count(counted.packets, before.packets);
    counters.bytes += count(counted.frames, before.frames);
    counters.wireBytes += count(counted.GetWireBytes(), before.GetWireBytes());
    counters.marks = static_cast<uint64_t>(marked / counted.fullPacket);
    counters.paused = Time(static_cast<int64_t>(pause.paused));
}

void
FluidLink::UpdateQueue(int64_t now)
{
    Advance(now);
    telemetry.Note({now, served, queue});
    const auto passed = static_cast<double>(now - service.at);
    const double last = service.entry;
    service.entry = FindEntry(*this, now);
    // At the same pace, until the next Serve().
    service.next = std::min(2 * service.entry - last, static_cast<double>(now) + service.steps);
    service.at = now;
    // Of those that are deferred it is known what waits of all together, from the link's own rates.
    if (nServed == uses.size())
    {
        service.held = 0;
        for (const auto& use : uses)
        {
            FluidHop& hop = use.GetHop();
            // The sum of what its flows have there, which removes rounding.
            hop.Advance(now);
            service.held += hop.backlog;
        }
    }
    service.markTime += settings.marking ? passed * settings.marking(queue) : 0;
}

void
FluidLink::Serve(int64_t now, double step, double busyFrom)
{
    Advance(now);
    isBusy = IsOverloaded(busyFrom);
    // What will have come by the end of the step leaves as far as the link carries it, and with it
    // what could have left before and has not.
    const auto end = static_cast<double>(now) + step;
    const double left = std::max(0.0, queue + (load - carries) * step);
    service.leaving = std::max(0.0, service.held + load * step - left) / step;
    service.at = now;
    service.steps = step;
    // A pause does not last: what is hardly let through now goes on before long.
    service.pace += (carries - service.pace) / PACE_STEPS;
    service.entry = FindEntry(*this, now);
    service.next = std::max(service.entry, service.arrivals.FindEntry(end, left));
    service.arrivals.Forget(service.entry);
    for (uint32_t i = 0; i < nServed; ++i)
    {
        Use& use = uses[i];
        FluidHop& hop = use.GetHop();
        hop.Advance(now);
        // Rounding leaves a rest, which is not of anything.
        hop.backlog = isBusy ? hop.backlog : 0;
        hop.out = isBusy ? FindOutput(*this, use, now) : hop.in;
        if (!use.arrivals.IsEmpty())
        {
            use.arrivals.Forget(service.entry);
        }
    }
}

void
FluidLink::ChangeInput(FluidHop& hop, double in, int64_t now)
{
    Advance(now);
    hop.Advance(now);
    Use& use = uses[hop.place];
    if (isBusy && use.arrivals.IsEmpty())
    {
        use.arrivals.Begin(now, hop.in);
    }
    load += in - hop.in;
    hop.in = in;
    if (!isBusy)
    {
        hop.out = in;
        return;
    }
    use.arrivals.Change(now, in);
    service.arrivals.Change(now, load);
    const double rest = service.steps - static_cast<double>(now - service.at);
    // Where more waits than leaves in the step, what comes now does not leave in it.
    if (rest > 0 && service.next > static_cast<double>(now))
    {
        // A flow that slows down leaves as before as long as something of it waits, for what leaves
        // first has come first: the link does not rest before its queue has gone.
        const double all = hop.backlog / rest + hop.in;
        const double out = std::min(std::max(hop.out, FindOutput(*this, use, now)), all);
        // What begins leaves by what those that end have left over of the link.
        const double most = hop.out + std::max(0.0, carries - service.leaving);
        service.leaving += std::min(out, most) - hop.out;
        hop.out = std::min(out, most);
    }
}

void
FluidLink::BeginQueue(int64_t now)
{
    // What it has carried so far has met no queue.
    Advance(now);
    telemetry.Note({now, served, queue});
    // All that comes in leaves until rates are known, see Serve().
    isBusy = true;
    queue = 0;
    service.held = 0;
    service.leaving = load;
    service.pace = carries;
    service.entry = static_cast<double>(now);
    service.next = service.entry;
    service.arrivals.Begin(now, load);
    for (auto& use : uses)
    {
        FluidHop& hop = use.GetHop();
        hop.Advance(now);
        hop.backlog = 0;
        use.arrivals.Clear();
    }
}

void
FluidLink::Take(FluidHop& hop, double bytes, int64_t now)
{
    Advance(now);
    hop.Advance(now);
    Use& use = uses[hop.place];
    if (use.arrivals.IsEmpty())
    {
        use.arrivals.Begin(now, hop.in);
    }
    // Among what waits, or as the link would have carried it.
    const double took = std::max(1.0, bytes / settings.capacity);
    const double from = std::min(FindEntry(*this, now), static_cast<double>(now) - took);
    use.arrivals.Insert(from, now, bytes);
    service.arrivals.Insert(from, now, bytes);
    service.entry = std::min(service.entry, from);
    hop.backlog += bytes;
    queue += bytes;
    service.held += bytes;
}

void
FluidLink::Drop(FluidHop& hop, int64_t now)
{
    Advance(now);
    hop.Advance(now);
    Use& use = uses[hop.place];
    if (isBusy && (hop.in > 0 || hop.backlog >= NO_BYTES))
    {
        if (use.arrivals.IsEmpty())
        {
            use.arrivals.Begin(now, hop.in);
        }
        service.arrivals.Remove(use.arrivals);
    }
    load -= hop.in;
    // Others may be deferred, and what they have there not be summed up at the next look.
    queue = std::max(0.0, queue - hop.backlog);
    service.held = std::max(0.0, service.held - hop.backlog);
    service.leaving = std::max(0.0, service.leaving - hop.out);
    hop.in = 0;
    hop.out = 0;
    hop.backlog = 0;
    Detach(hop.place);
    if (uses.empty())
    {
        load = 0; // without what sums of rates were rounded by, as at the beginning
    }
}

} // namespace ns3
