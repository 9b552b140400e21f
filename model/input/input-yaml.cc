/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-yaml.h"

#include "input-values.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = JsonSection::Json;

/// Most maps and lists inside each other.
constexpr uint32_t MOST_YAML_LEVELS = 100;

/**
 * @param text a plain value
 * @return null, a boolean or a number if it is one by the core schema (YAML 1.2.2, section 10.3),
 *         else the text
 */
Json
ResolveYaml(const std::string& text)
{
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    {
        return nullptr;
    }
    if (text == "true" || text == "True" || text == "TRUE")
    {
        return true;
    }
    if (text == "false" || text == "False" || text == "FALSE")
    {
        return false;
    }
    const bool isNegative = text[0] == '-';
    const auto digits = text.substr(isNegative || text[0] == '+' ? 1 : 0);
    // Octal and hexadecimal numbers stay texts, which no reader takes for numbers.
    const auto whole = ReadWhole(digits);
    if (whole && *whole <= INT64_MAX)
    {
        const auto number = static_cast<int64_t>(*whole);
        return isNegative ? Json(-number) : Json(static_cast<uint64_t>(number));
    }
    const auto decimal = ReadDecimal(digits);
    return decimal ? Json(isNegative ? -*decimal : *decimal) : Json(text);
}

/**
 * @ingroup workload-replay
 * @brief Reads one file. Columns are bytes of a line, counted from 0.
 */
class YamlReader
{
  public:
    /**
     * @param text the file
     */
    explicit YamlReader(const WorkloadText& text)
        : m_text(text)
    {
    }

    /**
     * @return what it holds
     */
    InputDocument Read()
    {
        SkipBlanks();
        if (!IsAtEnd() && GetLine().substr(0, GetLine().find_last_not_of(' ') + 1) == "---")
        {
            NextLine();
        }
        m_document.value = ReadBlock(-1, "");
        if (!IsAtEnd())
        {
            Complain("the end of the file", Quoted(GetRest()));
        }
        return std::move(m_document);
    }

  private:
    /// @return whether all lines have been read
    bool IsAtEnd() const
    {
        return m_line == m_text.GetLines().size();
    }

    /// @return the present line
    const std::string& GetLine() const
    {
        return m_text.GetLines()[m_line].text;
    }

    /// @return what is left of the present line
    std::string GetRest() const
    {
        return GetLine().substr(m_column);
    }

    /// @return the next character of the line; 0 = there is none
    char Peek() const
    {
        return m_column < GetLine().size() ? GetLine()[m_column] : '\0';
    }

    /// @return the present place
    SourceLocation GetPlace() const
    {
        return m_text.Locate(m_text.GetLines()[m_line], m_column);
    }

    /**
     * @param expected what would be right
     * @param found what stands there
     * @throws WorkloadError always
     */
    [[noreturn]] void Complain(const std::string& expected, const std::string& found) const
    {
        throw WorkloadError(GetPlace(), expected, found);
    }

    /// Go to the beginning of the next line that holds anything.
    void NextLine()
    {
        ++m_line;
        m_column = 0;
        SkipBlanks();
    }

