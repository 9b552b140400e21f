/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_TEST_CASES_H
#define SCHEDULE_TEST_CASES_H

#include "ns3/test.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief A schedule in a shape, and how long it takes if nothing communicates.
 */
struct ScheduleTime
{
    const char* name;      //!< name of the schedule
    uint32_t stages;       //!< pipeline stages
    uint32_t microbatches; //!< microbatches
    uint32_t chunks;       //!< chunks asked for; 0 = as many as the schedule has
    uint64_t forward;      //!< cost of a forward pass through a chunk
    uint64_t input;        //!< cost of the gradients of the input
    uint64_t weight;       //!< cost of the gradients of the weights
    uint64_t pair;         //!< cost of passes that run together
    uint64_t expected;     //!< when the last stage is done
};

/**
 * @return times of all schedules
 */
const std::vector<ScheduleTime>& GetScheduleTimes();

/**
 * @return new test cases about orders of passes, which the caller owns
 */
std::vector<TestCase*> MakeScheduleOrderTestCases();

/**
 * @return new test cases about programs and their replay, which the caller owns
 */
std::vector<TestCase*> MakeScheduleReplayTestCases();

/**
 * @return new test cases about programs of stages, which the caller owns
 */
std::vector<TestCase*> MakeScheduleProgramTestCases();

/**
 * @return new test cases about layer files, which the caller owns
 */
std::vector<TestCase*> MakeScheduleLayerFileTestCases();

} // namespace ns3

#endif /* SCHEDULE_TEST_CASES_H */
