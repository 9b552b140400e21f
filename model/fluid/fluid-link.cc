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
    maxQueue = std::max(maxQueue, queue);
    since = now;
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

double
FluidLink::GetMarkedPart(int64_t now) const
{
    return isBusy && settings.marking ? settings.marking(GetQueue(now)) : 0;
}

PortCounters
FluidLink::Count(double messagePackets, double frameBytes, double fullPacket)
{
    packets += messagePackets;
    frames += frameBytes;
    const double wire = frames + packets * RdmaPacket::GAP_BYTES;
    PortCounters counters;
    // Sums of equal shares are rounded.
    counters.packets = static_cast<uint64_t>(packets + NO_BYTES) - reported.packets;
    counters.bytes = static_cast<uint64_t>(frames + NO_BYTES) - reported.bytes;
    counters.wireBytes = static_cast<uint64_t>(wire + NO_BYTES) - reported.wireBytes;
    counters.marks = static_cast<uint64_t>(marked / fullPacket) - reported.marks;
    counters.paused = Time(static_cast<int64_t>(paused)) - reported.paused;
    counters.maxQueue = static_cast<uint64_t>(maxQueue);
    reported += counters;
    return counters;
}

void
FluidLink::UpdateQueue(int64_t now)
{
    Advance(now);
    queue = 0;
    for (const auto& use : uses)
    {
        FluidHop& hop = use.GetHop();
        // The queue is the sum of what its flows have there, which removes rounding.
        hop.Advance(now);
        queue += hop.backlog;
    }
    maxQueue = std::max(maxQueue, queue);
}

void
FluidLink::Serve(int64_t now, double step, double busyFrom)
{
    Advance(now);
    isBusy = !isDown && (queue > NO_BYTES || load > carries * busyFrom);
    // What will have come by the end of the step leaves as far as the link carries it.
    const double waiting = queue + load * step;
    const double part = std::min(1.0, waiting > 0 ? carries * step / waiting : 1);
    // First in, first out: all that waits leaves in proportion, whoever it is of.
    leaving = waiting * part / step;
    for (const auto& use : uses)
    {
        FluidHop& hop = use.GetHop();
        hop.Advance(now);
        // Rounding leaves a rest, which is not of anything.
        hop.backlog = isBusy ? hop.backlog : 0;
        hop.out = isBusy ? (hop.backlog + hop.in * step) * part / step : hop.in;
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
