/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-file.h"

#include "link-failure.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Takes the entries of a file in turn, and knows which links are on.
 */
class CircuitReader
{
  public:
    /**
     * @param graph the topology
     * @param dark for how long a link that is switched on carries nothing yet
     */
    CircuitReader(const TopologyGraph& graph, Time dark)
        : m_graph(graph),
          m_isUp(graph.GetNLinks(), true),
          m_lightTimes(graph.GetNLinks()),
          m_dark(dark)
    {
    }

    /**
     * @param section an entry
     */
    void Add(const JsonSection& section)
    {
        const auto text = section.GetText("time");
        const auto time = ParseDuration(text);
        if (time < m_time)
        {
            throw WorkloadError(text.where, "a time that is not before the last one", text.text);
        }
        m_time = time;
        if (!section.Has("down") && !section.Has("up"))
        {
            throw WorkloadError(text.where, "a link that goes down, or up, at that time", "none");
        }
        for (const bool up : {false, true})
        {
            if (section.Has(up ? "up" : "down"))
            {
                Switch(section.GetText(up ? "up" : "down"), up);
            }
        }
    }

    /**
     * @return what the entries do, in the order of time
     */
    std::vector<CircuitChange> GetChanges() const
    {
        std::vector<CircuitChange> changes;
        for (const auto& [key, links] : m_changes)
        {
            changes.push_back({key.first, links, key.second});
        }
        return changes;
    }

  private:
    /**
     * @param ends names of the two nodes that links join
     * @param up whether they are switched on
     */
    void Switch(const TextField& ends, bool up)
    {
        const auto links = FindLinksBetween(ends, m_graph);
        // Parallel links are switched together, so that one speaks for all.
        if (m_isUp[links.front()] == up)
        {
            throw WorkloadError(ends.where,
                                std::string("a link that is ") + (up ? "down" : "up") +
                                    " at that time",
                                Quoted(ends.text));
        }
        if (!up && m_time < m_lightTimes[links.front()])
        {
            throw WorkloadError(ends.where,
                                "a link that is up at that time, as this is from " +
                                    FormatDuration(m_lightTimes[links.front()]) + " on",
                                Quoted(ends.text));
        }
        // A link that is switched off stops at once; one that is switched on is dark at first.
        auto& change = m_changes[{up ? m_time + m_dark : m_time, up}];
        for (const auto link : links)
        {
            m_isUp[link] = up;
            m_lightTimes[link] = m_time + m_dark;
            change.push_back(link);
        }
    }

    const TopologyGraph& m_graph;   //!< the topology
    std::vector<bool> m_isUp;       //!< by link: is on, or about to be
    std::vector<Time> m_lightTimes; //!< by link: when it carries packets after it was switched on
    Time m_dark;                    //!< before a link that is switched on carries packets
    Time m_time;                    //!< of the entry before
    /// Links by time, and whether they go up; what goes down does so first.
    std::map<std::pair<Time, bool>, std::vector<uint32_t>> m_changes;
};

} // namespace

std::vector<CircuitChange>
ReadCircuitFile(const std::string& path, const TopologyGraph& graph)
{
    const WorkloadText text(path);
    const auto value = ParseJson(text);
    const JsonSection file(value, {path, 0, 0, ""}, {"darkTime", "changes"});
    CircuitReader reader(graph, ParseDuration(file.GetText("darkTime")));
    for (const auto& change : file.GetList("changes", {"time", "down", "up"}))
    {
        reader.Add(change);
    }
    return reader.GetChanges();
}

} // namespace ns3
