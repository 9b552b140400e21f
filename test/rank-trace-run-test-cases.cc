/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"
#include "rank-trace-test-cases.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/collective-selection.h"
#include "ns3/direct-collective.h"
#include "ns3/ideal-network.h"
#include "ns3/rank-trace-parser.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/ring-collective.h"
#include "ns3/workload-text.h"
#include "ns3/workload.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param program a program
 * @return sum of the amounts of its ops, by name and kind: "forward_step compute"
 */
std::map<std::string, uint64_t>
SumAmounts(const WorkloadProgram& program)
{
    std::map<std::string, uint64_t> sums;
    for (const auto& op : program.GetOps())
    {
        sums[program.GetName(op) + " " + ToString(op.kind)] += op.amount;
    }
    return sums;
}

/**
 * @param program a program
 * @param dimension a dimension
 * @return number of its collectives there, and the sum of their amounts
 */
std::pair<uint64_t, uint64_t>
SumCollectives(const WorkloadProgram& program, Dimension dimension)
{
    std::pair<uint64_t, uint64_t> sum{0, 0};
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::COLLECTIVE && op.communicator == static_cast<uint32_t>(dimension))
        {
            ++sum.first;
            sum.second += op.amount;
        }
    }
    return sum;
}

/// A pair of sums.
using Sums = std::pair<uint64_t, uint64_t>;

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief The shipped traces: sums counted with utils/count-rank-trace.py.
 */
class RankTraceGoldenTestCase : public TestCase
{
  public:
    RankTraceGoldenTestCase()
        : TestCase("shipped rank traces")
    {
        SetDataDir(NS_TEST_SOURCEDIR);
    }

  private:
    void DoRun() override
    {
        CheckDense();
        CheckExperts();
        CheckRecorded();
    }

    /// Rank 0 of a dense model, profiled alone, as a job of 8,192 ranks.
    void CheckDense();

    /// Rank 0 of a mixture of experts, for all ranks of its job.
    void CheckExperts();

    /// The same trace, as it was recorded.
    void CheckRecorded();

    /**
     * @param name name of a shipped trace
     * @return its path
     */
    std::string Find(const std::string& name)
    {
        return CreateDataDirFilename("../examples/workloads/" + name);
    }
};

void
RankTraceGoldenTestCase::CheckDense()
{
    RankTraceOptions options;
    options.layout.tp = 4;
    options.layout.pp = 64;
    options.layout.dp = 32;
    options.layout.microbatches = 32;
    const auto workload =
        ReadRankTraces(Find("gpt-tp4-pp64-dp32-single-gpu-rank0.megatron.txt"), options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 8192, "ranks");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 2, "warnings");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[1],
                          "all 64 stages do what the only trace shows of stage 0",
                          "one trace for all stages");
    const auto& program = workload->GetProgram(0);
    NS_TEST_EXPECT_MSG_EQ(&workload->GetProgram(127), &program, "one program per stage");
    auto sums = SumAmounts(program);
    NS_TEST_EXPECT_MSG_EQ(sums["get_batch compute"], 32 * 510000000ULL, "ps of get_batch");
    NS_TEST_EXPECT_MSG_EQ(sums["forward_step compute"], 32 * 9530000000ULL, "ps of forward");
    NS_TEST_EXPECT_MSG_EQ(sums["backward_step compute"], 32 * 18400000000ULL, "ps of backward");
    // The buffer of 3,115,898,880 bytes is scaled at one byte per picosecond.
    NS_TEST_EXPECT_MSG_EQ(sums["dp_allreduce compute"], 70000000 + 3115898880ULL, "ps of scaling");
    NS_TEST_EXPECT_MSG_EQ(sums["ep_allreduce compute"], 60000000, "embeddings are not scaled");
    NS_TEST_EXPECT_MSG_EQ(sums["optimizer_step compute"], 29220000000, "ps of the optimizer");
    NS_TEST_EXPECT_MSG_EQ(
        (SumCollectives(program, Dimension::TP) == Sums{32 * 7, 32 * (4 * 83886080ULL + 4227072)}),
        true,
        "4 all-reduces and 3 broadcasts per microbatch");
    NS_TEST_EXPECT_MSG_EQ((SumCollectives(program, Dimension::DP) == Sums{1, 1557949440ULL * 2}),
                          true,
                          "gradients of fp16");
    NS_TEST_EXPECT_MSG_EQ((SumCollectives(program, Dimension::EMBEDDING) == Sums{1, 515112960}),
                          true,
                          "embedding group, named ep in the file");
    NS_TEST_EXPECT_MSG_EQ(sums["send-forward send"], 32 * 83886080ULL, "activations sent");
    // 63 forward passes run ahead of the first backward one, more than there are.
    const auto& ops = program.GetOps();
    const auto backward = std::find_if(ops.begin(), ops.end(), [](const WorkloadOp& op) {
        return op.phase == OpPhase::BACKWARD_INPUT;
    });
    NS_TEST_EXPECT_MSG_EQ(std::count_if(ops.begin(),
                                        backward,
                                        [](const auto& op) { return op.kind == OpKind::SEND; }),
                          32,
                          "forward passes before the first backward pass");
}

