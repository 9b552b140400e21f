/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INPUT_TEST_CASES_H
#define INPUT_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about errors, texts and values, which all readers share.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeInputTestCases();

} // namespace ns3

#endif /* INPUT_TEST_CASES_H */
