/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FLOW_TEST_CASES_H
#define COLLECTIVE_FLOW_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about the flow control of collectives.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeCollectiveFlowTestCases();

} // namespace ns3

#endif /* COLLECTIVE_FLOW_TEST_CASES_H */
