/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REUSE_SINK_TEST_CASES_H
#define REUSE_SINK_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return what those hear who listen to ports while collectives are reused
 */
std::vector<TestCase*> MakeReuseSinkTestCases();

} // namespace ns3

#endif /* REUSE_SINK_TEST_CASES_H */
