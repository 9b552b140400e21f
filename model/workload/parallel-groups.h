/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARALLEL_GROUPS_H
#define PARALLEL_GROUPS_H

#include "workload.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Who belongs together in a job laid out in Megatron's order tp-cp-ep-dp-pp.
 *
 * rank = tp + TP (cp + CP (d + DP pp)), with d = ep + EP edp. The data-parallel communicator of a
 * rank holds its replicas over cp and dp together, since context-parallel ranks share weights
 * (Megatron-LM, megatron/core/parallel_state.py). Where two stages hold the same parts of the model
 * (StagePlacement::TWICE), the replicas of both are in it, and in the group of replicas of experts.
 */
class ParallelGroups
{
  public:
    /// Where a rank stands in each dimension.
    struct Place
    {
        uint32_t tp;  //!< tensor parallel index
        uint32_t cp;  //!< context parallel index
        uint32_t dp;  //!< data parallel index, expert parallel index included
        uint32_t ep;  //!< expert parallel index, dp modulo EP
        uint32_t edp; //!< index among replicas of the same experts, dp / EP
        uint32_t pp;  //!< pipeline stage
    };

    /**
     * @param layout a complete layout: world = tp cp dp pp, and ep divides dp
     */
    explicit ParallelGroups(const ParallelLayout& layout);

    /**
     * @param rank a rank of the world
     * @return where it stands
     */
    Place GetPlace(uint32_t rank) const;

    /**
     * @param rank a rank of the world
     * @param dimension a dimension
     * @return its group there, in the order of the communicator; EMBEDDING: first and last stage,
     * or the rank alone in a stage between, and in all stages if they are FOLDED
     */
    Communicator GetGroup(uint32_t rank, Dimension dimension) const;

    /**
     * Add the communicators of all ranks and all dimensions to a workload, each group made once.
     *
     * @param workload a workload of this layout
     * @return by rank, the ids of its communicators; the slot of a dimension is its number
     */
    std::vector<std::vector<uint32_t>> AddTo(Workload& workload) const;

  private:
    /**
     * @param place where a rank stands; ep and edp are not looked at
     * @return the rank
     */
    uint32_t GetRank(const Place& place) const;

    /**
     * @param stage a pipeline stage
     * @return the stages that hold what it holds, itself included, in their order
     */
    std::vector<uint32_t> GetHolders(uint32_t stage) const;

    /**
     * @param place where a rank stands
     * @param dimension a dimension
     * @return the members of its group there
     */
    std::vector<uint32_t> GetMembers(Place place, Dimension dimension) const;

    ParallelLayout m_layout; //!< the layout
};

} // namespace ns3

#endif /* PARALLEL_GROUPS_H */
