/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_TEST_CASES_H
#define COLLNET_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return cases of trees of network switches and of what collnet-chain does with data
 */
std::vector<TestCase*> MakeCollnetDataTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of times and traffic of collnet-chain and collnet-direct
 */
std::vector<TestCase*> MakeCollnetRunTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of failing links, and of communicators that share switches or contradict each other
 */
std::vector<TestCase*> MakeCollnetFaultTestCases();

} // namespace ns3

#endif /* COLLNET_TEST_CASES_H */
