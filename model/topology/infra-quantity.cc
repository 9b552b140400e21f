/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "infra-quantity.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/// Units of bandwidths, and bit/s of each. A gigatransfer is a bit of each of 16 lanes, of which
/// 128 in 130 are data (PCI Express Base Specification 5.0).
const std::map<std::string, double> INFRA_RATES{{"gigabits_per_second", 1e9},
                                                {"gigabytes_per_second", 8e9},
                                                {"gigatransfers_per_second", 16e9 * 128 / 130},
                                                // As files before schema 2.0 have them.
                                                {"giga_bits_per_second", 1e9},
                                                {"giga_bytes_per_second", 8e9},
                                                {"giga_transfers_per_second", 16e9 * 128 / 130}};

/// Units of latencies, and ps of each.
const std::map<std::string, double> INFRA_DELAYS{{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};

/**
 * @param section the object that has a quantity
 * @param key its key
 * @param units units that it may have
 * @param most largest value, in what these count
 * @return the quantity
 */
double
ReadInfraQuantity(const JsonSection& section,
                  const std::string& key,
                  const std::map<std::string, double>& units,
                  double most)
{
    std::vector<std::string> names;
    for (const auto& unit : units)
    {
        names.push_back(unit.first);
    }
    auto keys = names;
    // The key choice has the name of a unit, and the key of that name has the number.
    keys.emplace_back("choice");
    const auto quantity = section.GetObject(key, keys);
    const auto choice = quantity.GetText("choice");
    FindWord(choice, names, "one of " + JoinWords(names));
    const auto number = quantity.GetNumber(choice.text);
    const auto value = ParseNonNegative(number, choice.text) * units.at(choice.text);
    if (value > most)
    {
        throw WorkloadError(number, "a smaller number");
    }
    return value;
}

} // namespace

uint64_t
ReadInfraRate(const JsonSection& section, const std::string& key)
{
    // From 1 bit/s, as slower links take for ever.
    const auto rate = ReadInfraQuantity(section, key, INFRA_RATES, 1e15);
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(rate)));
}

Time
ReadInfraDelay(const JsonSection& section, const std::string& key)
{
    // At most 10^18 ps, which are 11.6 days.
    return PicoSeconds(std::llround(ReadInfraQuantity(section, key, INFRA_DELAYS, 1e18)));
}

} // namespace ns3
