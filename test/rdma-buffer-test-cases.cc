/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-buffer-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/rdma-shared-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Priority that loses nothing in the cases of the buffer.
const uint8_t LOSSLESS = 3;

/// Priority that may lose packets in the cases of the buffer.
const uint8_t LOSSY = 0;

/**
 * @param pool bytes of the pool
 * @param ports number of ports
 * @param headroom of each port, bytes
 * @param ingressAlpha threshold of ports
 * @param egressAlpha threshold of queues
 * @param resumeOffset bytes
 * @return a buffer in which one priority is lossless
 */
RdmaSharedBuffer
MakeBuffer(uint64_t pool,
           uint32_t ports,
           uint64_t headroom,
           double ingressAlpha,
           double egressAlpha,
           uint64_t resumeOffset)
{
    RdmaSharedBuffer buffer;
    RdmaSharedBuffer::Parameters parameters;
    parameters.bytes = pool + ports * headroom;
    parameters.ingressAlpha = ingressAlpha;
    parameters.egressAlpha = egressAlpha;
    parameters.resumeOffset = resumeOffset;
    parameters.lossless = 1U << LOSSLESS;
    buffer.Configure(parameters, std::vector<uint64_t>(ports, headroom));
    return buffer;
}

/**
 * @ingroup workload-replay-tests
 * @brief Thresholds: alone a port has alpha / (1 + alpha) of the pool, n ports alpha / (1 + n
 * alpha) each; then pause, headroom, drop; and resume.
 */
class SharedBufferThresholdTestCase : public TestCase
{
  public:
    SharedBufferThresholdTestCase()
        : TestCase("shared buffer: thresholds, pause, headroom, resume")
    {
    }

