/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "model-test-job.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

// A model whose layers are each a bucket of gradients, above 40 M parameters.
constexpr double H = 4096;                                         //!< hidden
constexpr double KV = 1024;                                        //!< keys, and values
constexpr double LAYER = 2 * H * (H + KV) + 3 * H * 14336 + 2 * H; //!< parameters of a layer
constexpr double EMBEDDING = 128 * H;                              //!< of the embedding
constexpr double HEAD = 128 * H + H; //!< of last norm and output layer

/**
 * @param layers layers
 * @param sequence tokens of a sequence
 * @return the model
 */
std::string
DescribeModel(uint32_t layers, uint32_t sequence)
{
    return R"({"layers": )" + std::to_string(layers) +
           R"(, "hidden": 4096, "heads": 32, "kvHeads": 8, "ffn": 14336, "vocabulary": 128,
 "sequence": )" +
           std::to_string(sequence) + "}";
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that run models.
 */
class ModelRunTestCase : public TestCase
{
  protected:
    /// @param name name of the case
    explicit ModelRunTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * @param model content of its file
     * @param shape how it is laid out
     * @return the job
     */
    ModelTestJob MakeJob(const std::string& model, const ModelTestJob::Shape& shape)
    {
        return {model, shape, [this](const std::string& name) {
                    return CreateTempDirFilename(name);
                }};
    }

    /**
     * @param found a time
     * @param expected what it is to be, ms
     * @param message what it is
     */
    void Expect(Time found, double expected, const std::string& message)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(found.GetSeconds() * 1e3, expected, 2e-4, message);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Gradients that are reduced while backward goes on, and parameters that are gathered while
 *        forward goes on.
 *
 * Three layers, each 1 ms forward and 2 + 1 ms backward, on two replicas.
 */
class ModelBucketTestCase : public ModelRunTestCase
{
  public:
    ModelBucketTestCase()
        : ModelRunTestCase("gradients and parameters beside computation")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param zero see ModelTraining
     * @param overlaps whether they are beside computation
     * @param microbatches microbatches
     * @param rate bytes per ms of each port
     */
    void Run(uint32_t zero, bool overlaps, uint32_t microbatches, double rate);

    /**
     * @param index which call
     * @return when a reduction starts
     */
    Time GetReduction(uint32_t index) const
    {
        return m_job->GetOp("gradients", OpPhase::GRAD_SYNC, OpKind::COLLECTIVE, index).start;
    }

    /// Parameters of experts are awaited as well.
    void CheckExperts();

