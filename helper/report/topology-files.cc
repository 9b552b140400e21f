/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-files.h"

#include "output-file.h"

#include "ns3/input-values.h"
#include "ns3/topology-json-file.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @return the text as a string of the language
 */
std::string
QuoteDot(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        // Quotes and backslashes would end the string; control characters are not shown.
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
        }
        quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return quoted + "\"";
}

/**
 * Write a node.
 *
 * @param os where to
 * @param graph the topology
 * @param index the node
 * @param indent what stands before it
 */
void
WriteNode(std::ostream& os, const TopologyGraph& graph, uint32_t index, const std::string& indent)
{
    const auto& node = graph.GetNode(index);
    os << indent << "n" << index << " [label=" << QuoteDot(node.name);
    switch (node.kind)
    {
    case TopologyGraph::HOST:
        os << ", shape=box, fillcolor=\"#dbe7fb\"";
        break;
    case TopologyGraph::SWITCH:
        os << ", shape=box, fillcolor=\"#fdebc8\"";
        break;
    case TopologyGraph::NVSWITCH:
        os << ", shape=ellipse, fillcolor=\"#d5edd3\"";
        break;
    }
    os << "];\n";
}

/**
 * Write the nodes, those of a server in a cluster.
 *
 * @param os where to
 * @param graph the topology
 */
void
WriteNodes(std::ostream& os, const TopologyGraph& graph)
{
    std::map<uint32_t, std::vector<uint32_t>> servers;
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        servers[graph.GetNode(i).server].push_back(i);
    }
    for (const auto& [server, nodes] : servers)
    {
        // Nodes of no server stand beside the clusters.
        const bool isServer = server != TopologyGraph::NO_SERVER;
        if (isServer)
        {
            os << "  subgraph cluster_" << server << " {\n    label=\"server " << server << "\";\n";
        }
        for (const auto node : nodes)
        {
            WriteNode(os, graph, node, isServer ? "    " : "  ");
        }
        os << (isServer ? "  }\n" : "");
    }
}

/**
 * Write the links.
 *
 * @param os where to
 * @param graph the topology
 */
void
WriteEdges(std::ostream& os, const TopologyGraph& graph)
{
    // Parallel links are drawn as one, with their number.
    std::map<std::tuple<uint32_t, uint32_t, bool, uint64_t>, uint32_t> counts;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        ++counts[{std::min(link.a, link.b),
                  std::max(link.a, link.b),
                  link.nvlink,
                  link.rate.GetBitRate()}];
    }
    for (const auto& [key, count] : counts)
    {
        const auto& [a, b, nvlink, rate] = key;
        os << "  n" << a << " -- n" << b << " [label=\"" << FormatRate(DataRate(rate))
           << (count > 1 ? " x" + std::to_string(count) : "") << "\""
           << (nvlink ? ", color=\"#4f9a4f\"" : "") << "];\n";
    }
}

} // namespace

void
WriteTopologyDot(std::ostream& os, const TopologyGraph& graph)
{
    os << "graph fabric {\n  label=" << QuoteDot(graph.GetName())
       << ";\n  rankdir=BT;\n  node [style=filled, fontname=\"sans-serif\", fontsize=10];\n"
          "  edge [color=\"#5b6b80\", fontname=\"sans-serif\", fontsize=8];\n";
    WriteNodes(os, graph);
    WriteEdges(os, graph);
    os << "}\n";
}

std::vector<std::string>
WriteTopologyFiles(const std::string& directory,
                   const TopologyGraph& graph,
                   const OutputSelection& selection)
{
    std::vector<std::string> errors;
    const auto write = [&](const std::string& name,
                           void (*writer)(std::ostream&, const TopologyGraph&)) {
        if (!selection.IsWanted(name))
        {
            return;
        }
        OutputFile file(directory, selection.GetName(name));
        writer(file.GetStream(), graph);
        const auto error = file.Finish();
        if (!error.empty())
        {
            errors.push_back(error);
        }
    };
    write("fabric.json", &WriteTopologyJson);
    write("fabric.dot", &WriteTopologyDot);
    return errors;
}

} // namespace ns3
