/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HALVING_DOUBLING_COLLECTIVE_H
#define HALVING_DOUBLING_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce, all-gather, reduce-scatter and barrier in a logarithmic number of steps.
 *
 * All-reduce of N = 2^k members: reduce-scatter by recursive halving, then all-gather by recursive
 * doubling (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
 * MPICH", IJHPCA 19(1), 2005): 2 k steps, in which each member sends 2 (N - 1) / N of the buffer.
 * The longest messages go to the nearest members, those of the same server if the call says how the
 * members are spread.
 *
 * All-gather: Bruck's algorithm, for any N in ceil(log2 N) steps: in step r each member sends the
 * up to 2^r blocks that it has to the member 2^r before it (Bruck, Ho, Kipnis, Upfal and
 * Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing
 * systems", IEEE TPDS 8(11), 1997). Reduce-scatter is the same in reverse. Blocks on both sides of
 * the end of the buffer make two messages. A barrier is the same with a message of no bytes in each
 * step, which is the dissemination barrier (Hensgen, Finkel and Manber, "Two algorithms for barrier
 * synchronization", IJPP 17(1), 1988).
 *
 * All-reduce of other N: Bruck's reduce-scatter, then its all-gather, which is optimal in steps and
 * bytes (Traeff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms",
 * arXiv:2410.14234, 2024), where folding the members beyond 2^k would send twice the buffer more.
 * The longest messages go to the furthest members here.
 *
 * A member uses one channel, and messages are whole: nothing would be won by pieces, because a
 * member needs all that a step brings in the next step.
 */
class HalvingDoublingCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HalvingDoublingCollective();

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
};

} // namespace ns3

#endif /* HALVING_DOUBLING_COLLECTIVE_H */
