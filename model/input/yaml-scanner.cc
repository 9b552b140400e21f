/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "yaml-scanner.h"

#include "input-values.h"

#include <algorithm>

namespace ns3
{

YamlScanner::YamlScanner(const WorkloadText& text)
    : m_text(text)
{
}

bool
YamlScanner::IsAtEnd() const
{
    return m_line == m_text.GetLines().size();
}

const std::string&
YamlScanner::GetLine() const
{
    return m_text.GetLines()[m_line].text;
}

std::string
YamlScanner::GetRest() const
{
    return GetLine().substr(m_column);
}

char
YamlScanner::Peek() const
{
    return m_column < GetLine().size() ? GetLine()[m_column] : '\0';
}

SourceLocation
YamlScanner::GetPlace() const
{
    return m_text.Locate(m_text.GetLines()[m_line], m_column);
}

void
YamlScanner::Complain(const std::string& expected, const std::string& found) const
{
    throw WorkloadError(GetPlace(), expected, found);
}

void
YamlScanner::NextLine()
{
    ++m_line;
    m_column = 0;
    SkipBlanks();
}

void
YamlScanner::SkipBlanks()
{
    while (!IsAtEnd())
    {
        SkipSpaces();
        const bool isIndented = GetLine().find_first_not_of(' ') == m_column;
        if (Peek() == '\t' && isIndented)
        {
            Complain("spaces that indent", "a tab");
        }
        // A comment begins a line or stands behind a blank.
        const bool isComment = Peek() == '#' && (m_column == 0 || GetLine()[m_column - 1] == ' ');
        if (Peek() != '\0' && !isComment)
        {
            return;
        }
        ++m_line;
        m_column = 0;
    }
}

void
YamlScanner::SkipSpaces()
{
    m_column = std::min(GetLine().find_first_not_of(' ', m_column), GetLine().size());
}

void
YamlScanner::EndLine()
{
    const auto line = m_line;
    SkipBlanks();
    if (!IsAtEnd() && m_line == line)
    {
        Complain("the end of the line", Quoted(GetRest()));
    }
}

bool
YamlScanner::IsEntry() const
{
    // A dash with a text right behind it begins a value, such as -1.
    return !IsAtEnd() && Peek() == '-' &&
           (m_column + 1 == GetLine().size() || GetLine()[m_column + 1] == ' ');
}

bool
YamlScanner::IsInside(int64_t column) const
{
    return !IsAtEnd() && static_cast<int64_t>(m_column) > column;
}

void
YamlScanner::CheckColumn(int64_t column) const
{
    if (IsInside(column))
    {
        Complain("an indentation as that of the lines above", Quoted(GetRest()));
    }
}

std::optional<std::size_t>
YamlScanner::FindColon() const
{
    const auto& line = GetLine();
    auto at = m_column;
    // A colon inside quotes belongs to the key.
    if (Peek() == '"' || Peek() == '\'')
    {
        at = line.find(Peek(), m_column + 1);
    }
    else if (std::string("[{|>").find(Peek()) != std::string::npos)
    {
        return std::nullopt;
    }
    for (; at < line.size(); ++at)
    {
        if (line[at] == '#' && line[at - 1] == ' ')
        {
            return std::nullopt;
        }
        if (line[at] == ':' && (at + 1 == line.size() || line[at + 1] == ' '))
        {
            return at;
        }
    }
    return std::nullopt;
}

std::string
YamlScanner::ReadKey(const Json& map)
{
    const auto place = GetPlace();
    CheckPlain();
    std::string key;
    if (Peek() == '"' || Peek() == '\'')
    {
        key = ReadQuoted();
        SkipSpaces();
    }
    else
    {
        const auto colon = *FindColon();
        key = GetLine().substr(m_column, colon - m_column);
        key.erase(key.find_last_not_of(' ') + 1);
        m_column = colon;
    }
    if (Peek() != ':')
    {
        Complain("a colon behind a key", Quoted(GetRest()));
    }
    CheckUnicode(key, place);
    if (key.empty() || key == "<<" || key.find_first_of(",[]{}") != std::string::npos)
    {
        throw WorkloadError(place, "a key (maps are not merged)", Quoted(key));
    }
    if (map.contains(key))
    {
        throw WorkloadError(place, "every key once", Quoted(key) + " a second time");
    }
    ++m_column;
    return key;
}

YamlScanner::Json
YamlScanner::ReadText(int64_t parent)
{
    const auto place = GetPlace();
    const char kind = Peek();
    // The signs - and + say which line ends to keep behind the text; here none is kept.
    const auto head = GetRest().substr(0, GetRest().find(' '));
    if (head.size() > 2 || (head.size() == 2 && head[1] != '-' && head[1] != '+'))
    {
        Complain("a block of text as |, |-, |+, >, >- or >+", Quoted(head));
    }
    m_column += head.size();
    const auto line = m_line;
    // What follows the indicator can be a comment alone.
    if (const auto rest = GetRest().find_first_not_of(' ');
        rest != std::string::npos && GetRest()[rest] != '#')
    {
        m_column += rest;
        Complain("the end of the line", Quoted(GetRest()));
    }
    std::string text;
    std::optional<std::size_t> indent;
    for (m_line = line + 1; !IsAtEnd(); ++m_line)
    {
        const auto first = GetLine().find_first_not_of(' ');
        if (static_cast<int64_t>(first) <= parent)
        {
            break;
        }
        // The first line sets the indentation; blanks beyond it belong to the text.
        indent = indent.value_or(first);
        text += text.empty() ? "" : kind == '|' ? "\n" : " ";
        text += GetLine().substr(std::min(first, *indent));
    }
    m_column = 0;
    SkipBlanks();
    CheckUnicode(text, place);
    return text;
}

std::string
YamlScanner::ReadQuoted()
{
    const char quote = Peek();
    const auto& line = GetLine();
    std::string text;
    for (auto at = m_column + 1; at < line.size(); ++at)
    {
        const char next = at + 1 < line.size() ? line[at + 1] : '\0';
        if (line[at] == quote && !(quote == '\'' && next == quote))
        {
            m_column = at + 1;
            return text;
        }
        if (quote == '"' && line[at] == '\\')
        {
            const std::string escapes = "\"\\/nt";
            const auto found = next == '\0' ? std::string::npos : escapes.find(next);
            if (found == std::string::npos)
            {
                m_column = at;
                Complain("one of \\\" \\\\ \\/ \\n \\t", Quoted(line.substr(at, 2)));
            }
            text += "\"\\/\n\t"[found];
            ++at;
            continue;
        }
        text += line[at];
        // Two single quotes stand for one.
        at += line[at] == quote ? 1 : 0;
    }
    Complain("quotes that end in their line", "none");
}

void
YamlScanner::CheckPlain() const
{
    const char first = Peek();
    const char next = m_column + 1 < GetLine().size() ? GetLine()[m_column + 1] : ' ';
    const bool isUnknown = std::string("&*!|>%@`,]}").find(first) != std::string::npos;
    // Behind a dash or question mark a text may follow, but no blank.
    if (first == '\0' || isUnknown || ((first == '?' || first == '-') && next == ' '))
    {
        Complain("a value (anchors, aliases, tags and directives are not read)", Quoted(GetRest()));
    }
}

void
YamlScanner::CheckUnicode(const std::string& text, const SourceLocation& place)
{
    try
    {
        // The library checks a text only when it writes it.
        Json(text).dump();
    }
    catch (const Json::type_error&)
    {
        throw WorkloadError(place, "text in UTF-8", Quoted(text));
    }
}

} // namespace ns3
