/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-data-test-case.h"
#include "ring-rail-test-cases.h"

#include "ns3/direct-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay
 * @brief Every member of a ring collective ends with the data it should have.
 */
class RingSizesTestCase : public RingDataTestCase
{
  public:
    /**
     * @param channels attribute Channels
     * @param chunkBytes attribute ChunkBytes
     * @param depth attribute PipelineDepth
     */
    RingSizesTestCase(uint32_t channels, uint64_t chunkBytes, uint32_t depth)
        : RingDataTestCase("any number of members", channels, chunkBytes, depth)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto size : GetMemberCounts())
        {
            CheckRings(size);
        }
        CheckRings(64);
    }
};

/**
 * @ingroup workload-replay
 * @brief A ring makes 2 (N - 1) steps for an all-reduce, N - 1 for its halves.
 */
class RingStepsTestCase : public TestCase
{
  public:
    RingStepsTestCase()
        : TestCase("steps of the ring")
    {
    }

  private:
    void DoRun() override
    {
        auto ring = CreateObject<RingCollective>();
        const std::vector<std::tuple<CollectiveKind, uint32_t, uint64_t>> expected{
            {CollectiveKind::ALL_REDUCE, 8, 14},
            {CollectiveKind::ALL_REDUCE, 2, 2},
            {CollectiveKind::ALL_REDUCE, 1, 0},
            {CollectiveKind::ALL_GATHER, 5, 4},
            {CollectiveKind::REDUCE_SCATTER, 5, 4}};
        for (const auto& [kind, size, steps] : expected)
        {
            CollectiveChecker checker(ring, {kind, 40, 0, size});
            NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", ToString(kind));
            NS_TEST_ASSERT_MSG_EQ(checker.GetTraffic(0).steps,
                                  steps,
                                  ToString(kind) << " on " << size);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @param concurrency attribute Concurrency
 * @return the direct algorithm
 */
static Ptr<DirectCollective>
CreateDirect(uint32_t concurrency)
{
    auto direct = CreateObject<DirectCollective>();
    direct->SetAttribute("Concurrency", UintegerValue(concurrency));
    return direct;
}

/**
 * @ingroup workload-replay
 * @brief Every member of an all-to-all, a shift and what else is done directly ends with the data
 *        it should have.
 */
class DirectDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param concurrency attribute Concurrency
     */
    explicit DirectDataTestCase(uint32_t concurrency)
        : CollectiveDataTestCase("concurrency " + std::to_string(concurrency),
                                 CreateDirect(concurrency),
                                 0)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto size : GetMemberCounts())
        {
            for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
            {
                CheckAll(bytes, size);
                Check({CollectiveKind::ALL_TO_ALL, bytes, 0, size});
            }
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief An all-to-all with splits brings each member what the others have for it.
 */
class SplitDataTestCase : public TestCase
{
  public:
    /**
     * @param concurrency attribute Concurrency
     */
    explicit SplitDataTestCase(uint32_t concurrency)
        : TestCase("all-to-all with splits, concurrency " + std::to_string(concurrency)),
          m_direct(CreateDirect(concurrency))
    {
    }

  private:
    void DoRun() override
    {
        // Bytes by sender and receiver; member 1 has nothing to send and member 3 gets nothing.
        const uint64_t bytes[4][4] = {{5, 4, 2, 0}, {0, 0, 0, 0}, {3, 1, 6, 0}, {7, 0, 9, 0}};
        std::vector<AllToAllSplits> splits(4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            for (uint32_t j = 0; j < 4; ++j)
            {
                splits[i].send.push_back(bytes[i][j]);
                splits[i].receive.push_back(bytes[j][i]);
            }
        }
        CollectiveChecker checker(m_direct, {CollectiveKind::ALL_TO_ALL, 0, 0, 4}, splits);
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", "the run");
        const std::vector<uint64_t> received{10, 5, 11, 0};
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(checker.GetTraffic(i).receivedBytes, received[i], "member " << i);
        }
    }

    Ptr<DirectCollective> m_direct; //!< the algorithm
};

/**
 * @ingroup workload-replay
 * @brief Cutting a buffer loses no byte, and no part is longer than the first.
 */
class BufferPartTestCase : public TestCase
{
  public:
    BufferPartTestCase()
        : TestCase("cutting a buffer")
    {
    }

  private:
    void DoRun() override
    {
        const BufferPart buffer{100, 11};
        const std::vector<BufferPart> expected{{100, 3}, {103, 3}, {106, 3}, {109, 2}};
        for (uint64_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Cut(4, i).offset, expected[i].offset, "part " << i);
            NS_TEST_ASSERT_MSG_EQ(buffer.Cut(4, i).bytes, expected[i].bytes, "part " << i);
        }
        // 2^63 bytes in 3 parts: 2^63 = 3 * 3074457345618258602 + 2.
        const BufferPart large{0, uint64_t(1) << 63};
        NS_TEST_ASSERT_MSG_EQ(large.Cut(3, 2).offset, 6148914691236517206ULL, "no overflow");
        NS_TEST_ASSERT_MSG_EQ(large.Cut(3, 2).bytes, 3074457345618258602ULL, "no overflow");
    }
};

/**
 * @ingroup workload-replay
 * @brief The collective algorithms of the workload-replay module.
 */
class WorkloadReplayCollectiveTestSuite : public TestSuite
{
  public:
    WorkloadReplayCollectiveTestSuite()
        : TestSuite("workload-replay-collective", TestSuite::Type::UNIT)
    {
        AddTestCase(new BufferPartTestCase);
        AddTestCase(new RingStepsTestCase);
        AddTestCase(new RingSizesTestCase(1, 0, 1));
        AddTestCase(new RingSizesTestCase(3, 0, 1));
        AddTestCase(new RingSizesTestCase(2, 2, 2));
        AddTestCase(new RingSizesTestCase(1, 1, 3));
        for (auto* testCase : MakeRingRailTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeRingRailCollectiveTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new DirectDataTestCase(1));
        AddTestCase(new DirectDataTestCase(8));
        AddTestCase(new SplitDataTestCase(1));
        AddTestCase(new SplitDataTestCase(8));
    }
};

/// Registers the suite.
static WorkloadReplayCollectiveTestSuite g_workloadReplayCollectiveTestSuite;
