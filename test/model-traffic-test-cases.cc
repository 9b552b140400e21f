/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

// A model whose sizes are all different, and how it is laid out.
constexpr uint64_t H = 64;                 //!< hidden
constexpr uint64_t Q = 8 * 12;             //!< queries: heads x size
constexpr uint64_t K = 4 * 12;             //!< keys, and values
constexpr uint64_t F = 160;                //!< ffn
constexpr uint64_t V = 1024;               //!< the vocabulary, 1000, as a multiple of 128 x TP
constexpr uint64_t S = 128;                //!< tokens of a sequence
constexpr uint64_t B = 3;                  //!< sequences of a microbatch
constexpr uint64_t LAYERS = 2;             //!< layers of a stage
constexpr uint64_t M = 5;                  //!< microbatches
constexpr uint64_t TP = 2;                 //!< tensor parallel ranks
constexpr uint64_t CP = 2;                 //!< context parallel ranks
constexpr uint64_t PASSES = LAYERS * M;    //!< passes through layers, each way
constexpr uint64_t A = 2 * B * S * H / CP; //!< bytes of an activation

/**
 * @param isTied whether both ends share the embedding
 * @return the model
 */
std::string
DescribeModel(bool isTied)
{
    return R"({"layers": 4, "hidden": 64, "heads": 8, "kvHeads": 4, "headSize": 12, "ffn": 160,
 "vocabulary": 1000, "sequence": 128, "tiedEmbedding": )" +
           std::string(isTied ? "true}" : "false}");
}

/// How the model is trained.
struct Training
{
    std::string name;              //!< for messages
    bool isShared{true};           //!< sequence parallel
    std::string recompute{"none"}; //!< see ModelTraining
    std::string context{"ring"};   //!< see ModelTraining
    uint32_t zero{1};              //!< see ModelTraining
    bool isMegatron{false};        //!< with zero 3, too
    bool isTied{false};            //!< both ends share the embedding
    uint64_t gradient{4};          //!< bytes of a gradient
    bool overlaps{true};           //!< gradients and parameters

    /// @return whether it is PyTorch's
    bool IsPytorch() const
    {
        return zero == 3 && !isMegatron;
    }
};

/**
 * Expect what tensor parallel ranks communicate (Megatron-LM, with sequence parallelism:
 * Korthikanti et al., MLSys 2023, figure 5).
 *
 * @param [in,out] traffic receives it
 * @param training how the model is trained
 * @param isLast whether of the last stage
 */
void
ExpectTensor(ModelTraffic& traffic, const Training& training, bool isLast)
{
    // Forward passes: another one if layers are computed again.
    const uint64_t forward = training.recompute == "full" ? 2 : 1;
    // What fc2 gives is not needed backward, so that PyTorch stops before it.
    const uint64_t spared = training.recompute == "full" && training.IsPytorch() ? 1 : 0;
    if (training.isShared)
    {
        // Forward: into qkv and fc1. Backward: into projection and fc2, and again qkv's and fc1's,
        // which PyTorch keeps.
        const uint64_t again = training.IsPytorch() ? 0 : 1;
        AddModelTraffic(traffic, "tp all-gather", PASSES * (2 * forward + 2 + 2 * again), A);
        AddModelTraffic(traffic, "tp reduce-scatter", PASSES * (2 * forward - spared + 2), A);
        // The output layer is as qkv; the embedding as the projection.
        AddModelTraffic(traffic, "tp all-gather", M * (isLast ? 1 + again : 1), A);
        AddModelTraffic(traffic, "tp reduce-scatter", M, A);
        const uint64_t norms = LAYERS * 2 * H + (isLast ? H : 0);
        AddModelTraffic(traffic, "tp all-reduce", 1, norms * training.gradient);
    }
    else
    {
        AddModelTraffic(traffic, "tp all-reduce", PASSES * (2 * forward + 2) + M, A);
    }
    // Largest logit, right logit, sum.
    AddModelTraffic(traffic, "tp all-reduce", isLast ? 3 * M : 0, 4 * B * S / CP);
}

/**
 * Expect what context parallel ranks communicate.
 *
 * @param [in,out] traffic receives it
 * @param training how the model is trained
 */
