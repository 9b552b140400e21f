/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_LINK_TEST_CASES_H
#define RDMA_LINK_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases in which links are cut and mended during messages.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaLinkTestCases();

} // namespace ns3

#endif /* RDMA_LINK_TEST_CASES_H */
