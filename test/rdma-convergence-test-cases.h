/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONVERGENCE_TEST_CASES_H
#define RDMA_CONVERGENCE_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that look at how congestion controls share a port.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaConvergenceTestCases();

} // namespace ns3

#endif /* RDMA_CONVERGENCE_TEST_CASES_H */
