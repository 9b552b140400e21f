/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_LOWERING_H
#define RANK_TRACE_LOWERING_H

#include "rank-trace.h"
#include "stage-program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

// What a rank computed is separated from what it waited for. A recorded communication contains the
// waiting for the other members, so its duration is dropped and all time between communications is
// kept as computation: within ops, and between them, where the host was at work. Reductions of
// gradients begin with a pass over the gradients that scales them, which belongs to the rank
// itself.

/// How the all-to-alls of a trace for which RankTraceCollective::HasSplits() share out their
/// buffers, in their order.
using RankTraceSplits = std::vector<std::shared_ptr<const AllToAllSplits>>;

/// Members of a rank's group by dimension.
using RankGroupSizes = std::array<uint32_t, N_DIMENSIONS>;

/**
 * @ingroup workload-replay
 * @brief Make a rank's program from the trace of a whole run, in the order it was recorded.
 *
 * Every recorded op ended with a synchronisation of the device, so each op waits for all before it
 * and nothing overlaps. Two adjacent messages of equal duration and timestamp are one exchange:
 * they start together.
 *
 * @param trace the trace
 * @param pipeline shape of the pipeline
 * @param groupSizes members of the rank's group in each dimension
 * @param splits see RankTraceSplits; empty = all parts are equal
 * @return the program
 * @throws WorkloadError if a message has no microbatch
 */
std::shared_ptr<const WorkloadProgram> LowerRankTrace(const RankTrace& trace,
                                                      const PipelineShape& pipeline,
                                                      const RankGroupSizes& groupSizes,
                                                      const RankTraceSplits& splits);

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
                          const RankGroupSizes& groupSizes,
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
 * @return bytes of a message; 0 = the traces do not say
 */
uint64_t FindMessageBytes(const std::vector<RankTrace>& traces);

} // namespace ns3

#endif /* RANK_TRACE_LOWERING_H */
