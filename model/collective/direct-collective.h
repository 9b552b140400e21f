/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_COLLECTIVE_H
#define DIRECT_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Collectives by messages straight to the member concerned.
 *
 * In an all-to-all a member sends a block of bytes / N to each other member, to the one d places
 * further on while it receives from the one d places back, for d from 1 to N - 1, so that no two
 * members send to the same one at the same time. Up to Concurrency distances are under way at once,
 * and as many for each link of a member where links join members, as in a torus: there distances
 * come in an order by which any number of them in a row use all links alike.
 * Calls with splits send and receive blocks of those lengths instead. An all-gather is the same
 * with the member's own block for all others, and a reduce-scatter the same with the receiver
 * adding up what it gets: one step where a ring takes N - 1, for a switch that joins all members.
 * In a shift each member sends bytes to the next member.
 * In a gather all members send their block to the root, and in a scatter the root sends each member
 * its block, all at once: what NCCL makes of the sends and receives that nccl-tests writes them as.
 * Only the receives of the root are bounded by Concurrency.
 */
class DirectCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    DirectCollective();

    double GetUsedShare(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

    std::string GetAllAtOnceOption(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    /**
     * @param call the collective
     * @return distances under way at the same time
     */
    uint64_t CountUnderWay(const CollectiveCall& call) const;

    uint32_t m_concurrency; //!< distances under way at the same time, for each link of a member
};

} // namespace ns3

#endif /* DIRECT_COLLECTIVE_H */
