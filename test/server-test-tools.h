/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_TEST_TOOLS_H
#define SERVER_TEST_TOOLS_H

#include "ns3/collective-placement.h"
#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Servers on which NCCL 2.18.6 has reported its topology and the channels that it found.
constexpr const char* REPORTED_SERVER = "gpu0 gpu1+nic0 gpu2+nic1 gpu3+nic2 / "
                                        "gpu4+nic3 gpu5+nic4 gpu6+nic5 gpu7+nic6";

/**
 * @ingroup workload-replay-tests
 * @param layout description of a server
 * @param nvlinks NVLinks of a GPU
 * @return finds channels in such servers
 */
std::shared_ptr<const ServerChannels> DescribeServer(const std::string& layout, uint32_t nvlinks);

/**
 * @ingroup workload-replay-tests
 * @param channels finds the channels of a server
 * @param servers number of servers
 * @param perServer members of each: its first GPUs
 * @param nSwitches NVSwitches of a server that reduce
 * @return where the members stand
 */
std::unique_ptr<CollectivePlacement> PlaceInServers(std::shared_ptr<const ServerChannels> channels,
                                                    uint32_t servers,
                                                    uint32_t perServer,
                                                    uint32_t nSwitches = 0);

/**
 * @ingroup workload-replay-tests
 * @return checks by which rates, latencies and channels NCCL chooses
 */
TestCase* MakeChannelTuningTestCase();

/**
 * @ingroup workload-replay-tests
 * @return cases of servers and channels as NCCL's files describe them
 */
std::vector<TestCase*> MakeNcclFileTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of point-to-point messages
 */
std::vector<TestCase*> MakePeerChannelsTestCases();

} // namespace ns3

#endif /* SERVER_TEST_TOOLS_H */
