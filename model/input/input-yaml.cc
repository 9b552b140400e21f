/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-yaml.h"

#include "input-values.h"
#include "yaml-scanner.h"

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
 * @brief Reads one file.
 */
class YamlReader : private YamlScanner
{
  public:
    /**
     * @param text the file
     */
    explicit YamlReader(const WorkloadText& text)
        : YamlScanner(text)
    {
    }

    /**
     * @return what it holds
     */
    InputDocument Read()
    {
        SkipBlanks();
        // The mark of a document may stand before it; a second document is refused.
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
        // Each level is a call, and a file could have so many that the stack overflows.
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
                // An empty value has no place of its own: errors show that of its key.
                m_document.places.emplace(inner, place);
            }
        }
        CheckColumn(column);
        return map;
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
            // Inside a word, as in a#b or http://host, both characters are part of the text.
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
            // A JSON pointer names the elements of a list by their indices.
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
            // A comma may stand behind the last value, too.
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

    InputDocument m_document; //!< what was read so far
    uint32_t m_level{0};      //!< maps and lists around
};

} // namespace

InputDocument
ParseYaml(const WorkloadText& text)
{
    return YamlReader(text).Read();
}

} // namespace ns3
