/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "log-gops-choice.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/input-values.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

namespace
{

/// Longest time of a message or its first byte, ns: a thousand seconds.
constexpr uint64_t MAX_TIME = 1000000000000;

/// Longest time of another byte, ns.
constexpr double MAX_BYTE_TIME = 1e9;

/**
 * @param text several values with colons between
 * @return the values
 */
std::vector<std::string>
SplitAtColons(const std::string& text)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
    {
        if (c == ':')
        {
            parts.emplace_back();
        }
        else
        {
            parts.back() += c;
        }
    }
    return parts;
}

} // namespace

LogGopsChoice
ParseLogGops(const TextField& field)
{
    const auto fail = [&field]() {
        throw WorkloadError(field,
                            "L:o:g:G:O:S, of which L, o and g are whole numbers of ns up to 10^12, "
                            "G and O decimal numbers of ns per byte up to 10^9, and S is a whole "
                            "number of bytes, such as 2500:1500:1000:6:0:65535");
    };
    const auto parts = SplitAtColons(field.text);
    if (parts.size() != 6)
    {
        fail();
    }
    const auto take = [&parts, &fail](std::size_t index, uint64_t most) {
        const auto value = ReadWhole(parts[index]);
        if (!value || *value > most)
        {
            fail();
        }
        return value.value_or(0);
    };
    const auto takeDecimal = [&parts, &fail](std::size_t index) {
        const auto value = ReadDecimal(parts[index]);
        if (!value || *value > MAX_BYTE_TIME)
        {
            fail();
        }
        return value.value_or(0);
    };
    return {take(0, MAX_TIME),
            take(1, MAX_TIME),
            take(2, MAX_TIME),
            takeDecimal(3),
            takeDecimal(4),
            take(5, UINT64_MAX)};
}

void
SetLogGopsDefaults(const LogGopsChoice& choice)
{
    const std::string costs = "ns3::LogGopsCosts::";
    Config::SetDefault(costs + "Latency", TimeValue(NanoSeconds(choice.latency)));
    Config::SetDefault(costs + "Overhead", TimeValue(NanoSeconds(choice.overhead)));
    Config::SetDefault(costs + "Gap", TimeValue(NanoSeconds(choice.gap)));
    Config::SetDefault(costs + "ByteGap", DoubleValue(choice.byteGap));
    Config::SetDefault(costs + "ByteOverhead", DoubleValue(choice.byteOverhead));
    Config::SetDefault(costs + "EagerLimit", UintegerValue(choice.eagerLimit));
}

} // namespace ns3
