/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json-section.h"

#include "input-values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ns3
{

namespace
{

/**
 * @param value a value of another kind than was expected
 * @return its kind, and itself unless it holds others
 */
std::string
DescribeValue(const nlohmann::ordered_json& value)
{
    const std::string type = value.type_name();
    return value.is_primitive() ? type + " " + Quoted(value.dump()) : type;
}

} // namespace

JsonSection::JsonSection(const Json& value,
                         const SourceLocation& where,
                         const std::vector<std::string>& keys,
                         const Places* places)
    : m_value(&value),
      m_where(where),
      m_places(places)
{
    const auto list = JoinWords(keys);
    if (!value.is_object())
    {
        throw WorkloadError(Locate(), "an object with the keys " + list, value.type_name());
    }
    for (const auto& item : value.items())
    {
        // The place of a key is worked out only if it is wrong, for there are many in a file.
        if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
        {
            FindWord({item.key(), Locate(item.key())}, keys, "one of the keys " + list);
        }
    }
}

SourceLocation
JsonSection::Resolve(const SourceLocation& where) const
{
    if (!m_places)
    {
        return where;
    }
    // What is missing stands nowhere; so the pointer says what was looked for.
    const auto place = m_places->find(where.pointer);
    return place == m_places->end() ? where : place->second;
}

SourceLocation
JsonSection::Point(const std::string& key) const
{
    auto where = m_where;
    where.pointer += (Json::json_pointer() / key).to_string();
    return where;
}

SourceLocation
JsonSection::Locate() const
{
    return Resolve(m_where);
}

SourceLocation
JsonSection::Locate(const std::string& key) const
{
    return Resolve(Point(key));
}

bool
JsonSection::Has(const std::string& key) const
{
    return m_value->contains(key);
}

const JsonSection::Json&
JsonSection::Get(const std::string& key, const std::string& kind) const
{
    if (!Has(key))
    {
        throw WorkloadError(Locate(), "the key " + key, "none");
    }
    const auto& value = m_value->at(key);
    if (value.type_name() != kind)
    {
        throw WorkloadError(Locate(key),
                            (kind == "array" || kind == "object" ? "an " : "a ") + kind,
                            DescribeValue(value));
    }
    return value;
}

TextField
JsonSection::GetText(const std::string& key) const
{
    return {Get(key, "string").get<std::string>(), Locate(key)};
}

TextField
JsonSection::GetNumber(const std::string& key) const
{
    return {Get(key, "number").dump(), Locate(key)};
}

uint32_t
JsonSection::GetWhole(const std::string& key, uint64_t least, uint64_t most) const
{
    const auto& value = Get(key, "number");
    // JSON has one kind of number: 1e3 and 8.0 are whole ones, too.
    const auto number = value.get<double>();
    if (number != std::floor(number) || number < static_cast<double>(least) ||
        number > static_cast<double>(most))
    {
        throw WorkloadError(Locate(key),
                            "a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most),
                            value.dump());
    }
    return static_cast<uint32_t>(number);
}

uint32_t
JsonSection::GetWholeOr(const std::string& key,
                        uint32_t otherwise,
                        uint64_t least,
                        uint64_t most) const
{
    return Has(key) ? GetWhole(key, least, most) : otherwise;
}

JsonSection
JsonSection::GetObject(const std::string& key, const std::vector<std::string>& keys) const
{
    return {Get(key, "object"), Point(key), keys, m_places};
}

std::vector<JsonSection>
JsonSection::GetList(const std::string& key, const std::vector<std::string>& keys) const
{
    std::vector<JsonSection> list;
    const auto& entries = Get(key, "array");
    list.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        auto place = Point(key);
        place.pointer += "/" + std::to_string(i);
        list.emplace_back(entries[i], place, keys, m_places);
    }
    return list;
}

std::vector<TextField>
JsonSection::GetValues(const std::string& key, const std::string& kind) const
{
    std::vector<TextField> values;
    for (const auto& value : Get(key, "array"))
    {
        auto place = Point(key);
        place.pointer += "/" + std::to_string(values.size());
        if (value.type_name() != kind)
        {
            throw WorkloadError(Resolve(place), "a " + kind, DescribeValue(value));
        }
        values.push_back(
            {value.is_string() ? value.get<std::string>() : value.dump(), Resolve(place)});
    }
    return values;
}

} // namespace ns3
