/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "connection-matrix.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Words of a flow of htsim.
const std::vector<std::string> FLOW_WORDS{"id",
                                          "start",
                                          "trigger",
                                          "size",
                                          "send_done_trigger",
                                          "recv_done_trigger",
                                          "prio",
                                          "msg"};

/**
 * @param word a word
 * @return whether it is a whole number
 */
bool
IsNumber(const std::string& word)
{
    return word.find_first_not_of("0123456789") == std::string::npos;
}

/**
 * @ingroup workload-replay
 * @brief Reads a connection matrix of htsim.
 */
class ConnectionMatrix
{
  public:
    /**
     * @param text the file
     */
    explicit ConnectionMatrix(const WorkloadText& text)
        : m_text(text)
    {
    }

    /**
     * @return its flows
     */
    FlowList Read()
    {
        for (const auto& line : m_text.GetLines())
        {
            const auto words = m_text.SplitWords(line);
            const auto& first = words.front();
            if (first.text.find("->") != std::string::npos)
            {
                AddFlow(words, line.number);
            }
            else if (first.text == "trigger")
            {
                AddTrigger(words);
            }
            else if (first.text == "failure")
            {
                ++m_failures;
            }
            // Comments begin with #.
            else if (first.text.front() != '#')
            {
                SetCount(words);
            }
        }
        if (m_list.flows.empty())
        {
            throw WorkloadError({m_text.GetFile(), 0, 0, ""}, "a flow SRC->DST", "none");
        }
        CheckCount(1, m_list.flows.size(), "flows");
        CheckCount(2, m_list.triggers.size(), "triggers");
        CheckCount(3, m_failures, "failures");
        if (m_failures > 0)
        {
            m_list.notes.push_back("failures of links in " + m_text.GetFile() + " (" +
                                   std::to_string(m_failures) +
                                   ") are left out; --linkDown takes links down");
        }
        return m_list;
    }

  private:
    /**
     * @param words words of a line
     * @param at number of a word before which the line may end
     * @return the word
     */
    static const TextField& GetWord(const std::vector<TextField>& words, std::size_t at)
    {
        if (at >= words.size())
        {
            throw WorkloadError(words.back().where,
                                "a value behind it",
                                Quoted(words.back().text) + " at the end of the line");
        }
        return words[at];
    }

    /**
     * @param words a line that says how much there is of something
     */
    void SetCount(const std::vector<TextField>& words)
    {
        const std::vector<std::string> names{"Nodes", "Connections", "Triggers", "Failures"};
        const auto name =
            FindWord(words.front(), names, JoinWords(names) + ", SRC->DST, trigger or failure");
        const auto count = ParseNumber(GetWord(words, 1), 0, FlowList::MAX_HOSTS);
        m_counts[name] = {count, words[1].where};
        // Nodes are the hosts.
        m_list.hosts = name == 0 ? static_cast<uint32_t>(count) : m_list.hosts;
    }

    /**
     * A file that was cut short has fewer than it says.
     *
     * @param name index of a word of SetCount()
     * @param found how many there are
     * @param what of what
     * @throws WorkloadError if the file says another number
     */
    void CheckCount(std::size_t name, std::size_t found, const std::string& what) const
    {
        const auto said = m_counts.find(name);
        if (said != m_counts.end() && said->second.first != found)
        {
            throw WorkloadError(said->second.second,
                                "the number of " + what + " in the file, " + std::to_string(found),
                                std::to_string(said->second.first));
        }
    }

    /**
     * @param words a line of a trigger: trigger id N oneshot (or multishot), or trigger id N
     *              barrier count M
     */
    void AddTrigger(const std::vector<TextField>& words)
    {
        uint32_t number = 0;
        uint32_t count = 1;
        for (std::size_t i = 1; i < words.size(); ++i)
        {
            const std::vector<std::string> names{"id", "oneshot", "barrier", "count", "multishot"};
            const auto name = FindWord(words[i], names, "a key of a trigger: " + JoinWords(names));
            if (name == 0 || name == 3)
            {
                const auto value = static_cast<uint32_t>(
                    ParseNumber(GetWord(words, ++i), name == 0 ? 0 : 1, UINT32_MAX));
                // A barrier waits for count flows; the others for one, of which a multishot that
                // had several would begin its flows again.
                (name == 0 ? number : count) = value;
            }
        }
        if (!m_list.triggers.emplace(number, count).second)
        {
            throw WorkloadError(words.front().where,
                                "each trigger once",
                                std::to_string(number) + " a second time");
        }
    }

