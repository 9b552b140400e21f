/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-spec.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @return the whole number from 1 to 2^32 - 1 that it is, or 0
 */
uint32_t
ReadCount(const std::string& text)
{
    const auto value = ReadWhole(text);
    return value && *value <= UINT32_MAX ? static_cast<uint32_t>(*value) : 0;
}

} // namespace

TopologySpec::TopologySpec(const std::string& text, const std::string& source)
{
    m_where.source = source;
    // Two colons stand in the name of a TypeId.
    auto colon = text.find(':');
    while (colon != std::string::npos && text.compare(colon, 2, "::") == 0)
    {
        colon = text.find(':', colon + 2);
    }
    m_name = text.substr(0, colon);
    if (m_name.empty())
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
            throw MakeError("key=value after '" + m_name + ":'", Quoted(item));
        }
        const auto key = item.substr(0, equals);
        if (!m_values.emplace(key, item.substr(equals + 1)).second)
        {
            throw MakeError("each key once", Quoted(key) + " twice");
        }
    }
}

const std::string&
TopologySpec::GetName() const
{
    return m_name;
}

const SourceLocation&
TopologySpec::GetLocation() const
{
    return m_where;
}

bool
TopologySpec::Has(const std::string& key) const
{
    return Find(key) != nullptr;
}

const std::string*
TopologySpec::Find(const std::string& key) const
{
    m_known.insert(key);
    const auto found = m_values.find(key);
    return found == m_values.end() ? nullptr : &found->second;
}

const std::map<std::string, std::string>&
TopologySpec::GetValues() const
{
    return m_values;
}

std::string
TopologySpec::GetText(const std::string& key, const std::string& absent) const
{
    const auto text = Find(key);
    return text ? *text : absent;
}

Time
TopologySpec::GetTime(const std::string& key, Time absent) const
{
    const auto text = Find(key);
    return text ? ParseDuration({*text, m_where}) : absent;
}

uint32_t
TopologySpec::GetCount(const std::string& key, uint32_t absent) const
{
    const auto text = Find(key);
    if (!text)
    {
        return absent;
    }
    const auto value = ReadCount(*text);
    if (value == 0)
    {
        throw MakeError(key + " to be a whole number from 1 to 4294967295", Quoted(*text));
    }
    return value;
}

std::vector<uint32_t>
TopologySpec::GetShape(const std::string& key) const
{
    const auto text = Find(key);
    std::vector<uint32_t> sizes;
    if (!text)
    {
        return sizes;
    }
    for (const auto& item : SplitText(*text, 'x'))
    {
        sizes.push_back(ReadCount(item));
    }
    if (std::count(sizes.begin(), sizes.end(), 0) > 0)
    {
        throw MakeError(key +
                            " to be whole numbers from 1 to 4294967295 joined by x, such as 4x4x4",
                        Quoted(*text));
    }
    return sizes;
}

double
TopologySpec::GetRatio(const std::string& key, double absent) const
{
    const auto text = Find(key);
    if (!text)
    {
        return absent;
    }
    const auto value = ReadDecimal(*text);
    if (!value || *value <= 0)
    {
        throw MakeError(key + " to be a number above 0", Quoted(*text));
    }
    return *value;
}

DataRate
TopologySpec::GetRate(const std::string& key, DataRate absent) const
{
    const auto text = Find(key);
    return text ? ParseRate({*text, m_where}, 1, key + " to be a rate") : absent;
}

std::string
TopologySpec::GetWord(const std::string& key, const std::vector<std::string>& words) const
{
    const auto text = Find(key);
    if (!text)
    {
        return words.front();
    }
    return words[FindWord({*text, m_where}, words, key + " to be one of " + JoinWords(words))];
}

void
TopologySpec::CheckUnusedKeys() const
{
    const std::vector<std::string> known(m_known.begin(), m_known.end());
    for (const auto& [key, value] : m_values)
    {
        if (m_known.count(key) == 0)
        {
            throw MakeError(known.empty() ? "no keys for " + m_name
                                          : "a key of " + m_name + " (" + JoinWords(known) + ")",
                            Quoted(key),
                            NearestName(key, known));
        }
    }
}

WorkloadError
TopologySpec::MakeError(const std::string& expected,
                        const std::string& found,
                        const std::string& suggestion) const
{
    return WorkloadError(m_where, expected, found, suggestion);
}

} // namespace ns3
