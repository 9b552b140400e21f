/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_TIME_TEST_CASES_H
#define COMPUTE_TIME_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about scaled and varying compute times.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeComputeTimeTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about computations that communication slows down.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeComputeClockTestCases();

} // namespace ns3

#endif /* COMPUTE_TIME_TEST_CASES_H */
