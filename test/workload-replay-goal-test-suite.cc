/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-test-cases.h"
#include "measurement-test-case.h"
#include "workload-test-tools.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/goal-reader.h"
#include "ns3/log-gops-costs.h"
#include "ns3/log-gops-message-transport.h"
#include "ns3/uinteger.h"
#include "ns3/workload-reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

void
RunGoalModel(ReplayTestJob& job, uint32_t world, const GoalTestCosts& costs, uint32_t iterations)
{
    auto parameters = CreateObject<LogGopsCosts>();
    parameters->SetAttribute("Latency", TimeValue(NanoSeconds(costs.latency)));
    parameters->SetAttribute("Overhead", TimeValue(NanoSeconds(costs.overhead)));
    parameters->SetAttribute("Gap", TimeValue(NanoSeconds(costs.gap)));
    parameters->SetAttribute("ByteGap", DoubleValue(costs.byteGap));
    parameters->SetAttribute("ByteOverhead", DoubleValue(costs.byteOverhead));
    parameters->SetAttribute("EagerLimit", UintegerValue(costs.eagerLimit));
    auto ranks = std::make_shared<LogGopsMessageTransport::Ranks>();
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        auto transport = CreateObject<LogGopsMessageTransport>();
        transport->Setup(ranks, parameters);
        ranks->push_back(PeekPointer(transport));
        transports.emplace_back(transport);
    }
    job.Run(transports, nullptr, iterations);
}

std::vector<int64_t>
FindGoalEnds(std::shared_ptr<const Workload> workload, const GoalTestCosts& costs)
{
    const uint32_t world = workload->GetLayout().world;
    std::vector<int64_t> ends(world, -1);
    ReplayTestJob job(std::move(workload));
    RunGoalModel(job, world, costs);
    for (const auto& record : job.iterations)
    {
        ends[record.rank] = record.end.GetNanoSeconds();
    }
    return ends;
}

GoalTestCase::GoalTestCase(const std::string& name)
    : TestCase("goal: " + name)
{
}

std::shared_ptr<const Workload>
GoalTestCase::Read(const std::string& content)
{
    m_file = CreateTempDirFilename("schedule" + std::to_string(m_files++));
    WriteWorkloadFile(m_file, content);
    return ReadGoal(m_file);
}

std::string
GoalTestCase::ErrorOf(const std::string& content)
{
    return CutFile(WorkloadErrorOf([this, &content]() { Read(content); }));
}

std::string
GoalTestCase::CutFile(std::string text) const
{
    for (auto at = text.find(m_file); at != std::string::npos; at = text.find(m_file))
    {
        text.replace(at, m_file.size(), "FILE");
    }
    return text;
}

std::vector<int64_t>
GoalTestCase::FindEnds(const GoalTestSchedule& schedule, const GoalTestCosts& costs)
{
    const auto text = FindGoalEnds(Read(schedule.GetText()), costs);
    const auto binary = FindGoalEnds(Read(schedule.GetBinary()), costs);
    NS_TEST_EXPECT_MSG_EQ((text == binary), true, "text and binary form");
    return text;
}

} // namespace ns3

using namespace ns3;

/// Marks of an op in the descriptions below.
using Op = WorkloadOp;

/**
 * @param program a program
 * @return its ops, one a line: stream, name, kind, amount in bytes or ps, peer, tag, CPU, NIC,
 * line, then the ops that its finish and its start let go on
 */
static std::string
Describe(const WorkloadProgram& program)
{
    std::string text;
    for (uint32_t i = 0; i < program.GetOps().size(); ++i)
    {
        const auto& op = program.GetOps()[i];
        const auto any = [](uint64_t value, uint64_t mark) {
            return value == mark ? "any" : std::to_string(value);
        };
        text += program.GetStreams()[op.stream].name + " " + program.GetName(op) + " " +
                ToString(op.kind) + " " + std::to_string(op.amount) + " " +
                any(op.peer, Op::ANY_PEER) + " " + any(op.tag, Op::ANY_TAG) + " " +
                std::to_string(op.cpu) + " " + std::to_string(op.nic) + " @" +
                std::to_string(op.origin) + " ->";
        for (const auto next : program.GetFinishSuccessors(i))
        {
            text += " " + std::to_string(next);
        }
        text += " |";
        for (const auto next : program.GetStartSuccessors(i))
        {
            text += " " + std::to_string(next);
        }
        text += "\n";
    }
    return text;
}

