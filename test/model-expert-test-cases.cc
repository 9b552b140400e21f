/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

// A model of which all layers but the first have experts.
constexpr uint64_t H = 64;      //!< hidden
constexpr uint64_t Q = 8 * 12;  //!< queries: heads x size
constexpr uint64_t K = 4 * 12;  //!< keys, and values
constexpr uint64_t F = 160;     //!< ffn of the first layer
constexpr uint64_t EXPERTS = 8; //!< experts
constexpr uint64_t TOP = 2;     //!< experts of a token
constexpr uint64_t E = 48;      //!< ffn of an expert
constexpr uint64_t SHARED = 32; //!< ffn of the shared experts
constexpr uint64_t V = 1024;    //!< vocabulary as a multiple of 128 x TP
constexpr uint64_t S = 128;     //!< tokens of a sequence
constexpr uint64_t M = 4;       //!< microbatches

/// A model with these numbers.
const std::string MODEL = R"({"layers": 4, "hidden": 64, "heads": 8, "kvHeads": 4, "headSize": 12,
 "ffn": 160, "vocabulary": 1024, "sequence": 128, "experts": {"count": 8, "topK": 2, "ffn": 48,
 "shared": 2, "sharedFfn": 16, "denseLayers": 1, "groups": 2, "groupLimit": 1,
 "dispatchBytes": 1.5}})";

/**
 * @ingroup workload-replay-tests
 * @brief Every collective of a job with experts, against formulas.
 */
class ModelExpertTrafficTestCase : public TestCase
{
  public:
    ModelExpertTrafficTestCase()
        : TestCase("what a model with experts communicates")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param etp tensor parallel ranks of an expert
     * @param recompute what is computed again
     * @param modules modules that are, with selective recomputation
     */
    void CheckJob(uint32_t etp,
                  const std::string& recompute,
                  const std::string& modules = "core_attn");

    /**
     * Expect what modules communicate that run forward once more.
     *
     * @param [in,out] traffic receives it
     * @param stage the stage
     * @param modules their names
     */
    static void ExpectModules(ModelTraffic& traffic, uint32_t stage, const std::string& modules);

    /**
     * Expect what the layers of a stage communicate over their tensor and expert parallel ranks.
     *
     * @param [in,out] traffic receives it
     * @param stage the stage
     * @param etp tensor parallel ranks of an expert
     * @param forward forward passes through each layer, for each microbatch
     */
    static void ExpectLayers(ModelTraffic& traffic, uint32_t stage, uint64_t etp, uint64_t forward);

    /// Tokens that go once to each group of experts, and in fp8.
    void CheckGroups();
};

void
ModelExpertTrafficTestCase::ExpectLayers(ModelTraffic& traffic,
                                         uint32_t stage,
                                         uint64_t etp,
                                         uint64_t forward)
{
    const uint64_t layers = 2 * M;                    // of the stage, passes
    const uint64_t sparse = (stage == 0 ? 1 : 2) * M; // those with experts
    // Attention, and the dense or the shared feed-forward layer: as layers without experts.
    const uint64_t a = 2 * (S / 2) * H;
    AddModelTraffic(traffic, "tp all-gather", layers * (2 * forward + 4), a);
    AddModelTraffic(traffic, "tp reduce-scatter", layers * (2 * forward + 2), a);
    AddModelTraffic(traffic, "tp all-gather", M * (stage == 0 ? 1 : 2), a);
    AddModelTraffic(traffic, "tp reduce-scatter", M, a);
    AddModelTraffic(traffic, "tp all-reduce", stage == 0 ? 0 : 3 * M, 4 * S / 2);
    // Two norms a layer, and what chooses experts; the last norm.
    const uint64_t norms = 2 * 2 * H + (sparse / M) * H * EXPERTS + (stage == 0 ? 0 : H);
    AddModelTraffic(traffic, "tp all-reduce", 1, 4 * norms);
    // Each of a rank's tokens, S / (cp 2 x tp 2), goes out TOP times and comes back.
    const uint64_t copies = S / 4 * TOP;
    AddModelTraffic(traffic, "ep all-to-all", sparse * 2 * (forward + 1), 2 * copies * H);
    if (etp > 1)
    {
        // What every one of an expert's ranks has got is gathered, and its results scattered.
        AddModelTraffic(traffic, "etp all-gather", sparse * (forward + 1), 2 * copies * etp * H);
        AddModelTraffic(traffic,
                        "etp reduce-scatter",
                        sparse * (forward + 1),
                        2 * copies * etp * H);
    }
    const uint64_t kv = 2 * (S / 2) * 2 * K / 2;
    AddModelTraffic(traffic, "cp shift", layers * forward, kv);
    AddModelTraffic(traffic, "cp shift", layers, 2 * kv);
}

