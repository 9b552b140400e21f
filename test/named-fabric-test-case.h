/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NAMED_FABRIC_TEST_CASE_H
#define NAMED_FABRIC_TEST_CASE_H

#include "ns3/test.h"

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Make the case about named fabrics.
 *
 * @return a new test case, which the caller owns
 */
TestCase* MakeNamedFabricTestCase();

} // namespace ns3

#endif /* NAMED_FABRIC_TEST_CASE_H */