/**
 * @ingroup workload-replay-tests
 * @brief What nodes and dependencies become.
 */
class GoalLoweringTestCase : public GoalTestCase
{
  public:
    GoalLoweringTestCase()
        : GoalTestCase("lowering")
    {
    }

  private:
    void DoRun() override;

    /// Both forms, told by their content.
    void CheckForms();
};

void
GoalLoweringTestCase::DoRun()
{
    const auto workload = Read("// a comment\n"
                               "num_ranks 4 /* two\nlines */\n"
                               "rank 2 { // ranks in any order\n"
                               "first: send 0010 b to 0 nic 3 tag 000000001 cpu 2\r\n"
                               "recv 20b from -1 tag -1 cpu 1 cpu 4\n"
                               "tag: calc 7 cpu 2 tag irequires first\n"
                               "first: calc 0\n"
                               "last: calc 1 last requires first last\trequires\ttag }\n"
                               "rank 0{recv 10b from 2 tag 1}");
    NS_TEST_EXPECT_MSG_EQ(workload->GetFormat(), "goal", "format");
    NS_TEST_ASSERT_MSG_EQ(workload->GetLayout().world, 4, "ranks");
    NS_TEST_ASSERT_MSG_EQ(workload->GetCommunicators().size(), 1, "communicators");
    NS_TEST_EXPECT_MSG_EQ(workload->GetCommunicators()[0].ranks.size(), 4, "of all ranks");
    NS_TEST_EXPECT_MSG_EQ(Describe(workload->GetProgram(2)),
                          "nic3 first send 10 0 1 2 3 @5 -> 4 | 2\n"
                          "nic0 recv recv 20 any any 4 0 @6 -> |\n"
                          "cpu2 tag compute 7000 0 0 2 0 @7 -> 4 |\n"
                          "cpu0 first compute 0 0 0 0 0 @8 -> |\n"
                          "cpu0 last compute 1000 0 0 0 0 @9 -> |\n",
                          "rank 2");
    NS_TEST_EXPECT_MSG_EQ(Describe(workload->GetProgram(0)),
                          "nic0 recv recv 10 2 1 0 0 @10 -> |\n",
                          "rank 0");
    NS_TEST_EXPECT_MSG_EQ(workload->GetProgram(1).GetOps().size(), 0, "a rank without a block");
    NS_TEST_EXPECT_MSG_EQ(workload->GetProgram(3).UsesResources(),
                          true,
                          "such a rank needs them, too");
    CheckForms();
}

