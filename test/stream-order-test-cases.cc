/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stream-order-test-cases.h"

#include "replay-test-job.h"
#include "workload-test-tools.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief What may run when, by StreamOrder and the two sorts of edges.
 */
class StreamOrderTestCase : public TestCase
{
  public:
    StreamOrderTestCase()
        : TestCase("orders of streams and edges from starts")
    {
    }

  private:
    void DoRun() override;
};

void
StreamOrderTestCase::DoRun()
{
    ReplayTestJob job(1, Dimension::WORLD);
    TestProgram program;
    auto& builder = program.builder;
    const auto add = [&builder](StreamOrder order) {
        return builder.AddStream({"more", false, Dimension::WORLD, order, true});
    };
    const auto ready = add(StreamOrder::AS_READY);
    const auto parallel = add(StreamOrder::PARALLEL);
    const auto long3 = program.Compute("3 us", MicroSeconds(3));
    const auto late = program.Compute("late", MicroSeconds(10), ready);
    const auto first = program.Compute("first", MicroSeconds(4), ready);
    program.Compute("second", MicroSeconds(5), ready);
    builder.AddFinishEdge(long3, late);
    // Two start with "first", and the third with the start of the second of those.
    const auto a = program.Compute("a", MicroSeconds(2), parallel);
    const auto b = program.Compute("b", MicroSeconds(6), parallel);
    const auto c = program.Compute("c", MicroSeconds(1), parallel);
    builder.AddStartEdge(late, a);
    builder.AddStartEdge(late, b);
    builder.AddStartEdge(b, c);
    builder.AddFinishEdge(first, c);
    job.SetProgram(program.Build());
    job.Run(DataRate("8Gbps"), MicroSeconds(1));
    const auto check = [this, &job](const std::string& name, uint64_t start, uint64_t end) {
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, name).start, MicroSeconds(start), name << " starts");
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, name).end, MicroSeconds(end), name << " ends");
    };
    check("first", 0, 4);
    check("late", 4, 14);
    check("second", 14, 19);
    check("a", 4, 6);
    check("b", 4, 10);
    check("c", 4, 5);
}

/**
 * @ingroup workload-replay-tests
 * @brief Edges from starts can form cycles too.
 */
class StartCycleTestCase : public TestCase
{
  public:
    StartCycleTestCase()
        : TestCase("cycles with edges from starts")
    {
    }

  private:
    void DoRun() override;
};

void
StartCycleTestCase::DoRun()
{
    TestProgram program("f");
    const auto a = program.Compute("a", MicroSeconds(1));
    const auto b = program.Compute("b", MicroSeconds(1), 1);
    program.builder.AddStartEdge(a, b);
    program.builder.AddFinishEdge(b, a);
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&program]() { program.Build(); }),
                          "f:1: error: expected ops that can be put in an order, found 'a', which "
                          "waits for itself through its dependencies",
                          "a waits for b, which waits for a to start");
}

} // namespace

std::vector<TestCase*>
MakeStreamOrderTestCases()
{
    return {new StreamOrderTestCase, new StartCycleTestCase};
}

} // namespace ns3
