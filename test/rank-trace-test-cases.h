/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_TEST_CASES_H
#define RANK_TRACE_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about wrong lines of traces.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRankTraceErrorTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about traces of real runs, shipped or from the directory of measurements.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRankTraceRunTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about traces that do not fit together or to the options.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRankTraceLayoutErrorTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about all-to-alls of a group, and about ranks without a trace.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRankTraceGroupTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about passes, clocks and stages that are out of line.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRankTraceOutlierTestCases();

} // namespace ns3

#endif /* RANK_TRACE_TEST_CASES_H */
