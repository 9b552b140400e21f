/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_LIST_TEST_CASES_H
#define FLOW_LIST_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/// @return new cases about flow lists of other simulators, which the caller owns
std::vector<TestCase*> MakeFlowListTestCases();

} // namespace ns3

#endif /* FLOW_LIST_TEST_CASES_H */
