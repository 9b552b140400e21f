/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-values.h"

#include "ns3/object-factory.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// A unit and what it stands for.
using Unit = std::pair<const char*, double>;

/// Units of durations, in picoseconds.
const std::vector<Unit> DURATION_UNITS{{"ps", 1},
                                       {"ns", 1e3},
                                       {"us", 1e6},
                                       {"ms", 1e9},
                                       {"s", 1e12}};

/// Units of sizes, in bytes.
const std::vector<Unit> SIZE_UNITS{{"", 1},
                                   {"B", 1},
                                   {"KiB", 1024},
                                   {"MiB", 1048576},
                                   {"GiB", 1073741824}};

/// Units of rates, in bits per second: those of DataRate.
const std::vector<Unit> RATE_UNITS{{"bps", 1},         {"b/s", 1},
                                   {"Bps", 8},         {"B/s", 8},
                                   {"kbps", 1e3},      {"kb/s", 1e3},
                                   {"Kbps", 1e3},      {"Kb/s", 1e3},
                                   {"kBps", 8e3},      {"kB/s", 8e3},
                                   {"KBps", 8e3},      {"KB/s", 8e3},
                                   {"Kib/s", 1024},    {"KiB/s", 8192},
                                   {"Mbps", 1e6},      {"Mb/s", 1e6},
                                   {"MBps", 8e6},      {"MB/s", 8e6},
                                   {"Mib/s", 1048576}, {"MiB/s", 8388608},
                                   {"Gbps", 1e9},      {"Gb/s", 1e9},
                                   {"GBps", 8e9},      {"GB/s", 8e9},
                                   {"Gib/s", 1 << 30}, {"GiB/s", 8.0 * (1 << 30)}};

/**
 * @param text a text
 * @param value [out] the number if the text is one: digits with an optional point and exponent
 * @return true if it is
 */
bool
ReadDecimal(const std::string& text, double& value)
{
    if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos ||
        text.front() == '+')
    {
        return false;
    }
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    stream >> value;
    return !stream.fail() && stream.eof() && std::isfinite(value);
}

/**
 * @param text a text
 * @param value [out] the number if the text is one: digits only, below 2^64
 * @return true if it is
 */
bool
ReadWhole(const std::string& text, uint64_t& value)
{
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    {
        return false;
    }
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    stream >> value;
    return !stream.fail();
}

/**
 * @param text a text
 * @param scale [out] the number if the text is one above 0 and at most 1000000
 * @return true if it is
 */
bool
ReadScale(const std::string& text, double& scale)
{
    return ReadDecimal(text, scale) && scale > 0 && scale <= 1e6;
}

/**
 * Cut a text into its number and its unit. An exponent belongs to the number.
 *
 * @param text a text
 * @return the number and the unit, either may be empty
 */
std::pair<std::string, std::string>
SplitUnit(const std::string& text)
{
    auto end = text.find_first_not_of("0123456789.+-");
    if (end != std::string::npos && end > 0 && (text[end] == 'e' || text[end] == 'E'))
    {
        end = text.find_first_not_of("0123456789+-", end + 1);
    }
    if (end == std::string::npos)
    {
        return {text, ""};
    }
    return {text.substr(0, end), text.substr(end)};
}

/**
 * @param units units
 * @param name name of a unit
 * @return the unit, or nullptr if there is none of that name
 */
const Unit*
FindUnit(const std::vector<Unit>& units, const std::string& name)
{
    for (const auto& unit : units)
    {
        if (name == unit.first)
        {
            return &unit;
        }
    }
    return nullptr;
}

/**
 * @param value a decimal number with a unit
 * @param units the valid units
 * @param most largest valid result
 * @param expected what is valid, for the message of the error
 * @return the number times the unit
 * @throws WorkloadError if it is anything else
 */
double
ParseQuantity(const OptionText& value,
              const std::vector<Unit>& units,
              double most,
              const std::string& expected)
{
    const auto [number, name] = SplitUnit(value.text);
    const Unit* unit = FindUnit(units, name);
    double amount = 0;
    const bool isNumber = ReadDecimal(number, amount) && amount >= 0;
    if (unit != nullptr && isNumber && amount * unit->second <= most)
    {
        return amount * unit->second;
    }
    std::string suggestion;
    if (isNumber && unit == nullptr && !name.empty())
    {
        std::vector<std::string> names;
        for (const auto& valid : units)
        {
            names.emplace_back(valid.first);
        }
        const auto nearest = NearestName(name, names);
        suggestion = nearest.empty() ? "" : number + nearest;
    }
    throw WorkloadError(value.where, expected, Quoted(value.text), suggestion);
}

/**
 * @return names of the TypeIds of all congestion controls of ns-3's TCP
 */
std::vector<std::string>
GetCongestionControls()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        // ns-3 takes some of them, such as TcpCubic, for sockets, so the object itself has to tell.
        const bool isCandidate = tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
                                 tid.IsChildOf(TcpSocketBase::GetTypeId());
        if (!isCandidate || !tid.HasConstructor())
        {
            continue;
        }
        ObjectFactory factory;
        factory.SetTypeId(tid);
        if (DynamicCast<TcpCongestionOps>(factory.Create<Object>()))
        {
            names.push_back(tid.GetName());
        }
    }
    return names;
}

} // namespace

