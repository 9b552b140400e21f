/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SUMMARY_TEST_CASES_H
#define TOPOLOGY_SUMMARY_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases of summaries, bisection bandwidth, pictures and dry runs
 */
std::vector<TestCase*> MakeTopologySummaryTestCases();

} // namespace ns3

#endif /* TOPOLOGY_SUMMARY_TEST_CASES_H */
