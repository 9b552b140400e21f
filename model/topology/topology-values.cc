/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A unit, and what one of it is.
using Unit = std::pair<std::string, double>;

/**
 * @return the units of rates that DataRate knows, in bit/s
 */
std::vector<Unit>
ListRateUnits()
{
    constexpr std::array<std::pair<const char*, double>, 8> prefixes{{{"", 1},
                                                                      {"k", 1e3},
                                                                      {"K", 1e3},
                                                                      {"M", 1e6},
                                                                      {"G", 1e9},
                                                                      {"Ki", 1024},
                                                                      {"Mi", 1048576},
                                                                      {"Gi", 1073741824}}};
    std::vector<Unit> units;
    for (const auto& [prefix, factor] : prefixes)
    {
        const std::string text = prefix;
        // Those listed first are told first to who mistypes one.
        if (text.size() < 2)
        {
            units.emplace_back(text + "bps", factor);
            units.emplace_back(text + "Bps", 8 * factor);
        }
        units.emplace_back(text + "b/s", factor);
        units.emplace_back(text + "B/s", 8 * factor);
    }
    return units;
}

/**
 * @param field a number with a unit
 * @param units the units
 * @param expected what is expected, for the message
 * @return the number times its unit, finite and at least 0
 * @throws WorkloadError if the field is anything else
 */
double
ParseWithUnit(const TextField& field, const std::vector<Unit>& units, const std::string& expected)
{
    // No unit begins with a character of a number, so the number ends where they do.
    const auto end = std::min(field.text.find_first_not_of("0123456789."), field.text.size());
    const auto number = field.text.substr(0, end);
    const auto name = field.text.substr(end);
    const auto unit = std::find_if(units.begin(), units.end(), [&name](const Unit& u) {
        return u.first == name;
    });
    const bool isDecimal = std::count(number.begin(), number.end(), '.') <= 1 &&
                           number.find_first_of("0123456789") != std::string::npos;
    if (!isDecimal || unit == units.end())
    {
        std::vector<std::string> names;
        for (const auto& entry : units)
        {
            names.push_back(entry.first);
        }
        const auto nearest = isDecimal && !name.empty() ? NearestName(name, names) : "";
        throw WorkloadError(field.where,
                            expected,
                            Quoted(field.text),
                            nearest.empty() ? "" : number + nearest);
    }
    return ParseNonNegative({number, field.where}, "a number") * unit->second;
}

} // namespace

bool
IsNvlinkByKind(TopologyGraph::NodeKind a, TopologyGraph::NodeKind b)
{
    return (a == TopologyGraph::NVSWITCH && b != TopologyGraph::SWITCH) ||
           (b == TopologyGraph::NVSWITCH && a != TopologyGraph::SWITCH);
}

DataRate
ParseLinkRate(const TextField& field)
{
    static const auto units = ListRateUnits();
    const std::string expected =
        "a rate with its unit (such as Mbps, Gbps), from 1bps to 1000000Gbps";
    const auto rate = std::round(ParseWithUnit(field, units, expected));
    if (rate < 1 || rate > 1e15)
    {
        throw WorkloadError(field.where, expected, Quoted(field.text));
    }
    return DataRate(static_cast<uint64_t>(rate));
}

Time
ParseLinkDelay(const TextField& field)
{
    static const std::vector<Unit> units{{"ps", 1},
                                         {"ns", 1e3},
                                         {"us", 1e6},
                                         {"ms", 1e9},
                                         {"s", 1e12}};
    const std::string expected =
        "a delay with its unit (ps, ns, us, ms, s), from 0ns to 1000s, such as 500ns";
    const auto delay = std::round(ParseWithUnit(field, units, expected));
    if (delay > 1e15)
    {
        throw WorkloadError(field.where, expected, Quoted(field.text));
    }
    return PicoSeconds(static_cast<uint64_t>(delay));
}

double
ParseLossRate(const TextField& field)
{
    const auto lossRate = ParseNonNegative(field, "a loss rate");
    if (lossRate > 1)
    {
        throw WorkloadError(field.where, "a loss rate from 0 to 1", Quoted(field.text));
    }
    return lossRate;
}

std::string
FormatLinkRate(DataRate rate)
{
    constexpr std::array<std::pair<const char*, uint64_t>, 3> units{
        {{"Gbps", 1000000000}, {"Mbps", 1000000}, {"kbps", 1000}}};
    const auto bits = rate.GetBitRate();
    for (const auto& [name, size] : units)
    {
        if (bits % size == 0)
        {
            return std::to_string(bits / size) + name;
        }
    }
    return std::to_string(bits) + "bps";
}

std::string
FormatLinkDelay(Time delay)
{
    const auto picoseconds = delay.GetPicoSeconds();
    return picoseconds % 1000 == 0 ? std::to_string(picoseconds / 1000) + "ns"
                                   : std::to_string(picoseconds) + "ps";
}

} // namespace ns3