void
ModelExpertTrafficTestCase::ExpectModules(ModelTraffic& traffic,
                                          uint32_t stage,
                                          const std::string& modules)
{
    const uint64_t sparse = (stage == 0 ? 1 : 2) * M;
    const uint64_t a = 2 * (S / 2) * H;
    if (modules != "core_attn")
    {
        // A dense layer, which the first stage has, or the shared experts of the others.
        const uint64_t calls = modules == "mlp" ? (stage == 0 ? M : 0) : sparse;
        AddModelTraffic(traffic, "tp all-gather", calls, a);
        AddModelTraffic(traffic, "tp reduce-scatter", calls, a);
    }
    if (modules == "moe")
    {
        AddModelTraffic(traffic, "ep all-to-all", sparse * 2, 2 * (S / 4 * TOP) * H);
    }
}

void
ModelExpertTrafficTestCase::CheckJob(uint32_t etp,
                                     const std::string& recompute,
                                     const std::string& modules)
{
    const auto file = CreateTempDirFilename("experts.json");
    WriteWorkloadFile(file, MODEL);
    auto options = MakeModelOptions(file, 2, 2, 2, 2, M);
    options.layout.ep = 2;
    options.etp = etp;
    options.recompute = recompute;
    options.recomputeModules = modules;
    options.dispatch = "direct";
    const auto workload = ReadModel(options);
    for (uint32_t stage = 0; stage < 2; ++stage)
    {
        ModelTraffic expected;
        ExpectLayers(expected, stage, etp, recompute == "full" ? 2 : 1);
        ExpectModules(expected, stage, modules);
        AddModelTraffic(expected, "pp send", M, S / 2 * H * 2 / 2);
        AddModelTraffic(expected, "pp recv", M, S / 2 * H * 2 / 2);
        const uint64_t attention = (H * (Q + 2 * K) + Q * H) / 2 + 2 * H;
        const uint64_t dense = attention + 3 * H * F / 2;
        const uint64_t sparse = attention + 3 * H * SHARED / 2 + H * EXPERTS;
        const uint64_t end = V * H / 2;
        const uint64_t all = stage == 0 ? end + dense + sparse : 2 * sparse + H + end;
        AddModelTraffic(expected, "dp reduce-scatter", 1, 4 * all);
        AddModelTraffic(expected, "dp all-gather", 1, 2 * all);
        const uint64_t experts = (stage == 0 ? 1 : 2) * EXPERTS / 2 * 3 * H * E / etp;
        AddModelTraffic(expected, "edp reduce-scatter", 1, 4 * experts);
        AddModelTraffic(expected, "edp all-gather", 1, 2 * experts);
        AddModelTraffic(expected, "world all-reduce", 1, 4);
        for (uint32_t rank = 8 * stage; rank < 8 * (stage + 1); ++rank)
        {
            const auto found = CountModelTraffic(workload->GetProgram(rank));
            NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(found),
                                  DescribeModelTraffic(expected),
                                  "etp " << etp << ", " << recompute << ", " << modules << ", rank "
                                         << rank);
        }
    }
}

