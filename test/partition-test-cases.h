/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARTITION_TEST_CASES_H
#define PARTITION_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about which process simulates what of a topology.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakePartitionTestCases();

} // namespace ns3

#endif /* PARTITION_TEST_CASES_H */
