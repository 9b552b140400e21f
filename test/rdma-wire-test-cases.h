/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WIRE_TEST_CASES_H
#define RDMA_WIRE_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test the timing of packets.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaWireTestCases();

} // namespace ns3

#endif /* RDMA_WIRE_TEST_CASES_H */
