/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARALLEL_LAYOUT_TEST_CASES_H
#define PARALLEL_LAYOUT_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about parallel layouts and their groups of ranks.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeParallelLayoutTestCases();

} // namespace ns3

#endif /* PARALLEL_LAYOUT_TEST_CASES_H */
