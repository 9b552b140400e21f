/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_SCHEDULE_H
#define GOAL_SCHEDULE_H

#include "workload-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a GOAL file holds, whichever of its two forms it has.
 */
struct GoalSchedule
{
    static constexpr uint32_t MAX_WORLD = 1000000; //!< most ranks that are taken

    /// Most ranks that may have nothing to do: files of a few bytes do not ask for gigabytes.
    static constexpr uint32_t MAX_IDLE = 65536;

    /// By rank: what it does; null = nothing.
    std::vector<std::shared_ptr<const WorkloadProgram>> programs;
    uint64_t longTags{0}; //!< tags that do not fit 32 bits, as the binary form has them
};

} // namespace ns3

#endif /* GOAL_SCHEDULE_H */
