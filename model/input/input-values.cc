/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>
#include <utility>

namespace ns3
{

namespace
{

/// A unit, and what one of it is.
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

/// Units of rates, in bits per second: those of DataRate. The nearest to what is mistyped is the
/// first of equals, so that those of bits with "bps" come first.
const std::vector<Unit> RATE_UNITS{{"bps", 1},         {"Bps", 8},
                                   {"b/s", 1},         {"B/s", 8},
                                   {"kbps", 1e3},      {"kBps", 8e3},
                                   {"kb/s", 1e3},      {"kB/s", 8e3},
                                   {"Kbps", 1e3},      {"KBps", 8e3},
                                   {"Kb/s", 1e3},      {"KB/s", 8e3},
                                   {"Mbps", 1e6},      {"MBps", 8e6},
                                   {"Mb/s", 1e6},      {"MB/s", 8e6},
                                   {"Gbps", 1e9},      {"GBps", 8e9},
                                   {"Gb/s", 1e9},      {"GB/s", 8e9},
                                   {"Kib/s", 1024},    {"KiB/s", 8192},
                                   {"Mib/s", 1048576}, {"MiB/s", 8388608},
                                   {"Gib/s", 1 << 30}, {"GiB/s", 8.0 * (1 << 30)}};

/// Longest duration of an input, ps: 1000000 s.
constexpr double MAX_DURATION = 1e18;

/// Highest rate of an input, bit/s.
constexpr uint64_t MAX_RATE = 1000000000000000;

/// A decimal number taken apart: digits x 10^exponent.
struct Decimal
{
    std::string digits;  //!< digits before and after the point, at least one
    int64_t exponent{0}; //!< power of ten
};

/**
 * @param text any text
 * @return whether it is one digit or more, and nothing else
 */
bool
IsDigits(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/**
 * Take a number apart without losing digits.
 *
 * @param text any text
 * @return the number; nullopt = the text is not digits with an optional fraction and exponent
 */
std::optional<Decimal>
SplitDecimal(const std::string& text)
{
    const auto e = std::min(text.find_first_of("eE"), text.size());
    const auto point = std::min(text.find('.'), e);
    const auto fraction = point < e ? text.substr(point + 1, e - point - 1) : "";
    Decimal decimal{text.substr(0, point) + fraction, -static_cast<int64_t>(fraction.size())};
    if (e < text.size())
    {
        auto digits = text.substr(e + 1);
        const bool isNegative = digits.compare(0, 1, "-") == 0;
        digits.erase(0, isNegative || digits.compare(0, 1, "+") == 0 ? 1 : 0);
        if (!IsDigits(digits))
        {
            return std::nullopt;
        }
        // Any exponent beyond this is as far out of range as this one.
        constexpr int64_t largest = 1000000000;
        int64_t exponent = 0;
        for (const char c : digits)
        {
            exponent = std::min(exponent * 10 + (c - '0'), largest);
        }
        decimal.exponent += isNegative ? -exponent : exponent;
    }
    return IsDigits(decimal.digits) ? std::optional<Decimal>(decimal) : std::nullopt;
}

/**
 * @param decimal digits x 10^exponent, the exponent at least 0
 * @return the number; nullopt = it is 2^64 or more
 */
std::optional<uint64_t>
ToWhole(const Decimal& decimal)
{
    auto digits = decimal.digits;
    // Zeros at the beginning are no digits of the number, however many there are.
    digits.erase(0, digits.find_first_not_of('0'));
    if (digits.empty())
    {
        return 0;
    }
    // One zero more than the largest number has digits is enough to be found too large.
    constexpr int64_t nLargest = std::numeric_limits<uint64_t>::digits10 + 1;
    digits.append(static_cast<std::size_t>(std::min(decimal.exponent, nLargest)), '0');
    return ReadWhole(digits);
}

/**
 * @param field a field
 * @return how an error message names what stands there
 */
std::string
Found(const TextField& field)
{
    return field.text.empty() ? "an empty field" : Quoted(field.text);
}

/// A number and the unit behind it.
struct Quantity
{
    std::string number; //!< text up to the unit; an exponent belongs to it
    std::string name;   //!< name of the unit; may be empty
    const Unit* unit;   //!< the unit; nullptr = there is none of that name
};

/**
 * @param text any text
 * @param units the valid units
 * @return its number and unit, as far as it has them
 */
Quantity
SplitQuantity(const std::string& text, const std::vector<Unit>& units)
{
    auto end = text.find_first_not_of("0123456789.+-");
    if (end != std::string::npos && end > 0 && (text[end] == 'e' || text[end] == 'E'))
    {
        // An exponent belongs to the number.
        end = text.find_first_not_of("0123456789+-", end + 1);
    }
    end = std::min(end, text.size());
    Quantity quantity{text.substr(0, end), text.substr(end), nullptr};
    for (const auto& unit : units)
    {
        if (quantity.name == unit.first)
        {
            quantity.unit = &unit;
        }
    }
    return quantity;
}

/**
 * @param text any text
 * @param units the valid units
 * @return the number times its unit; nullopt = the text is not a number with a unit
 */
std::optional<double>
ReadQuantity(const std::string& text, const std::vector<Unit>& units)
{
    const auto quantity = SplitQuantity(text, units);
    const auto number = ReadDecimal(quantity.number);
    return number && quantity.unit ? std::optional<double>(*number * quantity.unit->second)
                                   : std::nullopt;
}

/**
 * @param field a field that should be a number with a unit
 * @param units the valid units
 * @param expected what is valid, for the message
 * @throws WorkloadError always, with the nearest unit if the number is right
 */
[[noreturn]] void
FailAsQuantity(const TextField& field, const std::vector<Unit>& units, const std::string& expected)
{
    const auto quantity = SplitQuantity(field.text, units);
    std::string suggestion;
    if (ReadDecimal(quantity.number) && !quantity.unit && !quantity.name.empty())
    {
        std::vector<std::string> names;
        names.reserve(units.size());
        for (const auto& unit : units)
        {
            names.emplace_back(unit.first);
        }
        const auto nearest = NearestName(quantity.name, names);
        suggestion = nearest.empty() ? "" : quantity.number + nearest;
    }
    throw WorkloadError(field.where, expected, Quoted(field.text), suggestion);
}

} // namespace

bool
BeginsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

std::vector<std::string>
SplitText(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (auto end = text.find(separator); end != std::string::npos;
         end = text.find(separator, begin))
    {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::optional<double>
ReadDecimal(const std::string& text)
{
    if (!SplitDecimal(text))
    {
        return std::nullopt;
    }
    // A stream of its own, because strtod() would follow the locale of the program.
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double value = 0;
    return stream >> value ? std::optional<double>(value) : std::nullopt;
}

std::optional<uint64_t>
ReadWhole(const std::string& text)
{
    // Unlike strtoull(), from_chars() takes no blanks and no sign.
    uint64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional<uint64_t>(value)
                                                         : std::nullopt;
}

std::optional<Time>
ReadDuration(const std::string& text)
{
    const auto picoseconds = ReadQuantity(text, DURATION_UNITS);
    if (!picoseconds || *picoseconds > MAX_DURATION)
    {
        return std::nullopt;
    }
    return PicoSeconds(static_cast<uint64_t>(std::llround(*picoseconds)));
}

double
ParseNonNegative(const TextField& field, const std::string& what)
{
    if (!SplitDecimal(field.text))
    {
        throw WorkloadError(field.where,
                            what + " as a number of 0 or more, such as 0.25 or 1e-3",
                            Found(field));
    }
    const auto value = ReadDecimal(field.text);
    if (!value)
    {
        throw WorkloadError(field.where, what + " as a number below 1.8e308", Found(field));
    }
    return *value;
}

double
ParseFraction(const TextField& field, const std::string& what)
{
    const auto value = ParseNonNegative(field, what);
    if (value > 1)
    {
        throw WorkloadError(field, what + " from 0 to 1");
    }
    return value;
}

uint64_t
ParseCount(const TextField& field, const std::string& what)
{
    auto decimal = SplitDecimal(field.text);
    // Zeros at the end of a fraction are none: 1.50e1 is a whole number.
    while (decimal && decimal->exponent < 0 && !decimal->digits.empty() &&
           decimal->digits.back() == '0')
    {
        decimal->digits.pop_back();
        ++decimal->exponent;
    }
    if (!decimal || (decimal->exponent < 0 && !decimal->digits.empty()))
    {
        throw WorkloadError(field.where, what + " as a whole number of 0 or more", Found(field));
    }
    const auto value = ToWhole(*decimal);
    if (!value)
    {
        throw WorkloadError(field.where,
                            what + " of at most " +
                                std::to_string(std::numeric_limits<uint64_t>::max()),
                            Found(field));
    }
    return *value;
}

uint64_t
ParseNumber(const TextField& field, uint64_t least, uint64_t most)
{
    const auto number = ReadWhole(field.text);
    if (!number || *number < least || *number > most)
    {
        throw WorkloadError(field,
                            "a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most));
    }
    return *number;
}

uint64_t
ParseBytes(const TextField& field, uint64_t least)
{
    const auto quantity = SplitQuantity(field.text, SIZE_UNITS);
    const auto amount = ReadWhole(quantity.number);
    const auto unit = static_cast<uint64_t>(quantity.unit ? quantity.unit->second : 0);
    // Divided, not multiplied: the product may exceed 64 bits.
    if (!amount || unit == 0 || *amount > UINT64_MAX / unit || *amount * unit < least)
    {
        const std::string bound = least > 0 ? " of at least " + std::to_string(least) : "";
        throw WorkloadError(field, "a size" + bound + " in bytes, KiB, MiB or GiB, such as 512KiB");
    }
    return *amount * unit;
}

Time
ParseDuration(const TextField& field)
{
    const auto duration = ReadDuration(field.text);
    if (!duration)
    {
        FailAsQuantity(field,
                       DURATION_UNITS,
                       "a duration with its unit (ps, ns, us, ms, s), from 0ns to 1000000s, such "
                       "as 10us");
    }
    return *duration;
}

DataRate
ParseRate(const TextField& field, uint64_t least, const std::string& what)
{
    const auto rate = std::round(ReadQuantity(field.text, RATE_UNITS).value_or(-1));
    if (rate < static_cast<double>(least) || rate > static_cast<double>(MAX_RATE))
    {
        FailAsQuantity(field,
                       RATE_UNITS,
                       what + " with its unit (such as Mbps, Gbps), from " +
                           FormatRate(DataRate(least)) + " to " + FormatRate(DataRate(MAX_RATE)));
    }
    return DataRate(static_cast<uint64_t>(rate));
}

std::size_t
FindWord(const TextField& field, const std::vector<std::string>& words, const std::string& expected)
{
    const auto found = std::find(words.begin(), words.end(), field.text);
    if (found == words.end())
    {
        throw WorkloadError(field.where,
                            expected,
                            Quoted(field.text),
                            NearestName(field.text, words));
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::string
FormatRate(DataRate rate)
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
FormatDuration(Time duration)
{
    const auto picoseconds = duration.GetPicoSeconds();
    return picoseconds % 1000 == 0 ? std::to_string(picoseconds / 1000) + "ns"
                                   : std::to_string(picoseconds) + "ps";
}

} // namespace ns3
