/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The value of an option as the user wrote it, and where.
 *
 * The conversions below accept exactly what they name. ns-3's own parsers abort the program on some
 * wrong texts and guess at others ("10" is 10 seconds), so no text reaches them unchecked.
 */
struct OptionText
{
    std::string text;     //!< the value as written
    SourceLocation where; //!< the option, or the place in a configuration file
};

/**
 * @ingroup workload-replay
 * @brief A range of rows of a table, to be repeated.
 */
struct RowRepeat
{
    std::string first; //!< name of the first row; empty = nothing is repeated
    std::string last;  //!< name of the last row
    uint32_t count{1}; //!< how often the rows stand in the model, at least 1
};

/**
 * @ingroup workload-replay
 * @param value a whole number in decimal digits
 * @param least smallest valid number
 * @param most largest valid number
 * @return the number
 * @throws WorkloadError if it is none or out of the range
 */
uint64_t ParseNumber(const OptionText& value, uint64_t least, uint64_t most);

/**
 * @ingroup workload-replay
 * @param value a whole number from 1 to 4294967295
 * @return the number
 * @throws WorkloadError if it is anything else
 */
uint32_t ParseCount(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number, not negative
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseFactor(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number above 0 and at most 1000000
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseScale(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number from 0 to 100
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseShare(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value RANK:FACTOR, a whole number and one that ParseScale() takes
 * @return both
 * @throws WorkloadError if it is anything else
 */
std::pair<uint32_t, double> ParseRankFactor(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value a whole number of bytes, or one with the unit B, KiB, MiB or GiB
 * @param least smallest valid size, bytes
 * @return the size, bytes
 * @throws WorkloadError if it is anything else
 */
uint64_t ParseBytes(const OptionText& value, uint64_t least);

/**
 * @ingroup workload-replay
 * @param value a decimal number with the unit ps, ns, us, ms or s; at most 1000000 s
 * @return the duration, rounded to picoseconds
 * @throws WorkloadError if it is anything else
 */
Time ParseDuration(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number with one of the units that DataRate knows
 * @param least smallest valid rate, bits per second
 * @return the rate, rounded to bits per second
 * @throws WorkloadError if it is anything else
 */
DataRate ParseRate(const OptionText& value, uint64_t least);

/**
 * @ingroup workload-replay
 * @param value one of the words
 * @param words the valid words
 * @return the word
 * @throws WorkloadError that names all words if it is anything else
 */
std::string ParseWord(const OptionText& value, const std::vector<std::string>& words);

/**
 * @ingroup workload-replay
 * @param value the value of a switch: empty, as on the command line, or true or false, as in a
 *              configuration file
 * @return whether it is on
 * @throws WorkloadError if it is anything else
 */
bool ParseSwitch(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value FIRST:LAST:N
 * @return the range
 * @throws WorkloadError if it is anything else
 */
RowRepeat ParseRowRepeat(const OptionText& value);

/**
 * @ingroup workload-replay
 * @param value name of a congestion control of ns-3's TCP, the leading ns3:: may be missing
 * @return name of its TypeId, in full
 * @throws WorkloadError if there is none of that name
 */
std::string ParseCongestionControl(const OptionText& value);

} // namespace ns3

#endif /* OPTION_VALUES_H */
