/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_ISOLATION_TEST_CASES_H
#define PORT_ISOLATION_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return new cases about who has ports to itself
 */
std::vector<TestCase*> MakePortIsolationTestCases();

} // namespace ns3

#endif /* PORT_ISOLATION_TEST_CASES_H */
