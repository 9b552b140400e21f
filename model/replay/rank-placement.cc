/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-placement.h"

#include "ns3/assert.h"

#include <utility>

namespace ns3
{

RankPlacement::RankPlacement(std::shared_ptr<const Workload> workload,
                             std::vector<uint32_t> servers)
    : m_workload(std::move(workload)),
      m_servers(std::move(servers)),
      m_placements(m_workload->GetCommunicators().size())
{
    NS_ASSERT_MSG(m_servers.size() >= m_workload->GetLayout().world,
                  "a server is known of " << m_servers.size() << " ranks only");
}

const CollectivePlacement&
RankPlacement::Get(uint32_t communicator) const
{
    auto& placement = m_placements.at(communicator);
    if (!placement)
    {
        std::vector<uint32_t> servers;
        for (const auto rank : m_workload->GetCommunicators()[communicator].ranks)
        {
            servers.push_back(m_servers[rank]);
        }
        placement = std::make_unique<const CollectivePlacement>(servers);
    }
    return *placement;
}

} // namespace ns3
