/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_LOSSLESS_TEST_CASES_H
#define RDMA_LOSSLESS_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test priority flow control.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaLosslessTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases of pauses that expire, or last too long.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaPauseTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test flow control by credits.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaCreditTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test what links add to packets.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaLinkLayerTestCases();

} // namespace ns3

#endif /* RDMA_LOSSLESS_TEST_CASES_H */
