/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-plan.h"

namespace ns3
{

uint32_t
MscclPlan::CountChunks(MscclPlace::Buffer buffer) const
{
    const auto part = chunks / static_cast<uint32_t>(gpus.size());
    // The input of a scatter counts at the root alone, as the output of a gather does.
    const bool isPart =
        buffer == MscclPlace::INPUT
            ? kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::GATHER
            : kind == CollectiveKind::REDUCE_SCATTER || kind == CollectiveKind::SCATTER;
    return isPart ? part : chunks;
}

SourceLocation
MscclPlan::Locate(uint32_t gpu, uint32_t block, uint32_t step) const
{
    return {file, 0, 0, gpus[gpu][block].steps[step].pointer};
}

} // namespace ns3
