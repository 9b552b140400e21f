/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @return it as a JSON string
 */
std::string
EscapeJsonString(const std::string& text)
{
    using Json = nlohmann::ordered_json;
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

void
AppendCsvField(std::string& line, const std::string& text)
{
    const bool isPlain = std::none_of(text.begin(), text.end(), [](char c) {
        return c == ',' || c == '"' || c == '\r' || c == '\n';
    });
    if (isPlain)
    {
        line += text;
        return;
    }
    line += '"';
    for (const char c : text)
    {
        line += c;
        if (c == '"')
        {
            line += c;
        }
    }
    line += '"';
}

std::string
FormatCsvField(const std::string& text)
{
    std::string field;
    AppendCsvField(field, text);
    return field;
}

void
AppendJsonString(std::string& line, const std::string& text)
{
    const bool isPlain = std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (isPlain)
    {
        line.append(1, '"').append(text).append(1, '"');
        return;
    }
    line += EscapeJsonString(text);
}

std::string
FormatJsonString(const std::string& text)
{
    std::string quoted;
    AppendJsonString(quoted, text);
    return quoted;
}

int64_t
ToNanoseconds(const Time& time)
{
    return (time.GetPicoSeconds() + 500) / 1000;
}

} // namespace ns3
