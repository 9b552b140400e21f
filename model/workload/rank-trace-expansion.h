/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_EXPANSION_H
#define RANK_TRACE_EXPANSION_H

#include "rank-trace-items.h"
#include "stage-program.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Take a trace out of its recorded order: what its stage does for each microbatch, and once.
 *
 * A profile of one microbatch stands for all of them. Reductions of gradients and the optimizer
 * follow the last backward pass. Messages are left out; LowerStage() makes new ones.
 *
 * @param trace the trace
 * @param groupSizes members of the rank's group in each dimension
 * @param splits see RankTraceSplits; empty = all parts are equal
 * @param microbatches microbatches of an iteration; as many as the trace has, unless it is a
 * profile
 * @param messageBytes bytes of one message between stages
 * @return the work of the stage
 */
StageWork ExpandRankTrace(const RankTrace& trace,
                          const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
                          const RankTraceSplits& splits,
                          uint32_t microbatches,
                          uint64_t messageBytes);

/**
 * @ingroup workload-replay
 * @brief Find the size of the messages between stages: [sequence, microbatch, hidden].
 *
 * That is the size of recorded messages. Where there are none it is the size of the activations
 * that tensor-parallel ranks reduce or gather in a forward pass, the largest tensors they share.
 *
 * @param traces the traces
 * @return bytes of a message; 0 = the traces do not tell
 */
uint64_t FindMessageBytes(const std::vector<RankTrace>& traces);

} // namespace ns3

#endif /* RANK_TRACE_EXPANSION_H */
