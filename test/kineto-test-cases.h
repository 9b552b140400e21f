/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_TEST_CASES_H
#define KINETO_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/// @return new cases about traces of PyTorch's profiler, which the caller owns
std::vector<TestCase*> MakeKinetoTestCases();

} // namespace ns3

#endif /* KINETO_TEST_CASES_H */
