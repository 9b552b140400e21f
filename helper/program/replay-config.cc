/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-config.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/stat.h>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @param file path of a file
 * @return what it holds
 * @throws WorkloadError if it cannot be read
 */
std::string
ReadText(const std::string& file)
{
    const std::string expected = "a configuration file in JSON";
    struct stat status;
    if (stat(file.c_str(), &status) != 0)
    {
        throw WorkloadError({file, 0, 0, ""},
                            expected,
                            "none (" + std::string(strerror(errno)) + ")");
    }
    if (S_ISDIR(status.st_mode))
    {
        throw WorkloadError({file, 0, 0, ""}, expected, "a directory");
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
    {
        throw WorkloadError({file, 0, 0, ""},
                            expected,
                            "one that cannot be read (" + std::string(strerror(errno)) + ")");
    }
    return {std::istreambuf_iterator<char>(stream), {}};
}

/**
 * @param file the file
 * @param text what it holds
 * @param byte position in the text, counted from 1
 * @return the place as line and column
 */
SourceLocation
Locate(const std::string& file, const std::string& text, std::size_t byte)
{
    const auto end =
        text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size() + 1) - 1);
    const auto lineStart = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
    return {file,
            static_cast<uint32_t>(1 + std::count(text.begin(), end, '\n')),
            static_cast<uint32_t>(1 + (end - lineStart)),
            ""};
}

/**
 * @param file the file
 * @param key a key of the object
 * @return its place as a JSON pointer
 */
SourceLocation
PointTo(const std::string& file, const std::string& key)
{
    return {file, 0, 0, (Json::json_pointer() / key).to_string()};
}

/**
 * @param file the file
 * @param text what it holds
 * @return the object in it
 * @throws WorkloadError if it is not JSON, or a key stands twice
 */
Json
ParseObject(const std::string& file, const std::string& text)
{
    std::set<std::string> keys;
    const auto checkKey = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !keys.insert(parsed.get<std::string>()).second)
        {
            throw WorkloadError(PointTo(file, parsed.get<std::string>()),
                                "every key once",
                                "it a second time");
        }
        return true;
    };
    Json object;
    try
    {
        object = Json::parse(text, checkKey);
    }
    catch (const Json::parse_error& error)
    {
        const auto where = Locate(file, text, error.byte == 0 ? 1 : error.byte);
        const bool atEnd = error.byte == 0 || error.byte > text.size();
        throw WorkloadError(where,
                            "JSON",
                            atEnd
                                ? "the end of the file"
                                : Quoted(text.substr(error.byte - 1, 1)) + ", which does not fit");
    }
    if (!object.is_object())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a JSON object of options, such as {\"world\": 8}",
                            std::string("a JSON ") + object.type_name());
    }
    return object;
}

/**
 * @param value a value of the object
 * @param where where it stands
 * @return the text that means the same on the command line
 * @throws WorkloadError if it is neither string, number nor boolean
 */
std::string
ToText(const Json& value, const SourceLocation& where)
{
    if (value.is_string())
    {
        return value.get<std::string>();
    }
    if (value.is_number_float())
    {
        // JSON has one kind of number: 1e9 and 2.0 are whole ones.
        constexpr double exact = 9007199254740992.0;
        const double number = value.get<double>();
        const bool isWhole = number == std::floor(number) && std::fabs(number) <= exact;
        return isWhole ? std::to_string(static_cast<int64_t>(number)) : value.dump();
    }
    if (value.is_number() || value.is_boolean())
    {
        return value.dump();
    }
    throw WorkloadError(where,
                        "a string, a number or a boolean",
                        value.is_null() ? "null" : std::string("an ") + value.type_name());
}

} // namespace

std::vector<OptionAssignment>
ReadReplayConfig(const std::string& file, const OptionTable& table)
{
    const Json object = ParseObject(file, ReadText(file));
    std::vector<OptionAssignment> assignments;
    for (const auto& [key, value] : object.items())
    {
        const auto where = PointTo(file, key);
        const Option* option = table.Find(key);
        if (value.is_array() && option != nullptr && option->repeatable)
        {
            for (std::size_t i = 0; i < value.size(); ++i)
            {
                auto place = where;
                place.pointer += "/" + std::to_string(i);
                assignments.push_back({key, {ToText(value.at(i), place), place}});
            }
            continue;
        }
        assignments.push_back({key, {ToText(value, where), where}});
    }
    return assignments;
}

} // namespace ns3