    std::optional<ModelTestJob> m_job; //!< the job
};

void
ModelBucketTestCase::Run(uint32_t zero, bool overlaps, uint32_t microbatches, double rate)
{
    m_job->Run(DataRate(static_cast<uint64_t>(rate * 8000)), [&](ModelOptions& options) {
        options.layout.microbatches = microbatches;
        options.training.zero = zero;
        options.training.overlapGradients = overlaps;
        options.training.overlapParameters = overlaps;
    });
}

void
ModelBucketTestCase::DoRun()
{
    m_job = MakeJob(DescribeModel(3, 128), {1, 1, 2, 1, 1});
    m_job->SetTimes("ffn.fc1\t1000\t2000\t1000\n");
    // Between two, an all-reduce sends every byte once, a reduce-scatter or an all-gather half.
    // All 4 (gradients) or 2 (parameters) bytes; in a ms a fast port sends 10^9, a slow one 10^8.
    constexpr double fast = 1e9;
    constexpr double slow = 1e8;
    constexpr double all = EMBEDDING + 3 * LAYER + HEAD;
    Run(0, false, 1, fast);
    Expect(m_job->GetIterationTime(), 12 + 4 * all / fast, "after backward");
    Expect(GetReduction(0), 12, "the first one then");
    Run(0, true, 1, fast);
    Expect(m_job->GetIterationTime(), 12 + 4 * (LAYER + EMBEDDING) / fast, "the first layer shows");
    Expect(GetReduction(0), 6, "after backward of head and last layer");
    Expect(GetReduction(1), 9, "after that of the second layer");
    Expect(GetReduction(2), 12, "after that of the first layer");
    Expect(GetReduction(3), 12 + 4 * LAYER / fast, "after that, for the embedding took no time");
    Run(0, true, 1, slow);
    Expect(m_job->GetIterationTime(),
           6 + 4 * all / slow,
           "one after another from the first one on");
    Run(0, true, 2, fast);
    Expect(GetReduction(0), 18, "in the last microbatch only");

    Run(1, false, 1, fast);
    Expect(m_job->GetIterationTime(),
           12 + (2 + 1) * all / fast,
           "scattered and gathered at the end");
    Run(1, true, 1, fast);
    Expect(m_job->GetIterationTime(),
           (EMBEDDING + LAYER) / fast + 12 + 2 * (LAYER + EMBEDDING) / fast,
           "the first layer's parameters show, and its gradients");
    Run(1, true, 1, slow);
    Expect(m_job->GetIterationTime(),
           all / slow + 1 + 3 + 2 * all / slow,
           "the last layer waits for its parameters, which come last");

    Run(2, true, 2, fast);
    Expect(GetReduction(0), (EMBEDDING + LAYER) / fast + 6, "in every microbatch");
    Expect(GetReduction(4), (EMBEDDING + LAYER) / fast + 18, "again");

    // What is gathered is read and written in 2 bytes, forward and backward; gradients of 2 bytes
    // are copied to 4; at 10^6 Gbps, in a ms.
    constexpr double copies = (2 * (2 + 2) + 2 + 4) * all / 1.25e11;
    Run(3, true, 1, fast);
    Expect(m_job->GetIterationTime(),
           (EMBEDDING + LAYER + HEAD + LAYER) / fast + 12 + 2 * (LAYER + EMBEDDING) / fast + copies,
           "each pass shows its first gathering; the others come a layer ahead");
    Run(3, false, 1, fast);
    Expect(m_job->GetIterationTime(), 12 + (2 + 2) * all / fast + copies, "nothing ahead");
    CheckExperts();
}

void
ModelBucketTestCase::CheckExperts()
{
    auto job = MakeJob(R"({"layers": 1, "hidden": 64, "heads": 8, "ffn": 64, "vocabulary": 128,
 "sequence": 128, "experts": {"count": 8, "topK": 2, "ffn": 4096}})",
                       {1, 1, 2, 1, 1});
    job.SetTimes("moe.fc1\t1000\t2000\t1000\n");
    for (const uint32_t zero : {1, 3})
    {
        job.Run(DataRate("8Gbps"), [zero](ModelOptions& options) { options.training.zero = zero; });
        const auto gathered =
            job.GetOp("parameters", OpPhase::OPTIMIZER, OpKind::COLLECTIVE, 0).end;
        // 8 experts of three matrices, and all else through the same port at the same time:
        // embedding, attention, choice of experts, norms and output layer. 2 bytes, of which the
        // other replica has half, at 10^6 a ms.
        constexpr double experts = 8 * 3 * 64. * 4096;
        constexpr double others = 128 * 64 + 4 * 64 * 64 + 64 * 8 + 3 * 64 + 128 * 64;
        NS_TEST_EXPECT_MSG_LT(gathered, MilliSeconds(1), "those of the embedding are few");
        // With ZeRO 3 what is gathered is copied first, in the same op.
        const std::string name = zero == 3 ? "parameters..moe.fc1" : "moe.fc1";
        Expect(job.GetOp(name, OpPhase::FORWARD).start,
               (experts + others) / 1e6,
               "experts compute with their parameters");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief What tensor and context parallel ranks send each other beside the layer that it is for.
 */
class ModelPieceTestCase : public ModelRunTestCase
{
  public:
    ModelPieceTestCase()
        : ModelRunTestCase("communication of tensor and context parallel ranks beside layers")
    {
    }

  private:
    void DoRun() override;

    /// A ring instead of each gathering and scattering.
    void CheckTensorRing();

    /// The kernel that adds up what has been scattered.
    void CheckSum();

    /// Casts come before the first piece, and what is gathered has a byte for an element.
    void CheckNarrowRing();

    /// Kernels beside whole products occupy multiprocessors, copies round a ring none.
    void CheckKernels();

    /// What the gradients of a linear layer hide.
    void CheckGradients();

    /// Keys and values passed on beside attention.
    void CheckContextRing();

    /// What experts of one pass send while the other pass of a pair computes.
    void CheckPairs();

    /// One shift of a quarter of an activation of 128 tokens, at 10^6 bytes a ms.
    static constexpr double SHIFT = 2 * 128 * H / 4 / 1e6;

    /// A port that sends 10^6 bytes in a ms.
    const DataRate RATE{"8Gbps"};
};

void
ModelPieceTestCase::CheckTensorRing()
{
    auto job = MakeJob(DescribeModel(1, 128), {4, 1, 1, 1, 1});
    const auto ring = [](ModelOptions& options) { options.training.overlapTensor = true; };
    // Four pieces, of a tenth of a shift, of a shift less a hair, or more than one.
    for (const double piece : {0.026, 0.262, 0.3})
    {
        const auto time = std::to_string(4000 * piece);
        job.SetTimes("ffn.fc1\t" + time + "\t0\t0\nffn.fc2\t" + time + "\t" + time +
                     "\t0\nffn.residual\t1\t0\t0\n");
        job.Run(RATE, ring);
        // Three shifts, then the last piece; or the pieces one after another.
        const double expected = std::max(4 * piece, 3 * SHIFT + piece);
        const auto first = job.GetOp("ffn.fc1[0]", OpPhase::FORWARD);
        Expect(job.GetOp("ffn.fc1[3]", OpPhase::FORWARD).end - first.start,
               expected,
               "works on what has come, pieces of ms " + std::to_string(piece));
        const auto sent = job.GetOp("ffn.fc2[0]", OpPhase::FORWARD);
        Expect(job.GetOp("ffn.fc2[sum]..ffn.residual", OpPhase::FORWARD).start - sent.start,
               expected,
               "sends what it has, pieces of ms " + std::to_string(piece));
        const auto back = job.GetOp("ffn.fc2[0]", OpPhase::BACKWARD_INPUT);
        Expect(job.GetOp("ffn.fc2[3]", OpPhase::BACKWARD_INPUT).end - back.start,
               expected,
               "backward, pieces of ms " + std::to_string(piece));
    }
    job.SetTimes("ffn.norm\t1\t0\t0\nffn.fc1\t1200\t0\t0\nffn.residual\t1\t0\t0\n");
    job.Run(RATE);
    const auto norm = job.GetOp("ffn.norm", OpPhase::FORWARD);
    Expect(job.GetOp("ffn.fc1", OpPhase::FORWARD).start - norm.end,
           3 * SHIFT,
           "without pieces all is gathered before");
    const auto layer = job.GetOp("ffn.fc1", OpPhase::FORWARD);
    Expect(job.GetOp("ffn.residual", OpPhase::FORWARD).start - layer.end,
           3 * SHIFT,
           "and scattered after");
}

void
ModelPieceTestCase::CheckSum()
{
    auto job = MakeJob(DescribeModel(1, 128), {4, 1, 1, 1, 1});
    // 10^6 bytes in a ms, as the port has. Own piece and those of three others are read, and their
    // sum is written.
    job.SetAccelerator(R"("memoryBandwidth": "8Gbps")");
    job.SetTimes("ffn.fc2\t400\t0\t0\nffn.residual\t1\t0\t0\n");
    job.Run(RATE, [](ModelOptions& options) { options.training.overlapTensor = true; });
    const auto first = job.GetOp("ffn.fc2[0]", OpPhase::FORWARD);
    Expect(job.GetOp("ffn.fc2[sum]..ffn.residual", OpPhase::FORWARD).end - first.start,
           0.1 + 3 * SHIFT + 5 * SHIFT + 1e-3,
           "a piece, all copies, their sum, and what follows");
}

void
ModelPieceTestCase::CheckNarrowRing()
{
    auto job = MakeJob(DescribeModel(1, 128), {4, 1, 1, 1, 1});
    // Memory at 10^6 bytes a ms is all that takes time.
    job.SetAccelerator(R"("memoryBandwidth": "8Gbps")");
    job.Run(RATE, [](ModelOptions& options) {
        options.training.overlapTensor = true;
        options.precision = "fp8";
    });
    // Of the elements of a rank's tokens: five shifts of 2 bytes, a sum of two, a norm, and a cast.
    const auto before = job.GetOp("attention.projection[sum]..ffn.fc1[cast]", OpPhase::FORWARD);
    constexpr double own = 128 * H / 4 / 1e6;
    Expect(before.end - before.start, (5 * 2 + 6 + 4 + 3) * own, "cast once");
    const auto shift = job.GetOp("ffn.fc1", OpPhase::FORWARD, OpKind::COLLECTIVE);
    Expect(shift.end - shift.start, own, "a byte for an element");
    // A piece reads a quarter of the input and of the weights, as if they were cut too, in one
    // byte, and writes two.
    const auto piece = job.GetOp("ffn.fc1[0]", OpPhase::FORWARD);
    constexpr double wide = 2 * 14336. / 4;
    Expect(piece.end - piece.start, (128 * H + H * wide + 2 * 128 * wide) / 4 / 1e6, "no cast");
    const auto sent = job.GetOp("ffn.fc2", OpPhase::FORWARD, OpKind::COLLECTIVE);
    Expect(sent.end - sent.start, 2 * own, "what is summed has two bytes");
}

void
ModelPieceTestCase::CheckKernels()
{
    auto job = MakeJob(DescribeModel(1, 128), {4, 1, 1, 1, 1});
    for (const bool overlaps : {false, true})
    {
        job.Run(RATE,
                [overlaps](ModelOptions& options) { options.training.overlapTensor = overlaps; });
        const auto count = [&job](OpPhase phase) {
            const auto record = job.GetOp("ffn.fc1", phase, OpKind::COLLECTIVE);
            return record.program->GetOps()[record.op].multiprocessors;
        };
        // 0 = as many as NCCL has channels.
        const uint32_t bulk = overlaps ? 16 : 0;
        NS_TEST_EXPECT_MSG_EQ(count(OpPhase::FORWARD), 0, "copies, or NCCL");
        NS_TEST_EXPECT_MSG_EQ(count(OpPhase::BACKWARD_WEIGHT), bulk, "gathers");
        NS_TEST_EXPECT_MSG_EQ(count(OpPhase::BACKWARD_INPUT), bulk, "sums");
    }
}

void
ModelPieceTestCase::CheckGradients()
{
    auto job = MakeJob(DescribeModel(1, 128), {4, 1, 1, 1, 1});
    constexpr double gather = 3 * SHIFT;
    // The input is gathered again beside its gradient, which is scattered beside that of weights.
    for (const double input : {0.1, 1.})
    {
        for (const double weight : {0.5, 2.})
        {
            job.SetTimes("ffn.norm\t0\t1\t0\nffn.fc1\t0\t" + std::to_string(1000 * input) + "\t" +
                         std::to_string(1000 * weight) + "\n");
            job.Run(RATE);
            const auto begin = job.GetOp("ffn.fc1", OpPhase::BACKWARD_INPUT).start;
            const auto both = std::max(input, gather);
            Expect(job.GetOp("ffn.fc1", OpPhase::BACKWARD_WEIGHT).start - begin, both, "weights");
            Expect(job.GetOp("ffn.norm", OpPhase::BACKWARD_INPUT).start - begin,
                   both + std::max(gather, weight),
                   "what comes next");
        }
    }
    // Without sequence parallelism nothing is gathered again, and all is reduced: twice as long.
    const double input = 0.1;
    job.SetTimes("ffn.norm\t0\t1\t0\nffn.fc1\t0\t100\t500\n");
    job.Run(RATE, [](ModelOptions& options) { options.sequenceParallel = false; });
    const auto begin = job.GetOp("ffn.fc1", OpPhase::BACKWARD_INPUT).start;
    Expect(job.GetOp("ffn.fc1", OpPhase::BACKWARD_WEIGHT).start - begin, input, "at once");
    Expect(job.GetOp("ffn.norm", OpPhase::BACKWARD_INPUT).start - begin,
           input + 2 * gather,
           "after the reduction");
    // PyTorch computes both gradients, and waits for what it scatters then.
    auto sharded = MakeJob(DescribeModel(1, 128), {4, 1, 2, 1, 1});
    sharded.SetTimes("ffn.norm\t0\t1\t0\nffn.fc1\t0\t100\t500\n");
    sharded.Run(RATE, [](ModelOptions& options) { options.training.zero = 3; });
    const auto scatter = sharded.GetOp("ffn.fc1", OpPhase::BACKWARD_INPUT, OpKind::COLLECTIVE);
    const auto gradient = sharded.GetOp("ffn.fc1", OpPhase::BACKWARD_INPUT);
    Expect(scatter.start - gradient.start, 0.6, "both gradients, then it is scattered");
    Expect(sharded.GetOp("ffn.norm", OpPhase::BACKWARD_INPUT).start - scatter.end, 0, "awaited");
}

void
ModelPieceTestCase::CheckPairs()
{
    auto job = MakeJob(R"({"layers": 1, "hidden": 64, "heads": 8, "ffn": 64, "vocabulary": 128,
 "sequence": 128, "experts": {"count": 8, "topK": 2, "ffn": 64}})",
                       {1, 1, 2, 1, 2});
    job.SetTimes("moe.fc1\t1000\t2000\t0\n");
    const auto run = [&](bool overlaps) {
        job.Run(RATE, [overlaps](ModelOptions& options) {
            options.layout.ep = 2;
            options.training.overlapExperts = overlaps;
        });
        return job.GetIterationTime();
    };
    // Each pass sends twice, before and after it computes. The second forward pass and the first
    // backward one are a pair: what the former sends at its end goes beside the latter's
    // computation, what the latter sends at its start beside the former's.
    constexpr double sent = 2 * 128 * 2 * 64 / 2 / 1e6;
    Expect(run(false) - run(true), 2 * sent, "two of four");
}

