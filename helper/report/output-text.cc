/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{

std::string
FormatCsvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        return text;
    }
    std::string field = "\"";
    for (const char c : text)
    {
        field += c;
        if (c == '"')
        {
            field += c;
        }
    }
    return field + "\"";
}

std::string
FormatJsonString(const std::string& text)
{
    const bool isPlain = std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (isPlain)
    {
        return "\"" + text + "\"";
    }
    using Json = nlohmann::json;
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

int64_t
ToNanoseconds(const Time& time)
{
    return (time.GetPicoSeconds() + 500) / 1000;
}

} // namespace ns3