void
ModelExpertTrafficTestCase::CheckGroups()
{
    const auto file = CreateTempDirFilename("experts.json");
    WriteWorkloadFile(file, MODEL);
    auto options = MakeModelOptions(file, 1, 1, 4, 1, 1);
    options.layout.ep = 4;
    const auto workload = ReadModel(options);
    ModelTraffic expected;
    // 3 layers. A token goes to its one group, and from there to its 2 experts.
    AddModelTraffic(expected, "rail all-to-all", 3 * 4, 2 * S * H);
    AddModelTraffic(expected, "group all-to-all", 3 * 4, 2 * S * H * TOP);
    NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(CountModelTraffic(workload->GetProgram(0), true)),
                          DescribeModelTraffic(expected),
                          "by group");
    // Without groups of the model a token goes to those of the two pairs of ranks that have one of
    // its 2 experts: of 8, 4 are in the other pair, so that both are there in 4/8 x 3/7 of cases.
    const auto plain = CreateTempDirFilename("plain.json");
    WriteWorkloadFile(plain, ReplaceFirst(MODEL, R"("groups": 2, "groupLimit": 1,)", ""));
    auto byPair = MakeModelOptions(plain, 1, 1, 4, 1, 1);
    byPair.layout.ep = 4;
    byPair.dispatchRanks = 2;
    ModelTraffic drawn;
    AddModelTraffic(drawn, "rail all-to-all", 3 * 4, 2 * S * H * 11 / 7);
    AddModelTraffic(drawn, "group all-to-all", 3 * 4, 2 * S * H * TOP);
    const auto pairs = ReadModel(byPair);
    NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(CountModelTraffic(pairs->GetProgram(0), true)),
                          DescribeModelTraffic(drawn),
                          "by pairs of ranks");
    // Experts 0 to 3, of ranks 0 and 1, are one group; 4 to 7, of ranks 2 and 3, the other.
    const auto& slots = workload->GetCommunicatorSlots(1);
    const auto ranksOf = [&](uint32_t slot) {
        return workload->GetCommunicators()[slots[slot]].ranks;
    };
    NS_TEST_EXPECT_MSG_EQ((ranksOf(EXPERT_RAIL_SLOT) == std::vector<uint32_t>{1, 3}), true, "rail");
    NS_TEST_EXPECT_MSG_EQ((ranksOf(EXPERT_GROUP_SLOT) == std::vector<uint32_t>{0, 1}),
                          true,
                          "group");

    // Out with 1.5 bytes an element, back with 2: forward of dispatch, backward of combine.
    options.dispatch = "direct";
    options.precision = "fp8";
    expected.clear();
    AddModelTraffic(expected, "ep all-to-all", 3 * 2, S * TOP * H * 3 / 2);
    AddModelTraffic(expected, "ep all-to-all", 3 * 2, S * TOP * H * 2);
    NS_TEST_EXPECT_MSG_EQ(
        DescribeModelTraffic(CountModelTraffic(ReadModel(options)->GetProgram(0), true)),
        DescribeModelTraffic(expected),
        "fp8");
    std::vector<double> outward;
    for (const auto& op : ReadModel(options)->GetProgram(0).GetOps())
    {
        if (op.kind == OpKind::COLLECTIVE && op.collective == CollectiveKind::ALL_TO_ALL &&
            op.layer == 1)
        {
            outward.push_back(static_cast<double>(op.amount) / (S * TOP * H));
        }
    }
    NS_TEST_EXPECT_MSG_EQ((outward == std::vector<double>{1.5, 2, 1.5, 2}), true, "their order");
}

void
ModelExpertTrafficTestCase::DoRun()
{
    CheckJob(1, "none");
    CheckJob(2, "none");
    CheckJob(1, "full");
    CheckJob(2, "full");
    for (const std::string modules : {"moe", "mlp", "shared_experts"})
    {
        CheckJob(1, "selective", modules);
    }
    CheckGroups();
}

/**
 * @ingroup workload-replay-tests
 * @brief Who communicates with whom: Megatron-LM, parallel_state.py, worked out by hand.
 */
class ModelGroupTestCase : public TestCase
{
  public:
    ModelGroupTestCase()
        : TestCase("communicators of a model with experts")
    {
    }

