/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INPUT_JSON_H
#define INPUT_JSON_H

#include "workload-error.h"
#include "workload-text.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What counts as JSON.
 */
enum class JsonDialect : uint8_t
{
    STANDARD, //!< what RFC 8259 says
    PYTHON    //!< with Infinity, -Infinity and NaN, which Python writes; they are read as null
};

/**
 * @ingroup workload-replay
 * @param text the file
 * @param dialect what counts as JSON
 * @return what it holds, the keys of objects in their order
 * @throws WorkloadError with line and column if it is not JSON, with a JSON pointer if a key stands
 *         twice in an object
 */
nlohmann::ordered_json ParseJson(const WorkloadText& text,
                                 JsonDialect dialect = JsonDialect::STANDARD);

/**
 * @ingroup workload-replay
 * @param file path of a file
 * @param content what it holds
 * @param error why that is no JSON
 * @return the same with its place
 */
WorkloadError MakeJsonError(const std::string& file,
                            const std::string& content,
                            const nlohmann::json::parse_error& error);

} // namespace ns3

#endif /* INPUT_JSON_H */
