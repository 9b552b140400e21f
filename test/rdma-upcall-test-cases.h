/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UPCALL_TEST_CASES_H
#define RDMA_UPCALL_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test messages that are posted from within upcalls.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaUpcallTestCases();

} // namespace ns3

#endif /* RDMA_UPCALL_TEST_CASES_H */
