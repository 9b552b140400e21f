/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = nlohmann::ordered_json;

/**
 * @ingroup workload-replay
 * @brief Follows the parser, and complains about a key that stands twice in an object.
 */
class KeyGuard
{
  public:
    /**
     * @param file the file, for the message
     */
    explicit KeyGuard(const std::string& file)
        : m_file(file)
    {
    }

    /**
     * @param event what the parser has met
     * @param parsed the value, or the key
     * @throws WorkloadError if it is a key that was there before
     */
    void Follow(Json::parse_event_t event, const Json& parsed)
    {
        using Event = Json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start)
        {
            m_levels.push_back({event == Event::array_start, 0, "", {}});
            return;
        }
        if (event == Event::key)
        {
            auto& level = m_levels.back();
            level.key = parsed.get<std::string>();
            if (level.keys.insert(level.key).second)
            {
                return;
            }
            Json::json_pointer pointer;
            // The path from the outermost value to the key.
            for (const auto& outer : m_levels)
            {
                pointer /= outer.isArray ? std::to_string(outer.index) : outer.key;
            }
            throw WorkloadError({m_file, 0, 0, pointer.to_string()},
                                "every key once",
                                "it a second time");
        }
        // The end of an object or array: it is a value of what is around it.
        if (event != Event::value)
        {
            m_levels.pop_back();
        }
        if (!m_levels.empty())
        {
            ++m_levels.back().index;
        }
    }

  private:
    /// An object or array that is being read.
    struct Level
    {
        bool isArray;               //!< array or object
        std::size_t index{0};       //!< position in the array
        std::string key;            //!< latest key of the object
        std::set<std::string> keys; //!< all its keys so far
    };

    std::string m_file;          //!< the file
    std::vector<Level> m_levels; //!< what is being read, outermost first
};

/**
 * @param file path of the file
 * @param content what it holds
 * @param byte offset in the content
 * @return that place
 */
SourceLocation
Locate(const std::string& file, const std::string& content, std::size_t byte)
{
    const auto end = content.begin() + static_cast<std::ptrdiff_t>(byte);
    const auto start = std::find(std::make_reverse_iterator(end), content.rend(), '\n').base();
    const auto nLines = std::count(content.begin(), end, '\n');
    return {file, static_cast<uint32_t>(nLines + 1), static_cast<uint32_t>(end - start + 1), ""};
}

/**
 * Put null, or 0, in place of numbers that are none, each with as many characters as it had.
 *
 * @param content JSON as Python writes it
 */
void
ReplaceNonNumbers(std::string& content)
{
    bool inString = false;
    for (std::size_t i = 0; i < content.size(); ++i)
    {
        if (inString && content[i] == '\\')
        {
            ++i;
            continue;
        }
        inString = inString != (content[i] == '"');
        // The longest first: "-Infinity" has "Infinity" in it.
        for (const std::string word : {"-Infinity", "Infinity", "NaN"})
        {
            if (!inString && content.compare(i, word.size(), word) == 0)
            {
                // null has a character more than NaN, and places in messages count characters.
                const std::string other = word.size() < 4 ? "0" : "null";
                content.replace(i,
                                word.size(),
                                other + std::string(word.size() - other.size(), ' '));
            }
        }
    }
}

} // namespace

WorkloadError
MakeJsonError(const std::string& file,
              const std::string& content,
              const nlohmann::json::parse_error& error)
{
    const bool atEnd = error.byte > content.size();
    const auto byte = std::min(std::max<std::size_t>(error.byte, 1), content.size() + 1) - 1;
    return WorkloadError(Locate(file, content, byte),
                         "JSON",
                         atEnd ? "the end of the file"
                               : Quoted(content.substr(byte, 1)) + ", which does not fit");
}

Json
ParseJson(const WorkloadText& text, JsonDialect dialect)
{
    auto content = text.Join();
    if (dialect == JsonDialect::PYTHON)
    {
        ReplaceNonNumbers(content);
    }
    KeyGuard guard(text.GetFile());
    try
    {
        return Json::parse(content, [&guard](int, Json::parse_event_t event, Json& parsed) {
            guard.Follow(event, parsed);
            return true;
        });
    }
    catch (const Json::parse_error& error)
    {
        throw MakeJsonError(text.GetFile(), content, error);
    }
    catch (const Json::out_of_range& error)
    {
        // Of a number that is too large the library gives the digits, between quotes, alone.
        const std::string what = error.what();
        const auto begin = what.find('\'') + 1;
        const auto number = what.substr(begin, what.rfind('\'') - begin);
        throw WorkloadError(
            Locate(text.GetFile(), content, std::min(content.find(number), content.size())),
            "a number up to 1.8e308",
            Quoted(number));
    }
}

} // namespace ns3
