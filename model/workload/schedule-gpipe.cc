/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-gpipe.h"

namespace ns3
{

GpipeSchedule::GpipeSchedule()
    : PipelineSchedule("gpipe")
{
}

std::vector<PipelinePass>
GpipeSchedule::DoGetPasses(const PipelineShape& shape, uint32_t stage [[maybe_unused]]) const
{
    std::vector<PipelinePass> passes;
    for (uint32_t i = 0; i < shape.microbatches; ++i)
    {
        passes.push_back({PassKind::FORWARD, i});
    }
    for (uint32_t i = shape.microbatches; i-- > 0;)
    {
        passes.push_back({PassKind::BACKWARD, i});
    }
    return passes;
}

} // namespace ns3
