/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-buffer-test-cases.h"
#include "rdma-fairness-test-cases.h"
#include "rdma-link-test-cases.h"
#include "rdma-lossless-test-cases.h"
#include "rdma-order-test-cases.h"
#include "rdma-overload-test-cases.h"
#include "rdma-reliability-test-cases.h"
#include "rdma-unit-test-cases.h"
#include "rdma-upcall-test-cases.h"
#include "rdma-wire-test-cases.h"

#include "ns3/test.h"

#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief The rdma fabric against closed forms.
 */
class WorkloadReplayRdmaTestSuite : public TestSuite
{
  public:
    WorkloadReplayRdmaTestSuite()
        : TestSuite("workload-replay-rdma", TestSuite::Type::UNIT)
    {
        for (const auto& cases : {MakeRdmaUnitTestCases(),
                                  MakeRdmaBufferTestCases(),
                                  MakeRdmaWireTestCases(),
                                  MakeRdmaLosslessTestCases(),
                                  MakeRdmaPauseTestCases(),
                                  MakeRdmaCreditTestCases(),
                                  MakeRdmaLinkLayerTestCases(),
                                  MakeRdmaReliabilityTestCases(),
                                  MakeRdmaIrnTestCases(),
                                  MakeRdmaFairnessTestCases(),
                                  MakeRdmaLinkTestCases(),
                                  MakeRdmaUpcallTestCases(),
                                  MakeRdmaOrderTestCases(),
                                  MakeRdmaOverloadTestCases()})
        {
            for (const auto testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The suite registers itself.
static WorkloadReplayRdmaTestSuite g_workloadReplayRdmaTestSuite;
