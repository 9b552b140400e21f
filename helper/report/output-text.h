/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "ns3/nstime.h"

#include <charconv>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Write a whole number, many times as fast as a stream does.
 *
 * @param [in,out] line where to add it
 * @param number the number
 */
template <typename T>
void
AppendNumber(std::string& line, T number)
{
    // The 19 digits of the largest ones, a sign, and one more.
    char digits[24];
    line.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

/**
 * @ingroup workload-replay
 * @brief Write a text as a field of a CSV file (RFC 4180).
 *
 * @param [in,out] line where to add it
 * @param text any text; goes into quotes if it holds a comma, a quote or the end of a line
 */
void AppendCsvField(std::string& line, const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Write a text as a field of a CSV file (RFC 4180).
 *
 * @param text any text
 * @return the text, in quotes if it holds a comma, a quote or the end of a line
 */
std::string FormatCsvField(const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Write a text as a JSON string (RFC 8259).
 *
 * @param [in,out] line where to add it
 * @param text any text; bytes that are not UTF-8 become U+FFFD
 */
void AppendJsonString(std::string& line, const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Write a text as a JSON string (RFC 8259).
 *
 * @param text any text; bytes that are not UTF-8 become U+FFFD
 * @return the text in quotes, escaped
 */
std::string FormatJsonString(const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Round a time to whole nanoseconds, as RoundToNanoseconds() does.
 *
 * @param time a time, not negative
 * @return ns; half a nanosecond is rounded up
 */
int64_t ToNanoseconds(const Time& time);

} // namespace ns3

#endif /* OUTPUT_TEXT_H */
