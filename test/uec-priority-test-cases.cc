/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-test-case.h"
#include "uec-test-cases.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-message-priorities.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Which priority a message has, by hand.
 */
class MessagePrioritiesTestCase : public TestCase
{
  public:
    MessagePrioritiesTestCase()
        : TestCase("uec: priorities of messages")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaMessagePriorities priorities(3, {1000, 10000});
        NS_TEST_EXPECT_MSG_EQ(priorities.GetCount(),
                              6,
                              "three that are granted, three that are not");
        const std::vector<std::pair<uint64_t, uint32_t>> rows{{0, 5},
                                                              {1000, 5},
                                                              {1001, 4},
                                                              {10000, 4},
                                                              {10001, 3},
                                                              {UINT64_MAX, 3}};
        for (const auto& [bytes, priority] : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(+priorities.GetUnscheduled(bytes), priority, bytes << " bytes");
        }
        // One alone has the lowest, so that a shorter one overtakes what is on its way.
        NS_TEST_EXPECT_MSG_EQ(+priorities.GetScheduled(0, 1), 0, "alone");
        NS_TEST_EXPECT_MSG_EQ(+priorities.GetScheduled(0, 3), 2, "the shortest of three");
        NS_TEST_EXPECT_MSG_EQ(+priorities.GetScheduled(2, 3), 0, "the longest of three");
        std::vector<uint64_t> cutoffs;
        const bool isGood = RdmaMessagePriorities::ParseCutoffs("300,4000", cutoffs);
        NS_TEST_EXPECT_MSG_EQ((isGood && cutoffs == std::vector<uint64_t>{300, 4000}), true, "two");
        NS_TEST_EXPECT_MSG_EQ(RdmaMessagePriorities::ParseCutoffs("", cutoffs), true, "none");
        NS_TEST_EXPECT_MSG_EQ(cutoffs.empty(), true, "none");
        for (const std::string text :
             {"4000,300", "7,7", "0", "1,,2", "-1", "1,", "1;2", "1,2x", " 1"})
        {
            NS_TEST_EXPECT_MSG_EQ(RdmaMessagePriorities::ParseCutoffs(text, cutoffs), false, text);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases in which receivers grant several messages at once.
 */
class UecPriorityTestCase : public UecTestCase
{
  public:
    using UecTestCase::UecTestCase;

  protected:
    void DoTeardown() override
    {
        UecTestCase::DoTeardown();
        Config::Reset();
    }

    /**
     * Make two leaves of eight hosts.
     *
     * @param granted RdmaRccc::Overcommitment
     * @param cutoffs RdmaRccc::UnscheduledCutoffs
     */
    void InstallPriorities(uint32_t granted, const std::string& cutoffs)
    {
        UecTestCase::DoTeardown();
        Shape shape;
        shape.hostsPerLeaf = 8;
        shape.spines = 8;
        Build(shape);
        Config::SetDefault("ns3::RdmaRccc::GrantOrder", StringValue("shortest-remaining"));
        Config::SetDefault("ns3::RdmaRccc::Overcommitment", UintegerValue(granted));
        Config::SetDefault("ns3::RdmaRccc::UnscheduledCutoffs", StringValue(cutoffs));
        InstallUec("Rccc");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Short messages to a host that messages of 500 kB from six others keep busy for four fifths
 * of the time: with priorities a short one waits for hardly more than the packet that is being
 * sent.
 *
 * Homa's authors report such tails of short messages at that load: 15 us at 10 Gb/s for a round
 * trip (SIGCOMM 2018, abstract).
 */
class UecShortMessageTestCase : public UecPriorityTestCase
{
  public:
    UecShortMessageTestCase()
        : UecPriorityTestCase("uec: short messages beside long ones, with and without priorities")
    {
    }

  private:
    /// Size of a short message, bytes: one packet.
    static constexpr uint64_t SHORT = 2000;

    void DoRun() override
    {
        const double without = GetSlowdown(0, "");
        const double with = GetSlowdown(3, "10000,100000");
        NS_TEST_EXPECT_MSG_LT(with, 1.3, "with priorities");
        NS_TEST_EXPECT_MSG_GT(without, 2 * with, "without");
    }

    /**
     * @param granted RdmaRccc::Overcommitment
     * @param cutoffs RdmaRccc::UnscheduledCutoffs
     * @return slowdown that one of a hundred short messages exceeds
     */
    double GetSlowdown(uint32_t granted, const std::string& cutoffs)
    {
        InstallPriorities(granted, cutoffs);
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        std::vector<std::tuple<Time, uint32_t, uint64_t>> messages;
        for (uint32_t sender = 8; sender < 14; ++sender)
        {
            for (uint32_t i = 0; i < 10; ++i)
            {
                // 40 us each, six in 300 us.
                const double at = 300 * (i + random->GetValue(0, 1));
                messages.emplace_back(NanoSeconds(static_cast<int64_t>(at * 1e3)), sender, 500000);
            }
        }
        for (uint32_t i = 0; i < 300; ++i)
        {
            messages.emplace_back(MicroSeconds(10 * i + 5), 14 + i % 2, SHORT);
        }
        std::sort(messages.begin(), messages.end());
        for (const auto& [at, sender, bytes] : messages)
        {
            Post(at, sender, 0, bytes);
        }
        Simulator::Run();
        ExpectAllDelivered();
        std::vector<double> slowdowns;
        // Alone: four links of 1 us, and its bytes over each at 100 Gb/s.
        const double alone = 4 * (1e-6 + (SHORT + 64 + 20) * 8 / 100e9);
        for (const auto& fate : m_fates)
        {
            if (fate.message.bytes == SHORT)
            {
                slowdowns.push_back((fate.arrivedAt - fate.message.postedAt).GetSeconds() / alone);
            }
        }
        std::sort(slowdowns.begin(), slowdowns.end());
        return slowdowns[slowdowns.size() * 99 / 100];
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Three messages of one, two and four parts to a host come in the order of their lengths,
 * after one, three and seven parts, whether one is granted at once or more; no byte is lost though
 * an uplink fails and comes back.
 */
class UecOvercommitmentTestCase : public UecPriorityTestCase
{
  public:
    UecOvercommitmentTestCase()
        : UecPriorityTestCase("uec: several messages are granted at once, the shortest first")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t part = 2000;
        for (const uint32_t granted : {1, 2, 6})
        {
            for (const bool fails : {false, true})
            {
                InstallPriorities(granted, "");
                Post(Time(0), 9, 0, 4 * part * PAYLOAD);
                Post(Time(0), 10, 0, 2 * part * PAYLOAD);
                Post(Time(0), 11, 0, part * PAYLOAD);
                if (fails)
                {
                    RunUntil(MicroSeconds(500));
                    m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, 0), false);
                    RunUntil(MicroSeconds(600));
                    m_fabric->GetNetwork()->SetLinkUp(GetUplink(1, 0), true);
                }
                Simulator::Run();
                ExpectAllDelivered();
                // 400 ns a packet; 5 % and a failure of 100 us, found after as long, on top.
                const double late = 1.05 * 400e-9 * part;
                for (const uint32_t i : {0, 1, 2})
                {
                    const double parts = std::vector<double>{7, 3, 1}[i];
                    const double took = m_fates[i].arrivedAt.GetSeconds();
                    NS_TEST_EXPECT_MSG_GT(took, parts * 400e-9 * part, granted << ", " << i);
                    NS_TEST_EXPECT_MSG_LT(took,
                                          parts * late + (fails ? 200e-6 : 100e-6),
                                          granted << " at once, message " << i);
                }
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What does not go together is refused.
 */
class UecPriorityErrorTestCase : public UecPriorityTestCase
{
  public:
    UecPriorityErrorTestCase()
        : UecPriorityTestCase("uec: priorities of messages that are refused")
    {
    }

  private:
    void DoRun() override
    {
        const std::string space = "ns3::RdmaRccc::";
        Expect(2, "7,3", space + "UnscheduledCutoffs: error: expected whole numbers above 0");
        Expect(0, "3,7", space + "UnscheduledCutoffs: error: expected none without");
        Expect(5, "3,7", space + "UnscheduledCutoffs: error: expected at most 1 sizes");
        Config::SetDefault("ns3::UecProtocol::Lossless", BooleanValue(true));
        Expect(2,
               "",
               "congestion control rccc: error: expected another one with the transport uec");
    }

    /**
     * @param granted RdmaRccc::Overcommitment
     * @param cutoffs RdmaRccc::UnscheduledCutoffs
     * @param expected how the error is to begin
     */
    void Expect(uint32_t granted, const std::string& cutoffs, const std::string& expected)
    {
        std::string message;
        try
        {
            InstallPriorities(granted, cutoffs);
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message.find(expected), 0, message);
    }
};

} // namespace

std::vector<TestCase*>
MakeUecPriorityTestCases()
{
    return {new MessagePrioritiesTestCase,
            new UecShortMessageTestCase,
            new UecOvercommitmentTestCase,
            new UecPriorityErrorTestCase};
}

} // namespace ns3
