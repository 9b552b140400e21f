/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-error.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @return the text in lower case
 */
std::string
Lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/**
 * Optimal string alignment distance.
 *
 * @param a a word
 * @param b another word
 * @return insertions, deletions, substitutions and swaps of neighbours that turn a into b
 */
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    // d[i][j]: edits that turn the first i letters of a into the first j of b.
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
    {
        for (std::size_t j = 0; j <= b.size(); ++j)
        {
            if (i == 0 || j == 0)
            {
                d[i][j] = i + j;
                continue;
            }
            const std::size_t substitution = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

/**
 * @param c a byte
 * @return it as \\xNN
 */
std::string
EscapeByte(unsigned char c)
{
    char escaped[5];
    std::snprintf(escaped, sizeof(escaped), "\\x%02x", c);
    return escaped;
}

/**
 * @param text any text
 * @return the text with its control characters escaped, so that it is one line
 */
std::string
EscapeControls(const std::string& text)
{
    std::string escaped;
    for (const unsigned char c : text)
    {
        escaped += c < 0x20 || c == 0x7f ? EscapeByte(c) : std::string(1, static_cast<char>(c));
    }
    return escaped;
}

/**
 * @param where the place at fault
 * @param expected what would have been right
 * @param found what stands there
 * @param suggestion the nearest valid name, or empty
 * @return the message of the error
 */
std::string
Compose(const SourceLocation& where,
        const std::string& expected,
        const std::string& found,
        const std::string& suggestion)
{
    std::string text = where.ToString() + ": error: expected " + expected + ", found " + found;
    if (!suggestion.empty())
    {
        text += "; did you mean " + suggestion + "?";
    }
    // Names of files and options may hold anything.
    return EscapeControls(text);
}

} // namespace

std::string
SourceLocation::ToString() const
{
    std::string text = source;
    if (line > 0)
    {
        text += ":" + std::to_string(line);
    }
    if (column > 0)
    {
        text += ":" + std::to_string(column);
    }
    if (!pointer.empty())
    {
        text += ":" + pointer;
    }
    return text;
}

WorkloadError::WorkloadError(SourceLocation where,
                             const std::string& expected,
                             const std::string& found,
                             const std::string& suggestion)
    : std::runtime_error(Compose(where, expected, found, suggestion)),
      m_where(std::move(where))
{
}

WorkloadError::WorkloadError(const TextField& field, const std::string& expected)
    : WorkloadError(field.where, expected, Quoted(field.text))
{
}

const SourceLocation&
WorkloadError::GetLocation() const
{
    return m_where;
}

std::string
NearestName(const std::string& word, const std::vector<std::string>& candidates)
{
    // A third of the letters may be wrong, of a short word two.
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::string nearest;
    for (const auto& candidate : candidates)
    {
        // The lengths give a lower bound of the edits. To count those of a word of megabytes
        // takes minutes.
        const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
        if (longer - shorter >= best)
        {
            continue;
        }
        const auto distance = EditDistance(Lower(word), Lower(candidate));
        // A name that shares no letter with what was typed is no help, however short both are.
        if (distance < best && distance < std::max(word.size(), candidate.size()))
        {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
Quoted(const std::string& text)
{
    constexpr std::size_t longest = 60;
    std::string quoted = "'";
    for (unsigned char c : text.substr(0, longest))
    {
        const bool isPlain = c >= 0x20 && c < 0x7f;
        quoted += isPlain ? std::string(1, static_cast<char>(c)) : EscapeByte(c);
    }
    return quoted + (text.size() > longest ? "...'" : "'");
}

std::string
JoinWords(const std::vector<std::string>& words)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

} // namespace ns3
