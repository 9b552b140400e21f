/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// What a byte holds that is not to be used.
constexpr Contributions RUBBISH = Contributions(1) << 40;

/// Up to so many members, each of them is tried as the root.
constexpr uint32_t ALL_ROOTS = 9;

/**
 * @param call the collective as some member calls it
 * @param member a member
 * @return the collective as that member calls it
 */
CollectiveCall
As(CollectiveCall call, uint32_t member)
{
    call.index = member;
    return call;
}

/**
 * @param call the collective
 * @return what goes into messages about it
 */
std::string
Describe(const CollectiveCall& call)
{
    return ToString(call.kind) + " of " + std::to_string(call.bytes) + " bytes on " +
           std::to_string(call.size) + ", root " + std::to_string(call.root);
}

/**
 * @param call the collective
 * @param member a member
 * @return its block
 */
BufferPart
GetBlock(const CollectiveCall& call, uint32_t member)
{
    const auto begin = ChunkBegin(call.bytes, call.size, member);
    return {begin, ChunkBegin(call.bytes, call.size, member + 1) - begin};
}

/**
 * @param member a member
 * @param offset a place in what it sends
 * @return label of the byte there
 */
Contributions
LabelByte(uint32_t member, uint64_t offset)
{
    return (Contributions(member + 1) << 32) | offset;
}

} // namespace

std::vector<uint32_t>
SpreadInBlocks(const std::vector<uint32_t>& sizes)
{
    std::vector<uint32_t> servers;
    for (uint32_t server = 0; server < sizes.size(); ++server)
    {
        servers.insert(servers.end(), sizes[server], server);
    }
    return servers;
}

CollectiveDataTestCase::CollectiveDataTestCase(const std::string& what,
                                               Ptr<const CollectiveAlgorithm> algorithm,
                                               uint64_t chunkBytes)
    : TestCase(algorithm->GetName() + " on symbolic data, " + what),
      m_algorithm(algorithm),
      m_chunkBytes(chunkBytes)
{
}

void
CollectiveDataTestCase::CheckAll(uint64_t bytes,
                                 uint32_t size,
                                 const CollectivePlacement* placement)
{
    for (const auto kind : GetCollectiveKinds())
    {
        if (kind == CollectiveKind::ALL_TO_ALL || kind == CollectiveKind::SHIFT ||
            kind == CollectiveKind::BARRIER || !m_algorithm->Supports(kind))
        {
            continue;
        }
        std::set<uint32_t> roots{0};
        if (HasRoot(kind))
        {
            roots.insert({size / 2, size - 1});
            for (uint32_t root = 1; size <= ALL_ROOTS && root < size; ++root)
            {
                roots.insert(root);
            }
        }
        for (const auto root : roots)
        {
            const CollectiveCall call{kind, bytes, 0, size, nullptr, placement, root};
            if (m_algorithm->Suits(call))
            {
                Check(call);
            }
        }
    }
}

