/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "infra-graph.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param text a text
 * @param parts texts in lower case
 * @return whether one of them stands in the text, of whatever case
 */
bool
HasAnyOf(std::string text, const std::vector<std::string>& parts)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::any_of(parts.begin(), parts.end(), [&text](const auto& part) {
        return text.find(part) != std::string::npos;
    });
}

/**
 * @param counts how many there are of each type
 * @return the types with their counts
 */
std::string
ListTypes(const std::map<std::string, uint32_t>& counts)
{
    std::vector<std::string> words;
    for (const auto& [type, count] : counts)
    {
        words.push_back(std::to_string(count) + " " + type);
    }
    return JoinWords(words);
}

} // namespace

uint32_t
InfraGraph::AddPart(const InfraPart& part)
{
    m_parts.push_back(part);
    return static_cast<uint32_t>(m_parts.size() - 1);
}

void
InfraGraph::AddEdge(uint32_t a, uint32_t b, const InfraLink& link)
{
    // The schema has no kinds of links: their names are all that says which kind they are of.
    const bool isInside = m_parts[a].device == m_parts[b].device;
    const Edge edge{a,
                    b,
                    link.rate,
                    link.delay,
                    isInside,
                    HasAnyOf(link.name, {"nvl", "xgmi"}),
                    isInside && HasAnyOf(link.name, {"pci"})};
    // Edges have no direction, and the last of several between two parts counts.
    const auto [found, isNew] =
        m_numbers.insert({std::minmax(a, b), static_cast<uint32_t>(m_edges.size())});
    if (isNew)
    {
        m_edges.push_back(edge);
    }
    m_edges[found->second] = edge;
}

bool
InfraGraph::IsXpu(uint32_t part) const
{
    return m_parts[part].type == "xpu";
}

TopologyGraph
InfraGraph::Make(const FabricParameters& parameters)
{
    FindEdges();
    Reduce();
    TopologyGraph graph;
    AddNodes(graph);
    AddLinks(parameters, graph);
    if (!m_joined.empty())
    {
        graph.AddNote("parts of links: " + ListTypes(m_joined));
    }
    if (!m_left.empty())
    {
        graph.AddNote("left out, as no path between XPUs crosses them: " + ListTypes(m_left));
    }
    return graph;
}

void
InfraGraph::FindEdges()
{
    m_edgesOf.resize(m_parts.size());
    for (uint32_t edge = 0; edge < m_edges.size(); ++edge)
    {
        m_edgesOf[m_edges[edge].a].push_back(edge);
        m_edgesOf[m_edges[edge].b].push_back(edge);
    }
}

void
InfraGraph::Drop(uint32_t part, uint32_t edge)
{
    // The edge stays in the list, as others are known by their places there.
    m_edges[edge].isGone = true;
    auto& edges = m_edgesOf[part];
    edges.erase(std::find(edges.begin(), edges.end(), edge));
}

void
InfraGraph::Reduce()
{
    std::vector<bool> isGone(m_parts.size(), false);
    // What leads nowhere goes first, so that it does not count for what is left.
    for (const bool joins : {false, true})
    {
        std::vector<uint32_t> waiting(m_parts.size());
        // As it is emptied from its end, parts come in the order of the file.
        std::iota(waiting.rbegin(), waiting.rend(), 0);
        while (!waiting.empty())
        {
            const auto part = waiting.back();
            waiting.pop_back();
            const auto edges = m_edgesOf[part];
            const auto& type = m_parts[part].type;
            // A switch between two parts stays, as packets queue there; a NIC or port becomes a
            // part of a link.
            const std::size_t most = joins && type != "switch" ? 2 : 1;
            if (isGone[part] || IsXpu(part) || edges.size() > most)
            {
                continue;
            }
            // Neighbours lose an edge, and may be the next ones.
            for (const auto edge : edges)
            {
                waiting.push_back(m_edges[edge].a == part ? m_edges[edge].b : m_edges[edge].a);
            }
            isGone[part] = true;
            ++(edges.size() == 2 ? m_joined : m_left)[type];
            if (edges.size() == 2)
            {
                Join(part);
            }
            else if (!edges.empty())
            {
                Drop(waiting.back(), edges.front());
                Drop(part, edges.front());
            }
        }
    }
}