    /// Go to what comes next, which may stand in another line.
    void SkipBlanks()
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
            const bool isComment =
                Peek() == '#' && (m_column == 0 || GetLine()[m_column - 1] == ' ');
            if (Peek() != '\0' && !isComment)
            {
                return;
            }
            ++m_line;
            m_column = 0;
        }
    }

    /// Go to what comes next in the line.
    void SkipSpaces()
    {
        m_column = std::min(GetLine().find_first_not_of(' ', m_column), GetLine().size());
    }

    /**
     * Check that a line ends, and go to what comes next.
     */
    void EndLine()
    {
        const auto line = m_line;
        SkipBlanks();
        if (!IsAtEnd() && m_line == line)
        {
            Complain("the end of the line", Quoted(GetRest()));
        }
    }

    /// @return whether an entry of a list begins here
    bool IsEntry() const
    {
        return !IsAtEnd() && Peek() == '-' &&
               (m_column + 1 == GetLine().size() || GetLine()[m_column + 1] == ' ');
    }

    /// @return whether what comes next is further right than a column
    bool IsInside(int64_t column) const
    {
        return !IsAtEnd() && static_cast<int64_t>(m_column) > column;
    }

    /**
     * @param parent column of what the value belongs to
     * @param pointer where the value stands
     * @return the value that begins here; null if nothing is further right than its parent
     */
    Json ReadBlock(int64_t parent, const std::string& pointer)
    {
        if (!IsInside(parent))
        {
            return nullptr;
        }
        m_document.places[pointer] = GetPlace();
        if (++m_level > MOST_YAML_LEVELS)
        {
            Complain("at most " + std::to_string(MOST_YAML_LEVELS) + " levels", "more");
        }
        const auto value = IsEntry()     ? ReadList(pointer)
                           : FindColon() ? ReadMap(pointer)
                                         : ReadLine(parent, pointer);
        --m_level;
        return value;
    }

    /**
     * @param pointer where the list stands
     * @return the list that begins here
     */
    Json ReadList(const std::string& pointer)
    {
        const auto column = static_cast<int64_t>(m_column);
        auto list = Json::array();
        while (!IsAtEnd() && static_cast<int64_t>(m_column) == column && IsEntry())
        {
            ++m_column;
            SkipBlanks();
            list.push_back(ReadBlock(column, pointer + "/" + std::to_string(list.size())));
        }
        CheckColumn(column);
        return list;
    }

    /**
     * @param pointer where the map stands
     * @return the map that begins here
     */
    Json ReadMap(const std::string& pointer)
    {
        const auto column = static_cast<int64_t>(m_column);
        auto map = Json::object();
        while (!IsAtEnd() && static_cast<int64_t>(m_column) == column && !IsEntry())
        {
            const auto line = m_line;
            const auto place = GetPlace();
            if (!FindColon())
            {
                Complain("a key, a colon and its value", Quoted(GetRest()));
            }
            const auto key = ReadKey(map);
            const auto inner = pointer + (Json::json_pointer() / key).to_string();
            SkipBlanks();
            // A list may stand at the column of its key.
            const bool isList = m_line != line && IsEntry();
            if (!IsAtEnd() && m_line == line)
            {
                m_document.places[inner] = GetPlace();
                map[key] = ReadLine(column, inner);
            }
            else
            {
                map[key] = ReadBlock(isList ? column - 1 : column, inner);
                m_document.places.emplace(inner, place);
            }
        }
        CheckColumn(column);
        return map;
    }

    /**
     * @param column column of a map or list that has ended
     * @throws WorkloadError if what comes next belongs to none
     */
    void CheckColumn(int64_t column) const
    {
        if (IsInside(column))
        {
            Complain("an indentation as that of the lines above", Quoted(GetRest()));
        }
    }

    /**
     * @return column of the colon behind the key that begins here; none = there is no key
     */
    std::optional<std::size_t> FindColon() const
    {
        const auto& line = GetLine();
        auto at = m_column;
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

    /**
     * @param map keys that were there before
     * @return the key that begins here; what comes next stands behind its colon
     */
    std::string ReadKey(const Json& map)
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

    /**
     * @param parent column of what the value belongs to
     * @param pointer where the value stands
     * @return the value that begins here and takes the rest of the line, but for a block of text
     */
    Json ReadLine(int64_t parent, const std::string& pointer)
    {
        if (Peek() == '|' || Peek() == '>')
        {
            return ReadText(parent);
        }
        auto value = ReadFlow("", pointer);
        EndLine();
        return value;
    }

    /**
     * @param parent column of the key that the text belongs to
     * @return the block of text that begins in the next line
     */
    Json ReadText(int64_t parent)
    {
        const auto place = GetPlace();
        const char kind = Peek();
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
            indent = indent.value_or(first);
            text += text.empty() ? "" : kind == '|' ? "\n" : " ";
            text += GetLine().substr(std::min(first, *indent));
        }
        m_column = 0;
        SkipBlanks();
        CheckUnicode(text, place);
        return text;
    }

    /**
     * @param ends characters that end a plain value: those of the brackets around it
     * @param pointer where the value stands
     * @return the value that begins here and ends in the line
     */
    Json ReadFlow(const std::string& ends, const std::string& pointer)
    {
        m_document.places[pointer] = GetPlace();
        if (Peek() == '[' || Peek() == '{')
        {
            return ReadBrackets(pointer);
        }
        const auto place = GetPlace();
        if (Peek() == '"' || Peek() == '\'')
        {
            const auto text = ReadQuoted();
            CheckUnicode(text, place);
            return text;
        }
        CheckPlain();
        const auto& line = GetLine();
        const auto begin = m_column;
        for (; m_column < line.size(); ++m_column)
        {
            const char c = line[m_column];
            const bool isComment = c == '#' && m_column > begin && line[m_column - 1] == ' ';
            const bool isColon =
                c == ':' && (m_column + 1 == line.size() || line[m_column + 1] == ' ');
            if (isComment || ends.find(c) != std::string::npos || (isColon && ends.empty()))
            {
                break;
            }
        }
        if (Peek() == ':' && ends.empty())
        {
            Complain("one key a line", "a second colon");
        }
        auto text = line.substr(begin, m_column - begin);
        text.erase(text.find_last_not_of(' ') + 1);
        CheckUnicode(text, place);
        return ResolveYaml(text);
    }

    /**
     * @param pointer where the value stands
     * @return the list or map in brackets that begins here and ends in the line
     */
    Json ReadBrackets(const std::string& pointer)
    {
        if (++m_level > MOST_YAML_LEVELS)
        {
            Complain("at most " + std::to_string(MOST_YAML_LEVELS) + " levels", "more");
        }
        const bool isMap = Peek() == '{';
        const char end = isMap ? '}' : ']';
        auto value = isMap ? Json::object() : Json::array();
        ++m_column;
        SkipSpaces();
        const auto checkEnd = [this, end] {
            if (Peek() == '\0')
            {
                Complain(std::string(1, end) + " in the same line", "the end of the line");
            }
        };
        for (checkEnd(); Peek() != end; checkEnd())
        {
            std::string key = std::to_string(value.size());
            if (isMap)
            {
                if (!FindColon())
                {
                    Complain("a key, a colon and its value", Quoted(GetRest()));
                }
                key = ReadKey(value);
                SkipSpaces();
            }
            auto inner = ReadFlow(",[]{}", pointer + (Json::json_pointer() / key).to_string());
            isMap ? value[key] = std::move(inner) : value.emplace_back(std::move(inner));
            SkipSpaces();
            if (Peek() != end && Peek() != ',' && Peek() != '\0')
            {
                Complain(std::string("a comma or ") + end, Quoted(GetRest()));
            }
            if (Peek() == ',')
            {
                ++m_column;
                SkipSpaces();
            }
        }
        ++m_column;
        --m_level;
        return value;
    }

    /**
     * @return the text between quotes that begin here
     */
    std::string ReadQuoted()
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

    /**
     * @throws WorkloadError if a value begins as none does that is read
     */
    void CheckPlain() const
    {
        const char first = Peek();
        const char next = m_column + 1 < GetLine().size() ? GetLine()[m_column + 1] : ' ';
        const bool isUnknown = std::string("&*!|>%@`,]}").find(first) != std::string::npos;
        // Behind a dash or question mark a text may follow, but no blank.
        if (first == '\0' || isUnknown || ((first == '?' || first == '-') && next == ' '))
        {
            Complain("a value (anchors, aliases, tags and directives are not read)",
                     Quoted(GetRest()));
        }
    }

    /**
     * @param text a text
     * @param place where it stands
     * @throws WorkloadError if it is no UTF-8
     */
    static void CheckUnicode(const std::string& text, const SourceLocation& place)
    {
        try
        {
            Json(text).dump();
        }
        catch (const Json::type_error&)
        {
            throw WorkloadError(place, "text in UTF-8", Quoted(text));
        }
    }

    const WorkloadText& m_text; //!< the file
    InputDocument m_document;   //!< what was read so far
    std::size_t m_line{0};      //!< the present line
    std::size_t m_column{0};    //!< what comes next in it
    uint32_t m_level{0};        //!< maps and lists around
};

} // namespace

InputDocument
ParseYaml(const WorkloadText& text)
{
    return YamlReader(text).Read();
}

} // namespace ns3