  private:
    void DoRun() override
    {
        using Ranks = std::vector<uint32_t>;
        const auto file = CreateTempDirFilename("experts.json");
        WriteWorkloadFile(file, MODEL);
        auto options = MakeModelOptions(file, 2, 2, 4);
        options.layout.ep = 4;
        options.etp = 1;
        auto workload = ReadModel(options);
        const auto check = [&](uint32_t rank, uint32_t slot, const Ranks& expected) {
            const auto id = workload->GetCommunicatorSlots(rank)[slot];
            const auto& found = workload->GetCommunicators()[id].ranks;
            NS_TEST_EXPECT_MSG_EQ((found == expected), true, "rank " << rank << ", slot " << slot);
        };
        const auto slotOf = [](Dimension dimension) { return static_cast<uint32_t>(dimension); };
        // Rank 13 = 1 + 2 (0 + 2 x 3): tp 1, cp 0, dp 3. Among experts 13 = 1 + 4 x 3.
        check(13, slotOf(Dimension::TP), {12, 13});
        check(13, slotOf(Dimension::CP), {13, 15});
        check(13, slotOf(Dimension::DP), {1, 3, 5, 7, 9, 11, 13, 15});
        check(13, slotOf(Dimension::EP), {12, 13, 14, 15});
        check(13, slotOf(Dimension::EDP), {1, 5, 9, 13});
        check(13, EXPERT_TENSOR_SLOT, {13});
        // With the default etp, that of tp: 13 = 1 + 2 (2 + 4 x 1).
        options.etp.reset();
        workload = ReadModel(options);
        check(13, slotOf(Dimension::EP), {9, 11, 13, 15});
        check(13, slotOf(Dimension::EDP), {5, 13});
        check(13, EXPERT_TENSOR_SLOT, {12, 13});
        check(13, slotOf(Dimension::DP), {1, 3, 5, 7, 9, 11, 13, 15});
        // Groups of the same ranks number their calls by themselves.
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            const auto& slots = workload->GetCommunicatorSlots(rank);
            NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(slots.begin(), slots.end()).size(),
                                  slots.size(),
                                  "a communicator for each slot of rank " << rank);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Experts of which some are sent more tokens than others.
 */
class ModelExpertLoadTestCase : public TestCase
{
  public:
    ModelExpertLoadTestCase()
        : TestCase("uneven experts")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param load option expertLoad
     * @param capacity option expertCapacity; 0 = none
     * @param shares share of the tokens that each rank is sent
     */
    void CheckLoad(const std::string& load, double capacity, const std::vector<double>& shares);
};

void
ModelExpertLoadTestCase::CheckLoad(const std::string& load,
                                   double capacity,
                                   const std::vector<double>& shares)
{
    const auto file = CreateTempDirFilename("experts.json");
    WriteWorkloadFile(file, MODEL);
    const auto accelerator = CreateTempDirFilename("fast.json");
    WriteWorkloadFile(accelerator, R"({"matrixFlops": {"bf16": 1e30}, "vectorFlops": 1e30,
 "memoryBandwidth": "1000000Gbps", "memory": "1000GiB"})");
    auto options = MakeModelOptions(file, 1, 1, 4);
    options.layout.ep = 4;
    options.expertLoad = load;
    options.training.expertCapacity = capacity;
    options.accelerator.text = accelerator;
    const auto workload = ReadModel(options);
    const double bytes = 2. * S * TOP * H; // of all copies of a rank's tokens
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const auto& program = workload->GetProgram(rank);
        for (const auto& op : program.GetOps())
        {
            const auto* splits = program.GetSplits(op);
            const bool isOut = (program.GetName(op) == "moe.fc1") == (op.phase == OpPhase::FORWARD);
            for (uint32_t other = 0; splits && other < 4; ++other)
            {
                // By the load of the rank at whose experts the tokens are, or were.
                NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(splits->send[other]),
                                          bytes * shares[isOut ? other : rank],
                                          0.5,
                                          load << ": sent to " << other);
                NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(splits->receive[other]),
                                          bytes * shares[isOut ? rank : other],
                                          0.5,
                                          load << ": received from " << other);
            }
        }
    }

    // Through a port of 10^9 bytes a second: the last one is done when the rank that is sent most
    // has all that three others send it; on the way back, when it has sent it.
    ReplayTestJob job(workload);
    job.Run(DataRate("8Gbps"), Time(0));
    const double most = *std::max_element(shares.begin(), shares.end());
    const auto expected = NanoSeconds(static_cast<uint64_t>(3 * bytes * most));
    uint32_t calls = 0;
    std::map<uint32_t, std::pair<Time, Time>> spans;
    for (const auto& record : job.collectives)
    {
        if (record.kind == CollectiveKind::ALL_TO_ALL)
        {
            auto& [begin, end] = spans[record.sequence];
            begin = Max(begin, record.arrival);
            end = Max(end, record.end);
            ++calls;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(calls, 4 * 3 * 4, "3 layers, 4 ranks, out and back, and both again");
    for (const auto& [sequence, span] : spans)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(span.second - span.first,
                                  expected,
                                  NanoSeconds(20),
                                  load << ", call " << sequence);
    }
}

void
ModelExpertLoadTestCase::DoRun()
{
    // Two experts on each of the four ranks. Shares are normalized.
    CheckLoad("1,1,1,1,1,1,1,1", 0, {0.25, 0.25, 0.25, 0.25});
    CheckLoad("0,1,2,1,8,0,2,2", 0, {1. / 16, 3. / 16, 8. / 16, 4. / 16});
    // Nothing is at the third rank, which takes part all the same: others exchange something.
    CheckLoad("1,1,2,2,0,0,1,1", 0, {0.25, 0.5, 0, 0.25});
    // No expert takes more than twice the mean, 2 / 8.
    CheckLoad("0,1,2,1,8,0,2,2", 2, {1. / 16, 3. / 16, 4. / 16, 4. / 16});
    // 1, 1 / 2, ..., 1 / 8 over their sum, 761 / 280.
    const double sum = 761. / 280;
    CheckLoad(
        "zipf:1",
        0,
        {1.5 / sum, (1. / 3 + 1. / 4) / sum, (1. / 5 + 1. / 6) / sum, (1. / 7 + 1. / 8) / sum});
}

} // namespace

std::vector<TestCase*>
MakeModelExpertTestCases()
{
    return {new ModelExpertTrafficTestCase, new ModelGroupTestCase, new ModelExpertLoadTestCase};
}

} // namespace ns3
