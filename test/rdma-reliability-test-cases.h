/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABILITY_TEST_CASES_H
#define RDMA_RELIABILITY_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test loss and its repair.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaReliabilityTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about the timeouts and the limit of IRN.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaIrnTestCases();

} // namespace ns3

#endif /* RDMA_RELIABILITY_TEST_CASES_H */
