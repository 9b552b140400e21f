/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_TEST_TOOLS_H
#define RDMA_FRAME_TEST_TOOLS_H

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @param bytes bytes
 * @return their hexadecimal digits
 */
std::string ToHex(const std::vector<uint8_t>& bytes);

/**
 * @ingroup workload-replay-tests
 * @param packet a packet
 * @return its bytes
 */
std::vector<uint8_t> GetBytes(Ptr<const Packet> packet);

/**
 * @ingroup workload-replay-tests
 * @brief Make the case about pcap files.
 *
 * @return a new test case, which the caller owns
 */
TestCase* MakeRdmaPcapTestCase();

} // namespace ns3

#endif /* RDMA_FRAME_TEST_TOOLS_H */
