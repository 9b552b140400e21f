/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

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
