/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-json-file.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = nlohmann::ordered_json;

/// Names of the kinds of nodes, by kind.
constexpr std::array<const char*, 3> KINDS{"host", "switch", "nvswitch"};

/// Most links that one entry stands for; more is a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_PARALLEL = 65536;

/**
 * @ingroup workload-replay
 * @brief Makes a graph of a file.
 */
class GraphReader
{
  public:
    /**
     * @param section a node of the file
     */
    void AddNode(const JsonSection& section)
    {
        const auto name = section.GetText("name");
        const std::vector<std::string> kinds(KINDS.begin(), KINDS.end());
        const auto kind = section.GetText("kind");
        const auto index = FindWord(kind, kinds, "host, switch or nvswitch");
        if (name.text.empty() || !m_nodes.emplace(name.text, graph.GetNNodes()).second)
        {
            throw WorkloadError(name.where,
                                "a name that no other node has",
                                name.text.empty() ? "an empty one" : Quoted(name.text));
        }
        const bool isSwitch = index == TopologyGraph::SWITCH;
        if (isSwitch && section.Has("server"))
        {
            throw WorkloadError(section.Locate("server"),
                                "no server of a switch (an nvswitch has one)",
                                "one");
        }
        const auto server = section.Has("server")
                                ? section.GetWhole("server", 0, TopologyGraph::NO_SERVER - 1)
                                : TopologyGraph::NO_SERVER;
        if (isSwitch)
        {
            graph.AddSwitch(name.text);
            return;
        }
        index == TopologyGraph::HOST ? graph.AddHost(name.text, server)
                                     : graph.AddNvswitch(name.text, server);
    }

    /**
     * @param section a link of the file
     */
    void AddLink(const JsonSection& section)
    {
        const auto a = FindNode(section, "a");
        const auto b = FindNode(section, "b");
        if (a == b)
        {
            throw WorkloadError(section.Locate("b"),
                                "a link between two nodes",
                                "one from " + Quoted(graph.GetNode(a).name) + " to itself");
        }
        const auto rate = ParseRate(section.GetText("rate"), 1);
        const auto delay = ParseDuration(section.GetText("delay"));
        const bool nvlink = section.Has("nvlink") ? section.Get("nvlink", "boolean").get<bool>()
                                                  : graph.IsNvlinkByKind(a, b);
        double lossRate = 0;
        if (section.Has("lossRate"))
        {
            lossRate = ParseFraction(section.GetNumber("lossRate"), "a loss rate");
        }
        const auto count = section.Has("count") ? section.GetWhole("count", 1, MAX_PARALLEL) : 1;
        const auto slots = graph.GetSlotCycle().count;
        if (section.Has("slot") && slots == 0)
        {
            throw WorkloadError(section.Locate("slot"),
                                "the key slots in the file, which says how long slots are",
                                "none");
        }
        // Without a slot the link is always up.
        const auto slot =
            section.Has("slot") ? section.GetWhole("slot", 0, slots - 1) : TopologyGraph::ALWAYS;
        for (uint32_t i = 0; i < count; ++i)
        {
            const auto link = graph.AddLink(a, b, rate, delay, nvlink);
            graph.SetLossRate(link, lossRate);
            graph.SetSlot(link, slot);
        }
    }

    TopologyGraph graph; //!< what was read so far

  private:
    /**
     * @param section a link
     * @param key a or b
     * @return the node that it names
     */
    uint32_t FindNode(const JsonSection& section, const std::string& key) const
    {
        const auto name = section.GetText(key);
        const auto found = m_nodes.find(name.text);
        if (found == m_nodes.end())
        {
            std::vector<std::string> names;
            for (const auto& node : m_nodes)
            {
                names.push_back(node.first);
            }
            throw WorkloadError(name.where,
                                "the name of a node",
                                Quoted(name.text),
                                NearestName(name.text, names));
        }
        return found->second;
    }

    std::map<std::string, uint32_t> m_nodes; //!< nodes by name
};

/**
 * @param text any text
 * @return the text as a JSON string
 */
std::string
Quote(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/**
 * @param x a link
 * @param y another one
 * @return whether both join the same nodes alike
 */
bool
AreEqual(const TopologyGraph::Link& x, const TopologyGraph::Link& y)
{
    return x.a == y.a && x.b == y.b && x.rate == y.rate && x.delay == y.delay &&
           x.nvlink == y.nvlink && x.lossRate == y.lossRate && x.slot == y.slot;
}

/**
 * @param file a file with the key dims
 * @param hosts number of its hosts
 * @return the dimensions in which they stand
 */
std::vector<uint32_t>
ReadDimensions(const JsonSection& file, uint64_t hosts)
{
    uint64_t product = 1;
    std::vector<uint32_t> sizes;
    for (const auto& size : file.Get("dims", "array"))
    {
        const bool isCount =
            size.is_number_unsigned() && size.get<uint64_t>() > 0 && size.get<uint64_t>() <= hosts;
        // A product beyond the hosts is as wrong as any, and may not fit into a number.
        product = isCount && product <= hosts ? product * size.get<uint64_t>() : hosts + 1;
        sizes.push_back(isCount ? size.get<uint32_t>() : 0);
    }
    if (product != hosts)
    {
        throw WorkloadError(file.Locate("dims"),
                            "whole numbers whose product is the number of hosts, " +
                                std::to_string(hosts),
                            file.Get("dims", "array").dump());
    }
    return sizes;
}

/**
 * @param graph a graph
 * @return whether a link joins two hosts
 */
bool
HasLinkOfHosts(const TopologyGraph& graph)
{
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        if (graph.GetNode(link.a).kind == TopologyGraph::HOST &&
            graph.GetNode(link.b).kind == TopologyGraph::HOST)
        {
            return true;
        }
    }
    return false;
}

