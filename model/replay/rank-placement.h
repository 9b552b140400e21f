/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_PLACEMENT_H
#define RANK_PLACEMENT_H

#include "ns3/collective-placement.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which ranks of a job share a server.
 *
 * One object serves all ranks, so that the members of a communicator agree and what follows from it
 * is kept once per communicator.
 */
class RankPlacement
{
  public:
    /**
     * @param workload the job
     * @param servers the server of each rank of the job, any numbers, or
     *                CollectivePlacement::NO_SERVER
     */
    RankPlacement(std::shared_ptr<const Workload> workload, std::vector<uint32_t> servers);

    /**
     * @param communicator id of a communicator of the job
     * @return where its members stand; made at the first call, stays as long as this object
     */
    const CollectivePlacement& Get(uint32_t communicator) const;

  private:
    std::shared_ptr<const Workload> m_workload; //!< the job
    std::vector<uint32_t> m_servers;            //!< server by rank
    /// By communicator; null = not made.
    mutable std::vector<std::unique_ptr<const CollectivePlacement>> m_placements;
};

} // namespace ns3

#endif /* RANK_PLACEMENT_H */
