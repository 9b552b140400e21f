/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-cases.h"

#include "ns3/test.h"

#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Packet trains against closed forms and against plain packets.
 */
class WorkloadReplayTrainTestSuite : public TestSuite
{
  public:
    WorkloadReplayTrainTestSuite()
        : TestSuite("workload-replay-train", TestSuite::Type::UNIT)
    {
        for (const auto& cases : {MakeRdmaTrainPartsTestCases(),
                                  MakeRdmaTrainTestCases(),
                                  MakeRdmaTrainQueueTestCases(),
                                  MakeRdmaTrainSharedTestCases(),
                                  MakeRdmaTrainShortTestCases(),
                                  MakeRdmaTrainGapTestCases(),
                                  MakeRdmaCutThroughTestCases(),
                                  MakeRdmaTrainLossTestCases(),
                                  MakeRdmaSwitchPortTestCases()})
        {
            for (const auto testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The suite registers itself.
static WorkloadReplayTrainTestSuite g_workloadReplayTrainTestSuite;
