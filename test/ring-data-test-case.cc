/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-data-test-case.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param size number of members
 * @return the contributions of all members
 */
Contributions
All(uint32_t size)
{
    return size == 64 ? ~Contributions(0) : (Contributions(1) << size) - 1;
}

} // namespace

RingDataTestCase::RingDataTestCase(const std::string& what,
                                   uint32_t channels,
                                   uint64_t chunkBytes,
                                   uint32_t depth)
    : TestCase("ring on symbolic data, " + what + ", " + std::to_string(channels) +
               " channels, chunks of " + std::to_string(chunkBytes) + " bytes, depth " +
               std::to_string(depth)),
      m_ring(CreateObject<RingCollective>()),
      m_chunkBytes(chunkBytes)
{
    m_ring->SetAttribute("Channels", UintegerValue(channels));
    m_ring->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
    m_ring->SetAttribute("PipelineDepth", UintegerValue(depth));
}

void
RingDataTestCase::CheckAll(uint32_t size, const CollectivePlacement* placement)
{
    // Fewer bytes than members, just as many, and lengths that do not divide.
    for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
    {
        CheckAllReduce(bytes, size, placement);
        CheckReduceScatter(bytes, size, placement);
        CheckAllGather(bytes, size, placement);
    }
}

void
RingDataTestCase::CheckAllReduce(uint64_t bytes,
                                 uint32_t size,
                                 const CollectivePlacement* placement)
{
    SymbolicJob job(*m_ring, CollectiveKind::ALL_REDUCE, bytes, size, placement);
    for (uint32_t i = 0; i < size; ++i)
    {
        job.At(i).sendBuffer.assign(bytes, Contributions(1) << i);
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", "all-reduce of " << bytes << " on " << size);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < size; ++i)
    {
        const auto& buffer = job.Result(i);
        NS_TEST_ASSERT_MSG_EQ(std::count(buffer.begin(), buffer.end(), All(size)),
                              static_cast<std::ptrdiff_t>(bytes),
                              "member " << i << " of " << size
                                        << " lacks contributions to all-reduce");
        CheckTraffic(job, {CollectiveKind::ALL_REDUCE, bytes, i, size, nullptr, placement});
        sent += job.At(i).sentBytes;
    }
    NS_TEST_ASSERT_MSG_EQ(sent,
                          2 * (size - 1) * bytes,
                          "all members together send 2 (N - 1) times the buffer");
}

void
RingDataTestCase::CheckReduceScatter(uint64_t bytes,
                                     uint32_t size,
                                     const CollectivePlacement* placement)
{
    SymbolicJob job(*m_ring, CollectiveKind::REDUCE_SCATTER, bytes, size, placement);
    for (uint32_t i = 0; i < size; ++i)
    {
        job.At(i).sendBuffer.assign(bytes, Contributions(1) << i);
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", "reduce-scatter of " << bytes << " on " << size);
    for (uint32_t i = 0; i < size; ++i)
    {
        for (auto k = ChunkBegin(bytes, size, i); k < ChunkBegin(bytes, size, i + 1); ++k)
        {
            NS_TEST_ASSERT_MSG_EQ(job.Result(i)[k],
                                  All(size),
                                  "byte " << k << " of member " << i << " of " << size);
        }
        CheckTraffic(job, {CollectiveKind::REDUCE_SCATTER, bytes, i, size, nullptr, placement});
    }
}

void
RingDataTestCase::CheckAllGather(uint64_t bytes,
                                 uint32_t size,
                                 const CollectivePlacement* placement)
{
    SymbolicJob job(*m_ring, CollectiveKind::ALL_GATHER, bytes, size, placement);
    std::vector<Contributions> gathered(bytes);
    for (uint32_t i = 0; i < size; ++i)
    {
        for (auto k = ChunkBegin(bytes, size, i); k < ChunkBegin(bytes, size, i + 1); ++k)
        {
            gathered[k] = 1000 + k;
            job.At(i).sendBuffer[k] = gathered[k];
        }
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", "all-gather of " << bytes << " on " << size);
    for (uint32_t i = 0; i < size; ++i)
    {
        NS_TEST_ASSERT_MSG_EQ((job.Result(i) == gathered),
                              true,
                              "member " << i << " of " << size << " has not gathered all");
        CheckTraffic(job, {CollectiveKind::ALL_GATHER, bytes, i, size, nullptr, placement});
    }
}

void
RingDataTestCase::CheckTraffic(SymbolicJob& job, const CollectiveCall& call)
{
    const auto& member = job.At(call.index);
    NS_TEST_ASSERT_MSG_EQ(member.receivedBytes,
                          m_ring->GetReceivedBytes(call),
                          "bytes received by member " << call.index << " of " << call.size);
    if (m_chunkBytes > 0)
    {
        NS_TEST_ASSERT_MSG_LT_OR_EQ(member.largestMessage, m_chunkBytes, "message too long");
    }
}

} // namespace ns3