/**
 * @param file a file with the key slots
 * @return how its links come and go
 */
SlotCycle
ReadSlotCycle(const JsonSection& file)
{
    const auto slots = file.GetObject("slots", {"count", "time", "darkTime"});
    const SlotCycle cycle{slots.GetWhole("count", 1, UINT32_MAX - 1),
                          ParseDuration(slots.GetText("time")),
                          ParseDuration(slots.GetText("darkTime"))};
    if (cycle.dark >= cycle.time)
    {
        throw WorkloadError(slots.Locate("darkTime"),
                            "less than the time of a slot",
                            slots.GetText("darkTime").text);
    }
    if (cycle.IsTooLong())
    {
        throw WorkloadError(slots.Locate("count"),
                            "slots that come round in 1000000s at most",
                            std::to_string(cycle.count) + " of " + slots.GetText("time").text);
    }
    return cycle;
}

/**
 * @param [in,out] os receives the nodes, as entries of a list in JSON
 * @param graph a graph
 */
void
WriteNodeList(std::ostream& os, const TopologyGraph& graph)
{
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const auto& node = graph.GetNode(i);
        os << (i == 0 ? "\n" : ",\n") << "{\"name\": " << Quote(node.name) << ", \"kind\": \""
           << KINDS.at(node.kind) << "\"";
        if (node.server != TopologyGraph::NO_SERVER)
        {
            os << ", \"server\": " << node.server;
        }
        os << "}";
    }
}

/**
 * @param [in,out] os receives the links, as entries of a list in JSON
 * @param graph a graph
 */
void
WriteLinkList(std::ostream& os, const TopologyGraph& graph)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < graph.GetNLinks(); i += count)
    {
        const auto& link = graph.GetLink(i);
        // Equal links in a row become one entry.
        count = 1;
        while (count < MAX_PARALLEL && i + count < graph.GetNLinks() &&
               AreEqual(link, graph.GetLink(i + count)))
        {
            ++count;
        }
        os << (i == 0 ? "\n" : ",\n") << "{\"a\": " << Quote(graph.GetNode(link.a).name)
           << ", \"b\": " << Quote(graph.GetNode(link.b).name) << ", \"rate\": \""
           << FormatRate(link.rate) << "\", \"delay\": \"" << FormatDuration(link.delay)
           << "\", \"nvlink\": " << (link.nvlink ? "true" : "false");
        if (link.lossRate > 0)
        {
            os << ", \"lossRate\": " << Json(link.lossRate).dump();
        }
        if (link.slot != TopologyGraph::ALWAYS)
        {
            os << ", \"slot\": " << link.slot;
        }
        if (count > 1)
        {
            os << ", \"count\": " << count;
        }
        os << "}";
    }
}

} // namespace

TopologyGraph
ReadTopologyJson(const WorkloadText& text)
{
    const SourceLocation where{text.GetFile(), 0, 0, ""};
    const auto value = ParseJson(text);
    const JsonSection file(value, where, {"name", "hostsRelay", "dims", "slots", "nodes", "links"});
    GraphReader reader;
    if (file.Has("name"))
    {
        reader.graph.SetName(file.GetText("name").text);
    }
    // Before the links, whose slots have to be below the number of slots.
    if (file.Has("slots"))
    {
        reader.graph.SetSlotCycle(ReadSlotCycle(file));
    }
    for (const auto& node : file.GetList("nodes", {"name", "kind", "server"}))
    {
        reader.AddNode(node);
    }
    if (reader.graph.GetHosts().empty())
    {
        throw WorkloadError(file.Locate("nodes"), "at least one node of the kind host", "none");
    }
    const std::vector<std::string>
        keys{"a", "b", "rate", "delay", "nvlink", "lossRate", "slot", "count"};
    for (const auto& link : file.GetList("links", keys))
    {
        reader.AddLink(link);
    }
    if (file.Has("hostsRelay") && file.Get("hostsRelay", "boolean").get<bool>())
    {
        reader.graph.LetHostsRelay();
    }
    if (file.Has("dims"))
    {
        reader.graph.SetDimensions(ReadDimensions(file, reader.graph.GetHosts().size()));
    }
    return reader.graph;
}

void
WriteTopologyJson(std::ostream& os, const TopologyGraph& graph)
{
    os << "{\n\"name\": " << Quote(graph.GetName());
    // Where links join hosts, that they relay goes without saying.
    if (graph.HostsRelay() && !HasLinkOfHosts(graph))
    {
        os << ",\n\"hostsRelay\": true";
    }
    if (!graph.GetDimensions().empty())
    {
        os << ",\n\"dims\": " << Json(graph.GetDimensions()).dump();
    }
    const auto& cycle = graph.GetSlotCycle();
    if (cycle.count > 0)
    {
        os << ",\n\"slots\": {\"count\": " << cycle.count << ", \"time\": \""
           << FormatDuration(cycle.time) << "\", \"darkTime\": \"" << FormatDuration(cycle.dark)
           << "\"}";
    }
    os << ",\n\"nodes\": [";
    WriteNodeList(os, graph);
    os << "\n],\n\"links\": [";
    WriteLinkList(os, graph);
    os << "\n]\n}\n";
}

} // namespace ns3
