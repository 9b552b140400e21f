/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Pipeline schedule: as gpipe, but backward passes begin with the first microbatch.
 */

#include "ns3/pipeline-schedule.h"

#include <memory>
#include <vector>

namespace ns3
{

/// All forward passes, then all backward passes, the first microbatch first.
class FirstBackSchedule : public PipelineSchedule
{
  public:
    FirstBackSchedule()
        : PipelineSchedule("first-back")
    {
    }

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage [[maybe_unused]]) const override
    {
        std::vector<PipelinePass> passes;
        for (const auto kind : {PassKind::FORWARD, PassKind::BACKWARD})
        {
            for (uint32_t microbatch = 0; microbatch < shape.microbatches; ++microbatch)
            {
                passes.push_back({kind, microbatch});
            }
        }
        return passes;
    }
};

/// Makes the schedule known; the number is its place in lists, above those of the module.
static const PipelineSchedule::Registration FIRST_BACK(1000, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<FirstBackSchedule>());
});

} // namespace ns3
