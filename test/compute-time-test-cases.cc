/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-time-test-cases.h"

#include "replay-test-job.h"

#include "ns3/double.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <string>

namespace ns3
{

namespace
{

/// 1 Gb/s: a byte takes 8 ns, 1,000 bytes take 8 us.
const DataRate GIGABIT("1Gbps");

/**
 * @param job a job that has run
 * @param rank a rank
 * @return its first iteration
 */
IterationRecord
GetIteration(const ReplayTestJob& job, uint32_t rank)
{
    for (const auto& record : job.iterations)
    {
        if (record.rank == rank)
        {
            return record;
        }
    }
    return IterationRecord();
}

/**
 * @param record an iteration
 * @param dimension a dimension
 * @return exposed communication in it
 */
Time
GetExposed(const IterationRecord& record, Dimension dimension)
{
    return record.exposed[static_cast<std::size_t>(dimension)];
}

/**
 * @ingroup workload-replay-tests
 * @brief ComputeScale is a factor of every compute op's time, and no time is lost to rounding.
 */
class ComputeScaleTestCase : public TestCase
{
  public:
    ComputeScaleTestCase()
        : TestCase("compute times are scaled exactly")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        program.Compute("a", MicroSeconds(10));
        program.Compute("b", MicroSeconds(3));
        ReplayTestJob job(1, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [](ReplayHelper& helper) {
            helper.SetAttribute("ComputeScale", DoubleValue(2.5));
        };
        job.Run(GIGABIT, Time(0));
        NS_TEST_EXPECT_MSG_EQ(job.GetOp(0, "a").end, NanoSeconds(25000), "2.5 times 10 us");
        NS_TEST_EXPECT_MSG_EQ(job.end, NanoSeconds(32500), "and 2.5 times 3 us");
        NS_TEST_EXPECT_MSG_EQ(GetIteration(job, 0).compute, NanoSeconds(32500), "all of it work");

        TestProgram small;
        for (int i = 0; i < 1000; ++i)
        {
            small.Compute("op", NanoSeconds(3));
        }
        ReplayTestJob fine(1, Dimension::DP);
        fine.SetProgram(small.Build());
        fine.configure = [](ReplayHelper& helper) {
            helper.SetAttribute("ComputeScale", DoubleValue(0.5));
        };
        fine.Run(GIGABIT, Time(0));
        NS_TEST_EXPECT_MSG_EQ(fine.end,
                              NanoSeconds(1500),
                              "1,000 ops of 1.5 ns on a clock of 1 ns");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A straggler delays what waits for it, and the others' accounts say so.
 */
class StragglerTestCase : public TestCase
{
  public:
    StragglerTestCase()
        : TestCase("a straggler delays its collective and its pipeline neighbour")
    {
    }

  private:
    void DoRun() override
    {
        CheckCollective();
        CheckPipeline();
    }

    /// Two ranks: a (10 us), an all-reduce of 2,000 bytes (16 us), c (5 us). Rank 1 takes thrice
    /// as long for a and c.
    void CheckCollective()
    {
        TestProgram program;
        const auto a = program.Compute("a", MicroSeconds(10));
        const auto reduce = program.Collective("r", CollectiveKind::ALL_REDUCE, 2000);
        const auto c = program.Compute("c", MicroSeconds(5));
        program.builder.AddFinishEdge(a, reduce);
        program.builder.AddFinishEdge(reduce, c);
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [](ReplayHelper& helper) {
            helper.SetRankAttribute(1, "ComputeScale", DoubleValue(3));
        };
        job.Run(GIGABIT, Time(0));
        const auto first = GetIteration(job, 0);
        NS_TEST_EXPECT_MSG_EQ(first.compute, MicroSeconds(15), "rank 0 is as fast as ever");
        NS_TEST_EXPECT_MSG_EQ(GetExposed(first, Dimension::DP),
                              MicroSeconds(36),
                              "it waits 20 us for rank 1, and 16 us for the bytes");
        NS_TEST_EXPECT_MSG_EQ(first.end, MicroSeconds(51), "10 + 36 + 5");
        const auto second = GetIteration(job, 1);
        NS_TEST_EXPECT_MSG_EQ(second.compute, MicroSeconds(45), "rank 1 takes thrice as long");
        NS_TEST_EXPECT_MSG_EQ(GetExposed(second, Dimension::DP), MicroSeconds(16), "no wait");
        NS_TEST_EXPECT_MSG_EQ(second.end, MicroSeconds(61), "30 + 16 + 15");
    }

    /// Rank 0 computes (10 us, here 20 us) and sends 1,000 bytes (8 us) to rank 1, which computes
    /// 4 us then.
    void CheckPipeline()
    {
        TestProgram sender;
        const auto forward = sender.Compute("forward", MicroSeconds(10));
        sender.builder.AddFinishEdge(forward, sender.Send("send", 1, 1000));
        TestProgram receiver;
        const auto receive = receiver.Receive("receive", 0, 1000);
        receiver.builder.AddFinishEdge(receive, receiver.Compute("next", MicroSeconds(4)));
        ReplayTestJob job(2, Dimension::PP);
        job.SetProgram(0, sender.Build());
        job.SetProgram(1, receiver.Build());
        job.configure = [](ReplayHelper& helper) {
            helper.SetRankAttribute(0, "ComputeScale", DoubleValue(2));
        };
        job.Run(GIGABIT, Time(0));
        const auto next = GetIteration(job, 1);
        NS_TEST_EXPECT_MSG_EQ(next.bubble, MicroSeconds(20), "until rank 0 sends");
        NS_TEST_EXPECT_MSG_EQ(GetExposed(next, Dimension::PP), MicroSeconds(8), "the bytes");
        NS_TEST_EXPECT_MSG_EQ(next.compute, MicroSeconds(4), "rank 1 is as fast as ever");
        NS_TEST_EXPECT_MSG_EQ(next.end, MicroSeconds(32), "20 + 8 + 4");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Jitter is log-normal with the right moments, differs between ranks, and repeats.
 *
 * Bounds are five standard deviations of the estimate from N draws: deviation / sqrt(N) of the
 * mean, variance sqrt((kurtosis - 1) / N) of the variance. That of the skewness tells a log-normal
 * from a normal distribution.
 */
class JitterTestCase : public TestCase
{
  public:
    JitterTestCase()
        : TestCase("jitter has the moments of its distribution, and a seed repeats it")
    {
    }

  private:
    void DoRun() override
    {
        const auto durations = Run(0.2);
        CheckMoments(durations[0], 0.2);
        CheckMoments(durations[1], 0.2);
        NS_TEST_EXPECT_MSG_EQ((durations[0] == durations[1]), false, "ranks differ");
        NS_TEST_EXPECT_MSG_EQ((Run(0.2) == durations), true, "the same seed, the same times");
        const auto run = RngSeedManager::GetRun();
        RngSeedManager::SetRun(run + 1);
        NS_TEST_EXPECT_MSG_EQ((Run(0.2) == durations), false, "another run, other times");
        RngSeedManager::SetRun(run);
        NS_TEST_EXPECT_MSG_EQ(CreateObject<ReplayApplication>()->AssignStreams(7), 1, "streams");
        const std::vector<double> unvaried(OPS, 1);
        NS_TEST_EXPECT_MSG_EQ((Run(0)[0] == unvaried), true, "without jitter nothing varies");
    }

    /**
     * Run two ranks that do nothing but compute, each op for 1 ms.
     *
     * @param jitter relative standard deviation
     * @return time of each op by rank, ms
     */
    std::vector<std::vector<double>> Run(double jitter)
    {
        TestProgram program;
        for (std::size_t i = 0; i < OPS; ++i)
        {
            program.Compute("op", MilliSeconds(1));
        }
        ReplayTestJob job(2, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [jitter](ReplayHelper& helper) {
            helper.SetAttribute("ComputeJitter", DoubleValue(jitter));
        };
        job.Run(GIGABIT, Time(0));
        std::vector<std::vector<double>> durations(2);
        for (const auto& op : job.ops)
        {
            durations[op.rank].push_back((op.end - op.start).GetSeconds() * 1e3);
        }
        for (const uint32_t rank : {0, 1})
        {
            const auto record = GetIteration(job, rank);
            NS_TEST_EXPECT_MSG_EQ(durations[rank].size(), OPS, "every op has run");
            NS_TEST_EXPECT_MSG_EQ(record.compute, record.end, "all time is accounted for");
        }
        return durations;
    }

    /**
     * @param values draws
     * @param deviation their relative standard deviation; their mean is 1
     */
    void CheckMoments(const std::vector<double>& values, double deviation)
    {
        const auto n = static_cast<double>(values.size());
        double mean = 0;
        for (const double value : values)
        {
            mean += value / n;
            NS_TEST_ASSERT_MSG_GT(value, 0, "time does not run backwards");
        }
        double variance = 0;
        double third = 0;
        for (const double value : values)
        {
            variance += std::pow(value - mean, 2) / n;
            third += std::pow(value - mean, 3) / n;
        }
        // Moments of the log-normal distribution, in terms of w = exp(sigma^2).
        const double w = 1 + deviation * deviation;
        const double kurtosis = std::pow(w, 4) + 2 * std::pow(w, 3) + 3 * w * w - 3;
        const double skewness = (w + 2) * std::sqrt(w - 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(mean, 1, 5 * deviation / std::sqrt(n), "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(variance / (deviation * deviation),
                                  1,
                                  5 * std::sqrt((kurtosis - 1) / n),
                                  "variance");
        // Of 0.608; that of a normal distribution is 0.
        NS_TEST_EXPECT_MSG_EQ_TOL(third / std::pow(variance, 1.5), skewness, 0.15, "skewness");
    }

    static constexpr std::size_t OPS = 20000; //!< ops of a rank
};

} // namespace

std::vector<TestCase*>
MakeComputeTimeTestCases()
{
    return {new ComputeScaleTestCase, new StragglerTestCase, new JitterTestCase};
}

} // namespace ns3
