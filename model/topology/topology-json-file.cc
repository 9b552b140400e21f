/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-json-file.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Names of the kinds of nodes, by kind.
constexpr std::array<const char*, 3> KINDS{"host", "switch", "nvswitch"};

/// Most links that one entry stands for; more is a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_PARALLEL = 65536;

/**
 * @ingroup workload-replay
 * @brief An object of the file, and where it stands.
 */
class JsonSection
{
  public:
    /**
     * @param value a value of the file, to be an object
     * @param where its place
     * @param keys the keys it may have
     * @throws WorkloadError if it is no object, or has another key
     */
    JsonSection(const Json& value,
                const SourceLocation& where,
                const std::vector<std::string>& keys)
        : m_value(value),
          m_where(where)
    {
        const auto list = JoinWords(keys);
        if (!value.is_object())
        {
            throw WorkloadError(where, "an object with the keys " + list, value.type_name());
        }
        for (const auto& item : value.items())
        {
            // The place of a key is worked out only if it is wrong, for there are many in a file.
            if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
            {
                FindWord({item.key(), Locate(item.key())}, keys, "one of the keys " + list);
            }
        }
    }

    /**
     * @param key a key
     * @return its place
     */
    SourceLocation Locate(const std::string& key) const
    {
        auto where = m_where;
        where.pointer += (Json::json_pointer() / key).to_string();
        return where;
    }

    /**
     * @param key a key
     * @return whether it is there
     */
    bool Has(const std::string& key) const
    {
        return m_value.contains(key);
    }

    /**
     * @param key a key that must be there
     * @param kind type that its value must have, as JSON names it
     * @return its value
     */
    const Json& Get(const std::string& key, const std::string& kind) const
    {
        if (!Has(key))
        {
            throw WorkloadError(m_where, "the key " + key, "none");
        }
        const auto& value = m_value.at(key);
        if (value.type_name() != kind)
        {
            const std::string type = value.type_name();
            throw WorkloadError(Locate(key),
                                (kind == "array" ? "an " : "a ") + kind,
                                value.is_primitive() ? type + " " + Quoted(value.dump()) : type);
        }
        return value;
    }

    /**
     * @param key a key that must be there
     * @return its value, a string, and its place
     */
    TextField GetText(const std::string& key) const
    {
        return {Get(key, "string").get<std::string>(), Locate(key)};
    }

    /**
     * @param key a key that must be there
     * @param least smallest valid value
     * @param most largest valid value
     * @return its value, a whole number
     */
    uint32_t GetWhole(const std::string& key, uint64_t least, uint64_t most) const
    {
        const auto& value = Get(key, "number");
        const auto number = value.get<double>();
        if (number != std::floor(number) || number < static_cast<double>(least) ||
            number > static_cast<double>(most))
        {
            throw WorkloadError(Locate(key),
                                "a whole number from " + std::to_string(least) + " to " +
                                    std::to_string(most),
                                value.dump());
        }
        return static_cast<uint32_t>(number);
    }

  private:
    const Json& m_value;    //!< the object
    SourceLocation m_where; //!< its place
};

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
            const auto& value = section.Get("lossRate", "number");
            lossRate = ParseFraction({value.dump(), section.Locate("lossRate")}, "a loss rate");
        }
        const auto count = section.Has("count") ? section.GetWhole("count", 1, MAX_PARALLEL) : 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            graph.SetLossRate(graph.AddLink(a, b, rate, delay, nvlink), lossRate);
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
           x.nvlink == y.nvlink && x.lossRate == y.lossRate;
}

} // namespace

TopologyGraph
ReadTopologyJson(const WorkloadText& text)
{
    const SourceLocation where{text.GetFile(), 0, 0, ""};
    const auto value = ParseJson(text);
    const JsonSection file(value, where, {"name", "nodes", "links"});
    GraphReader reader;
    if (file.Has("name"))
    {
        reader.graph.SetName(file.GetText("name").text);
    }
    const auto read = [&](const std::string& list,
                          const std::vector<std::string>& keys,
                          void (GraphReader::*add)(const JsonSection&)) {
        std::size_t index = 0;
        for (const auto& entry : file.Get(list, "array"))
        {
            auto place = file.Locate(list);
            place.pointer += "/" + std::to_string(index++);
            (reader.*add)(JsonSection(entry, place, keys));
        }
    };
    read("nodes", {"name", "kind", "server"}, &GraphReader::AddNode);
    if (reader.graph.GetHosts().empty())
    {
        throw WorkloadError(file.Locate("nodes"), "at least one node of the kind host", "none");
    }
    read("links",
         {"a", "b", "rate", "delay", "nvlink", "lossRate", "count"},
         &GraphReader::AddLink);
    return reader.graph;
}

void
WriteTopologyJson(std::ostream& os, const TopologyGraph& graph)
{
    os << "{\n\"name\": " << Quote(graph.GetName()) << ",\n\"nodes\": [";
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
    os << "\n],\n\"links\": [";
    uint32_t count = 1;
    for (uint32_t i = 0; i < graph.GetNLinks(); i += count)
    {
        const auto& link = graph.GetLink(i);
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
        if (count > 1)
        {
            os << ", \"count\": " << count;
        }
        os << "}";
    }
    os << "\n]\n}\n";
}

} // namespace ns3