void
InfraGraph::Join(uint32_t part)
{
    const auto numbers = m_edgesOf[part];
    const auto& first = m_edges[numbers[0]];
    const auto& second = m_edges[numbers[1]];
    Edge joined = first;
    joined.a = first.a == part ? first.b : first.a;
    joined.b = second.a == part ? second.b : second.a;
    // A rate or delay that is not said does not count beside one that is.
    joined.rate = first.rate > 0 && second.rate > 0 ? std::min(first.rate, second.rate)
                                                    : std::max(first.rate, second.rate);
    if (second.delay)
    {
        joined.delay = first.delay.value_or(Time(0)) + *second.delay;
    }
    // One part outside the device, or over PCIe, makes the whole path so.
    joined.isInside = first.isInside && second.isInside;
    joined.isNvlink = first.isNvlink && second.isNvlink;
    joined.isPcie = joined.isInside && (first.isPcie || second.isPcie);
    Drop(joined.a, numbers[0]);
    Drop(joined.b, numbers[1]);
    m_edgesOf[part].clear();
    // From a component to itself there is nothing to carry.
    if (joined.a != joined.b)
    {
        m_edgesOf[joined.a].push_back(static_cast<uint32_t>(m_edges.size()));
        m_edgesOf[joined.b].push_back(static_cast<uint32_t>(m_edges.size()));
        m_edges.push_back(joined);
    }
}

bool
InfraGraph::IsNvswitch(uint32_t part) const
{
    const auto& edges = m_edgesOf[part];
    // It joins XPUs of one device and nothing else, and not over PCIe, which has switches as well.
    return std::all_of(edges.begin(), edges.end(), [this, part](auto number) {
        const auto& edge = m_edges[number];
        return edge.isInside && !edge.isPcie && IsXpu(edge.a == part ? edge.b : edge.a);
    });
}

void
InfraGraph::AddNodes(TopologyGraph& graph)
{
    m_nodes.assign(m_parts.size(), UINT32_MAX);
    // Servers are the copies of devices that have accelerators.
    std::map<uint32_t, uint32_t> servers;
    for (uint32_t part = 0; part < m_parts.size(); ++part)
    {
        if (IsXpu(part))
        {
            const auto next = static_cast<uint32_t>(servers.size());
            const auto server = servers.insert({m_parts[part].device, next}).first->second;
            m_nodes[part] = graph.AddHost(m_parts[part].name, server);
        }
    }
    // These come after the XPUs: an NVSwitch stands in a server that XPUs have made.
    for (uint32_t part = 0; part < m_parts.size(); ++part)
    {
        if (IsXpu(part) || m_edgesOf[part].empty())
        {
            continue;
        }
        m_nodes[part] = IsNvswitch(part) ? graph.AddNvswitch(m_parts[part].name,
                                                             servers.at(m_parts[part].device))
                                         : graph.AddSwitch(m_parts[part].name);
    }
}

std::pair<uint64_t, std::string>
InfraGraph::FindRate(const Edge& edge, const FabricParameters& parameters) const
{
    if (edge.rate > 0)
    {
        return {edge.rate, ""};
    }
    if (!edge.isInside)
    {
        return {parameters.nicRate.GetBitRate(), "nicRate"};
    }
    if (!edge.isNvlink)
    {
        const bool isOfCpus = m_parts[edge.a].type == "cpu" && m_parts[edge.b].type == "cpu";
        return isOfCpus ? std::make_pair(parameters.socketRate.GetBitRate(), "socketRate")
                        : std::make_pair(parameters.pcieRate.GetBitRate(), "pcieRate");
    }
    // An accelerator shares its NVLink out to the links that it has.
    uint64_t links = 1;
    for (const auto end : {edge.a, edge.b})
    {
        const auto& edges = m_edgesOf[end];
        const auto count = std::count_if(edges.begin(), edges.end(), [this](auto number) {
            return m_edges[number].isNvlink && m_edges[number].rate == 0;
        });
        links = std::max<uint64_t>(links, IsXpu(end) ? count : 0);
    }
    return {std::max<uint64_t>(1, parameters.nvlinkRate.GetBitRate() / links), "nvlinkRate"};
}

void
InfraGraph::AddLinks(const FabricParameters& parameters, TopologyGraph& graph) const
{
    std::set<std::string> rates;
    std::set<std::string> delays;
    for (const auto& edge : m_edges)
    {
        if (edge.isGone)
        {
            continue;
        }
        const auto a = m_nodes[edge.a];
        const auto b = m_nodes[edge.b];
        const auto [rate, option] = FindRate(edge, parameters);
        // Inside a device PCIe has the delay of NVLink too: there is no option for its own.
        const auto delay =
            edge.delay.value_or(edge.isInside ? parameters.nvlinkDelay : parameters.linkDelay);
        graph.AddLink(a,
                      b,
                      DataRate(rate),
                      delay,
                      edge.isInside && (edge.isNvlink || graph.IsNvlinkByKind(a, b)));
        if (!option.empty())
        {
            rates.insert(FormatRate(DataRate(rate)) + " (" + option + ")");
        }
        if (!edge.delay)
        {
            delays.insert(FormatDuration(delay) + (edge.isInside ? " inside devices (nvlinkDelay)"
                                                                 : " outside (linkDelay)"));
        }
    }
    if (!rates.empty())
    {
        graph.AddNote("links without a bandwidth have " + JoinWords({rates.begin(), rates.end()}));
    }
    if (!delays.empty())
    {
        graph.AddNote("links without a latency have " + JoinWords({delays.begin(), delays.end()}));
    }
}

} // namespace ns3
