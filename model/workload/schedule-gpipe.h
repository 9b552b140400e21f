/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_GPIPE_H
#define SCHEDULE_GPIPE_H

#include "pipeline-schedule.h"

namespace ns3
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

} // namespace ns3

#endif /* SCHEDULE_GPIPE_H */
