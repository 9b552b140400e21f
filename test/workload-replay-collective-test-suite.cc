/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/direct-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief What a byte of a buffer is made of: a set of contributions, as a bit each.
 *
 * For reductions bit i is the contribution of member i. For data that is only moved the set is a
 * label instead.
 */
using Contributions = uint64_t;

/**
 * @ingroup workload-replay
 * @brief Runs the plans of all members on symbolic data, without a network or a clock.
 */
class SymbolicJob
{
  public:
    /// The buffers of a member. Only all-to-all and shift receive elsewhere than they send from.
    struct Member
    {
        std::vector<Contributions> sendBuffer;              //!< what sends read
        std::vector<Contributions> receiveBuffer;           //!< what receives write, if kept apart
        std::vector<std::unique_ptr<CollectiveLane>> lanes; //!< its plan
        uint64_t receivedBytes{0};                          //!< bytes received
        uint64_t sentBytes{0};                              //!< bytes sent
        uint64_t largestMessage{0};                         //!< longest message sent
        uint64_t steps{0};                                  //!< steps made by all its lanes
    };

    /**
     * @param algorithm the algorithm
     * @param kind what to do
     * @param bytes bytes of the collective
     * @param size number of members
     */
    SymbolicJob(const CollectiveAlgorithm& algorithm,
                CollectiveKind kind,
                uint64_t bytes,
                uint32_t size)
        : m_apart(kind == CollectiveKind::ALL_TO_ALL || kind == CollectiveKind::SHIFT),
          m_members(size)
    {
        for (uint32_t i = 0; i < size; ++i)
        {
            m_members[i].sendBuffer.assign(bytes, 0);
            m_members[i].receiveBuffer.assign(m_apart ? bytes + size * size : 0, 0);
            m_members[i].lanes = algorithm.Plan({kind, bytes, i, size});
        }
    }

