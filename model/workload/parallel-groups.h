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
 * @brief Communicators of a rank beyond those of the dimensions, whose slots are their numbers.
 */
enum ExpertSlot : uint32_t
{
    EXPERT_TENSOR_SLOT = N_DIMENSIONS, //!< ranks that an expert is split over
    EXPERT_RAIL_SLOT,                  //!< expert parallel ranks, one of each group of experts
    EXPERT_GROUP_SLOT                  //!< expert parallel ranks that hold one group of experts
};

/**
 * @ingroup workload-replay
 * @param slot slot of a communicator, see ParallelGroups
 * @return dimension that it serves
 */
Dimension GetSlotDimension(uint32_t slot);

/**
 * @ingroup workload-replay
 * @brief Who belongs together in a job laid out in Megatron's order tp-cp-ep-dp-pp.
 *
 * rank = tp + TP (cp + CP (d + DP pp)), with d = ep + EP edp. The data-parallel communicator of a
 * rank holds its replicas over cp and dp together, since context-parallel ranks share weights
 * (Megatron-LM, megatron/core/parallel_state.py). Where two stages hold the same parts of the model
 * (StagePlacement::TWICE), the replicas of both are in it, and in the group of replicas of experts.
 *
 * If experts have a layout of their own (ParallelLayout::etp), they are laid out over the ranks of
 * a stage in the order etp-ep-edp: tp + TP (cp + CP d) = etp + ETP (ep + EP edp) (Megatron-LM,
 * expert_tensor_parallel_size).
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
        uint32_t etp; //!< tensor parallel index in an expert; tp if experts have no own layout
        uint32_t ep;  //!< expert parallel index; dp modulo EP if experts have no own layout
        uint32_t edp; //!< index among replicas of the same experts; dp / EP likewise
        uint32_t pp;  //!< pipeline stage
    };

    /**
     * @param layout a complete layout: world = tp cp dp pp, and ep divides dp, or etp ep divides
     *        tp cp dp
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

    /**
     * Add the communicators of experts that have a layout of their own, see ExpertSlot.
     *
     * @param workload the workload
     * @param groups groups of experts; if they do not divide the expert parallel ranks, those are
     *        one group
     * @param [in,out] slots by rank, the ids of its communicators
     */
    void AddExpertGroupsTo(Workload& workload,
                           uint32_t groups,
                           std::vector<std::vector<uint32_t>>& slots) const;

  private:
    /**
     * @param place where a rank stands; ep and edp are not looked at
     * @return the rank
     */
    uint32_t GetRank(const Place& place) const;

    /**
     * @param place where a rank stands, of which etp, ep, edp and pp are looked at
     * @return the rank, if experts have a layout of their own
     */
    uint32_t GetExpertRank(const Place& place) const;

    /// @return replicas of the same experts in a stage, if they have a layout of their own
    uint32_t CountExpertReplicas() const;

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