void
ExpectContext(ModelTraffic& traffic, const Training& training)
{
    const uint64_t forward = training.recompute == "none" ? 1 : 2;
    const auto sizeOf = [](uint64_t elements) { return 2 * B * (S / CP) * elements / TP; };
    if (training.context == "ring" && training.IsPytorch())
    {
        // Keys and values of all query heads, of all ranks; gradients round the ring, in 4 bytes.
        AddModelTraffic(traffic, "cp all-gather", PASSES * (forward + 1), CP * sizeOf(2 * Q));
        AddModelTraffic(traffic, "cp shift", PASSES * CP, 2 * sizeOf(2 * Q));
    }
    else if (training.context == "ring")
    {
        // Keys and values; backward their gradients, too.
        AddModelTraffic(traffic, "cp shift", PASSES * (CP - 1) * forward, sizeOf(2 * K));
        AddModelTraffic(traffic, "cp shift", PASSES * (CP - 1), 2 * sizeOf(2 * K));
    }
    else if (training.context == "all-gather")
    {
        AddModelTraffic(traffic, "cp all-gather", PASSES * forward, CP * sizeOf(2 * K));
        AddModelTraffic(traffic, "cp reduce-scatter", PASSES, CP * sizeOf(2 * K));
    }
    else
    {
        // Queries and outputs, keys and values.
        AddModelTraffic(traffic, "cp all-to-all", 2 * PASSES * (forward + 1), sizeOf(Q));
        AddModelTraffic(traffic, "cp all-to-all", 2 * PASSES * (forward + 1), sizeOf(K));
    }
}

/**
 * Expect what replicas communicate, and what all ranks do.
 *
 * @param [in,out] traffic receives it
 * @param training how the model is trained
 * @param isLast whether of the last stage
 */
void
ExpectReplicas(ModelTraffic& traffic, const Training& training, bool isLast)
{
    const uint64_t layer = (H * (Q + 2 * K) + Q * H + 3 * H * F) / TP + 2 * H;
    const uint64_t end = V * H / TP + (isLast ? H : 0); // embedding, or last norm and output
    const uint64_t all = LAYERS * layer + end;
    const auto reduced = all * training.gradient;
    switch (training.zero)
    {
    case 0:
        AddModelTraffic(traffic, "dp all-reduce", 1, reduced);
        break;
    case 1:
        AddModelTraffic(traffic, "dp reduce-scatter", 1, reduced);
        AddModelTraffic(traffic, "dp all-gather", 1, 2 * all);
        break;
    case 2:
        AddModelTraffic(traffic, "dp reduce-scatter", M, reduced);
        AddModelTraffic(traffic, "dp all-gather", 1, 2 * all);
        break;
    default:
        // Layer by layer, each gathered for forward and for backward.
        for (const auto& [blocks, parameters] :
             {std::pair<uint64_t, uint64_t>{LAYERS, layer}, {1, end}})
        {
            AddModelTraffic(traffic,
                            "dp reduce-scatter",
                            M * blocks,
                            parameters * training.gradient);
            AddModelTraffic(traffic, "dp all-gather", 2 * M * blocks, 2 * parameters);
        }
    }
    AddModelTraffic(traffic,
                    "embedding all-reduce",
                    training.isTied ? 1 : 0,
                    V * H / TP * training.gradient);
    AddModelTraffic(traffic, "world all-reduce", 1, 4);
}

/**
 * @ingroup workload-replay-tests
 * @brief Every collective and message of a job, against the formulas of the literature.
 */
class ModelTrafficTestCase : public TestCase
{
  public:
    ModelTrafficTestCase()
        : TestCase("what a dense model communicates")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param training how the model is trained
     */
    void CheckTraining(const Training& training);

    /// Model chunks, and a pipeline that is none.
    void CheckStages();

    /// Tensor parallel ranks send pieces of messages between stages, and gather them.
    void CheckScattered();

    /// Parameters that Megatron-Core's FSDP gathers in fp8.
    void CheckNarrowParameters();

    /// What is sent from rank to rank piece by piece.
    void CheckPieces();

    /// Twice as many tensor parallel ranks as heads of keys and values.
    void CheckSharedHeads();
};

void
ModelTrafficTestCase::CheckTraining(const Training& training)
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(training.isTied));
    auto options = MakeModelOptions(file, TP, CP, 2, 2, M);
    options.sequenceParallel = training.isShared;
    options.recompute = training.recompute;
    options.context = training.context;
    options.training.microbatchSize = B;
    options.training.zero = training.zero;
    options.framework = training.isMegatron ? "megatron" : "auto";
    options.training.gradientBytes = training.gradient;
    options.training.overlapGradients = training.overlaps;
    options.training.overlapParameters = training.overlaps;
    const auto workload = ReadModel(options);
    for (const bool isLast : {false, true})
    {
        ModelTraffic expected;
        ExpectTensor(expected, training, isLast);
        ExpectContext(expected, training);
        ExpectReplicas(expected, training, isLast);
        const uint64_t message = training.isShared ? A / TP : A;
        AddModelTraffic(expected, "pp send", M, message);
        AddModelTraffic(expected, "pp recv", M, message);
        for (uint32_t rank = isLast ? 8 : 0; rank < (isLast ? 16 : 8); ++rank)
        {
            const auto found = CountModelTraffic(workload->GetProgram(rank));
            NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(found),
                                  DescribeModelTraffic(expected),
                                  training.name << ", rank " << rank);
        }
    }
}