  private:
    void DoRun() override
    {
        CheckOnePort();
        CheckManyPorts();
        CheckLossy();
        RdmaSharedBuffer::Parameters parameters;
        parameters.bytes = 4000;
        parameters.lossless = 0b11;
        RdmaSharedBuffer buffer;
        NS_TEST_EXPECT_MSG_EQ(buffer.Configure(parameters, {1000, 1000}), false, "all is headroom");
        NS_TEST_EXPECT_MSG_EQ(buffer.Configure(parameters, {1000, 999}), true, "2 bytes are left");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), 2, "2 bytes are left");
    }

    /// A port of alpha 1: half of the pool, and the headroom.
    void CheckOnePort()
    {
        auto buffer = MakeBuffer(10000, 2, 1000, 1, 1, 200);
        NS_TEST_EXPECT_MSG_EQ(Fill(buffer, 0, LOSSLESS, 100), 5000, "half of the pool");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetHeadroomUsed(0, LOSSLESS), 100, "the packet that crosses");
        for (uint32_t packet = 1; packet < 10; ++packet)
        {
            Expect(buffer.Store(0, LOSSLESS, 100, 0), RdmaSharedBuffer::STORE, "headroom");
        }
        Expect(buffer.Store(0, LOSSLESS, 100, 0), RdmaSharedBuffer::DROP, "no headroom is left");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(), 6000, "stored");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), 5000, "headroom is not of the pool");
        for (uint32_t packet = 0; packet < 10; ++packet)
        {
            NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSLESS, 100), false, "paused: headroom");
        }
        NS_TEST_EXPECT_MSG_EQ(buffer.GetHeadroomUsed(0, LOSSLESS), 0, "headroom is freed first");
        // 4900 + 200 <= 10000 - 4900.
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSLESS, 100), true, "resume");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSLESS, 100), false, "resumed already");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetMaxStored(), 6000, "the most");
        CheckLastByte();
    }

    /// However low the pool is, a single byte of headroom keeps the sender paused.
    void CheckLastByte()
    {
        auto buffer = MakeBuffer(10000, 1, 1000, 1, 1, 0);
        Expect(buffer.Store(0, LOSSLESS, 4900, 0), RdmaSharedBuffer::STORE, "4900 <= 10000");
        Expect(buffer.Store(0, LOSSLESS, 100, 0), RdmaSharedBuffer::STORE, "5000 <= 5100");
        Expect(buffer.Store(0, LOSSLESS, 101, 0), RdmaSharedBuffer::STORE_AND_PAUSE, "5101 > 5000");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSLESS, 100), false, "a byte of it is left");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSLESS, 101), true, "4900 <= 5100");
    }

    /// Eight ports of alpha 1/8 have a sixteenth of the pool each.
    void CheckManyPorts()
    {
        auto buffer = MakeBuffer(80000, 8, 100, 0.125, 1, 0);
        uint32_t paused = 0;
        while (paused < 8)
        {
            paused = 0;
            for (uint32_t port = 0; port < 8; ++port)
            {
                const bool isPaused = buffer.GetHeadroomUsed(port, LOSSLESS) > 0;
                paused += isPaused ? 1 : 0;
                if (!isPaused)
                {
                    buffer.Store(port, LOSSLESS, 10, 0);
                }
            }
        }
        for (uint32_t port = 0; port < 8; ++port)
        {
            NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(port, LOSSLESS), 5000 + 10, "port " << port);
        }
        // One whose last packet goes is resumed, however little is free.
        auto tiny = MakeBuffer(80000, 1, 100, 0.0001, 1, 1000);
        Expect(tiny.Store(0, LOSSLESS, 50, 0), RdmaSharedBuffer::STORE_AND_PAUSE, "threshold 8");
        NS_TEST_EXPECT_MSG_EQ(tiny.HasPaused(), true, "asked to pause");
        NS_TEST_EXPECT_MSG_EQ(tiny.Release(0, LOSSLESS, 50), true, "empty means resume");
        NS_TEST_EXPECT_MSG_EQ(tiny.HasPaused(), false, "asked to go on");
    }

    /// A queue of alpha 2 has two thirds of the pool; a full pool takes nothing.
    void CheckLossy()
    {
        auto buffer = MakeBuffer(9000, 2, 1000, 8, 2, 0);
        NS_TEST_EXPECT_MSG_EQ(Fill(buffer, 0, LOSSY, 100), 6000, "two thirds of the pool");
        Expect(buffer.Store(1, LOSSY, 100, 6000), RdmaSharedBuffer::DROP, "limited by the queue");
        Expect(buffer.Store(1, LOSSY, 100, 0), RdmaSharedBuffer::STORE, "another queue");
        NS_TEST_EXPECT_MSG_EQ(buffer.Release(0, LOSSY, 100), false, "nobody was paused");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetHeadroomUsed(0, LOSSY), 0, "headroom is for lossless ones");
        auto small = MakeBuffer(150, 1, 100, 8, 8, 0);
        Expect(small.Store(0, LOSSY, 100, 0), RdmaSharedBuffer::STORE, "first");
        Expect(small.Store(0, LOSSY, 100, 0), RdmaSharedBuffer::DROP, "does not fit");
        Expect(small.Store(0, LOSSLESS, 100, 0), RdmaSharedBuffer::STORE_AND_PAUSE, "headroom");
    }

    /**
     * Store packets until the buffer says something else.
     *
     * @param buffer the buffer
     * @param port port that they come in by
     * @param priority their priority
     * @param bytes their size
     * @return bytes stored without a pause
     */
    uint64_t Fill(RdmaSharedBuffer& buffer, uint32_t port, uint8_t priority, uint32_t bytes)
    {
        uint64_t stored = 0;
        while (buffer.Store(port, priority, bytes, stored) == RdmaSharedBuffer::STORE)
        {
            stored += bytes;
        }
        return stored;
    }

    /**
     * @param found verdict
     * @param expected verdict that was to be
     * @param what what is stored
     */
    void Expect(RdmaSharedBuffer::Verdict found,
                RdmaSharedBuffer::Verdict expected,
                const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(found, expected, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Accounts of 10^5 random packets against sums, pauses and resumes in turn, zero at the end.
 */
class SharedBufferRandomTestCase : public TestCase
{
  public:
    SharedBufferRandomTestCase()
        : TestCase("shared buffer: random packets")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t pool = 200000;
        auto buffer = MakeBuffer(pool, 4, 20000, 0.5, 1, 5000);
        uint32_t wrong = 0;
        std::array<uint32_t, 3> verdicts{};
        for (uint32_t step = 0; step < 100000; ++step)
        {
            // Long phases in which the buffer fills or empties.
            const bool fills = m_random() % 100 < (step / 1000 % 2 == 0 ? 70U : 30U);
            if (fills)
            {
                verdicts[Store(buffer)]++;
            }
            else if (!m_packets.empty())
            {
                Release(buffer, m_random() % m_packets.size());
            }
            wrong += buffer.GetStored() == m_sum ? 0 : 1;
            wrong += buffer.GetFree() <= pool ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_GT(std::min({verdicts[0], verdicts[1], verdicts[2]}), 10, "all happen");
        while (!m_packets.empty())
        {
            Release(buffer, m_packets.size() - 1);
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "sums");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetStored(), 0, "empty");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), pool, "empty");
        for (uint32_t port = 0; port < 4; ++port)
        {
            NS_TEST_EXPECT_MSG_EQ(m_paused[port], false, "nobody stays paused");
        }
    }

    /**
     * @param buffer where to store a packet
     * @return what has become of it
     */
    RdmaSharedBuffer::Verdict Store(RdmaSharedBuffer& buffer)
    {
        const uint32_t port = m_random() % 4;
        const uint8_t priority = m_random() % 3 == 0 ? LOSSY : LOSSLESS;
        const uint32_t bytes = 64 + m_random() % 4000;
        const uint64_t before = buffer.GetHeadroomUsed(port, LOSSLESS);
        const auto verdict = buffer.Store(port, priority, bytes, m_queued);
        if (verdict == RdmaSharedBuffer::DROP)
        {
            NS_TEST_EXPECT_MSG_EQ((priority == LOSSLESS && before + bytes <= 20000),
                                  false,
                                  "a lossless packet is dropped though there is headroom");
            return verdict;
        }
        if (verdict == RdmaSharedBuffer::STORE_AND_PAUSE)
        {
            NS_TEST_EXPECT_MSG_EQ(m_paused[port], false, "paused twice");
            m_paused[port] = true;
        }
        m_queued += priority == LOSSY ? bytes : 0;
        m_sum += bytes;
        m_packets.push_back({port, priority, bytes});
        return verdict;
    }

    /**
     * @param buffer the buffer
     * @param index packet that leaves
     */
    void Release(RdmaSharedBuffer& buffer, std::size_t index)
    {
        const Stored packet = m_packets[index];
        m_packets[index] = m_packets.back();
        m_packets.pop_back();
        m_sum -= packet.bytes;
        m_queued -= packet.priority == LOSSY ? packet.bytes : 0;
        if (buffer.Release(packet.port, packet.priority, packet.bytes))
        {
            NS_TEST_EXPECT_MSG_EQ(m_paused[packet.port], true, "resumed without a pause");
            m_paused[packet.port] = false;
        }
    }

    /// A packet that is stored.
    struct Stored
    {
        uint32_t port;    //!< port that it came in by
        uint8_t priority; //!< its priority
        uint32_t bytes;   //!< its size
    };

    std::vector<Stored> m_packets;  //!< what is stored
    std::array<bool, 4> m_paused{}; //!< by port: the lossless priority is paused
    uint64_t m_sum{0};              //!< bytes stored
    uint64_t m_queued{0};           //!< bytes of them that are lossy
    std::mt19937 m_random{1};       //!< source of packets
};

