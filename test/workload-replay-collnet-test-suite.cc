/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-test-cases.h"

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Collectives in which switches of the network add: test suite.
 */
class WorkloadReplayCollnetTestSuite : public TestSuite
{
  public:
    WorkloadReplayCollnetTestSuite()
        : TestSuite("workload-replay-collnet", TestSuite::Type::UNIT)
    {
        for (const auto& cases :
             {MakeCollnetDataTestCases(), MakeCollnetRunTestCases(), MakeCollnetFaultTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// Registers the suite.
static WorkloadReplayCollnetTestSuite g_workloadReplayCollnetTestSuite;
