/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLS_TEST_CASES_H
#define NVLS_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about who ends with which data, and where nvls can do what.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeNvlsDataTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about times and bytes on links.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeNvlsTimeTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about several collectives, members that do not come, and contradictions.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeNvlsEngineTestCases();

} // namespace ns3

#endif /* NVLS_TEST_CASES_H */
