/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-fields.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @return the text without blanks at its ends
 */
std::string_view
Trim(std::string_view text)
{
    const auto first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/**
 * @param text text that opens with a quote
 * @return offset past the quote that closes it; npos if none does
 */
std::size_t
SkipQuoted(std::string_view text)
{
    for (std::size_t i = 1; i < text.size(); ++i)
    {
        if (text[i] == '\\')
        {
            ++i;
        }
        else if (text[i] == text[0])
        {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

/**
 * @param text text that opens with a bracket
 * @return offset past the bracket that closes it; npos if none does
 */
std::size_t
SkipList(std::string_view text)
{
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size();)
    {
        // A bracket in quotes closes nothing.
        if (text[i] == '\'' || text[i] == '"')
        {
            const auto length = SkipQuoted(text.substr(i));
            if (length == std::string_view::npos)
            {
                return length;
            }
            i += length;
            continue;
        }
        depth += text[i] == '[' ? 1 : 0;
        depth -= text[i] == ']' ? 1 : 0;
        ++i;
        if (depth == 0)
        {
            return i;
        }
    }
    return std::string_view::npos;
}

/**
 * @param text text after a key
 * @param keys the known keys
 * @return offset of the first comma before a known key; npos if there is none
 */
std::size_t
FindNextKey(std::string_view text, const std::vector<std::string>& keys)
{
    for (auto comma = text.find(','); comma != std::string_view::npos;
         comma = text.find(',', comma + 1))
    {
        // Descriptions are free text, which may have commas; what ends one is a known key.
        const auto next = Trim(text.substr(comma + 1));
        auto isNext = [&next](const std::string& key) {
            return next.compare(0, key.size(), key) == 0 && next.size() > key.size() &&
                   next[key.size()] == '=';
        };
        if (std::any_of(keys.begin(), keys.end(), isNext))
        {
            return comma;
        }
    }
    return std::string_view::npos;
}

/**
 * @param list a list with its brackets
 * @return what stands between them
 */
std::string_view
Unbracket(const RankTraceSpan& list)
{
    const auto text = list.Get();
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    {
        list.Fail("a list in brackets");
    }
    return Trim(text.substr(1, text.size() - 2));
}

} // namespace

RankTraceFields::RankTraceFields(const RankTraceSpan& span, const std::vector<std::string>& keys)
    : m_span(span),
      m_known(keys)
{
    for (auto rest = Trim(span.Get()); !rest.empty(); rest = Trim(rest))
    {
        m_pairs.push_back(Take(rest));
    }
}

RankTraceFields::Pair
RankTraceFields::Take(std::string_view& rest) const
{
    const auto equals = rest.find_first_of("=,");
    if (equals == std::string_view::npos || rest[equals] == ',')
    {
        m_span.Narrow(rest.substr(0, equals)).Fail("KEY=VALUE");
    }
    Pair pair;
    pair.key = Trim(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    std::size_t end = 0;
    if (pair.key == "description")
    {
        end = FindNextKey(rest, m_known);
    }
    else if (!rest.empty() && rest.front() == '[')
    {
        end = SkipList(rest);
        if (end == std::string_view::npos)
        {
            m_span.Narrow(rest).Fail("a list closed by ']'",
                                     "the end of the op; it may be cut off");
        }
        if (end < rest.size() && rest[end] != ',')
        {
            m_span.Narrow(rest.substr(end, 20)).Fail("',' after a list");
        }
    }
    else
    {
        end = rest.find(',');
    }
    pair.value = Trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end, rest.size()));
    rest.remove_prefix(rest.empty() ? 0 : 1);
    return pair;
}

RankTraceSpan
RankTraceFields::Get(const std::string& key) const
{
    if (const auto* pair = Find(key))
    {
        return m_span.Narrow(pair->value);
    }
    for (const auto& pair : m_pairs)
    {
        const std::string name(pair.key);
        // The misspelled key is the fault to name, not the one that is missing.
        if (std::find(m_known.begin(), m_known.end(), name) == m_known.end() &&
            NearestName(name, m_known) == key)
        {
            m_span.Narrow(pair.key).Fail("a field " + Quoted(key), Quoted(name), key);
        }
    }
    m_span.Fail("a field " + Quoted(key), "an op without it");
}

bool
RankTraceFields::Has(const std::string& key) const
{
    // Python's None: the field is there, but has no value.
    const auto* pair = Find(key);
    return pair && pair->value != "None";
}

const RankTraceFields::Pair*
RankTraceFields::Find(std::string_view key) const
{
    for (const auto& pair : m_pairs)
    {
        if (pair.key == key)
        {
            return &pair;
        }
    }
    return nullptr;
}

std::vector<RankTraceSpan>
ParsePythonStrings(const RankTraceSpan& list)
{
    std::vector<RankTraceSpan> strings;
    auto rest = Unbracket(list);
    while (!rest.empty())
    {
        const bool isQuoted = rest.front() == '\'' || rest.front() == '"';
        const auto length = isQuoted ? SkipQuoted(rest) : std::string_view::npos;
        if (length == std::string_view::npos)
        {
            list.Narrow(rest.substr(0, 20)).Fail("a string in quotes");
        }
        strings.push_back(list.Narrow(rest.substr(1, length - 2)));
        rest = Trim(rest.substr(length));
        if (!rest.empty() && rest.front() != ',')
        {
            list.Narrow(rest.substr(0, 20)).Fail("',' between strings");
        }
        rest = Trim(rest.substr(rest.empty() ? 0 : 1));
    }
    return strings;
}

uint64_t
ParseShape(const RankTraceSpan& list)
{
    uint64_t product = 1;
    auto rest = Unbracket(list);
    while (!rest.empty())
    {
        const auto comma = std::min(rest.find(','), rest.size());
        const auto count = list.Narrow(Trim(rest.substr(0, comma)));
        const auto length = ParseCount(count.ToField(), "elements in one dimension");
        if (length > 0 && product > std::numeric_limits<uint64_t>::max() / length)
        {
            list.Fail("fewer than 2^64 elements");
        }
        product *= length;
        rest = Trim(rest.substr(std::min(comma + 1, rest.size())));
    }
    return product;
}

} // namespace ns3
