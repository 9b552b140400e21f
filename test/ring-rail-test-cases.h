/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_RAIL_TEST_CASES_H
#define RING_RAIL_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about rings through several servers.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRingRailTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about collectives on such rings.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRingRailCollectiveTestCases();

} // namespace ns3

#endif /* RING_RAIL_TEST_CASES_H */