    /**
     * @param words words of a line
     * @param text a word
     * @return whether it is among them
     */
    static bool HasWord(const std::vector<TextField>& words, const std::string& text)
    {
        return std::any_of(words.begin(), words.end(), [&text](const auto& word) {
            return word.text == text;
        });
    }

    /**
     * @param words a line of a flow
     * @param number number of the line
     */
    void AddFlow(const std::vector<TextField>& words, uint32_t number)
    {
        FlowList::Flow flow;
        flow.line = number;
        const auto& ends = words.front();
        const auto arrow = ends.text.find("->");
        if (m_list.hosts == 0)
        {
            throw WorkloadError(ends.where, "Nodes before the first flow", Quoted(ends.text));
        }
        const auto parse = [&](std::size_t begin, std::size_t length) {
            TextField host{ends.text.substr(begin, length), ends.where};
            // Errors point at the host, not at the arrow.
            host.where.column += static_cast<uint32_t>(begin);
            const auto value = ParseNumber(host, 0, FlowList::MAX_HOSTS);
            if (value >= m_list.hosts)
            {
                throw WorkloadError(host.where,
                                    "a host from 0 to " + std::to_string(m_list.hosts - 1) +
                                        ", as Nodes says",
                                    Quoted(host.text));
            }
            return static_cast<uint32_t>(value);
        };
        flow.source = parse(0, arrow);
        flow.destination = parse(arrow + 2, std::string::npos);
        FlowList::CheckEnds(flow, ends.where);
        for (std::size_t i = 1; i < words.size(); ++i)
        {
            const auto word =
                FindWord(words[i], FLOW_WORDS, "a key of a flow: " + JoinWords(FLOW_WORDS));
            if (FLOW_WORDS[word] == "msg")
            {
                // The message may have a number, which says nothing more.
                flow.isMessage = true;
                i += i + 1 < words.size() && IsNumber(words[i + 1].text) ? 1 : 0;
                continue;
            }
            SetWord(flow, word, GetWord(words, ++i));
        }
        if (flow.bytes == 0)
        {
            throw WorkloadError(ends.where,
                                "a size of at least 1, such as size 2000000 (in htsim a flow of "
                                "size 0 never ends)",
                                HasWord(words, "size") ? "size 0" : "none");
        }
        m_list.flows.push_back(flow);
    }

    /**
     * @param [in,out] flow a flow
     * @param word index of a word
     * @param value what stands behind it
     */
    static void SetWord(FlowList::Flow& flow, std::size_t word, const TextField& value)
    {
        const auto& name = FLOW_WORDS[word];
        if (name == "start")
        {
            // htsim counts starts in picoseconds, and reads them as real numbers.
            const auto start = ParseNonNegative(value, "a start, ps");
            if (start > FlowList::LATEST_START * 1e12)
            {
                throw WorkloadError(value, "a start, ps, of at most 1000000000000000000");
            }
            flow.start = PicoSeconds(std::llround(start));
            return;
        }
        const auto number = ParseNumber(value, 0, FlowList::MAX_BYTES);
        const auto trigger = static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
        if (name == "id")
        {
            flow.id = number;
        }
        else if (name == "trigger")
        {
            flow.trigger = trigger;
        }
        else if (name == "size")
        {
            flow.bytes = number;
        }
        else if (name == "send_done_trigger")
        {
            flow.whenSent.push_back(trigger);
        }
        else if (name == "recv_done_trigger")
        {
            flow.whenReceived.push_back(trigger);
        }
    }

    const WorkloadText& m_text; //!< the file
    /// What lines of SetCount() say, and where, by index of their word.
    std::map<std::size_t, std::pair<uint64_t, SourceLocation>> m_counts;
    FlowList m_list;        //!< what comes of it
    uint64_t m_failures{0}; //!< lines of links that fail
};

} // namespace

FlowList
ReadConnectionMatrix(const WorkloadText& text)
{
    return ConnectionMatrix(text).Read();
}

} // namespace ns3
