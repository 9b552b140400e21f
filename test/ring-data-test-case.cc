/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-data-test-case.h"

#include "ns3/ring-collective.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/**
 * @param channels attribute Channels
 * @param chunkBytes attribute ChunkBytes
 * @param depth attribute PipelineDepth
 * @return a ring
 */
Ptr<RingCollective>
CreateRing(uint32_t channels, uint64_t chunkBytes, uint32_t depth)
{
    auto ring = CreateObject<RingCollective>();
    ring->SetAttribute("Channels", UintegerValue(channels));
    ring->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
    ring->SetAttribute("PipelineDepth", UintegerValue(depth));
    return ring;
}

} // namespace

RingDataTestCase::RingDataTestCase(const std::string& what,
                                   uint32_t channels,
                                   uint64_t chunkBytes,
                                   uint32_t depth)
    : CollectiveDataTestCase(what + ", " + std::to_string(channels) + " channels, chunks of " +
                                 std::to_string(chunkBytes) + " bytes, depth " +
                                 std::to_string(depth),
                             CreateRing(channels, chunkBytes, depth),
                             chunkBytes)
{
}

void
RingDataTestCase::CheckRings(uint32_t size, const CollectivePlacement* placement)
{
    // Fewer bytes than members, just as many, and lengths that do not divide.
    for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
    {
        CheckAll(bytes, size, placement);
        const CollectiveCall call{CollectiveKind::ALL_REDUCE, bytes, 0, size, nullptr, placement};
        NS_TEST_EXPECT_MSG_EQ(Check(call),
                              2 * (size - 1) * bytes,
                              "all members together send 2 (N - 1) times the buffer");
    }
}

} // namespace ns3