void
GoalLoweringTestCase::CheckForms()
{
    GoalTestSchedule schedule(2);
    schedule.Add(0, 1, 10, 1, 7, 3, 2);
    schedule.Add(1, 2, 10, GoalTestSchedule::ANY, GoalTestSchedule::ANY, 1, 1);
    schedule.Calc(1, 5, 0);
    schedule.Require(1, 1, 0, true);
    // A simulator that has counted down the dependencies leaves the rest as it was.
    auto used = schedule.GetBinary(2342);
    used[used.size() - 8 - 39] = 0;
    for (const auto& content : {schedule.GetText(), schedule.GetBinary(), used})
    {
        const auto workload = Read(content);
        NS_TEST_EXPECT_MSG_EQ(DetectWorkloadFormat(workload->GetFile()), "goal", "detected");
        const bool isText = content[0] == 'n';
        NS_TEST_EXPECT_MSG_EQ(Describe(workload->GetProgram(0)),
                              std::string(isText ? "nic2 n0 send 10 1 7 3 2 @3 -> |\n"
                                                 : "nic2 send send 10 1 7 3 2 @0 -> |\n"),
                              "rank 0");
        NS_TEST_EXPECT_MSG_EQ(Describe(workload->GetProgram(1)),
                              std::string(isText ? "nic1 n0 recv 10 any any 1 1 @6 -> 1 | 1\n"
                                                   "cpu0 n1 compute 5000 0 0 0 0 @7 -> |\n"
                                                 : "nic1 recv recv 10 any any 1 1 @0 -> 1 | 1\n"
                                                   "cpu0 calc compute 5000 0 0 0 0 @1 -> |\n"),
                              "rank 1");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Schedules of HTSIM and of a generator of ATLAHS: what they hold, and when they end in the
 *        LogGOPS model.
 */
class GoalSampleTestCase : public MeasurementTestCase
{
  public:
    GoalSampleTestCase()
        : MeasurementTestCase("goal: sample schedules", "goal")
    {
    }

  private:
    /// What a schedule holds.
    struct Sum
    {
        uint64_t sends{0};    //!< sends
        uint64_t receives{0}; //!< receives
        uint64_t calcs{0};    //!< computations
        uint64_t bytes{0};    //!< bytes sent
        uint64_t time{0};     //!< time of computations, ns
        uint64_t edges{0};    //!< dependencies
    };

    void Check() override;

    /// What is in the schedules.
    void CheckSums();

    /// Text and binary form of the same schedule.
    void CheckPairs();

    /// When they end.
    void CheckEnds();

    /**
     * @param name name of a schedule
     * @return what it holds
     */
    Sum Count(const std::string& name) const;

    /**
     * @param name name of a schedule
     * @return when its last rank ends, with the parameters of LogGOPSim, ns
     */
    int64_t FindEnd(const std::string& name) const;
};

void
GoalSampleTestCase::Check()
{
    CheckSums();
    CheckPairs();
    CheckEnds();
}

GoalSampleTestCase::Sum
GoalSampleTestCase::Count(const std::string& name) const
{
    Sum sum;
    const auto workload = ReadGoal(Find(name));
    for (uint32_t rank = 0; rank < workload->GetLayout().world; ++rank)
    {
        const auto& program = workload->GetProgram(rank);
        for (uint32_t i = 0; i < program.GetOps().size(); ++i)
        {
            const auto& op = program.GetOps()[i];
            sum.edges += program.GetPredecessorCount(i);
            sum.sends += op.kind == OpKind::SEND ? 1 : 0;
            sum.receives += op.kind == OpKind::RECV ? 1 : 0;
            sum.calcs += op.kind == OpKind::COMPUTE ? 1 : 0;
            sum.bytes += op.kind == OpKind::SEND ? op.amount : 0;
            sum.time += op.kind == OpKind::COMPUTE ? op.amount / 1000 : 0;
        }
    }
    return sum;
}

void
GoalSampleTestCase::CheckSums()
{
    const std::pair<std::string, Sum> rows[] = {
        {"htsim-main/one_send.goal", {1, 1, 0, 80000000, 0, 0}},
        {"htsim-main/comp.goal", {1, 1, 1, 80000000, 8000, 1}},
        {"htsim-main/incast_8_1_2MiB.goal", {2, 2, 0, 160000000, 0, 1}},
        {"llm-generated/llama3-tiny-tp4-dp4-pp2.goal",
         {5920, 5920, 20544, 5771362304, 1356704, 43056}},
    };
    for (const auto& [name, expected] : rows)
    {
        const auto sum = Count(name);
        NS_TEST_EXPECT_MSG_EQ(sum.sends, expected.sends, "sends of " << name);
        NS_TEST_EXPECT_MSG_EQ(sum.receives, expected.receives, "receives of " << name);
        NS_TEST_EXPECT_MSG_EQ(sum.calcs, expected.calcs, "computations of " << name);
        NS_TEST_EXPECT_MSG_EQ(sum.bytes, expected.bytes, "bytes of " << name);
        NS_TEST_EXPECT_MSG_EQ(sum.time, expected.time, "time of " << name);
        NS_TEST_EXPECT_MSG_EQ(sum.edges, expected.edges, "dependencies of " << name);
    }
}

void
GoalSampleTestCase::CheckPairs()
{
    const std::pair<std::string, std::string> pairs[] = {
        {"128sched", "128_32"},
        {"Financial_1", "Fin1"},
        {"Financial_2", "Fin2"},
        {"host-2_writes-2_reads-2_mount", "simple"},
        {"perm", "perm20"},
        {"perm16", "perm16"},
        {"testing_comp", "testing_compute"},
        {"testing_comp_simple2", "testing_comp_simple2"}};
    for (const auto& [textName, binaryName] : pairs)
    {
        const auto text = ReadGoal(Find("htsim-text/" + textName + ".goal"));
        const auto binary = ReadGoal(Find("htsim-binary/" + binaryName + ".bin"));
        NS_TEST_ASSERT_MSG_EQ(text->GetLayout().world, binary->GetLayout().world, textName);
        for (uint32_t rank = 0; rank < text->GetLayout().world; ++rank)
        {
            const auto& a = text->GetProgram(rank);
            const auto& b = binary->GetProgram(rank);
            NS_TEST_ASSERT_MSG_EQ(a.GetOps().size(), b.GetOps().size(), textName);
            for (uint32_t i = 0; i < a.GetOps().size(); ++i)
            {
                const auto& x = a.GetOps()[i];
                const auto& y = b.GetOps()[i];
                const bool isSame = x.kind == y.kind && x.amount == y.amount && x.peer == y.peer &&
                                    x.tag == y.tag && x.cpu == y.cpu && x.nic == y.nic &&
                                    a.GetPredecessorCount(i) == b.GetPredecessorCount(i);
                NS_TEST_EXPECT_MSG_EQ(isSame, true, textName << ", rank " << rank << ", " << i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((FindGoalEnds(text) == FindGoalEnds(binary)), true, textName);
    }
}

int64_t
GoalSampleTestCase::FindEnd(const std::string& name) const
{
    const auto ends = FindGoalEnds(ReadGoal(Find(name)));
    return std::count(ends.begin(), ends.end(), -1) > 0
               ? -1
               : *std::max_element(ends.begin(), ends.end());
}

void
GoalSampleTestCase::CheckEnds()
{
    const std::pair<std::string, int64_t> rows[] = {
        {"htsim-main/one_send.goal", 480005494},
        {"htsim-main/comp.goal", 480013494},
        {"htsim-main/incast_8_1_2MiB.goal", 960010988},
        {"htsim-text/Financial_1.goal", 35267326},
        {"htsim-text/host-2_writes-2_reads-2_mount.goal", 296704},
        {"htsim-text/perm.goal", 120005494},
        {"htsim-text/128sched.goal", 192005494},
        {"htsim-text/testing_comp.goal", 192011476},
        {"htsim-text/testing_comp_simple2.goal", 192011476},
        {"htsim-binary/testing_comp_simple4.bin", 58005494},
        {"llm-generated/llama3-tiny-tp4-dp4-pp2.goal", 2041994237},
    };
    for (const auto& [name, end] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(FindEnd(name), end, name);
    }
    NS_TEST_EXPECT_MSG_EQ(FindEnd("htsim-text/one_send.goal"), -1, "sizes differ");
    Config::SetDefault("ns3::LogGopsHost::MatchSizes", BooleanValue(false));
    NS_TEST_EXPECT_MSG_EQ(FindEnd("htsim-text/one_send.goal"), 5500 + 7999 * 6, "what is sent");
    Config::Reset();
}

/**
 * @ingroup workload-replay-tests
 * @brief The reader of GOAL schedules, and what runs them.
 */
class WorkloadReplayGoalTestSuite : public TestSuite
{
  public:
    WorkloadReplayGoalTestSuite()
        : TestSuite("workload-replay-goal", TestSuite::Type::UNIT)
    {
        AddTestCase(new GoalLoweringTestCase);
        AddTestCase(new GoalSampleTestCase);
        for (const auto& cases :
             {MakeGoalErrorTestCases(), MakeGoalModelTestCases(), MakeGoalTransportTestCases()})
        {
            for (auto* testCase : cases)
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The one instance, which registers the suite.
static WorkloadReplayGoalTestSuite g_workloadReplayGoalTestSuite;
