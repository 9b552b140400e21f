/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"

#include "ns3/collective-selection.h"
#include "ns3/replay-helper.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Short for the actions.
using T = CollectiveTransfer;

/// The pipelines of a member: its steps, one after another.
using Script = std::vector<std::vector<CollectiveStep>>;

/// Bytes of the collectives that scripts do.
constexpr uint64_t SCRIPT_BYTES = 8;

/**
 * @ingroup workload-replay-tests
 * @brief Makes steps that were written down.
 */
class ScriptedPipeline : public ChunkPipeline
{
  public:
    /**
     * @param steps the steps
     * @param channel its channel
     */
    ScriptedPipeline(std::vector<CollectiveStep> steps, uint32_t channel)
        : ChunkPipeline(channel),
          m_steps(std::move(steps))
    {
    }

    bool Next(CollectiveStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = m_steps[m_next++];
        return true;
    }

  private:
    std::vector<CollectiveStep> m_steps; //!< the steps
    std::size_t m_next{0};               //!< the next one
};

/**
 * @ingroup workload-replay-tests
 * @brief An algorithm that is a script for each member.
 */
class ScriptedCollective : public CollectiveAlgorithm
{
  public:
    /// Makes the script of a member.
    using Maker = std::function<Script(uint32_t)>;

    /**
     * @param kind what it does
     * @param maker makes the script of a member
     */
    ScriptedCollective(CollectiveKind kind, Maker maker)
        : CollectiveAlgorithm("scripted", {kind}),
          m_maker(std::move(maker))
    {
    }

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override
    {
        ChunkPipelines pipelines;
        for (auto& steps : m_maker(call.index))
        {
            const auto channel = static_cast<uint32_t>(pipelines.size());
            pipelines.push_back(std::make_unique<ScriptedPipeline>(std::move(steps), channel));
        }
        return pipelines;
    }

    Maker m_maker; //!< makes the script of a member
};

/**
 * @ingroup workload-replay-tests
 * @brief What is wrong in an algorithm is found, and it is said where.
 */
class CollectiveFaultTestCase : public TestCase
{
  public:
    CollectiveFaultTestCase()
        : TestCase("faults of algorithms")
    {
    }

  private:
    /**
     * @param kind what the script does
     * @param size number of members
     * @param maker the script
     * @param expected what is found
     * @param bytes bytes of the call
     */
    void Check(CollectiveKind kind,
               uint32_t size,
               const ScriptedCollective::Maker& maker,
               const std::string& expected,
               uint64_t bytes = SCRIPT_BYTES)
    {
        CollectiveChecker checker(CreateObject<ScriptedCollective>(kind, maker),
                                  {kind, bytes, 0, size});
        NS_TEST_EXPECT_MSG_EQ(DescribeFault(checker), expected, ToString(kind));
    }

    /**
     * All-reduce of three by way of the first member: in step 0 it gets what the others have, in
     * step 1 they get the sum.
     *
     * @param member a member
     * @return its steps
     */
    static Script MakeStar(uint32_t member)
    {
        if (member == 0)
        {
            return {{{{T::RECV_REDUCE, 1, 0, 8}, {T::RECV_REDUCE, 2, 0, 8}},
                     {{T::SEND, 1, 0, 8}, {T::SEND, 2, 0, 8}}}};
        }
        return {{{{T::SEND, 0, 0, 8}}, {{T::RECV_COPY, 0, 0, 8}}}};
    }

    /**
     * @param member the member whose script is changed
     * @param step its step
     * @param other what that is instead
     * @return the star with it
     */
    static ScriptedCollective::Maker Change(uint32_t member,
                                            std::size_t step,
                                            const CollectiveStep& other)
    {
        return [=](uint32_t index) {
            auto script = MakeStar(index);
            if (index == member)
            {
                script[0][step] = other;
            }
            return script;
        };
    }

    void DoRun() override
    {
        CheckResults();
        CheckSteps();
        CheckOrder();
        CheckSlots();
    }

