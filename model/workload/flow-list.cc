/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list.h"

#include "ns3/foreign-file.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// Latest start, s, which ns3::Time can count in picoseconds.
constexpr double LATEST_START = 1e6;

/// Words of a flow of htsim.
const std::vector<std::string>
    FLOW_WORDS{"id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio"};

/**
 * @param flow a flow
 * @param where its place
 * @throws WorkloadError if it goes nowhere
 */
void
CheckEnds(const FlowList::Flow& flow, const SourceLocation& where)
{
    if (flow.source == flow.destination)
    {
        throw WorkloadError(where,
                            "a flow between two hosts",
                            "one from host " + std::to_string(flow.source) + " to itself");
    }
}

/**
 * @param text a flow list of HPCC or conweave
 * @param line a line with a flow
 * @return the flow
 */
FlowList::Flow
ParseHpccFlow(const WorkloadText& text, const WorkloadText::Line& line)
{
    const auto fields = text.SplitWords(line);
    // Files of conweave have no port.
    const auto columns = fields.size();
    if (columns != 5 && columns != 6)
    {
        throw WorkloadError(text.Locate(line, 0),
                            "source, destination, priority group, port (not in files of "
                            "conweave), bytes and start of a flow",
                            std::to_string(columns) + " fields");
    }
    FlowList::Flow flow;
    // Hosts are numbered from 0.
    const auto most = FlowList::MAX_HOSTS - 1;
    flow.source = static_cast<uint32_t>(ParseNumber(fields[0], 0, most));
    flow.destination = static_cast<uint32_t>(ParseNumber(fields[1], 0, most));
    // Bytes and start are the last two columns, with a port or without.
    flow.bytes = ParseNumber(fields[columns - 2], 1, FlowList::MAX_BYTES);
    const auto seconds = ParseNonNegative(fields[columns - 1], "a start, s");
    if (seconds > LATEST_START)
    {
        throw WorkloadError(fields[columns - 1], "a start, s, of at most 1000000");
    }
    // To the picosecond, the finest that ns3::Time has here.
    flow.start = PicoSeconds(std::llround(seconds * 1e12));
    flow.line = line.number;
    CheckEnds(flow, fields[0].where);
    return flow;
}

/**
 * @param text a flow list of HPCC or conweave
 * @return its flows
 */
FlowList
ReadHpccFlows(const WorkloadText& text)
{
    FlowList list;
    // Numbers are those of nodes, see NumberByHost().
    list.byNode = true;
    // Files of these simulators have their first flows at 2 s or so.
    list.startsLate = true;
    const auto& lines = text.GetLines();
    const auto count = ParseNumber(text.SplitWords(lines.front()).front(), 1, UINT32_MAX);
    // The first line is the count.
    const auto given = std::min<uint64_t>(count, lines.size() - 1);
    for (std::size_t i = 1; i <= given; ++i)
    {
        const auto flow = ParseHpccFlow(text, lines[i]);
        // The file does not say how many hosts there are.
        list.hosts = std::max({list.hosts, flow.source + 1, flow.destination + 1});
        list.flows.push_back(flow);
    }
    if (given < count)
    {
        throw WorkloadError({text.GetFile(), lines.back().number + 1, 1, ""},
                            std::to_string(count) + " flows, as the first line says",
                            std::to_string(given));
    }
    const auto left = lines.size() - 1 - given;
    if (left > 0)
    {
        list.notes.push_back("the first line of " + text.GetFile() + " says " +
                             std::to_string(count) + " flows; " + std::to_string(left) +
                             " lines behind them were left");
    }
    return list;
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
        const std::vector<std::string> names{"Nodes", "Connections", "Triggers"};
        const auto name =
            FindWord(words.front(), names, JoinWords(names) + ", SRC->DST or trigger");
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
     * @param words a line of a trigger: trigger id N oneshot, or trigger id N barrier count M
     */
    void AddTrigger(const std::vector<TextField>& words)
    {
        uint32_t number = 0;
        uint32_t count = 1;
        for (std::size_t i = 1; i < words.size(); ++i)
        {
            const std::vector<std::string> names{"id", "oneshot", "barrier", "count"};
            const auto name = FindWord(words[i], names, "a key of a trigger: " + JoinWords(names));
            if (name == 0 || name == 3)
            {
                const auto value = static_cast<uint32_t>(
                    ParseNumber(GetWord(words, ++i), name == 0 ? 0 : 1, UINT32_MAX));
                // A barrier waits for count flows; a oneshot fires with the first.
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
        CheckEnds(flow, ends.where);
        // Keys and values in turn.
        for (std::size_t i = 1; i < words.size(); i += 2)
        {
            const auto word =
                FindWord(words[i], FLOW_WORDS, "a key of a flow: " + JoinWords(FLOW_WORDS));
            SetWord(flow, word, GetWord(words, i + 1));
        }
        if (flow.bytes == 0)
        {
            throw WorkloadError(ends.where, "a size", "none");
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
            // htsim counts starts in picoseconds.
            const auto most = static_cast<uint64_t>(LATEST_START * 1e12);
            flow.start = PicoSeconds(static_cast<int64_t>(ParseNumber(value, 0, most)));
            return;
        }
        const auto number = ParseNumber(value, 0, FlowList::MAX_BYTES);
        const auto trigger = static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
        if (name == "trigger")
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
    FlowList m_list; //!< what comes of it
};

} // namespace

bool
IsFlowList(const std::string& file)
{
    const auto kind = FindForeignFile(file);
    return kind == ForeignFile::HPCC_FLOWS || kind == ForeignFile::HTSIM_FLOWS;
}

FlowList
ReadFlowList(const std::string& file)
{
    const WorkloadText text(file, {ForeignFile::HPCC_FLOWS, ForeignFile::HTSIM_FLOWS});
    auto list = FindForeignFile(file) == ForeignFile::HTSIM_FLOWS ? ConnectionMatrix(text).Read()
                                                                  : ReadHpccFlows(text);
    list.file = file;
    return list;
}

void
NumberByHost(FlowList& list, const std::vector<uint32_t>& hosts)
{
    for (auto& flow : list.flows)
    {
        for (auto* end : {&flow.source, &flow.destination})
        {
            // Hosts are sorted by node: their place is their rank.
            const auto found = std::lower_bound(hosts.begin(), hosts.end(), *end);
            if (found == hosts.end() || *found != *end)
            {
                throw WorkloadError({list.file, flow.line, 0, ""},
                                    "flows between the " + std::to_string(hosts.size()) +
                                        " hosts of the topology, by the numbers of their nodes",
                                    "node " + std::to_string(*end) + ", which is none");
            }
            *end = static_cast<uint32_t>(found - hosts.begin());
        }
    }
    list.byNode = false;
    list.hosts = static_cast<uint32_t>(hosts.size());
}

std::vector<BackgroundFlow>
MakeBackgroundFlows(const FlowList& list)
{
    std::vector<BackgroundFlow> flows;
    for (const auto& flow : list.flows)
    {
        if (flow.trigger)
        {
            throw WorkloadError({list.file, flow.line, 0, ""},
                                "flows that begin at a time (with triggers it is a workload: "
                                "--workload=" +
                                    list.file + ")",
                                "trigger " + std::to_string(*flow.trigger));
        }
        flows.push_back({flow.start, flow.source, flow.destination, flow.bytes});
    }
    // Background is sent in order of time; equal starts keep the order of the file.
    std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    const auto idle = list.startsLate ? flows.front().start : Time();
    for (auto& flow : flows)
    {
        flow.start -= idle;
    }
    return flows;
}

} // namespace ns3
