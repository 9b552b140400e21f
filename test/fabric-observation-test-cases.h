/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_OBSERVATION_TEST_CASES_H
#define FABRIC_OBSERVATION_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that look at a fabric made by hand, by probes and by Config paths.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFabricObservationTestCases();

} // namespace ns3

#endif /* FABRIC_OBSERVATION_TEST_CASES_H */
