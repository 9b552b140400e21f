/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAT_COLLECTIVE_H
#define PAT_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-gather and reduce-scatter by parallel aggregated trees: few steps and small buffers.
 *
 * The block of every member spreads along a binomial tree of its own, the same for all but for its
 * root, so that in each step all members send to the member at the same distance. Distances shrink:
 * the messages of few blocks go far and those of many blocks go to neighbours, where Bruck's
 * algorithm does the opposite. A message never has more than AggregationBytes, so that the memory
 * to assemble it stays small whatever the collective (Jeaugey, "PAT: a new algorithm for all-gather
 * and reduce-scatter operations at scale", arXiv 2506.20252, 2025; in NCCL since 2.23). With N
 * members, 2^k the power of two from N on, and messages of up to A blocks, A a power of two up to
 * 2^(k - 1):
 *
 * - logarithmic phase: log2 A steps over distances of 2^(k - 1), 2^(k - 2), ..., 2^k / A; step t
 * has 2^t blocks. Then A members hold each block, 2^k / A places apart;
 * - linear phase: these pass the block on to the places between. Step e has up to A blocks and goes
 *   over the largest power of two that divides e, for e from 1 to 2^k / A - 1 or N - 1.
 *
 * So with small blocks there are k steps, and with blocks of AggregationBytes or more there are N -
 * 1 for each piece of that length. In a reduce-scatter all messages go the other way, in the
 * opposite order, and are added up.
 *
 * Members stand server by server where the call says how they are spread, otherwise as in the
 * communicator.
 */
class PatCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PatCollective();

    /**
     * Estimate as NCCL does (tuning.cc of version 2.30, PAT): the base latency, that of the network
     * divided by 3.5 for each doubling, 2.8 us for each member, and the bytes at 3/4 of the rate of
     * the slowest link.
     *
     * @param call the collective
     * @param protocol how it is to run
     * @param costs what latencies and wires cost
     * @return the time, seconds; none where NCCL does not use PAT: unless every member stands alone
     *         in its server, or with a protocol other than Simple
     */
    std::optional<double> Estimate(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    uint64_t m_aggregationBytes; //!< longest message, bytes; 0 = any
    uint32_t m_pipelineDepth;    //!< pieces of a block on their way at the same time
};

} // namespace ns3

#endif /* PAT_COLLECTIVE_H */