    /**
     * @param algorithm an algorithm for all-to-all
     * @param splits how each member shares out its buffers
     */
    SymbolicJob(const CollectiveAlgorithm& algorithm, const std::vector<AllToAllSplits>& splits)
        : m_apart(true),
          m_members(splits.size())
    {
        const auto size = static_cast<uint32_t>(splits.size());
        auto sum = [](const auto& parts) {
            return std::accumulate(parts.begin(), parts.end(), uint64_t{0});
        };
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto bytes = sum(splits[i].send);
            m_members[i].sendBuffer.assign(bytes, 0);
            m_members[i].receiveBuffer.assign(sum(splits[i].receive), 0);
            m_members[i].lanes =
                algorithm.Plan({CollectiveKind::ALL_TO_ALL, bytes, i, size, &splits[i]});
        }
    }

    /**
     * @param index index of a member
     * @return the member
     */
    Member& At(uint32_t index)
    {
        return m_members[index];
    }

    /**
     * @param index index of a member
     * @return the buffer its receives write to
     */
    std::vector<Contributions>& Result(uint32_t index)
    {
        return m_apart ? m_members[index].receiveBuffer : m_members[index].sendBuffer;
    }

    /**
     * Run all lanes of all members to their end.
     *
     * @return what went wrong; empty = nothing
     */
    std::string Run()
    {
        bool open = true;
        while (open)
        {
            open = false;
            bool moved = false;
            for (uint32_t i = 0; i < m_members.size(); ++i)
            {
                for (uint32_t lane = 0; lane < m_members[i].lanes.size(); ++lane)
                {
                    moved = Advance(i, lane) || moved;
                    open = open || m_members[i].lanes[lane];
                }
            }
            if (open && !moved)
            {
                return "the members wait for each other";
            }
        }
        return m_messages.empty() ? m_fault : "a message was never received";
    }

  private:
    /// A message under way.
    using Data = std::vector<Contributions>;

    /// Source, destination, lane.
    using Route = std::tuple<uint32_t, uint32_t, uint32_t>;

    /**
     * Take a lane as far as it goes without waiting.
     *
     * @param i index of the member
     * @param lane index of the lane
     * @return true if anything moved
     */
    bool Advance(uint32_t i, uint32_t lane)
    {
        auto& awaited = m_awaited[{i, lane}];
        bool moved = false;
        while (m_members[i].lanes[lane])
        {
            while (!awaited.empty())
            {
                if (!Receive(i, lane, awaited.front()))
                {
                    return moved;
                }
                awaited.pop_front();
                moved = true;
            }
            CollectiveStep step;
            moved = true;
            if (!m_members[i].lanes[lane]->Next(step))
            {
                m_members[i].lanes[lane].reset();
                break;
            }
            ++m_members[i].steps;
            for (const auto& transfer : step)
            {
                if (transfer.action == CollectiveTransfer::SEND)
                {
                    Send(i, lane, transfer);
                }
                else
                {
                    awaited.push_back(transfer);
                }
            }
        }
        return moved;
    }

    /**
     * @param i index of the sender
     * @param lane index of the lane
     * @param transfer the transfer
     */
    void Send(uint32_t i, uint32_t lane, const CollectiveTransfer& transfer)
    {
        auto& member = m_members[i];
        if (transfer.bytes == 0 || transfer.offset + transfer.bytes > member.sendBuffer.size())
        {
            m_fault = "a send of no bytes or beyond the buffer";
            return;
        }
        member.sentBytes += transfer.bytes;
        member.largestMessage = std::max(member.largestMessage, transfer.bytes);
        const auto begin = member.sendBuffer.begin() + transfer.offset;
        m_messages[{i, transfer.peer, lane}].emplace_back(begin, begin + transfer.bytes);
    }

    /**
     * @param i index of the receiver
     * @param lane index of the lane
     * @param transfer the transfer
     * @return false if its message is not there yet
     */
    bool Receive(uint32_t i, uint32_t lane, const CollectiveTransfer& transfer)
    {
        const auto found = m_messages.find({transfer.peer, i, lane});
        if (found == m_messages.end())
        {
            return false;
        }
        const Data data = found->second.front();
        found->second.pop_front();
        if (found->second.empty())
        {
            m_messages.erase(found);
        }
        auto& buffer = Result(i);
        if (data.size() != transfer.bytes || transfer.offset + data.size() > buffer.size())
        {
            m_fault = "a receive of another length than the message, or beyond the buffer";
            return true;
        }
        m_members[i].receivedBytes += data.size();
        for (std::size_t k = 0; k < data.size(); ++k)
        {
            auto& byte = buffer[transfer.offset + k];
            const bool reduce = transfer.action == CollectiveTransfer::RECV_REDUCE;
            if (reduce && (byte & data[k]) != 0)
            {
                m_fault = "a contribution was added twice";
            }
            byte = reduce ? byte | data[k] : data[k];
        }
        return true;
    }

    bool m_apart;                                 //!< receives write to a buffer of their own
    std::vector<Member> m_members;                //!< all members
    std::map<Route, std::deque<Data>> m_messages; //!< messages under way, in order
    std::map<std::pair<uint32_t, uint32_t>, std::deque<CollectiveTransfer>>
        m_awaited;       //!< receives of the step under way, by member and lane
    std::string m_fault; //!< what went wrong
};

/**
 * @param size number of members
 * @return the contributions of all members
 */
Contributions
All(uint32_t size)
{
    return size == 64 ? ~Contributions(0) : (Contributions(1) << size) - 1;
}

/**
 * Where the chunk of a member begins when the first bytes % size chunks are one byte longer.
 *
 * @param bytes length of the buffer
 * @param size number of members
 * @param index index of the member; size = the end of the buffer
 * @return offset of the chunk
 */
