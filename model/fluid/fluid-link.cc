/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-link.h"

#include "ns3/rdma-packet.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Share of its capacity that a link is taken to carry at least where waiting times are estimated.
constexpr double LEAST_SHARE = 1e-3;

} // namespace

void
FluidLink::Advance(int64_t now)
{
    const auto passed = static_cast<double>(now - since);
    const double out = passed * (isBusy ? leaving : load);
    if (isBusy && settings.marking)
    {
        marked += out * settings.marking(queue);
    }
    served += out;
    // Bytes; rates are bytes per time step. Rounding may leave less than nothing.
    queue = isBusy ? std::max(0.0, queue + load * passed - out) : 0;
    if (isBusy)
    {
        NoteQueue();
    }
    since = now;
}

double
FluidLink::GetUncountedBytes(int64_t now) const
{
    const auto passed = static_cast<double>(now - since);
    const double sent = served + passed * (isBusy ? leaving : load);
    // Of a message that is under way the packets are taken for full ones.
    return (sent - counted.GetWireBytes()) * (1 - RdmaPacket::GAP_BYTES / counted.fullPacket);
}

double
FluidLink::GetQueue(int64_t now) const
{
    const auto passed = static_cast<double>(now - since);
    return isBusy ? std::max(0.0, queue + (load - leaving) * passed) : 0;
}

double
FluidLink::GetDelay(int64_t now) const
{
    // A pause does not last: what is hardly let through now goes on before long.
    return isBusy ? GetQueue(now) / std::max(carries, settings.capacity * LEAST_SHARE) : 0;
}

void
FluidLink::Attach(FluidFlow& flow, uint32_t hop)
{
    uses.push_back({&flow, &flow.hops[hop], hop});
    Move(static_cast<uint32_t>(uses.size() - 1), nServed++);
}

void
FluidLink::Detach(uint32_t place)
{
    // The last one takes the free place, first of those that are not deferred, then of all.
    Move(place, --nServed);
    Move(nServed, static_cast<uint32_t>(uses.size() - 1));
    uses.pop_back();
}

void
FluidLink::Defer(uint32_t place)
{
    Use& use = uses[place];
    use.logKept = history.logKept;
    use.unit = history.unit;
    Move(place, --nServed);
}

void
FluidLink::Resume(uint32_t place)
{
    const Use& use = uses[place];
    FluidHop& hop = use.GetHop();
    const double kept = std::exp(history.logKept - use.logKept);
    const double waits =
        std::max(0.0, hop.backlog * kept + hop.in * (history.unit - use.unit * kept));
    hop.passed += hop.in * static_cast<double>(service.at - hop.since) - (waits - hop.backlog);
    hop.backlog = waits;
    hop.since = service.at;
    hop.out = (hop.backlog + hop.in * service.steps) * service.part / service.steps;
    Move(place, nServed++);
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
FluidLink::Move(uint32_t a, uint32_t b)
{
    std::swap(uses[a], uses[b]);
    uses[a].GetHop().place = a;
    uses[b].GetHop().place = b;
}

void
FluidLink::Count(double messagePackets, double frameBytes)
{
    counted.packets += messagePackets;
    counted.frames += frameBytes;
    PortCounters& counters = *settings.counters;
    // Sums of equal shares are rounded.
    counters.packets = static_cast<uint64_t>(counted.packets + NO_BYTES);
    counters.bytes = static_cast<uint64_t>(counted.frames + NO_BYTES);
    counters.wireBytes = static_cast<uint64_t>(counted.GetWireBytes() + NO_BYTES);
    counters.marks = static_cast<uint64_t>(marked / counted.fullPacket);
    counters.paused = Time(static_cast<int64_t>(pause.paused));
}

void
FluidLink::UpdateQueue(int64_t now)
{
    Advance(now);
    const auto passed = static_cast<double>(now - service.at);
    history.Advance(service.part, service.steps, passed);
    service.at = now;
    // Of those that are deferred it is known what waits of all together, from the link's own rates.
    if (nServed == uses.size())
    {
        queue = 0;
        for (const auto& use : uses)
        {
            FluidHop& hop = use.GetHop();
            // The queue is the sum of what its flows have there, which removes rounding.
            hop.Advance(now);
            queue += hop.backlog;
        }
    }
    history.marks += settings.marking ? passed * settings.marking(queue) : 0;
    NoteQueue();
}

void
FluidLink::Serve(int64_t now, double step, double busyFrom)
{
    Advance(now);
    isBusy = IsOverloaded(busyFrom);
    // What will have come by the end of the step leaves as far as the link carries it.
    const double waiting = queue + load * step;
    service.part = std::min(1.0, waiting > 0 ? carries * step / waiting : 1);
    leaving = waiting * service.part / step;
    service.at = now;
    service.steps = step;
    for (uint32_t i = 0; i < nServed; ++i)
    {
        FluidHop& hop = uses[i].GetHop();
        hop.Advance(now);
        // Rounding leaves a rest, which is not of anything.
        hop.backlog = isBusy ? hop.backlog : 0;
        hop.out = isBusy ? (hop.backlog + hop.in * step) * service.part / step : hop.in;
    }
}

double
FluidLink::GetOwnPart() const
{
    double forwarded = 0;
    for (const auto& use : uses)
    {
        // Passing traffic cannot be slowed down here: it takes its part of the link first.
        forwarded += use.IsOwn() ? 0 : use.GetHop().in;
    }
    return std::max(0.0, carries - forwarded);
}

} // namespace ns3
