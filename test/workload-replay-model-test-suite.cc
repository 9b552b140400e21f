/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Jobs that are made from the configuration of a model.
 */
class WorkloadReplayModelTestSuite : public TestSuite
{
  public:
    WorkloadReplayModelTestSuite()
        : TestSuite("workload-replay-model", TestSuite::Type::UNIT)
    {
        for (const auto make : {MakeModelSizeTestCases,
                                MakeHuggingFaceParameterTestCases,
                                MakeHuggingFaceTestCases,
                                MakeModelPartTestCases,
                                MakeModelTrafficTestCases,
                                MakeModelTraceTestCases,
                                MakeModelExpertTestCases,
                                MakeModelTimeTestCases,
                                MakeModelFrameworkTestCases,
                                MakeModelLatentExpertTestCases,
                                MakeModelLinearTestCases,
                                MakeModelOverlapTestCases,
                                MakeModelPipelineTestCases,
                                MakePipelineLayoutTestCases,
                                MakeModelFileErrorTestCases,
                                MakeModelOptionErrorTestCases})
        {
            for (auto* testCase : make())
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayModelTestSuite g_workloadReplayModelTestSuite;
