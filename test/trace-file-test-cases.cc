/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-test-cases.h"

#include "ns3/trace-file.h"

#include <memory>
#include <string>

using namespace ns3;

namespace
{

/// Ops of the program that both ranks share.
enum Op : uint32_t
{
    SEND,
    RECV
};

/**
 * @return a job of two stages, in which each rank sends to the next one and receives from it
 */
std::shared_ptr<Workload>
MakeRing()
{
    ParallelLayout layout;
    layout.world = 2;
    layout.pp = 2;
    auto workload = std::make_shared<Workload>("test", "a.txt", layout);
    const auto ranks = workload->AddCommunicator({"pp0", Dimension::PP, {0, 1}});
    for (uint32_t rank = 0; rank < layout.world; ++rank)
    {
        WorkloadProgramBuilder builder("a.txt");
        for (const auto kind : {OpKind::SEND, OpKind::RECV})
        {
            const bool isSend = kind == OpKind::SEND;
            WorkloadOp op;
            op.kind = kind;
            op.peer = 1 - rank;
            op.stream = builder.AddStream({isSend ? "out" : "in", false, Dimension::PP});
            builder.AddOp(op, isSend ? "put" : "get");
        }
        workload->SetRank(rank, builder.Build(), {ranks});
    }
    return workload;
}

/**
 * @param text what is looked at
 * @param words what is counted in it
 * @return how often it is there
 */
std::size_t
Count(const std::string& text, const std::string& words)
{
    std::size_t count = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
    {
        ++count;
    }
    return count;
}

/**
 * Show a ring in which rank 0 sends twice, both times 1000 ns from its start, and rank 1 receives.
 *
 * @param directory where to
 * @param request what is shown
 * @return trace.json
 */
std::string
Show(const std::string& directory, const TraceRequest& request)
{
    const auto job = MakeRing();
    TraceFile file(directory, "trace.json", job, TraceSelection(*job, request));
    const auto add = [&](uint32_t rank, Op op, int64_t start, int64_t end) {
        file.Add({rank, 0, &job->GetProgram(rank), op, NanoSeconds(start), NanoSeconds(end)});
    };
    // The first message is acknowledged after it has arrived, the second one is buffered at once.
    add(1, RECV, 0, 5000);
    add(0, SEND, 4000, 6000);
    add(0, SEND, 6000, 6000);
    add(0, RECV, 0, 6500); // nobody has sent this
    add(1, RECV, 5000, 9000);
    file.Finish();
    return ReadFile(directory, "trace.json");
}

} // namespace

TraceArrowsTestCase::TraceArrowsTestCase()
    : TestCase("arrows of trace.json")
{
}

void
TraceArrowsTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("");
    TraceRequest request;
    const auto text = Show(directory, request);
    const std::string message = R"(,"cat":"message","name":"message","id":)";
    NS_TEST_EXPECT_MSG_EQ(Count(text, message), 4, "two messages, two ends each");
    NS_TEST_EXPECT_MSG_EQ(Count(text, R"({"ph":"s","pid":0,"tid":1,"ts":4.000)" + message + "1}"),
                          1,
                          "from the start of the send");
    NS_TEST_EXPECT_MSG_EQ(
        Count(text, R"({"ph":"f","pid":1,"tid":2,"ts":4.999)" + message + R"(1,"bp":"e"})"),
        1,
        "to the end of the receive, but within it");
    NS_TEST_EXPECT_MSG_EQ(Count(text, R"({"ph":"s","pid":0,"tid":1,"ts":6.000)" + message + "2}"),
                          1,
                          "the second one, from a send that takes no time");
    NS_TEST_EXPECT_MSG_EQ(Count(text, R"("ts":8.999)" + message + "2"), 1, "its other end");
    NS_TEST_EXPECT_MSG_EQ(Count(text, R"("args":{"name":"rank 1, stage 1"})"), 1, "its stage");

    // The first receive has ended before: of the second message both ends are there.
    request.from = NanoSeconds(5500);
    const auto late = Show(directory, request);
    NS_TEST_EXPECT_MSG_EQ(Count(late, "\"X\""), 4, "all ops but one");
    NS_TEST_EXPECT_MSG_EQ(Count(late, message), 2, "one message");
    NS_TEST_EXPECT_MSG_EQ(Count(late, R"("ts":6.000)" + message + "1}"), 1, "the second one");

    request.ranks = {1};
    const auto alone = Show(directory, request);
    NS_TEST_EXPECT_MSG_EQ(Count(alone, "\"X\""), 1, "one rank");
    NS_TEST_EXPECT_MSG_EQ(Count(alone, message), 0, "no message, for its sender is not shown");
}