    /// Data that is missing, or there twice.
    void CheckResults()
    {
        const auto reduce = CollectiveKind::ALL_REDUCE;
        Check(reduce, 3, MakeStar, "");
        // Keeps half of the sum.
        Check(reduce,
              3,
              Change(2, 1, {{T::RECV_COPY, 0, T::SCRATCH, 8}}),
              "rank 2, bytes 0 to 7: expected those from offset 0 of all ranks at the end, found "
              "those from offset 0 of rank 2; look at the steps of the rank: none writes there");
        Check(reduce,
              3,
              Change(0, 0, {{T::RECV_COPY, 1, 0, 8}, {T::RECV_REDUCE, 2, 0, 8}}),
              "rank 0, bytes 0 to 7: expected those from offset 0 of all ranks at the end, found "
              "those from offset 0 of ranks 1, 2; look at step 0 of pipeline 0, with what rank 2 "
              "sends in step 0 of pipeline 0, the last to write there");
        Check(reduce,
              3,
              Change(1, 1, {{T::RECV_REDUCE, 0, 0, 8}}),
              "rank 1, step 1 of pipeline 0, bytes 0 to 7: expected sums of the same bytes in "
              "which each rank stands once, found 8 bytes from offset 0 of rank 1, and to it 8 "
              "bytes from offset 0 of all ranks, which rank 0 sends in step 1 of pipeline 0");
        // The right rank's bytes, but others of them.
        Check(
            CollectiveKind::BROADCAST,
            2,
            [](uint32_t member) -> Script {
                if (member == 0)
                {
                    CollectiveTransfer swapped{T::SEND, 1, 0, 8};
                    swapped.parts = {{4, 4}, {0, 4}};
                    return {{{swapped}}};
                }
                return {{{{T::RECV_COPY, 0, 0, 8}}}};
            },
            "rank 1, bytes 0 to 3: expected those from offset 0 of rank 0 at the end, found those "
            "from offset 4 of rank 0; look at step 0 of pipeline 0, with what rank 0 sends in "
            "step 0 of pipeline 0, the last to write there");
        Check(
            CollectiveKind::BARRIER,
            3,
            [](uint32_t member) -> Script {
                // The last one is not asked.
                return member == 2 ? Script{}
                                   : Script{{{{T::SEND, 1 - member, 0, 0},
                                              {T::RECV_COPY, 1 - member, 0, 0}}}};
            },
            "rank 0: expected to have heard of all ranks at the end, found ranks 0, 1 alone; look "
            "at the steps of the rank",
            0);
    }

    /// Steps that cannot be made.
    void CheckSteps()
    {
        const auto reduce = CollectiveKind::ALL_REDUCE;
        Check(reduce,
              3,
              Change(1, 0, {{T::SEND, 0, 4, 8}}),
              "rank 1, step 0 of pipeline 0, bytes 4 to 11: expected bytes of a buffer of 8, found "
              "8 bytes from offset 4");
        Check(
            reduce,
            3,
            Change(1, 0, {{T::SEND, 0, T::SCRATCH + 2, 8}}),
            "rank 1, step 0 of pipeline 0, scratch bytes 2 to 9: expected bytes to send that have "
            "come before, found 8 bytes from offset 2 of its scratch memory, where nothing has");
        Check(reduce,
              3,
              Change(1, 0, {{T::SEND, 0, 0, 7}}),
              "rank 0, step 0 of pipeline 0: expected a message of 8 bytes, found 7, which rank 1 "
              "sends in step 0 of pipeline 0");
        Check(reduce,
              3,
              Change(1, 0, {{T::SEND, 3, 0, 8}}),
              "rank 1, step 0 of pipeline 0: expected a receiver, of 3 members, found 3");
        Check(reduce,
              3,
              Change(2, 1, {}),
              "rank 0, step 1 of pipeline 0: expected a receive of rank 2 for what it sends, found "
              "none; look at the steps of rank 2");
        Check(reduce,
              3,
              Change(0, 1, {{T::SEND, 1, 0, 8}}),
              "rank 2, step 1 of pipeline 0: expected steps that come to an end, found one that "
              "waits for 8 bytes of rank 0, which has no step left that sends them; look at the "
              "steps of rank 0");
        Check(
            CollectiveKind::SHIFT,
            2,
            [](uint32_t member) -> Script {
                return {{{{T::RECV_COPY, 1 - member, 0, 8}}, {{T::SEND, 1 - member, 0, 8}}}};
            },
            "rank 0, step 0 of pipeline 0: expected steps that come to an end, found one that "
            "waits for 8 bytes of rank 1, which waits, too; look at which of the two should send "
            "first");
    }

    /// Two pipelines of which one must not go on before the other one.
    void CheckOrder()
    {
        Check(
            CollectiveKind::BROADCAST,
            3,
            [](uint32_t member) -> Script {
                switch (member)
                {
                case 0:
                    return {{{{T::SEND, 1, 0, 8}}}, {}};
                case 1:
                    // Passes on in the second pipeline what comes in the first one.
                    return {{{{T::RECV_COPY, 0, 0, 8}}}, {{{T::SEND, 2, 0, 8}}}};
                default:
                    return {{}, {{{T::RECV_COPY, 1, 0, 8}}}};
                }
            },
            "rank 1, step 0 of pipeline 1, bytes 0 to 7: expected bytes to send that have come "
            "before, found 8 bytes from offset 0, where nothing has");
    }