void
ModelTrafficTestCase::CheckStages()
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(true));
    // Both ends on one stage: one copy of the embedding, whose gradients nobody else has.
    auto options = MakeModelOptions(file, 1, 1, 2, 1, M);
    options.training.zero = 0;
    ModelTraffic expected;
    const uint64_t layer = H * (Q + 2 * K) + Q * H + 3 * H * F + 2 * H;
    AddModelTraffic(expected, "dp all-reduce", 1, 4 * (4 * layer + V * H + H));
    AddModelTraffic(expected, "world all-reduce", 1, 4);
    NS_TEST_EXPECT_MSG_EQ(
        DescribeModelTraffic(CountModelTraffic(ReadModel(options)->GetProgram(0))),
        DescribeModelTraffic(expected),
        "one stage");

    // Four parts on two stages: three boundaries, each crossed twice by each microbatch.
    options = MakeModelOptions(file, 1, 1, 1, 2, 4);
    options.layout.vpp = 2;
    const auto workload = ReadModel(options);
    for (uint32_t stage = 0; stage < 2; ++stage)
    {
        const auto traffic = CountModelTraffic(workload->GetProgram(stage));
        const auto messages = std::make_pair<uint64_t, uint64_t>(3 * 4, 3 * 4 * 2 * S * H);
        NS_TEST_EXPECT_MSG_EQ((traffic.at("pp send") == messages), true, "chunks send");
        NS_TEST_EXPECT_MSG_EQ((traffic.at("pp recv") == messages), true, "chunks receive");
    }
    CheckScattered();
    CheckNarrowParameters();
}

void
ModelTrafficTestCase::CheckNarrowParameters()
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(false));
    auto options = MakeModelOptions(file, 1, 1, 2, 1, M);
    options.training.zero = 3;
    options.precision = "fp8";
    const uint64_t layers = 4 * (H * (Q + 2 * K) + Q * H + 3 * H * F + 2 * H);
    const uint64_t ends = 2 * V * H + H;
    // Forward and backward. Embedding and output layer are not computed in fp8.
    for (const auto& [framework, bytes] :
         {std::pair<std::string, uint64_t>{"pytorch", 2}, {"megatron", 1}})
    {
        options.framework = framework;
        const auto traffic = CountModelTraffic(ReadModel(options)->GetProgram(0));
        NS_TEST_EXPECT_MSG_EQ(traffic.at("dp all-gather").second,
                              2 * M * (layers * bytes + ends * 2),
                              framework);
    }
}

void
ModelTrafficTestCase::CheckScattered()
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(false));
    auto options = MakeModelOptions(file, 2, 1, 1, 2, 4);
    options.layout.vpp = 2;
    options.sequenceParallel = false;
    const auto whole = ReadModel(options);
    options.training.scatterMessages = true;
    const auto scattered = ReadModel(options);
    // Of four parts the first receives no activations, and the last one no gradients.
    const uint64_t received = 3 * 4;
    const uint64_t bytes = 2 * S * H;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        auto expected = CountModelTraffic(whole->GetProgram(rank));
        expected["pp send"] = expected["pp recv"] = {received, received * bytes / 2};
        AddModelTraffic(expected, "tp all-gather", received, bytes);
        NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(CountModelTraffic(scattered->GetProgram(rank))),
                              DescribeModelTraffic(expected),
                              "pieces of messages, rank " << rank);
    }
}

void
ModelTrafficTestCase::CheckPieces()
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(false));
    auto options = MakeModelOptions(file, 4, 1, 1, 1, 1);
    options.training.overlapTensor = true;
    const auto traffic = CountModelTraffic(ReadModel(options)->GetProgram(0), true);
    // Of 4 layers: what goes into qkv and fc1 and comes out of projection and fc2, forward, and
    // into the latter, backward, in 3 shifts each. The rest runs beside computations as it is.
    const uint64_t a = 2 * S * H;
    ModelTraffic expected;
    AddModelTraffic(expected, "tp shift", 4 * 6 * 3, a / 4);
    AddModelTraffic(expected, "tp all-gather", 4 * 2, a);
    AddModelTraffic(expected, "tp reduce-scatter", 4 * 2, a);
    NS_TEST_EXPECT_MSG_EQ(DescribeModelTraffic(traffic),
                          DescribeModelTraffic(expected),
                          "from rank to rank");
}

