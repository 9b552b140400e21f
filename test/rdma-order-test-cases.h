/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ORDER_TEST_CASES_H
#define RDMA_ORDER_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases about what the result must not depend on: the ids of nodes, who has sent first
 *         within a time step, what happens at other ports, and the process that a node belongs to
 */
std::vector<TestCase*> MakeRdmaOrderTestCases();

} // namespace ns3

#endif /* RDMA_ORDER_TEST_CASES_H */