void
RankTraceGoldenTestCase::CheckExperts()
{
    RankTraceOptions options;
    options.layout.dp = 4;
    options.layout.ep = 2;
    const auto workload = ReadRankTraces(Find("moe-pp4-ep2-dp4-rank0.megatron.txt"), options);
    const auto& layout = workload->GetLayout();
    NS_TEST_EXPECT_MSG_EQ(layout.pp, 4, "stages, shown by 3 warm-up passes");
    NS_TEST_EXPECT_MSG_EQ(layout.microbatches, 16, "microbatches");
    NS_TEST_EXPECT_MSG_EQ(layout.tp, 1, "no op communicates in tp");
    NS_TEST_EXPECT_MSG_EQ(layout.world, 16, "ranks");
    auto sums = SumAmounts(workload->GetProgram(0));
    // Where the host prepared messages that are left out, 3.92 + 0.41 ms, is left out as well.
    NS_TEST_EXPECT_MSG_EQ(sums["forward_step compute"], 178230000000, "ps of forward");
    NS_TEST_EXPECT_MSG_EQ(sums["backward_step compute"], 295060000000, "ps of backward");
    NS_TEST_EXPECT_MSG_EQ(sums["dp_allreduce compute"], 60000000 + 1160052736, "ps of scaling");
    NS_TEST_EXPECT_MSG_EQ(sums["ep_dp_allreduce compute"], 40000000 + 5637144576, "ps of scaling");
    NS_TEST_EXPECT_MSG_EQ(sums["send-forward send"], 16 * 8388608, "messages");
    // All-to-alls as they are; of an all-gather both members' shards.
    NS_TEST_EXPECT_MSG_EQ(
        (SumCollectives(workload->GetProgram(15), Dimension::EP) == Sums{160, 2606759936 + 4096}),
        true,
        "expert parallel traffic of any rank");
    ReplayTestJob job(workload);
    job.Run(DataRate("200Gbps"), Time(0));
    NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "ranks agree");
    NS_TEST_EXPECT_MSG_EQ(job.iterations.size(), 16, "ranks finish");
}