uint64_t
ChunkBegin(uint64_t bytes, uint32_t size, uint32_t index)
{
    return bytes / size * index + std::min<uint64_t>(index, bytes % size);
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief Every member of a ring collective ends with the data it should have.
 */
class RingDataTestCase : public TestCase
{
  public:
    /**
     * @param channels attribute Channels
     * @param chunkBytes attribute ChunkBytes
     * @param depth attribute PipelineDepth
     */
    RingDataTestCase(uint32_t channels, uint64_t chunkBytes, uint32_t depth)
        : TestCase("ring on symbolic data, " + std::to_string(channels) + " channels, chunks of " +
                   std::to_string(chunkBytes) + " bytes, depth " + std::to_string(depth)),
          m_chunkBytes(chunkBytes)
    {
        m_ring = CreateObject<RingCollective>();
        m_ring->SetAttribute("Channels", UintegerValue(channels));
        m_ring->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
        m_ring->SetAttribute("PipelineDepth", UintegerValue(depth));
    }

  private:
    void DoRun() override
    {
        for (uint32_t size = 1; size <= 33; ++size)
        {
            Check(size);
        }
        Check(64);
    }

    /**
     * @param size number of members
     */
    void Check(uint32_t size)
    {
        // Fewer bytes than members, just as many, and lengths that do not divide.
        for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
        {
            CheckAllReduce(bytes, size);
            CheckReduceScatter(bytes, size);
            CheckAllGather(bytes, size);
        }
    }

    /**
     * @param bytes length of the buffer
     * @param size number of members
     */
    void CheckAllReduce(uint64_t bytes, uint32_t size)
    {
        SymbolicJob job(*m_ring, CollectiveKind::ALL_REDUCE, bytes, size);
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
            CheckTraffic(job, {CollectiveKind::ALL_REDUCE, bytes, i, size});
            sent += job.At(i).sentBytes;
        }
        NS_TEST_ASSERT_MSG_EQ(sent,
                              2 * (size - 1) * bytes,
                              "all members together send 2 (N - 1) times the buffer");
    }

    /**
     * @param bytes length of the buffer
     * @param size number of members
     */
    void CheckReduceScatter(uint64_t bytes, uint32_t size)
    {
        SymbolicJob job(*m_ring, CollectiveKind::REDUCE_SCATTER, bytes, size);
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
            CheckTraffic(job, {CollectiveKind::REDUCE_SCATTER, bytes, i, size});
        }
    }

    /**
     * @param bytes length of the gathered buffer
     * @param size number of members
     */
    void CheckAllGather(uint64_t bytes, uint32_t size)
    {
        SymbolicJob job(*m_ring, CollectiveKind::ALL_GATHER, bytes, size);
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
            CheckTraffic(job, {CollectiveKind::ALL_GATHER, bytes, i, size});
        }
    }

    /**
     * @param job a job that has run
     * @param call the collective as one member called it
     */
    void CheckTraffic(SymbolicJob& job, const CollectiveCall& call)
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

    Ptr<RingCollective> m_ring; //!< the algorithm
    uint64_t m_chunkBytes;      //!< its ChunkBytes
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
            SymbolicJob job(*ring, kind, 40, size);
            NS_TEST_ASSERT_MSG_EQ(job.Run(), "", ToString(kind));
            NS_TEST_ASSERT_MSG_EQ(job.At(0).steps, steps, ToString(kind) << " on " << size);
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Every member of an all-to-all or a shift ends with the data it should have.
 */
class DirectDataTestCase : public TestCase
{
  public:
    /**
     * @param concurrency attribute Concurrency
     */
    explicit DirectDataTestCase(uint32_t concurrency)
        : TestCase("direct on symbolic data, concurrency " + std::to_string(concurrency)),
          m_direct(CreateObject<DirectCollective>())
    {
        m_direct->SetAttribute("Concurrency", UintegerValue(concurrency));
    }

  private:
    void DoRun() override
    {
        for (uint32_t size = 1; size <= 33; ++size)
        {
            for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
            {
                CheckAllToAll(bytes, size);
                CheckShift(bytes, size);
            }
        }
    }

