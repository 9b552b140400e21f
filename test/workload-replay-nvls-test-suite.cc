/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvls-test-cases.h"

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Collectives in which NVSwitches add and multicast: test suite.
 */
class WorkloadReplayNvlsTestSuite : public TestSuite
{
  public:
    WorkloadReplayNvlsTestSuite()
        : TestSuite("workload-replay-nvls", TestSuite::Type::UNIT)
    {
        for (const auto& cases :
             {MakeNvlsDataTestCases(), MakeNvlsTimeTestCases(), MakeNvlsEngineTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// Registers the suite.
static WorkloadReplayNvlsTestSuite g_workloadReplayNvlsTestSuite;
