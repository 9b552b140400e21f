/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_TEST_CASES_H
#define TOPOLOGY_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about summaries and bisection bandwidth.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologySummaryTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about pictures and dry runs.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologyFilesTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about topologies in JSON.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologyJsonTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about NICs that ranks share, and about several NICs or ports of a rank.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologyNicTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about topologies without a leaf-spine.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologyShapeTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about counts that cannot be.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTopologyErrorTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about files of ASTRA-sim and InfraGraph.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeForeignTopologyTestCases();

} // namespace ns3

#endif /* TOPOLOGY_TEST_CASES_H */
