/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "max-flow.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Distance of a vertex that is not reached.
constexpr uint32_t UNREACHED = UINT32_MAX;

} // namespace

MaxFlow::MaxFlow(uint32_t nVertices)
    : m_from(nVertices)
{
}

void
MaxFlow::AddEdge(uint32_t a, uint32_t b, uint64_t capacity)
{
    NS_ASSERT_MSG(a < m_from.size() && b < m_from.size(), "an edge to a vertex that is not there");
    // Arcs of an edge stand side by side: arc ^ 1 is the one the other way. Both have the capacity.
    m_from[a].push_back(static_cast<uint32_t>(m_arcs.size()));
    m_arcs.push_back({b, capacity});
    m_from[b].push_back(static_cast<uint32_t>(m_arcs.size()));
    m_arcs.push_back({a, capacity});
}

bool
MaxFlow::Search(uint32_t source, uint32_t sink)
{
    m_distance.assign(m_from.size(), UNREACHED);
    m_distance[source] = 0;
    std::vector<uint32_t> queue{source};
    // What is farther than the sink is on no shortest path, so the search may end there.
    for (std::size_t i = 0; i < queue.size() && m_distance[sink] == UNREACHED; ++i)
    {
        for (const auto arc : m_from[queue[i]])
        {
            const auto to = m_arcs[arc].to;
            if (m_arcs[arc].residual > 0 && m_distance[to] == UNREACHED)
            {
                m_distance[to] = m_distance[queue[i]] + 1;
                queue.push_back(to);
            }
        }
    }
    return m_distance[sink] != UNREACHED;
}

uint64_t
MaxFlow::Augment(uint32_t source, uint32_t sink)
{
    std::vector<uint32_t> path;
    auto vertex = source;
    while (vertex != sink)
    {
        // Dinic's algorithm: an arc that led nowhere is not tried again until the next search.
        auto& next = m_next[vertex];
        while (next < m_from[vertex].size())
        {
            const auto& arc = m_arcs[m_from[vertex][next]];
            if (arc.residual > 0 && m_distance[arc.to] == m_distance[vertex] + 1)
            {
                break;
            }
            ++next;
        }
        if (next < m_from[vertex].size())
        {
            path.push_back(m_from[vertex][next]);
            vertex = m_arcs[path.back()].to;
            continue;
        }
        if (path.empty())
        {
            return 0;
        }
        // A dead end: step back, and do not come here again.
        vertex = m_arcs[path.back() ^ 1].to;
        ++m_next[vertex];
        path.pop_back();
    }
    auto flow = UINT64_MAX;
    for (const auto arc : path)
    {
        flow = std::min(flow, m_arcs[arc].residual);
    }
    for (const auto arc : path)
    {
        m_arcs[arc].residual -= flow;
        // A later path may send this flow back the other way.
        m_arcs[arc ^ 1].residual += flow;
    }
    return flow;
}

uint64_t
MaxFlow::Solve(uint32_t source, uint32_t sink)
{
    NS_ASSERT_MSG(source != sink, "a flow from a vertex to itself");
    uint64_t total = 0;
    while (Search(source, sink))
    {
        // The search has set new distances, with which arcs that led nowhere may be of use again.
        m_next.assign(m_from.size(), 0);
        while (const auto flow = Augment(source, sink))
        {
            total += flow;
        }
    }
    return total;
}

} // namespace ns3
