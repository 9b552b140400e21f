/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SELECTION_TEST_CASES_H
#define COLLECTIVE_SELECTION_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about collectives with a root, from the workload to the messages.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeCollectiveSelectionTestCases();

} // namespace ns3

#endif /* COLLECTIVE_SELECTION_TEST_CASES_H */
