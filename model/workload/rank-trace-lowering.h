/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_LOWERING_H
#define RANK_TRACE_LOWERING_H

#include "rank-trace-items.h"
#include "workload-program.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Make a rank's program from the trace of a whole run, in the order it was recorded.
 *
 * Every recorded op ended with a synchronisation of the device, so each op waits for all before it
 * and nothing overlaps. Two adjacent messages of equal duration and timestamp are one exchange:
 * they start together. Communicator slots are the numbers of the dimensions; tags and streams are
 * those of LowerStage(), so that such programs and recorded ones understand each other.
 *
 * @param trace the trace
 * @param pipeline shape of the pipeline
 * @param groupSizes members of the rank's group in each dimension
 * @param splits see RankTraceSplits; empty = all parts are equal
 * @return the program
 * @throws WorkloadError if a message has no microbatch
 */
std::shared_ptr<const WorkloadProgram> LowerRankTrace(
    const RankTrace& trace,
    const PipelineShape& pipeline,
    const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
    const RankTraceSplits& splits);

} // namespace ns3

#endif /* RANK_TRACE_LOWERING_H */
