/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include "ns3/input-values.h"
#include "ns3/nstime.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
 * @brief Shares of an accelerator that communication takes from computations beside it.
 */
struct CommunicationShare
{
    double server{0};  //!< within a server
    double network{0}; //!< beyond it
    /// Multiprocessors of the accelerator, of which kernels whose channels are known occupy some
    /// instead; 0 = the shares hold for all.
    uint32_t multiprocessors{0};
};

/**
 * @ingroup workload-replay
 * @param value a share, or server:SHARE and network:SHARE with a comma or + between, of which one
 *              may be missing; shares are at least 0 and below 1
 * @return the shares; 0 = missing
 * @throws WorkloadError if it is anything else
 */
CommunicationShare ParseCommunicationShare(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value name of a dimension
 * @return the dimension
 * @throws WorkloadError if there is none of that name
 */
Dimension ParseDimension(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value a whole number from 1 to 4294967295
 * @return the number
 * @throws WorkloadError if it is anything else
 */
uint32_t ParsePositive(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number, not negative
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseFactor(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number above 0 and at most 1000000
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseScale(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value a decimal number from 0 to 100
 * @return the number
 * @throws WorkloadError if it is anything else
 */
double ParseShare(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value RANK:FACTOR, a whole number and one that ParseScale() takes
 * @return both
 * @throws WorkloadError if it is anything else
 */
std::pair<uint32_t, double> ParseRankFactor(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value one of the words
 * @param words the valid words
 * @return the word
 * @throws WorkloadError that names all words if it is anything else
 */
std::string ParseWord(const TextField& value, const std::vector<std::string>& words);

/**
 * @ingroup workload-replay
 * @param value the value of a switch: empty, as on the command line, or true or false, as in a
 *              configuration file
 * @return whether it is on
 * @throws WorkloadError if it is anything else
 */
bool ParseSwitch(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value hosts, or ranges of them, with + between, such as 0-7+16-23
 * @return the hosts in that order
 * @throws WorkloadError if it is anything else
 */
std::vector<uint32_t> ParseHosts(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value numbers, or ranges of them, with commas between, such as 0-7,32; below 1000000
 * @param expected what would be right, for the message
 * @return the numbers in that order
 * @throws WorkloadError if it is anything else
 */
std::vector<uint32_t> ParseRanges(const TextField& value, const std::string& expected);

/**
 * @ingroup workload-replay
 * @param value FROM:TO, two durations of which the second one is longer
 * @return both
 * @throws WorkloadError if it is anything else
 */
std::pair<Time, Time> ParseTimeSpan(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value FIRST:LAST:N
 * @return the range
 * @throws WorkloadError if it is anything else
 */
RowRepeat ParseRowRepeat(const TextField& value);

/**
 * @ingroup workload-replay
 * @param value name of a congestion control of ns-3's TCP, the leading ns3:: may be missing
 * @return name of its TypeId, in full
 * @throws WorkloadError if there is none of that name
 */
std::string ParseCongestionControl(const TextField& value);

} // namespace ns3

#endif /* OPTION_VALUES_H */
