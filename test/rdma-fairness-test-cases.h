/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FAIRNESS_TEST_CASES_H
#define RDMA_FAIRNESS_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test congestion control in a network.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaFairnessTestCases();

} // namespace ns3

#endif /* RDMA_FAIRNESS_TEST_CASES_H */
