/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TIME_TEST_CASES_H
#define COLLECTIVE_TIME_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about how long collectives take.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeCollectiveTimeTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about steps of collectives, and about what follows from the servers.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeCollectiveStepTestCases();

} // namespace ns3

#endif /* COLLECTIVE_TIME_TEST_CASES_H */
