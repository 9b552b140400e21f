/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json-objects.h"

#include <algorithm>
#include <utility>

namespace ns3
{

JsonObjects::JsonObjects(const std::string& file, std::string text)
    : m_file(file),
      m_text(std::move(text))
{
}

bool
JsonObjects::Next(nlohmann::ordered_json& object)
{
    // A list and its commas may be there or not.
    m_begin = std::min(m_text.find_first_not_of(" \t\r\n,[]", m_end), m_text.size());
    if (m_begin == m_text.size())
    {
        return false;
    }
    if (m_text[m_begin] != '{')
    {
        throw WorkloadError(GetPlace(), "an object in JSON", Quoted(m_text.substr(m_begin, 1)));
    }
    m_end = FindEnd();
    const auto start = m_text.begin();
    object = nlohmann::ordered_json::parse(start + static_cast<std::ptrdiff_t>(m_begin),
                                           start + static_cast<std::ptrdiff_t>(m_end),
                                           nullptr,
                                           false);
    if (object.is_discarded())
    {
        throw WorkloadError(GetPlace(), "an object in JSON", "something else in the braces");
    }
    return true;
}

std::size_t
JsonObjects::FindEnd() const
{
    std::size_t depth = 0;
    bool isText = false;
    for (auto i = m_begin; i < m_text.size(); ++i)
    {
        const char c = m_text[i];
        if (isText && c == '\\')
        {
            // What is escaped ends no text.
            ++i;
            continue;
        }
        isText = isText != (c == '"');
        depth += !isText && c == '{' ? 1 : 0;
        if (!isText && c == '}' && --depth == 0)
        {
            return i + 1;
        }
    }
    throw WorkloadError(GetPlace(), "an object in JSON", "the end of the file in it");
}

SourceLocation
JsonObjects::GetPlace() const
{
    const auto start = m_text.begin();
    const auto line = std::count(start, start + static_cast<std::ptrdiff_t>(m_begin), '\n');
    const auto before = m_begin == 0 ? std::string::npos : m_text.rfind('\n', m_begin - 1);
    const auto column = before == std::string::npos ? m_begin + 1 : m_begin - before;
    return {m_file, static_cast<uint32_t>(line + 1), static_cast<uint32_t>(column), ""};
}

} // namespace ns3
