/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_TRAIN_TEST_CASES_H
#define IDEAL_TRAIN_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @return cases of parts that IdealNetwork carries together; the caller owns them
 */
std::vector<TestCase*> MakeIdealTrainTestCases();

} // namespace ns3

#endif /* IDEAL_TRAIN_TEST_CASES_H */
