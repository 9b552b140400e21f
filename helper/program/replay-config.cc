/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-config.h"

#include "ns3/input-json.h"

#include <cmath>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = nlohmann::ordered_json;

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

/**
 * @param object an object that stands for an option
 * @param option the option, which may be an object
 * @param where where it stands
 * @return the text that means the same on the command line
 * @throws WorkloadError if a member is missing or cannot be written so
 */
std::string
ToText(const Json& object, const Option& option, const SourceLocation& where)
{
    if (!object.contains(option.subject))
    {
        throw WorkloadError(where,
                            "a member " + Quoted(option.subject) + ", as in {\"" + option.subject +
                                "\": \"" +
                                option.value.form.substr(0, option.value.form.find('[')) + "\"}",
                            "none");
    }
    std::string subject;
    std::string keys;
    for (const auto& [key, value] : object.items())
    {
        auto place = where;
        place.pointer += "/" + key;
        const auto text = ToText(value, place);
        if (key == option.subject)
        {
            subject = text;
            continue;
        }
        if (text.find(',') != std::string::npos)
        {
            throw WorkloadError(place, "a value without commas", Quoted(text));
        }
        keys += (keys.empty() ? ":" : ",") + key + "=" + text;
    }
    return subject + keys;
}

} // namespace

std::vector<OptionAssignment>
ReadReplayConfig(const std::string& file, const OptionTable& table)
{
    const auto object = ParseJson(WorkloadText(file));
    if (!object.is_object())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a JSON object of options, such as {\"world\": 8}",
                            std::string("a JSON ") + object.type_name());
    }
    std::vector<OptionAssignment> assignments;
    for (const auto& [key, value] : object.items())
    {
        const auto where = PointTo(file, key);
        const Option* option = table.Find(key);
        // A list stands for an option that is given several times.
        if (value.is_array() && option != nullptr && option->repeatable)
        {
            for (std::size_t i = 0; i < value.size(); ++i)
            {
                auto place = where;
                place.pointer += "/" + std::to_string(i);
                const auto& entry = value.at(i);
                const bool isObject = entry.is_object() && !option->subject.empty();
                const auto text = isObject ? ToText(entry, *option, place) : ToText(entry, place);
                assignments.push_back({key, {text, place}});
            }
            continue;
        }
        assignments.push_back({key, {ToText(value, where), where}});
    }
    return assignments;
}

} // namespace ns3
