/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_TEST_CASES_H
#define MSCCL_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/// @return new cases about algorithms of MSCCL, which the caller owns
std::vector<TestCase*> MakeMscclTestCases();

} // namespace ns3

#endif /* MSCCL_TEST_CASES_H */