void
ModelTrafficTestCase::CheckSharedHeads()
{
    const auto file = CreateTempDirFilename("dense.json");
    WriteWorkloadFile(file, DescribeModel(false));
    // Of four ranks each has a head, of eight as well, so that context parallel ranks send as much;
    // but what qkv puts out is gathered first, of 4 layers, and its gradient summed.
    const uint64_t gathered = 2 * S / CP * (Q + 2 * K);
    for (const bool isFull : {false, true})
    {
        auto options = MakeModelOptions(file, 4, CP, 1, 1, 1);
        options.recompute = isFull ? "full" : "none";
        auto expected = CountModelTraffic(ReadModel(options)->GetProgram(0));
        AddModelTraffic(expected, "tp all-gather", isFull ? 4 * 2 : 4, gathered);
        AddModelTraffic(expected, "tp reduce-scatter", 4, gathered);
        options = MakeModelOptions(file, 8, CP, 1, 1, 1);
        options.recompute = isFull ? "full" : "none";
        const auto found = CountModelTraffic(ReadModel(options)->GetProgram(0));
        for (const auto* kind : {"tp all-gather", "tp reduce-scatter", "tp all-reduce", "cp shift"})
        {
            NS_TEST_EXPECT_MSG_EQ((found.at(kind) == expected.at(kind)),
                                  true,
                                  kind << ", full recomputation " << isFull);
        }
    }
    // It is no linear layer, and goes by itself where those go piece by piece.
    auto options = MakeModelOptions(file, 8, CP, 1, 1, 1);
    options.training.overlapTensor = true;
    const auto found = CountModelTraffic(ReadModel(options)->GetProgram(0), true);
    const uint64_t a = 2 * S / CP * H;
    ModelTraffic expected;
    AddModelTraffic(expected, "tp shift", 4 * 6 * 7, a / 8);
    AddModelTraffic(expected, "tp all-gather", 4 * 2, a);
    AddModelTraffic(expected, "tp all-gather", 4, gathered);
    AddModelTraffic(expected, "tp reduce-scatter", 4 * 2, a);
    AddModelTraffic(expected, "tp reduce-scatter", 4, gathered);
    for (const auto* kind : {"tp shift", "tp all-gather", "tp reduce-scatter"})
    {
        NS_TEST_EXPECT_MSG_EQ((found.at(kind) == expected.at(kind)), true, kind);
    }
}

void
ModelTrafficTestCase::DoRun()
{
    std::vector<Training> trainings;
    const auto add = [&trainings](const std::string& name, const auto& change) {
        Training training;
        training.name = name;
        change(training);
        trainings.push_back(training);
    };
    add("sequence parallel", [](Training&) {});
    add("not sequence parallel", [](Training& t) { t.isShared = false; });
    add("nothing overlaps", [](Training& t) { t.overlaps = false; });
    add("selective", [](Training& t) { t.recompute = "selective"; });
    add("full", [](Training& t) { t.recompute = "full"; });
    add("full, not sequence parallel", [](Training& t) {
        t.recompute = "full";
        t.isShared = false;
    });
    for (const bool isMegatron : {false, true})
    {
        add("full, zero 3", [&](Training& t) {
            t.recompute = "full";
            t.zero = 3;
            t.isMegatron = isMegatron;
        });
    }
    for (const std::string context : {"all-gather", "all-to-all"})
    {
        add(context, [&](Training& t) { t.context = context; });
        add(context + ", selective", [&](Training& t) {
            t.context = context;
            t.recompute = "selective";
        });
    }
    for (const uint32_t zero : {0, 2, 3})
    {
        for (const bool overlaps : {true, false})
        {
            add("zero " + std::to_string(zero), [&](Training& t) {
                t.zero = zero;
                t.overlaps = overlaps;
            });
        }
    }
    add("tied embedding", [](Training& t) { t.isTied = true; });
    add("tied embedding, bf16 gradients", [](Training& t) {
        t.isTied = true;
        t.gradient = 2;
    });
    for (const auto& training : trainings)
    {
        CheckTraining(training);
    }
    CheckStages();
    CheckPieces();
    CheckSharedHeads();
}

} // namespace

std::vector<TestCase*>
MakeModelTrafficTestCases()
{
    return {new ModelTrafficTestCase};
}

} // namespace ns3
