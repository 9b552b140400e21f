/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_ITEMS_H
#define RANK_TRACE_ITEMS_H

#include "rank-trace.h"
#include "stage-program.h"
#include "workload-types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// How the all-to-alls of a trace for which RankTraceCollective::HasSplits() share out their
/// buffers, in their order.
using RankTraceSplits = std::vector<std::shared_ptr<const AllToAllSplits>>;

/**
 * @ingroup workload-replay
 * @brief Separates what a rank computed from what it waited for.
 *
 * A recorded communication contains the waiting for the other members, so its duration is dropped
 * and all time between communications is kept as computation: within ops, and between them, where
 * the host was at work. Timestamps are rounded, so that two ops may seem to overlap a little; the
 * overlap is taken off the computation that follows, which keeps the sum exact.
 *
 * Reductions of gradients begin with a pass over the gradients that scales them, which belongs to
 * the rank itself: see GetScalingTime().
 */
class RankTraceItems
{
  public:
    /**
     * @param trace the trace
     * @param groupSizes members of the rank's group in each dimension
     * @param splits see RankTraceSplits; empty = all parts are equal
     */
    RankTraceItems(const RankTrace& trace,
                   const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
                   const RankTraceSplits& splits);

    /**
     * @param [in,out] items receives the computations and collectives of the next op in the
     *        trace, and the host's work before it; of a message the host's work only, and of the
     *        second message of an exchange nothing
     */
    void AppendNext(StageItems& items);

    /**
     * The scaling reads and writes each gradient once, at the memory bandwidth of the GPU. 2 TB/s
     * is what an H800 reaches: an all-reduce of 5.64 GB in a group of one takes 5.65 ms.
     *
     * @param bytes bytes of the gradients
     * @return time to scale them in ps
     */
    static uint64_t GetScalingTime(uint64_t bytes);

  private:
    /**
     * Append the computation up to a time.
     *
     * @param items receives it, unless there is none
     * @param op the op it belongs to
     * @param until its end in ns
     */
    void AppendCompute(StageItems& items, const RankTraceOp& op, int64_t until);

    /**
     * @param items receives the collective, unless it moves nothing
     * @param op the op it belongs to
     * @param collective the collective
     */
    void AppendCollective(StageItems& items,
                          const RankTraceOp& op,
                          const RankTraceCollective& collective);

    const RankTrace& m_trace;                        //!< the trace
    std::array<uint32_t, N_DIMENSIONS> m_groupSizes; //!< members by dimension
    const RankTraceSplits& m_splits;                 //!< splits of all-to-alls
    std::size_t m_next{0};                           //!< index of the next op
    std::size_t m_splitCalls{0};                     //!< collectives so far that have splits
    int64_t m_now{0};                                //!< end of what was counted last, in ns
    int64_t m_overlap{0};                            //!< overlap not yet taken off, in ns
};

} // namespace ns3

#endif /* RANK_TRACE_ITEMS_H */
