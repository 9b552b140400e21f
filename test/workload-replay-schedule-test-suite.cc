/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-test-cases.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Pipeline schedules: their orders, the programs made of them, and their replay.
 */
class WorkloadReplayScheduleTestSuite : public TestSuite
{
  public:
    WorkloadReplayScheduleTestSuite()
        : TestSuite("workload-replay-schedule", TestSuite::Type::UNIT)
    {
        for (const auto make : {MakeScheduleOrderTestCases,
                                MakeScheduleProgramTestCases,
                                MakeScheduleLayerFileTestCases,
                                MakeScheduleReplayTestCases})
        {
            for (auto* testCase : make())
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayScheduleTestSuite g_workloadReplayScheduleTestSuite;
