/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INPUT_VALUES_H
#define INPUT_VALUES_H

#include "workload-error.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

// The conversions below accept exactly what they name, whatever the locale. ns-3's own parsers end
// the program on some wrong texts and guess at others ("10" is 10 seconds, "400" is 400 bit/s), so
// that no text of a user reaches them unchecked.

/**
 * @ingroup workload-replay
 * @param text a text
 * @param start another text
 * @return whether the first begins with the second
 */
bool BeginsWith(const std::string& text, const std::string& start);

/**
 * @ingroup workload-replay
 * @param text a text
 * @param separator a character
 * @return the parts before, between and behind the separators, of which any may be empty; at least
 *         one
 */
std::vector<std::string> SplitText(const std::string& text, char separator);

/**
 * @ingroup workload-replay
 * @param text digits with an optional point and exponent
 * @return the number, finite and at least 0; nullopt = the text is anything else
 */
std::optional<double> ReadDecimal(const std::string& text);

/**
 * @ingroup workload-replay
 * @param text digits alone
 * @return the number, below 2^64; nullopt = the text is anything else
 */
std::optional<uint64_t> ReadWhole(const std::string& text);

/**
 * @ingroup workload-replay
 * @param text a decimal number with the unit ps, ns, us, ms or s; at most 1000000 s
 * @return the duration, rounded to picoseconds; nullopt = the text is anything else
 */
std::optional<Time> ReadDuration(const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Read a number that is not negative: digits with an optional fraction and exponent.
 *
 * Signs, hexadecimal, infinities, NaN, digit grouping and decimal commas are errors.
 *
 * @param field the text and its place
 * @param what what the number is, for the message
 * @return the number, finite and at least 0
 * @throws WorkloadError if the field is anything else
 */
double ParseNonNegative(const TextField& field, const std::string& what);

/**
 * @ingroup workload-replay
 * @param field a decimal number
 * @param what what the number is, for the message
 * @return the number, 0 to 1
 * @throws WorkloadError if the field is anything else
 */
double ParseFraction(const TextField& field, const std::string& what);

/**
 * @ingroup workload-replay
 * @brief Read a whole number of a file exactly, also one written with a fraction or exponent (2.0,
 *        1e9).
 *
 * @param field the text and its place
 * @param what what the number counts, for the message
 * @return the number, 0 to 2^64 - 1
 * @throws WorkloadError if the field is anything else
 */
uint64_t ParseCount(const TextField& field, const std::string& what);

/**
 * @ingroup workload-replay
 * @brief Read a whole number of an option: digits alone.
 *
 * @param field the text and its place
 * @param least smallest valid number
 * @param most largest valid number
 * @return the number
 * @throws WorkloadError if the field is anything else
 */
uint64_t ParseNumber(const TextField& field, uint64_t least, uint64_t most);

/**
 * @ingroup workload-replay
 * @param field a whole number of bytes, or one with the unit B, KiB, MiB or GiB
 * @param least smallest valid size, bytes
 * @return the size, bytes
 * @throws WorkloadError if the field is anything else
 */
uint64_t ParseBytes(const TextField& field, uint64_t least);

/**
 * @ingroup workload-replay
 * @param field a duration that ReadDuration() takes
 * @return the duration, rounded to picoseconds, 0 to 1000000 s
 * @throws WorkloadError if the field is anything else
 */
Time ParseDuration(const TextField& field);

/**
 * @ingroup workload-replay
 * @param field a decimal number with one of the units that DataRate knows, such as 400Gbps
 * @param least smallest valid rate, bit/s
 * @param what what the rate is, for the message
 * @return the rate, rounded to bit/s, at most 10^15 bit/s
 * @throws WorkloadError if the field is anything else
 */
DataRate ParseRate(const TextField& field, uint64_t least, const std::string& what = "a rate");

/**
 * @ingroup workload-replay
 * @param field a word
 * @param words the valid words
 * @param expected what would be right, for the message
 * @return index of the word among the valid ones
 * @throws WorkloadError with the nearest valid word if it is none of them
 */
std::size_t FindWord(const TextField& field,
                     const std::vector<std::string>& words,
                     const std::string& expected);

/**
 * @ingroup workload-replay
 * @param rate a rate
 * @return the same rate as ParseRate() takes it, in the largest decimal unit that gives a whole
 *         number: 400Gbps
 */
std::string FormatRate(DataRate rate);

/**
 * @ingroup workload-replay
 * @param duration a time of at least 0
 * @return the same time as ParseDuration() takes it, in ns if that is a whole number, else in ps
 */
std::string FormatDuration(Time duration);

} // namespace ns3

#endif /* INPUT_VALUES_H */
