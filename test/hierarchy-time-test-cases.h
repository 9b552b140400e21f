/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHY_TIME_TEST_CASES_H
#define HIERARCHY_TIME_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases that hold the times of algorithms in servers and along rails against closed forms,
 *         to be handed to a suite
 */
std::vector<TestCase*> MakeHierarchyTimeTestCases();

} // namespace ns3

#endif /* HIERARCHY_TIME_TEST_CASES_H */