    /**
     * @param kind what to do
     * @param bytes bytes of the collective
     * @param size number of members
     * @return the job after it has run; each byte sent is labelled with its member and offset
     */
    SymbolicJob RunLabelled(CollectiveKind kind, uint64_t bytes, uint32_t size)
    {
        SymbolicJob job(*m_direct, kind, bytes, size);
        for (uint32_t i = 0; i < size; ++i)
        {
            for (uint64_t k = 0; k < bytes; ++k)
            {
                job.At(i).sendBuffer[k] = Label(i, k);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(job.Run(), "", ToString(kind) << " of " << bytes << " on " << size);
        for (uint32_t i = 0; i < size; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(job.At(i).receivedBytes,
                                  m_direct->GetReceivedBytes({kind, bytes, i, size}),
                                  "bytes received by member " << i << " of " << size);
        }
        return job;
    }

    /**
     * @param member index of a member
     * @param offset offset in its buffer
     * @return label of that byte
     */
    static Contributions Label(uint32_t member, uint64_t offset)
    {
        return (Contributions(member + 1) << 32) | offset;
    }

    /**
     * @param bytes what one member sends in all
     * @param size number of members
     */
    void CheckAllToAll(uint64_t bytes, uint32_t size)
    {
        auto job = RunLabelled(CollectiveKind::ALL_TO_ALL, bytes, size);
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto begin = ChunkBegin(bytes, size, i);
            const auto length = ChunkBegin(bytes, size, i + 1) - begin;
            for (uint32_t from = 0; from < size; ++from)
            {
                for (uint64_t k = 0; from != i && k < length; ++k)
                {
                    NS_TEST_ASSERT_MSG_EQ(job.Result(i)[from * length + k],
                                          Label(from, begin + k),
                                          "byte " << k << " from " << from << " at " << i);
                }
            }
        }
    }

    /**
     * @param bytes what one member sends
     * @param size number of members
     */
    void CheckShift(uint64_t bytes, uint32_t size)
    {
        auto job = RunLabelled(CollectiveKind::SHIFT, bytes, size);
        for (uint32_t i = 0; size > 1 && i < size; ++i)
        {
            for (uint64_t k = 0; k < bytes; ++k)
            {
                NS_TEST_ASSERT_MSG_EQ(job.Result(i)[k],
                                      Label((i + size - 1) % size, k),
                                      "byte " << k << " at " << i);
            }
        }
    }

    Ptr<DirectCollective> m_direct; //!< the algorithm
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
          m_direct(CreateObject<DirectCollective>())
    {
        m_direct->SetAttribute("Concurrency", UintegerValue(concurrency));
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
        SymbolicJob job(*m_direct, splits);
        for (uint32_t i = 0; i < 4; ++i)
        {
            auto byte = job.At(i).sendBuffer.begin();
            for (uint32_t j = 0; j < 4; ++j)
            {
                for (uint64_t k = 0; k < bytes[i][j]; ++k)
                {
                    *byte++ = Label(i, j, k);
                }
            }
        }
        NS_TEST_ASSERT_MSG_EQ(job.Run(), "", "the run");
        const std::vector<uint64_t> received{10, 5, 11, 0};
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(job.At(i).receivedBytes, received[i], "member " << i);
            const CollectiveCall call{CollectiveKind::ALL_TO_ALL, 0, i, 4, &splits[i]};
            NS_TEST_EXPECT_MSG_EQ(m_direct->GetReceivedBytes(call), received[i], "foretold");
            uint64_t offset = 0;
            for (uint32_t from = 0; from < 4; ++from)
            {
                for (uint64_t k = 0; k < bytes[from][i]; ++k, ++offset)
                {
                    NS_TEST_ASSERT_MSG_EQ(job.Result(i)[offset],
                                          (from == i ? 0 : Label(from, i, k)),
                                          "byte " << k << " from " << from << " at " << i);
                }
            }
        }
    }

    /**
     * @param from index of the sender
     * @param to index of the receiver
     * @param offset offset in the block
     * @return label of that byte
     */
    static Contributions Label(uint32_t from, uint32_t to, uint64_t offset)
    {
        return (Contributions(from + 1) << 32) | (Contributions(to) << 16) | offset;
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
        AddTestCase(new RingDataTestCase(1, 0, 1));
        AddTestCase(new RingDataTestCase(3, 0, 1));
        AddTestCase(new RingDataTestCase(2, 2, 2));
        AddTestCase(new RingDataTestCase(1, 1, 3));
        AddTestCase(new DirectDataTestCase(1));
        AddTestCase(new DirectDataTestCase(8));
        AddTestCase(new SplitDataTestCase(1));
        AddTestCase(new SplitDataTestCase(8));
    }
};

/// Registers the suite.
static WorkloadReplayCollectiveTestSuite g_workloadReplayCollectiveTestSuite;
