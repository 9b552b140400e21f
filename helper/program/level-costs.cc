/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "level-costs.h"

#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

// CPU seconds of one core of a server of 2020, as utils/reproduce level-costs measures them: jobs
// of which all but one part costs nothing, in an optimized build.

/// An op of a rank, or a collective that is known from others.
constexpr double PER_OP = 1e-6;

/// A message on the ideal network.
constexpr double PER_IDEAL_MESSAGE = 1.2e-6;

/// A message of a fluid: its start, end and arrival.
constexpr double PER_FLUID_MESSAGE = 3e-6;

/// A second of a congested queue pair of a fluid: 250,000 steps of 4 us (FluidProtocol::Step).
constexpr double PER_CONGESTED_SECOND = 0.04;

/// A message by packets, besides these.
constexpr double PER_PACKET_MESSAGE = 1.5e-6;

/// A train of packets on a link, its acknowledgements included.
constexpr double PER_TRAIN_HOP = 0.4e-6;

/// A packet by itself on a link, its acknowledgement included.
constexpr double PER_PACKET_HOP = 0.2e-6;

/// Bytes of a rank: its node, ports and application.
constexpr double BYTES_PER_RANK = 20e3;

/// Bytes of a queue pair: both ends.
constexpr double BYTES_PER_QUEUE_PAIR = 3.5e3;

/// Most of the jobs that were measured are within this factor of the estimate.
constexpr double SPREAD = 1.8;

/// Time from which on a range is printed, s: what takes less is not worth a choice.
constexpr double SHORT_TIME = 1;

/**
 * @param value a number above 0
 * @return it with one digit, or two below 20: as exact as an estimate is
 */
double
RoundRoughly(double value)
{
    const double unit = std::pow(10, std::floor(std::log10(value)));
    const double step = value < 2 * unit ? unit / 10 : unit;
    return std::round(value / step) * step;
}

/**
 * @param value a number
 * @return it in words
 */
std::string
FormatQuantity(double value)
{
    if (value < 1e6)
    {
        return FormatFixed(value, 0);
    }
    if (value < 1e9)
    {
        return FormatFixed(value / 1e6, 1) + " M";
    }
    return value < 1e12 ? FormatFixed(value / 1e9, 1) + " G" : FormatFixed(value / 1e12, 1) + " T";
}

} // namespace

std::string
DescribeFasterLevels(const TransportKind& transport)
{
    // Only transports of packets save events by trains, which can be turned off.
    return transport.Supports(TransportKind::Use::EXACT)
               ? "packets whose ports are shared take long to simulate: --transport=fluid has "
                 "rates and queues in their place, --transport=ideal no congestion"
               : "";
}

std::string
FormatTimeRange(double seconds)
{
    if (seconds * SPREAD <= SHORT_TIME)
    {
        return "below 1 s";
    }
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    // The unit is that of the upper end.
    const double high = seconds * SPREAD;
    const auto [unit, name] = high < 2 * minute ? std::pair<double, const char*>(1, " s")
                              : high < 2 * hour ? std::pair<double, const char*>(minute, " min")
                                                : std::pair<double, const char*>(hour, " h");
    const auto format = [unit = unit](double time) {
        const double value = RoundRoughly(time / unit);
        return FormatFixed(value, value < 2 ? 1 : 0);
    };
    return format(seconds / SPREAD) + " to " + format(high) + name;
}

std::vector<LevelCost>
EstimateLevelCosts(const TrafficForecast& traffic,
                   double iterations,
                   const std::string& transport,
                   double memory)
{
    // Collectives that are reused cost ops alone.
    const double ops = traffic.ops * PER_OP;
    const double nodes = memory + static_cast<double>(traffic.ranks) * BYTES_PER_RANK;
    const double pairs = traffic.queuePairs * BYTES_PER_QUEUE_PAIR;
    LevelCost ideal{"ideal",
                    iterations * (ops + traffic.ownMessages * PER_IDEAL_MESSAGE),
                    nodes,
                    FormatQuantity(traffic.ownMessages) + " messages"};
    LevelCost fluid{"fluid",
                    iterations * (ops + traffic.fluidMessages * PER_FLUID_MESSAGE +
                                  traffic.congestedTime * PER_CONGESTED_SECOND),
                    nodes + pairs,
                    FormatQuantity(traffic.fluidMessages) + " messages, " +
                        FormatFixed(traffic.congestedTime, traffic.congestedTime < 10 ? 2 : 0) +
                        " s of congested queue pairs"};
    LevelCost packets{
        transport,
        iterations * (ops + traffic.ownMessages * PER_PACKET_MESSAGE +
                      traffic.trainHops * PER_TRAIN_HOP + traffic.singleHops * PER_PACKET_HOP),
        nodes + pairs,
        FormatQuantity(traffic.ownMessages) + " messages, " + FormatQuantity(traffic.singleHops) +
            " packet-hops, " + FormatQuantity(traffic.trainHops) + " train-hops"};
    return {ideal, fluid, packets};
}

void
PrintLevelCosts(std::ostream& os,
                const TrafficForecast& traffic,
                const std::vector<LevelCost>& costs)
{
    os << "Per iteration: " << FormatCount(traffic.ranks, "rank") << ", "
       << FormatQuantity(traffic.queuePairs) << " queue pairs, " << FormatQuantity(traffic.messages)
       << " messages, " << FormatQuantity(traffic.bytes) << " bytes, "
       << FormatQuantity(traffic.packetHops) << " packet-hops\n\n";
    TextTable table;
    table.AddColumn("to simulate it by", TextTable::LEFT);
    table.AddColumn("about, of a core", TextTable::RIGHT);
    table.AddColumn("MiB", TextTable::RIGHT);
    table.AddColumn("for", TextTable::LEFT);
    constexpr double mebi = 1024. * 1024;
    // Estimates are printed with the digits that they deserve.
    for (const auto& cost : costs)
    {
        table.AddRow({"--transport=" + cost.transport,
                      FormatTimeRange(cost.seconds),
                      FormatFixed(RoundRoughly(std::max(1.0, cost.bytes / mebi)), 0),
                      cost.basis});
    }
    table.Print(os);
}

} // namespace ns3
