/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_MESSAGE_TEST_CASES_H
#define REPLAY_MESSAGE_TEST_CASES_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/replay-application.h"
#include "ns3/test.h"
#include "ns3/workload-types.h"

#include <array>
#include <vector>

namespace ns3
{

/// 1 Gb/s: a byte takes 8 ns, 1,000 bytes take 8 us.
inline const DataRate GIGABIT("1Gbps");

/**
 * @ingroup workload-replay-tests
 * @param times times by dimension
 * @param dimension a dimension
 * @return its time
 */
Time Of(const std::array<Time, N_DIMENSIONS>& times, Dimension dimension);

/**
 * @ingroup workload-replay-tests
 * @param record an iteration of a rank
 * @return what its parts add up to
 */
Time Sum(const IterationRecord& record);

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about the times of messages, and what the account says of waits for them.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeReplayMessageTestCases();

} // namespace ns3

#endif /* REPLAY_MESSAGE_TEST_CASES_H */
