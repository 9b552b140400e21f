/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_TEST_CASES_H
#define UEC_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases of what the transport is made of, by hand
 */
std::vector<TestCase*> MakeUecUnitTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of hosts with a port in each of several planes, by any transport
 */
std::vector<TestCase*> MakeUecPlaneTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of the order in which receivers grant credit
 */
std::vector<TestCase*> MakeUecCreditTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of priorities that messages have by what is left of them
 */
std::vector<TestCase*> MakeUecPriorityTestCases();

} // namespace ns3

#endif /* UEC_TEST_CASES_H */
