/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-message-time.h"

#include "ns3/abort.h"
#include "ns3/ecmp-hash.h"

#include <algorithm>

namespace ns3
{

IdealMessageTime::IdealMessageTime(const TopologyGraph& graph)
    : m_table(graph),
      m_endpoints(graph, true, true)
{
}

Time
IdealMessageTime::Get(uint32_t source, uint32_t destination, uint64_t bytes)
{
    const uint64_t pair = (static_cast<uint64_t>(source) << 32) | destination;
    auto found = m_paths.find(pair);
    if (found == m_paths.end())
    {
        found = m_paths.emplace(pair, Find(source, destination)).first;
    }
    const Path& path = found->second;
    // 8e12 picobits per byte per second do not fit into 64 bits for a message above 2.3 MB.
    const auto bits = static_cast<__uint128_t>(bytes) * 8 * 1000000000000ULL;
    return path.delay + PicoSeconds(static_cast<uint64_t>((bits + path.rate - 1) / path.rate));
}

IdealMessageTime::Path
IdealMessageTime::Find(uint32_t source, uint32_t destination) const
{
    const auto& graph = m_table.GetGraph();
    const auto from = m_endpoints.GetNodes().at(source);
    const auto to = m_endpoints.GetNodes().at(destination);
    const auto links = m_table.GetPath(from, to, EcmpFlowHash(source, destination), 0);
    NS_ABORT_MSG_IF(links.empty(),
                    "no path from " << m_endpoints.Describe(graph, source) << " to "
                                    << m_endpoints.Describe(graph, destination));
    const auto getRate = [this, &graph](uint32_t node, uint32_t peer, uint32_t taken) {
        const auto own = graph.GetLink(taken).rate.GetBitRate();
        uint64_t rate = 0;
        for (const auto link : m_table.GetNextLinks(node, peer))
        {
            rate += graph.GetLink(link).rate.GetBitRate();
        }
        // Where hosts relay, each port is a way of its own.
        return graph.HostsRelay() ? own : std::max(own, rate);
    };
    return {std::min(getRate(from, to, links.front()), getRate(to, from, links.back())),
            m_table.GetDelay(links)};
}

} // namespace ns3
