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
 * @param where where an object or a list stands
 * @param key a key of the object, or an index in the list
 * @return the place of the value
 */
template <typename Key>
SourceLocation
PointTo(SourceLocation where, const Key& key)
{
    where.pointer = (Json::json_pointer(where.pointer) / key).to_string();
    return where;
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
 * @param table the options
 * @param key a key of an object
 * @param value its value
 * @return whether the value is a list that stands for an option that is given several times
 */
bool
IsRepeated(const OptionTable& table, const std::string& key, const Json& value)
{
    const Option* option = table.Find(key);
    return value.is_array() && option != nullptr && option->repeatable;
}

/**
 * @param object an object that stands for an option
 * @param option the option, which may be an object
 * @param where where it stands
 * @param table the options
 * @return its members
 * @throws WorkloadError if one is missing or of another type
 */
KeyedField
ReadObject(const Json& object,
           const Option& option,
           const SourceLocation& where,
           const OptionTable& table)
{
    if (!object.contains(option.subject))
    {
        throw WorkloadError(where,
                            "a member " + Quoted(option.subject) + ", as in {\"" + option.subject +
                                "\": \"" +
                                option.value.form.substr(0, option.value.form.find('[')) + "\"}",
                            "none");
    }
    KeyedField::Object read;
    for (const auto& [key, value] : object.items())
    {
        const auto place = PointTo(where, key);
        if (key == option.subject)
        {
            read.name = {ToText(value, place), place};
        }
        else if (IsRepeated(table, key, value))
        {
            for (std::size_t i = 0; i < value.size(); ++i)
            {
                const auto entry = PointTo(place, i);
                read.members.push_back({key, {ToText(value.at(i), entry), entry}});
            }
        }
        else
        {
            read.members.push_back({key, {ToText(value, place), place}});
        }
    }
    return {{read.name.text, where}, read};
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
        const auto where = PointTo({file, 0, 0, ""}, key);
        if (!IsRepeated(table, key, value))
        {
            assignments.push_back({key, {{ToText(value, where), where}}});
            continue;
        }
        const Option& option = *table.Find(key);
        for (std::size_t i = 0; i < value.size(); ++i)
        {
            const auto place = PointTo(where, i);
            const auto& entry = value.at(i);
            const bool isObject = entry.is_object() && !option.subject.empty();
            assignments.push_back({key,
                                   isObject ? ReadObject(entry, option, place, table)
                                            : KeyedField{{ToText(entry, place), place}}});
        }
    }
    return assignments;
}

} // namespace ns3
