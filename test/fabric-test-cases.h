/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TEST_CASES_H
#define FABRIC_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about the routes of a graph.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFabricRouteTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that send packets through a fabric.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFabricPacketTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the case about routes in a network made by a script.
 *
 * @return a new test case, which the caller owns
 */
TestCase* MakeFabricScriptTestCase();

} // namespace ns3

#endif /* FABRIC_TEST_CASES_H */