    /// As many messages as there are slots go ahead of their receives, and no more.
    void CheckSlots()
    {
        const auto make = [](uint32_t messages) {
            return [messages](uint32_t member) -> Script {
                Script script(1);
                const uint32_t other = 1 - member;
                CollectiveStep receives;
                for (uint32_t i = 0; i < messages; ++i)
                {
                    script[0].push_back({{T::SEND, other, i, 1}});
                    receives.push_back({T::RECV_COPY, other, i, 1});
                }
                script[0].push_back(receives);
                return script;
            };
        };
        Check(CollectiveKind::SHIFT, 2, make(8), "");
        Check(CollectiveKind::SHIFT,
              2,
              make(9),
              "rank 0, step 8 of pipeline 0: expected steps that come to an end, found one whose 1 "
              "bytes have no room: the 8 slots of 524288 bytes of their connection are full, and "
              "their receive is never posted; look at receives that its peer should post before it "
              "sends more",
              9);
        // A message longer than all slots goes on through them when its receive is posted.
        Check(
            CollectiveKind::SHIFT,
            2,
            [](uint32_t member) -> Script {
                return {
                    {{{T::SEND, 1 - member, 0, 1 << 24}, {T::RECV_COPY, 1 - member, 0, 1 << 24}}}};
            },
            "",
            1 << 24);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief All algorithms there are move the right data, at any number of members and of bytes.
 */
class AllAlgorithmsTestCase : public TestCase
{
  public:
    /**
     * @param perServer members of a server; 0 = it is not known where they stand
     */
    explicit AllAlgorithmsTestCase(uint32_t perServer)
        : TestCase("all algorithms, 1 to 40 members in servers of " + std::to_string(perServer)),
          m_perServer(perServer)
    {
    }

  private:
    void DoRun() override
    {
        const auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
        for (uint32_t size = 1; size <= 40; ++size)
        {
            std::vector<uint32_t> servers;
            for (uint32_t member = 0; m_perServer > 0 && member < size; ++member)
            {
                servers.push_back(member / m_perServer);
            }
            std::unique_ptr<CollectivePlacement> placement;
            if (m_perServer > 0)
            {
                placement = std::make_unique<CollectivePlacement>(servers, 2);
                placement->SetReductionUnsupportedReason("");
            }
            for (const auto kind : GetCollectiveKinds())
            {
                for (const auto& name : algorithms->GetNames(kind))
                {
                    Check(algorithms->Find(kind, name), kind, size, placement.get());
                }
            }
        }
        // None but the one of a torus needs more than servers.
        NS_TEST_EXPECT_MSG_GT(m_checked, 1000, "collectives that were checked");
    }

    /**
     * @param algorithm an algorithm
     * @param kind what it does
     * @param size number of members
     * @param placement where they stand; null = not known
     */
    void Check(const CollectiveAlgorithm* algorithm,
               CollectiveKind kind,
               uint32_t size,
               const CollectivePlacement* placement)
    {
        std::vector<uint64_t> sizes{1, 2 * size + 1};
        if (size == 16)
        {
            // Several chunks for each channel.
            sizes.insert(sizes.end(), {size, 3000003});
        }
        sizes = kind == CollectiveKind::BARRIER ? std::vector<uint64_t>{0} : sizes;
        for (const auto bytes : sizes)
        {
            CollectiveCall call{kind, bytes, 0, size, nullptr, placement, size / 2};
            call.root = HasRoot(kind) ? call.root : 0;
            if (!algorithm->Suits(call))
            {
                continue;
            }
            CollectiveChecker checker(algorithm, call);
            NS_TEST_EXPECT_MSG_EQ(DescribeFault(checker),
                                  "",
                                  algorithm->GetName() << ", " << ToString(kind) << " of " << bytes
                                                       << " bytes on " << size);
            ++m_checked;
        }
    }

    uint32_t m_perServer;  //!< members of a server; 0 = not known
    uint32_t m_checked{0}; //!< collectives checked
};

/**
 * @ingroup workload-replay-tests
 * @brief The checks of algorithms of collectives.
 */
class WorkloadReplayCheckerTestSuite : public TestSuite
{
  public:
    WorkloadReplayCheckerTestSuite()
        : TestSuite("workload-replay-checker", TestSuite::Type::UNIT)
    {
        AddTestCase(new CollectiveFaultTestCase);
        AddTestCase(new AllAlgorithmsTestCase(0));
        AddTestCase(new AllAlgorithmsTestCase(1));
        AddTestCase(new AllAlgorithmsTestCase(8));
    }
};

/// Registers the suite.
WorkloadReplayCheckerTestSuite g_workloadReplayCheckerTestSuite;

} // namespace
