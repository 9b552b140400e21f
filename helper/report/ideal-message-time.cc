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
    const auto links = m_table.GetPath(m_endpoints.GetNodes().at(source),
                                       m_endpoints.GetNodes().at(destination),
                                       EcmpFlowHash(source, destination),
                                       0);
    NS_ABORT_MSG_IF(links.empty(),
                    "no path from " << m_endpoints.Describe(graph, source) << " to "
                                    << m_endpoints.Describe(graph, destination));
    return {std::min(graph.GetLink(links.front()).rate.GetBitRate(),
                     graph.GetLink(links.back()).rate.GetBitRate()),
            m_table.GetDelay(links)};
}

} // namespace ns3