void
ModelPieceTestCase::CheckContextRing()
{
    auto job = MakeJob(DescribeModel(1, 4096), {1, 4, 1, 1, 1});
    // Keys and values of 1024 tokens, and backward as many gradients.
    constexpr double shift = 2 * 1024 * 2 * KV / 1e6;
    for (const double piece : {1., 5., 10.})
    {
        const auto time = std::to_string(4000 * piece);
        job.SetTimes("attention.core\t" + time + "\t" + time + "\t0\n");
        job.Run(RATE);
        const auto first = job.GetOp("attention.core[0]", OpPhase::FORWARD);
        Expect(job.GetOp("attention.core[3]", OpPhase::FORWARD).end - first.start,
               std::max(4 * piece, 3 * shift + piece),
               "forward, pieces of ms " + std::to_string(piece));
        const auto back = job.GetOp("attention.core[0]", OpPhase::BACKWARD_INPUT);
        Expect(job.GetOp("attention.core[3]", OpPhase::BACKWARD_INPUT).end - back.start,
               std::max(4 * piece, 3 * 2 * shift + piece),
               "backward, pieces of ms " + std::to_string(piece));
    }
    job.SetTimes("attention.norm\t1\t0\t0\nattention.core\t4000\t0\t0\n");
    job.Run(RATE, [](ModelOptions& options) { options.context = "all-gather"; });
    const auto norm = job.GetOp("attention.norm", OpPhase::FORWARD);
    Expect(job.GetOp("attention.core", OpPhase::FORWARD).start - norm.end,
           3 * shift,
           "gathered before");
    // Queries, keys and values: three quarters of each go to the others.
    job.Run(RATE, [](ModelOptions& options) { options.context = "all-to-all"; });
    const auto before = job.GetOp("attention.norm", OpPhase::FORWARD);
    Expect(job.GetOp("attention.core", OpPhase::FORWARD).start - before.end,
           0.75 * 2 * 1024 * (H + 2 * KV) / 1e6,
           "traded before");
}

void
ModelPieceTestCase::DoRun()
{
    CheckTensorRing();
    CheckSum();
    CheckPairs();
    CheckNarrowRing();
    CheckKernels();
    CheckGradients();
    CheckContextRing();
}

} // namespace

std::vector<TestCase*>
MakeModelOverlapTestCases()
{
    return {new ModelBucketTestCase, new ModelPieceTestCase};
}

} // namespace ns3
