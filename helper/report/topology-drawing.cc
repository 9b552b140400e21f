/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-drawing.h"

#include "topology-layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param graph a topology
 * @param node a host, or an NVSwitch of a server
 * @return what tells apart the boxes that hosts share: their server, or the node they are linked to
 */
std::pair<uint32_t, uint32_t>
GetShare(const TopologyGraph& graph, uint32_t node)
{
    const auto server = graph.GetNode(node).server;
    const auto& links = graph.GetLinksOf(node);
    const bool isAlone = server == TopologyGraph::NO_SERVER && !links.empty();
    return {server, isAlone ? graph.GetPeer(links.front(), node) : 0};
}

/**
 * @param graph a topology
 * @return whether hosts share boxes, because there are too many and sharing helps
 */
bool
ShareBoxes(const TopologyGraph& graph)
{
    const auto& hosts = graph.GetHosts();
    std::set<std::pair<uint32_t, uint32_t>> shares;
    for (const auto host : hosts)
    {
        shares.insert(GetShare(graph, host));
    }
    return hosts.size() > TopologyDrawing::MAX_HOSTS && 2 * shares.size() <= hosts.size();
}

} // namespace

TopologyDrawing::TopologyDrawing(const TopologyGraph& graph)
{
    MakeLines(graph, MakeBoxes(graph));
    LayoutDrawing(*this);
}

std::vector<uint32_t>
TopologyDrawing::MakeBoxes(const TopologyGraph& graph)
{
    const bool share = ShareBoxes(graph);
    std::vector<uint32_t> boxOf(graph.GetNNodes());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> shared;
    for (const auto host : graph.GetHosts())
    {
        const auto& node = graph.GetNode(host);
        const auto next = static_cast<uint32_t>(boxes.size());
        const auto key = GetShare(graph, host);
        boxOf[host] = share ? shared.emplace(key, next).first->second : next;
        if (boxOf[host] == next)
        {
            const auto name = node.server == TopologyGraph::NO_SERVER
                                  ? "hosts at " + graph.GetNode(key.second).name
                                  : "server" + std::to_string(node.server);
            boxes.push_back({share ? SERVER : HOST, node.server, share ? name : node.name, 0});
        }
        ++boxes[boxOf[host]].hosts;
    }
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const auto& node = graph.GetNode(i);
        if (node.kind == TopologyGraph::HOST)
        {
            continue;
        }
        const bool isNvswitch = node.kind == TopologyGraph::NVSWITCH;
        const auto found = isNvswitch ? shared.find({node.server, 0}) : shared.end();
        boxOf[i] = static_cast<uint32_t>(boxes.size());
        if (found != shared.end())
        {
            boxOf[i] = found->second;
            continue;
        }
        boxes.push_back({isNvswitch ? NVSWITCH : SWITCH, node.server, node.name, 0});
    }
    return boxOf;
}

void
TopologyDrawing::MakeLines(const TopologyGraph& graph, const std::vector<uint32_t>& boxOf)
{
    std::map<std::tuple<uint32_t, uint32_t, bool, uint64_t>, uint32_t> counts;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto ends = std::minmax(boxOf[link.a], boxOf[link.b]);
        if (ends.first != ends.second)
        {
            ++counts[{ends.first, ends.second, link.nvlink, link.rate.GetBitRate()}];
        }
    }
    for (const auto& [key, count] : counts)
    {
        const auto& [a, b, nvlink, rate] = key;
        lines.push_back({a, b, nvlink, rate, count});
    }
}

} // namespace ns3