void
RankTraceGoldenTestCase::CheckRecorded()
{
    const WorkloadText text(Find("moe-pp4-ep2-dp4-rank0.megatron.txt"), {ForeignFile::RANK_TRACE});
    const auto ops = ParseRankTrace(text);
    int64_t forward = 0;
    int64_t backward = 0;
    for (const auto& op : ops)
    {
        forward += op.action == RankTraceAction::FORWARD ? op.end - op.start : 0;
        backward += op.action == RankTraceAction::BACKWARD ? op.end - op.start : 0;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(forward / 16e6, 12.1, 0.05, "mean forward pass, ms");
    NS_TEST_EXPECT_MSG_EQ_TOL(backward / 16e6, 18.8, 0.05, "mean backward pass, ms");
    NS_TEST_EXPECT_MSG_EQ(ops.back().end - ops.front().start, 718910000, "span, ns");
}

/**
 * @ingroup workload-replay-tests
 * @brief Profiles of all 64 stages make a job of 8,192 ranks.
 */
class RankTraceLargeJobTestCase : public MeasurementTestCase
{
  public:
    RankTraceLargeJobTestCase()
        : MeasurementTestCase("8,192 ranks from 64 profiles", "traces")
    {
    }

  private:
    void Check() override
    {
        RankTraceOptions options;
        options.layout.tp = 4;
        options.layout.dp = 32;
        options.layout.microbatches = 32;
        const auto workload = ReadRankTraces(Find("gpt-tp4-pp64-dp32-seq2048/single-gpu"), options);
        NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().pp, 64, "stages, shown by the loss");
        NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 8192, "ranks");
        std::set<const WorkloadProgram*> programs;
        for (uint32_t rank = 0; rank < 8192; ++rank)
        {
            programs.insert(&workload->GetProgram(rank));
        }
        NS_TEST_EXPECT_MSG_EQ(programs.size(), 64, "one program per stage");
        const auto& last = workload->GetProgram(8191);
        // As counted in the trace of rank 8064: 8 all-reduces and 3 broadcasts per microbatch; data
        // parallel the loss of each and the gradients.
        NS_TEST_EXPECT_MSG_EQ(SumCollectives(last, Dimension::TP).first, 32 * 11, "tp calls");
        NS_TEST_EXPECT_MSG_EQ(SumCollectives(last, Dimension::DP).first, 32 + 1, "dp calls");

        // An eighth of the data-parallel groups: the same work in each stage.
        options.layout.dp = 4;
        const auto small = ReadRankTraces(Find("gpt-tp4-pp64-dp32-seq2048/single-gpu"), options);
        NS_TEST_EXPECT_MSG_EQ(small->GetLayout().world, 1024, "ranks");
        for (uint32_t stage = 0; stage < 64; ++stage)
        {
            NS_TEST_EXPECT_MSG_EQ(small->GetProgram(16 * stage + 15).GetFile(),
                                  workload->GetProgram(128 * stage).GetFile(),
                                  "stage " << stage);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Replays of real runs of 16 GPUs in 2 servers take as long as the runs did.
 *
 * From the traces of the run itself each rank is to be within 1 % of what was measured, two runs
 * of one configuration being 0.8 % apart. From profiles of one microbatch, each recorded by one GPU
 * alone, the run is predicted: it is to be within 7 %, since forward passes are slower there.
 *
 * The fabric is ideal, with four parameters taken from NCCL's own measurements on it: goodput of a
 * GPU's NVLink 165 GB/s (bus bandwidth of large all-reduces of 2 and 4 GPUs) and of its NIC 24.4
 * GB/s (2 GPUs in 2 servers), launch latency 35 us (small all-reduces of 2 and 4 GPUs) and, of
 * what is made of sends and receives, 83 us (small send-receives).
 */
class RankTraceMeasuredRunTestCase : public MeasurementTestCase
{
  public:
    /**
     * @param name directory of the run
     * @param ep expert parallel ranks
     * @param iteration measured time of the iteration, ms
     * @param microbatches microbatches to predict the run with; 0 = replay its own traces
     */
    RankTraceMeasuredRunTestCase(const std::string& name,
                                 uint32_t ep,
                                 double iteration,
                                 uint32_t microbatches = 0)
        : MeasurementTestCase((microbatches > 0 ? "prediction of " : "replay of ") + name,
                              "traces"),
          m_name(name),
          m_ep(ep),
          m_iteration(iteration),
          m_microbatches(microbatches)
    {
    }

  private:
    void Check() override;

    /**
     * @param source sending rank
     * @param destination receiving rank
     * @return the path: port r is the NVLink of rank r, port 16 + r its NIC
     */
    static IdealPath FindPath(uint32_t source, uint32_t destination)
    {
        const uint32_t first = source / 8 == destination / 8 ? 0 : 16;
        return {first + source, first + destination, Time(0)};
    }

    /**
     * @return the algorithms, with their launch latencies
     */
    static Ptr<CollectiveSelection> CreateAlgorithms();

    /**
     * @param directory directory of the traces
     * @return by rank, ms from the start of its first op to the end of its last one
     */
    static std::vector<double> ReadSpans(const std::string& directory);

    std::string m_name;      //!< directory of the run
    uint32_t m_ep;           //!< expert parallel ranks
    double m_iteration;      //!< measured time of the iteration, ms
    uint32_t m_microbatches; //!< microbatches to predict with; 0 = replay
};

Ptr<CollectiveSelection>
RankTraceMeasuredRunTestCase::CreateAlgorithms()
{
    auto ring = CreateObject<RingCollective>();
    ring->SetAttribute("LaunchLatency", TimeValue(MicroSeconds(35)));
    auto direct = CreateObject<DirectCollective>();
    direct->SetAttribute("LaunchLatency", TimeValue(MicroSeconds(83)));
    auto algorithms = CreateObject<CollectiveSelection>();
    algorithms->Add(ring);
    algorithms->Add(direct);
    return algorithms;
}

std::vector<double>
RankTraceMeasuredRunTestCase::ReadSpans(const std::string& directory)
{
    std::vector<double> spans(16);
    for (const auto& entry : std::filesystem::directory_iterator(directory))
    {
        const WorkloadText text(entry.path().string(), {ForeignFile::RANK_TRACE});
        const auto ops = ParseRankTrace(text);
        spans.at(ops[0].rank) = static_cast<double>(ops.back().end - ops[0].start) / 1e6;
    }
    return spans;
}

void
RankTraceMeasuredRunTestCase::Check()
{
    const auto measured = ReadSpans(Find(m_name + "/measured"));
    RankTraceOptions options;
    options.layout.ep = m_ep;
    if (m_microbatches > 0)
    {
        options.layout.microbatches = m_microbatches;
        options.ppBytes = 8388608;
        options.robust = true;
    }
    const auto workload =
        ReadRankTraces(Find(m_name + (m_microbatches > 0 ? "/single-gpu" : "/measured")), options);
    // One of the profiles of the first run has a cold forward pass: 14.07 ms beside 13.71 ms of
    // backward pass, where its three peers have 0.68, 0.70 and 0.70 of it.
    const bool isCold = m_microbatches == 16;
    const auto warnings = workload->GetWarnings();
    NS_TEST_ASSERT_MSG_EQ(warnings.size(), (isCold ? 1 : 0), "nothing else is assumed");
    NS_TEST_EXPECT_MSG_EQ((!isCold || warnings[0].find("forward_step of rank 11 (") == 0),
                          true,
                          "it");
    NS_TEST_EXPECT_MSG_EQ(
        (!isCold || warnings[0].find(") takes 1.5 times as long") != std::string::npos),
        true,
        "1.026 / 0.697");
    auto network = CreateObject<IdealNetwork>();
    network->SetPathFinder(MakeCallback(&RankTraceMeasuredRunTestCase::FindPath));
    for (uint32_t port = 0; port < 32; ++port)
    {
        network->AddPort(DataRate(port < 16 ? 8 * 165000000000ULL : 8 * 24400000000ULL));
    }
    ReplayTestJob job(workload);
    job.Run(network, CreateAlgorithms());
    NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 0, "ranks agree");
    NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 16, "ranks finish");
    NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == job.expectedBytes), true, "all bytes arrive");

    std::vector<double> replayed(16);
    for (const auto& iteration : job.iterations)
    {
        replayed[iteration.rank] = (iteration.end - iteration.start).GetSeconds() * 1e3;
    }
    const double tolerance = m_microbatches > 0 ? 0.07 : 0.01;
    std::cout << GetName() << "\nrank  measured ms  replayed ms   error\n" << std::fixed;
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        const double error = replayed[rank] / measured[rank] - 1;
        std::cout << std::setw(4) << rank << std::setprecision(1) << std::setw(13) << measured[rank]
                  << std::setw(13) << replayed[rank] << std::setprecision(2) << std::setw(8)
                  << 100 * error << " %\n";
        NS_TEST_EXPECT_MSG_EQ_TOL(error, 0, tolerance, "rank " << rank);
    }
    const double slowest = *std::max_element(replayed.begin(), replayed.end());
    std::cout << " all" << std::setprecision(1) << std::setw(13) << m_iteration << std::setw(13)
              << slowest << std::setprecision(2) << std::setw(8)
              << 100 * (slowest / m_iteration - 1) << " %\n"
              << std::defaultfloat;
    NS_TEST_EXPECT_MSG_EQ_TOL(slowest / m_iteration, 1, tolerance, "the iteration");
}

std::vector<TestCase*>
MakeRankTraceRunTestCases()
{
    return {new RankTraceGoldenTestCase,
            new RankTraceLargeJobTestCase,
            new RankTraceMeasuredRunTestCase("moe-pp4-ep2-dp4-experts8-seq1024", 2, 719.7),
            new RankTraceMeasuredRunTestCase("moe-pp2-ep4-dp8-experts8-seq1024", 4, 642.1),
            new RankTraceMeasuredRunTestCase("moe-pp4-ep4-dp4-experts16-seq4096", 4, 1886.6),
            new RankTraceMeasuredRunTestCase("moe-pp4-ep2-dp4-experts8-seq1024", 2, 719.7, 16),
            new RankTraceMeasuredRunTestCase("moe-pp2-ep4-dp8-experts8-seq1024", 4, 642.1, 8)};
}

} // namespace ns3