void
CollectiveDataTestCase::CheckAllToAll(uint64_t bytes,
                                      uint32_t size,
                                      const CollectivePlacement* placement)
{
    const CollectiveCall call{CollectiveKind::ALL_TO_ALL, bytes, 0, size, nullptr, placement};
    SymbolicJob job(*m_algorithm, call.kind, bytes, size, placement);
    for (uint32_t i = 0; i < size; ++i)
    {
        for (uint64_t k = 0; k < bytes; ++k)
        {
            job.At(i).sendBuffer[k] = LabelByte(i, k);
        }
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", Describe(call));
    for (uint32_t i = 0; i < size; ++i)
    {
        const auto block = GetBlock(call, i);
        for (uint32_t from = 0; from < size; ++from)
        {
            for (uint64_t k = 0; from != i && k < block.bytes; ++k)
            {
                NS_TEST_ASSERT_MSG_EQ(job.Result(i)[from * block.bytes + k],
                                      LabelByte(from, block.offset + k),
                                      "byte " << k << " from " << from << " at " << i << ": "
                                              << Describe(call));
            }
        }
        CheckTraffic(job, As(call, i));
    }
}

void
CollectiveDataTestCase::Check(const CollectiveCall& call)
{
    const bool reduces = call.kind == CollectiveKind::ALL_REDUCE ||
                         call.kind == CollectiveKind::REDUCE_SCATTER ||
                         call.kind == CollectiveKind::REDUCE;
    if (!reduces)
    {
        CheckMove(call);
        return;
    }
    CheckReduction(call, 0);
    if (call.size > 64)
    {
        CheckReduction(call, call.size - 64);
    }
}

void
CollectiveDataTestCase::CheckReduction(const CollectiveCall& call, uint32_t first)
{
    SymbolicJob job(*m_algorithm, call.kind, call.bytes, call.size, call.placement, call.root);
    Contributions all = 0;
    for (uint32_t i = 0; i < call.size; ++i)
    {
        const auto own = i >= first && i - first < 64 ? Contributions(1) << (i - first) : 0;
        job.At(i).sendBuffer.assign(call.bytes, own);
        all |= own;
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", Describe(call));
    for (uint32_t i = 0; i < call.size; ++i)
    {
        const auto part = GetResultPart(As(call, i));
        const auto begin = job.Result(i).begin() + part.offset;
        NS_TEST_ASSERT_MSG_EQ(std::count(begin, begin + part.bytes, all),
                              static_cast<std::ptrdiff_t>(part.bytes),
                              "member " << i << " lacks contributions: " << Describe(call));
        if (first == 0)
        {
            CheckTraffic(job, As(call, i));
        }
    }
}

void
CollectiveDataTestCase::CheckMove(const CollectiveCall& call)
{
    SymbolicJob job(*m_algorithm, call.kind, call.bytes, call.size, call.placement, call.root);
    const bool fromRoot =
        call.kind == CollectiveKind::BROADCAST || call.kind == CollectiveKind::SCATTER;
    for (uint32_t i = 0; i < call.size; ++i)
    {
        auto& buffer = job.At(i).sendBuffer;
        buffer.assign(call.bytes, RUBBISH);
        const auto own =
            fromRoot ? BufferPart{0, i == call.root ? call.bytes : 0} : GetBlock(call, i);
        for (auto k = own.offset; k < own.offset + own.bytes; ++k)
        {
            buffer[k] = k;
        }
    }
    NS_TEST_ASSERT_MSG_EQ(job.Run(), "", Describe(call));
    for (uint32_t i = 0; i < call.size; ++i)
    {
        const auto part = GetResultPart(As(call, i));
        for (auto k = part.offset; k < part.offset + part.bytes; ++k)
        {
            NS_TEST_ASSERT_MSG_EQ(job.Result(i)[k],
                                  k,
                                  "byte " << k << " of member " << i << ": " << Describe(call));
        }
        CheckTraffic(job, As(call, i));
    }
}

BufferPart
CollectiveDataTestCase::GetResultPart(const CollectiveCall& call)
{
    const BufferPart whole{0, call.bytes};
    switch (call.kind)
    {
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::SCATTER:
        return GetBlock(call, call.index);
    case CollectiveKind::REDUCE:
    case CollectiveKind::GATHER:
        return call.index == call.root ? whole : BufferPart();
    default:
        return whole;
    }
}

void
CollectiveDataTestCase::CheckTraffic(SymbolicJob& job, const CollectiveCall& call)
{
    const auto& member = job.At(call.index);
    NS_TEST_ASSERT_MSG_EQ(member.receivedBytes,
                          m_algorithm->GetReceivedBytes(call),
                          "bytes foretold for member " << call.index << ": " << Describe(call));
    if (m_chunkBytes > 0)
    {
        NS_TEST_ASSERT_MSG_LT_OR_EQ(member.largestMessage, m_chunkBytes, "message too long");
    }
}

} // namespace ns3