uint64_t
ParseNumber(const OptionText& value, uint64_t least, uint64_t most)
{
    uint64_t number = 0;
    if (!ReadWhole(value.text, number) || number < least || number > most)
    {
        throw WorkloadError(value.where,
                            "a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most),
                            Quoted(value.text));
    }
    return number;
}

uint32_t
ParseCount(const OptionText& value)
{
    return static_cast<uint32_t>(ParseNumber(value, 1, UINT32_MAX));
}

double
ParseFactor(const OptionText& value)
{
    double factor = 0;
    if (!ReadDecimal(value.text, factor) || factor < 0)
    {
        throw WorkloadError(value.where,
                            "a number that is not negative, such as 2.0",
                            Quoted(value.text));
    }
    return factor;
}

double
ParseScale(const OptionText& value)
{
    double scale = 0;
    if (!ReadScale(value.text, scale))
    {
        throw WorkloadError(value.where,
                            "a number above 0 and at most 1000000, such as 1.5",
                            Quoted(value.text));
    }
    return scale;
}

double
ParseShare(const OptionText& value)
{
    double share = 0;
    if (!ReadDecimal(value.text, share) || share < 0 || share > 100)
    {
        throw WorkloadError(value.where,
                            "a number from 0 to 100, such as 0.05",
                            Quoted(value.text));
    }
    return share;
}

std::pair<uint32_t, double>
ParseRankFactor(const OptionText& value)
{
    const auto colon = value.text.find(':');
    uint64_t rank = 0;
    double factor = 0;
    if (colon == std::string::npos || !ReadWhole(value.text.substr(0, colon), rank) ||
        rank > UINT32_MAX || !ReadScale(value.text.substr(colon + 1), factor))
    {
        throw WorkloadError(value.where,
                            "RANK:FACTOR, a rank and how many times as long as the others it "
                            "computes, such as 3:1.5",
                            Quoted(value.text));
    }
    return {static_cast<uint32_t>(rank), factor};
}

uint64_t
ParseBytes(const OptionText& value, uint64_t least)
{
    const auto [number, name] = SplitUnit(value.text);
    const Unit* unit = FindUnit(SIZE_UNITS, name);
    uint64_t amount = 0;
    if (unit != nullptr && ReadWhole(number, amount))
    {
        const auto factor = static_cast<uint64_t>(unit->second);
        if (amount <= UINT64_MAX / factor && amount * factor >= least)
        {
            return amount * factor;
        }
    }
    const std::string bound = least > 0 ? " of at least " + std::to_string(least) : "";
    throw WorkloadError(value.where,
                        "a size" + bound + " in bytes, KiB, MiB or GiB, such as 512KiB",
                        Quoted(value.text));
}

Time
ParseDuration(const OptionText& value)
{
    const double picoseconds =
        ParseQuantity(value,
                      DURATION_UNITS,
                      1e18,
                      "a duration with its unit (ps, ns, us, ms, s), such as 10us");
    return PicoSeconds(static_cast<uint64_t>(std::llround(picoseconds)));
}

DataRate
ParseRate(const OptionText& value, uint64_t least)
{
    const std::string expected = std::string("a rate") + (least > 0 ? " above 0" : "") +
                                 " with its unit (such as Mbps, Gbps), such as 400Gbps";
    const double rate = std::round(ParseQuantity(value, RATE_UNITS, 1e18, expected));
    if (rate < static_cast<double>(least))
    {
        throw WorkloadError(value.where, expected, Quoted(value.text));
    }
    return DataRate(static_cast<uint64_t>(rate));
}

std::string
ParseWord(const OptionText& value, const std::vector<std::string>& words)
{
    std::string expected;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        if (words[i] == value.text)
        {
            return value.text;
        }
        const char* separator = i == 0 ? "" : (i + 1 == words.size() ? " or " : ", ");
        expected += separator + words[i];
    }
    throw WorkloadError(value.where, expected, Quoted(value.text), NearestName(value.text, words));
}

bool
ParseSwitch(const OptionText& value)
{
    return value.text.empty() || ParseWord(value, {"true", "false"}) == "true";
}

RowRepeat
ParseRowRepeat(const OptionText& value)
{
    const auto first = value.text.find(':');
    const auto last = value.text.rfind(':');
    uint64_t count = 0;
    if (first == std::string::npos || first == 0 || last <= first + 1 ||
        !ReadWhole(value.text.substr(last + 1), count) || count < 1 || count > UINT32_MAX)
    {
        throw WorkloadError(value.where,
                            "FIRST:LAST:N, two rows and how often they stand in the model, such as "
                            "ln_1:add_15:36",
                            Quoted(value.text));
    }
    return {value.text.substr(0, first),
            value.text.substr(first + 1, last - first - 1),
            static_cast<uint32_t>(count)};
}

std::string
ParseCongestionControl(const OptionText& value)
{
    const auto names = GetCongestionControls();
    const std::string prefix = "ns3::";
    const bool isFull = value.text.compare(0, prefix.size(), prefix) == 0;
    const auto name = isFull ? value.text : prefix + value.text;
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        throw WorkloadError(value.where,
                            "a congestion control of ns-3's TCP, such as ns3::TcpCubic",
                            Quoted(value.text),
                            NearestName(name, names));
    }
    return name;
}

} // namespace ns3
