/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief All forward passes, then all backward passes, the last microbatch first (Huang et al.,
 *        "GPipe", NeurIPS 2019).
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    GpipeSchedule();

  private:
    std::vector<PipelinePass> DoGetPasses(const PipelineShape& shape,
                                          uint32_t stage) const override;
};

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

/// Makes the schedule gpipe known.
const PipelineSchedule::Registration GPIPE(1, [] {
    return std::unique_ptr<const PipelineSchedule>(std::make_unique<GpipeSchedule>());
});

} // namespace

} // namespace ns3
