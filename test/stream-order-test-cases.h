/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STREAM_ORDER_TEST_CASES_H
#define STREAM_ORDER_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases about streams that do not run in order, and about edges from starts
 */
std::vector<TestCase*> MakeStreamOrderTestCases();

} // namespace ns3

#endif /* STREAM_ORDER_TEST_CASES_H */
