/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_TEST_CASES_H
#define PYTORCH_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/// @return new cases about execution traces of PyTorch, which the caller owns
std::vector<TestCase*> MakePytorchTestCases();

} // namespace ns3

#endif /* PYTORCH_TEST_CASES_H */
