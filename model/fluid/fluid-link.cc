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
    queue = isBusy ? std::max(0.0, queue + load * passed - out) : 0;
    service.held = isBusy ? service.held + (load - service.leaving) * passed : 0;
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
    // A pause does not last: what is hardly let through now goes on before long.
    return isBusy ? GetQueue(now) / std::max(carries, settings.capacity * LEAST_SHARE) : 0;
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
    Use& use = uses[place];
    use.logKept = history.logKept;
    use.unit = history.unit;
    Swap(uses, place, --nServed);
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
    const auto passed = static_cast<double>(now - service.at);
    history.Advance(service.part, service.steps, passed);
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
    history.marks += settings.marking ? passed * settings.marking(queue) : 0;
    NoteQueue();
}

void
FluidLink::Serve(int64_t now, double step, double busyFrom)
{
    Advance(now);
    isBusy = IsOverloaded(busyFrom);
    // What will have come by the end of the step leaves as far as the link carries it, and with it
    // what could have left before and has not.
    const double waiting = service.held + load * step;
    const double left = std::max(0.0, queue + (load - carries) * step);
    service.part = waiting > left ? 1 - left / waiting : 0;
    service.leaving = waiting * service.part / step;
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

void
FluidLink::ChangeInput(FluidHop& hop, double in, int64_t now)
{
    Advance(now);
    hop.Advance(now);
    load += in - hop.in;
    hop.in = in;
    if (!isBusy)
    {
        hop.out = in;
        return;
    }
    const double rest = service.steps - static_cast<double>(now - service.at);
    if (rest > 0)
    {
        // Of what waits now and comes in until the next look so much leaves that it is the part of
        // the whole step that leaves of a flow without a change.
        const double part =
            service.part * rest / (service.steps - service.part * (service.steps - rest));
        // A flow that slows down leaves as before as long as something of it waits, for what leaves
        // first has come first: the link does not rest before its queue has gone.
        const double all = hop.backlog / rest + hop.in;
        const double out = std::min(std::max(hop.out, all * part), all);
        // What begins leaves by what those that end have left over of the link.
        const double most = hop.out + std::max(0.0, carries - service.leaving);
        service.leaving += std::min(out, most) - hop.out;
        hop.out = std::min(out, most);
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
