/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-deadlock.h"

#include "ns3/rdma-message-transport.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

/// A priority of a port; the port is the second.
using PortQueue = std::pair<uint8_t, uint32_t>;

/// For each, those that it waits for.
using Waits = std::map<PortQueue, std::set<PortQueue>>;

/**
 * @param waits who waits for whom
 * @param start a priority of a port
 * @return the ports on a shortest way from it back to it, which is named once; empty if there is
 *         none
 */
std::vector<uint32_t>
FindCycle(const Waits& waits, PortQueue start)
{
    std::map<PortQueue, PortQueue> previous;
    std::deque<PortQueue> open{start};
    // Breadth first, so that the first way back is a shortest one.
    while (!open.empty() && previous.count(start) == 0)
    {
        const PortQueue queue = open.front();
        open.pop_front();
        const auto found = waits.find(queue);
        for (const PortQueue& next : found == waits.end() ? std::set<PortQueue>() : found->second)
        {
            if (previous.emplace(next, queue).second)
            {
                open.push_back(next);
            }
        }
    }
    std::vector<uint32_t> cycle;
    if (previous.count(start) > 0)
    {
        PortQueue queue = start;
        do
        {
            queue = previous.at(queue);
            cycle.push_back(queue.second);
        } while (queue != start);
        std::reverse(cycle.begin(), cycle.end());
    }
    return cycle;
}

} // namespace

std::vector<RdmaPortWait>
ListPortWaits(const RdmaFabricHelper& fabric)
{
    const TopologyGraph& graph = fabric.GetNetwork()->GetGraph();
    std::set<std::tuple<uint8_t, uint32_t, uint32_t, uint8_t>> waits;
    // All flows of a fluid have it.
    const auto priority = RdmaMessageTransport::GetInitialPriority();
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        for (const uint32_t link : graph.GetLinksOf(node))
        {
            const auto direction = graph.GetDirection(link, node);
            for (const auto awaited : fabric.GetProtocol()->ListAwaited(direction))
            {
                waits.emplace(priority, direction, awaited, priority);
            }
            const auto port = fabric.IsOwn(node) ? fabric.GetDevice(link, node) : nullptr;
            for (uint8_t of = 0; port && of < RdmaEgressQueues::PRIORITIES; ++of)
            {
                // Packets that wait at a paused port hold buffer, for which the port that sent them
                // here waits.
                port->GetQueues().Visit(of, [&](const RdmaPacket& packet) {
                    // What a host has made itself came in by no port.
                    if (port->IsPaused(of) && packet.source != node)
                    {
                        const uint32_t by = graph.GetLinksOf(node)[packet.ingress];
                        waits.emplace(of,
                                      graph.GetDirection(by, graph.GetPeer(by, node)),
                                      graph.GetDirection(link, node),
                                      packet.arrivalPriority);
                    }
                });
            }
        }
    }
    std::vector<RdmaPortWait> list;
    list.reserve(waits.size());
    for (const auto& [priority, waiting, awaited, before] : waits)
    {
        list.push_back({waiting, awaited, priority, before});
    }
    return list;
}

std::vector<RdmaDeadlock>
FindDeadlocks(const std::vector<RdmaPortWait>& waits)
{
    Waits queues;
    for (const auto& wait : waits)
    {
        queues[{wait.before, wait.waiting}].insert({wait.priority, wait.awaited});
    }
    std::vector<RdmaDeadlock> deadlocks;
    for (const auto& [queue, awaited] : queues)
    {
        // One cycle of a priority is enough to find the cause.
        if (!deadlocks.empty() && deadlocks.back().priority == queue.first)
        {
            continue;
        }
        const auto cycle = FindCycle(queues, queue);
        if (!cycle.empty())
        {
            deadlocks.push_back({cycle, queue.first});
        }
    }
    return deadlocks;
}

std::string
DescribeDeadlock(const RdmaDeadlock& deadlock, const TopologyGraph& graph)
{
    std::string nodes;
    std::string links;
    for (const uint32_t port : deadlock.ports)
    {
        // A direction is twice its link, and one more if it begins at the second end.
        const auto& link = graph.GetLink(port / 2);
        nodes += graph.GetNode(port % 2 == 0 ? link.a : link.b).name + " -> ";
        links += (links.empty() ? "" : ", ") + std::to_string(port / 2);
    }
    const auto& first = graph.GetLink(deadlock.ports.front() / 2);
    nodes += graph.GetNode(deadlock.ports.front() % 2 == 0 ? first.a : first.b).name;
    return "deadlock of priority " + std::to_string(deadlock.priority) +
           ", each port waits for buffer that packets for the next one hold: " + nodes +
           " (links " + links + ")";
}

} // namespace ns3
