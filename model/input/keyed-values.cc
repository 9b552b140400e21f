/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "keyed-values.h"

#include "input-values.h"

namespace ns3
{

KeyedValues::KeyedValues(const KeyedField& field)
    : m_where(field.where),
      m_isObject(field.object.has_value())
{
    if (m_isObject)
    {
        Take(*field.object);
    }
    else
    {
        Split(field.text);
    }
}

void
KeyedValues::Take(const KeyedField::Object& object)
{
    if (object.name.text.empty())
    {
        throw WorkloadError(object.name, "a name");
    }
    m_name = object.name;
    for (const auto& [key, value] : object.members)
    {
        // A text cannot say so either.
        if (value.text.empty())
        {
            throw WorkloadError(value, "a value of " + key);
        }
        m_values.emplace(key, value);
    }
}

void
KeyedValues::Split(const std::string& text)
{
    // Two colons stand in the name of a TypeId.
    auto colon = text.find(':');
    while (colon != std::string::npos && text.compare(colon, 2, "::") == 0)
    {
        colon = text.find(':', colon + 2);
    }
    m_name = {text.substr(0, colon), m_where};
    if (m_name.text.empty())
    {
        throw MakeError("NAME[:key=value,...]", Quoted(text));
    }
    if (colon == std::string::npos)
    {
        return;
    }
    for (const auto& item : SplitText(text.substr(colon + 1), ','))
    {
        const auto equals = item.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
        {
            throw MakeError("key=value after '" + GetName() + ":'", Quoted(item));
        }
        const auto key = item.substr(0, equals);
        if (m_values.count(key) > 0)
        {
            throw MakeError("each key once", Quoted(key) + " twice");
        }
        m_values.emplace(key, TextField{item.substr(equals + 1), m_where});
    }
}

const std::string&
KeyedValues::GetName() const
{
    return m_name.text;
}

const TextField&
KeyedValues::GetNameField() const
{
    return m_name;
}

const SourceLocation&
KeyedValues::GetLocation() const
{
    return m_where;
}

bool
KeyedValues::IsObject() const
{
    return m_isObject;
}

bool
KeyedValues::Has(const std::string& key) const
{
    return Find(key) != nullptr;
}

const TextField*
KeyedValues::Find(const std::string& key) const
{
    // Whatever is asked for is a key of this name; CheckUnusedKeys() refuses the others.
    m_known.insert(key);
    const auto found = m_values.find(key);
    return found == m_values.end() ? nullptr : &found->second;
}

const std::multimap<std::string, TextField>&
KeyedValues::GetValues() const
{
    return m_values;
}

std::string
KeyedValues::GetText(const std::string& key, const std::string& absent) const
{
    return GetField(key, absent).text;
}

TextField
KeyedValues::GetField(const std::string& key, const std::string& absent) const
{
    const auto value = Find(key);
    return value ? *value : TextField{absent, m_where};
}

Time
KeyedValues::GetTime(const std::string& key, Time absent) const
{
    const auto value = Find(key);
    return value ? ParseDuration(*value) : absent;
}

uint32_t
KeyedValues::GetCount(const std::string& key, uint32_t absent) const
{
    const auto value = Find(key);
    if (!value)
    {
        return absent;
    }
    const auto count = ReadWhole(value->text);
    if (!count || *count < 1 || *count > UINT32_MAX)
    {
        throw WorkloadError(*value, key + " to be a whole number from 1 to 4294967295");
    }
    return static_cast<uint32_t>(*count);
}

double
KeyedValues::GetRatio(const std::string& key, double absent) const
{
    const auto value = Find(key);
    if (!value)
    {
        return absent;
    }
    const auto ratio = ReadDecimal(value->text);
    if (!ratio || *ratio <= 0)
    {
        throw WorkloadError(*value, key + " to be a number above 0");
    }
    return *ratio;
}

std::string
KeyedValues::GetWord(const std::string& key, const std::vector<std::string>& words) const
{
    const auto value = Find(key);
    if (!value)
    {
        return words.front();
    }
    return words[FindWord(*value, words, key + " to be one of " + JoinWords(words))];
}

void
KeyedValues::CheckUnusedKeys() const
{
    const std::vector<std::string> known(m_known.begin(), m_known.end());
    for (const auto& [key, value] : m_values)
    {
        if (m_known.count(key) == 0)
        {
            throw WorkloadError(value.where,
                                known.empty()
                                    ? "no keys for " + GetName()
                                    : "a key of " + GetName() + " (" + JoinWords(known) + ")",
                                Quoted(key),
                                NearestName(key, known));
        }
    }
}

WorkloadError
KeyedValues::MakeError(const std::string& expected,
                       const std::string& found,
                       const std::string& suggestion) const
{
    return WorkloadError(m_where, expected, found, suggestion);
}

WorkloadError
KeyedValues::MakeMissingError(const std::string& key, const std::string& expected) const
{
    for (const auto& [given, value] : m_values)
    {
        if (!NearestName(given, {key}).empty())
        {
            return WorkloadError(value.where, expected, Quoted(given), key);
        }
    }
    return MakeError(expected, "none");
}

} // namespace ns3
