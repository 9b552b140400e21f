/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OVERLOAD_TEST_CASES_H
#define RDMA_OVERLOAD_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases about what the defaults do where two senders overload one port
 */
std::vector<TestCase*> MakeRdmaOverloadTestCases();

} // namespace ns3

#endif /* RDMA_OVERLOAD_TEST_CASES_H */