/**
 * @ingroup workload-replay-tests
 * @brief The buffer of a switch that is told nothing: that of the smallest chip with its rate, and
 * of several of the largest one beyond (Tomahawk 3 to 5: 64, 114 and 165 MB by their product
 * pages).
 */
class SwitchMemoryTestCase : public RdmaTestCase
{
  public:
    SwitchMemoryTestCase()
        : RdmaTestCase("shared buffer: as large as that of a chip of the switch's rate")
    {
    }

  private:
    void DoRun() override
    {
        Expect(2, "100Gbps", 64000000);
        Expect(32, "400Gbps", 64000000);
        Expect(33, "400Gbps", 114000000);
        Expect(64, "400Gbps", 114000000);
        Expect(64, "800Gbps", 165000000);
        Expect(65, "800Gbps", 330000000);
    }

    /**
     * @param ports ports of a switch without lossless priorities, which needs no headroom
     * @param rate their rate
     * @param memory what its ports are to share, bytes
     */
    void Expect(uint32_t ports, const std::string& rate, uint64_t memory)
    {
        Reset();
        m_fabric->SetSwitchAttribute("LosslessPriorities", UintegerValue(0));
        Install(MakeStar(ports, rate, NanoSeconds(500)));
        const auto& buffer = m_fabric->GetSwitch(ports)->GetBuffer();
        NS_TEST_EXPECT_MSG_EQ(buffer.GetFree(), memory, ports << " ports of " << rate);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases in which two hosts send 20 packets each to a third one.
 *
 * A pair of packets reaches the switch whenever one can leave it, and nobody looks at what leaves.
 */
class TwoToOneTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// A full packet on the wire, ns.
    static constexpr int64_t PACKET = 324;

    /// Propagation delay, ns: so long that a port may look late at what it has sent.
    static constexpr int64_t DELAY = 2000;

    /// Packets of each sender.
    static constexpr int64_t PACKETS = 20;

    /// Frame of a full packet, bytes.
    static constexpr uint64_t FRAME = MTU + 62;

    /// Make the fabric, and have both hosts send from now on.
    void Begin()
    {
        Reset();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        Install(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 2, PACKETS * MTU);
        Post(Time(0), 1, 2, PACKETS * MTU);
    }

    /**
     * @return the port to the third host
     */
    Ptr<RdmaNetDevice> GetPort() const
    {
        return m_fabric->GetDevice(2, 3);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The longest queue of a port since it was asked for last, whatever of it has left meanwhile
 * that nobody has looked at: 20 packets, when the last pair has come.
 */
class RecentQueueTestCase : public TwoToOneTestCase
{
  public:
    RecentQueueTestCase()
        : TwoToOneTestCase("longest queue of a port since it was asked for")
    {
    }

  private:
    void DoRun() override
    {
        Begin();
        const int64_t full = DELAY + PACKETS * PACKET;
        Simulator::Schedule(NanoSeconds(full + 5 * PACKET + 100), &RecentQueueTestCase::Take, this);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetPort()->GetRecentMaxQueue(), (PACKETS - 5) * FRAME, "since then");
        NS_TEST_EXPECT_MSG_EQ(GetPort()->GetCounters().maxQueue, PACKETS * FRAME, "ever");
    }

    /// Ask for the longest queue when five packets have left since.
    void Take()
    {
        NS_TEST_EXPECT_MSG_EQ(GetPort()->TakeMaxQueue(), PACKETS * FRAME, "before");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief How long a port has yet to send, whatever has left meanwhile that nobody has looked at.
 */
class BacklogTestCase : public TwoToOneTestCase
{
  public:
    BacklogTestCase()
        : TwoToOneTestCase("time that a port has yet to send")
    {
    }

  private:
    void DoRun() override
    {
        // While a packet is being sent its pair waits, and those of the pairs before of which only
        // one has left: as many as have begun to be sent, until the twentieth pair has come.
        const std::vector<std::pair<int64_t, uint64_t>>
            looks{{5, 5}, {10, 10}, {15, 15}, {25, 15}, {30, 10}, {35, 5}, {40, 0}};
        for (const auto& [packet, waiting] : looks)
        {
            Check(packet, waiting * FRAME * 2 / 25 + PACKET - PASSED);
        }
        Check(41, 0);
    }

    /**
     * @param packet number of the packet that is being sent, from 1
     * @param backlog what the port has yet to send 100 ns after that began, ns
     */
    void Check(int64_t packet, uint64_t backlog)
    {
        Begin();
        Simulator::Schedule(NanoSeconds(DELAY + packet * PACKET + PASSED),
                            &BacklogTestCase::Look,
                            this,
                            backlog);
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * @param backlog what the port has yet to send, ns
     */
    void Look(uint64_t backlog)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        NS_TEST_EXPECT_MSG_EQ(TimeStep(GetPort()->GetBacklogSteps(now)),
                              NanoSeconds(backlog),
                              "at " << Simulator::Now());
    }

    /// Time that the packet has been sent for when the port is looked at, ns.
    static constexpr int64_t PASSED = 100;
};

} // namespace

std::vector<TestCase*>
MakeRdmaBufferTestCases()
{
    return {new SharedBufferThresholdTestCase,
            new SharedBufferRandomTestCase,
            new SwitchMemoryTestCase,
            new RecentQueueTestCase,
            new BacklogTestCase};
}

} // namespace ns3
