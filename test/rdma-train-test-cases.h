/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_TEST_CASES_H
#define RDMA_TRAIN_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about how long packet trains are, and about their parts, by hand.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainPartsTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about packet trains on paths without queues.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about packet trains that meet queues, full buffers and ways that part.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainQueueTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about short trains, which go through queues as a whole.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainShortTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about packet trains on ports that queue pairs share.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainSharedTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about what goes between the packets of a train.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainGapTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about cut-through switches, with trains and without.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaCutThroughTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about packet trains of which packets are lost.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaTrainLossTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about what the port of a switch sends when, and what it tells the senders.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaSwitchPortTestCases();

} // namespace ns3

#endif /* RDMA_TRAIN_TEST_CASES_H */
