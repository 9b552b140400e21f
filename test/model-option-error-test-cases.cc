/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A model with experts.
const std::string MODEL = R"({"layers": 4, "hidden": 64, "heads": 8, "kvHeads": 4, "ffn": 160,
 "vocabulary": 1000, "sequence": 128, "gated": true, "experts": {"count": 8, "topK": 2, "ffn": 48,
 "groups": 2, "groupLimit": 1}})";

/// The same without experts.
const std::string DENSE = R"({"name": "small", "layers": 4, "hidden": 64, "heads": 8, "kvHeads": 4,
 "ffn": 160, "vocabulary": 1000, "sequence": 128})";

/**
 * @ingroup workload-replay-tests
 * @brief Options that do not go together.
 */
class ModelOptionErrorTestCase : public TestCase
{
  public:
    ModelOptionErrorTestCase()
        : TestCase("wrong jobs of models")
    {
    }

  private:
    /// Changes options.
    using Change = std::function<void(ModelOptions&)>;

    void DoRun() override;

    /// Options about layout, batch and pipeline.
    void CheckLayouts();

    /// Options that have no effect.
    void CheckUseless();

    /// Options that are off where they cannot be on: that is so anyway.
    void CheckOff();

    /// Options about experts.
    void CheckExperts();

    /// Options that find operators, and doubts.
    void CheckTimes();

    /**
     * @param model content of its file
     * @param change sets the options, on 8 ranks: tp 2, dp 2, pp 2
     * @param message what is said
     */
    void Check(const std::string& model, const Change& change, const std::string& message)
    {
        const auto file = CreateTempDirFilename("model.json");
        WriteWorkloadFile(file, model);
        auto options = MakeModelOptions(file, 2, 1, 2, 2, 2);
        change(options);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadModel(options); }), message, message);
    }

    /**
     * @param model content of its file
     * @param option an option
     * @param change sets the others
     * @param reason why it is refused
     */
    void CheckRefusal(const std::string& model,
                      const std::string& option,
                      const Change& change,
                      const std::string& reason)
    {
        Check(
            model,
            [&](ModelOptions& options) {
                options.given[option] = {"--" + option, 0, 0, ""};
                change(options);
            },
            "--" + option + ": error: expected no " + option + ", because " + reason +
                ", found one");
    }
};

void
ModelOptionErrorTestCase::CheckLayouts()
{
    Check(
        DENSE,
        [](auto& o) { o.globalBatch = 7; },
        "--globalBatch: error: expected a multiple of dp 2 x microbatchSize 1, found 7");
    Check(
        DENSE,
        [](auto& o) { o.globalBatch = 8; },
        "--microbatches: error: expected 4, which is globalBatch 8 / (dp 2 x microbatchSize 1), "
        "found 2");
    Check(
        DENSE,
        [](auto& o) {
            o.schedule = "dualpipe";
            o.given["schedule"] = {"--schedule", 0, 0, ""};
        },
        "--schedule: error: expected a schedule that fits pp 2 and microbatches 2, found "
        "dualpipe needs at least 4 microbatches to fill a pipeline of 2 stages, not 2");
    Check(
        DENSE,
        [](auto& o) {
            o.layout.vpp = 2;
            o.layout.pp = 1;
        },
        "--vpp: error: expected a schedule that fits pp 1 and microbatches 2, found interleaved "
        "needs at least 2 stages, not 1");
    Check(
        DENSE,
        [](auto& o) { o.layout.vpp = 4; },
        "--pp: error: expected at most as many parts as the model has layers, 4, found 8 (stages "
        "x model chunks)");
    Check(
        DENSE,
        [](auto& o) { o.layout.tp = 3; },
        "--tp: error: expected a number that divides the 8 heads of small, found 3");
    Check(
        ReplaceFirst(ReplaceFirst(DENSE, "\"heads\": 8", "\"heads\": 12"), "64", "96"),
        [](auto& o) { o.layout.tp = 6; },
        "--tp: error: expected a divisor or a multiple of the 4 heads of keys and values of small, "
        "found 6");
    Check(
        DENSE,
        [](auto& o) {
            o.layout.tp = 8;
            o.training.zero = 3;
        },
        "--tp: error: expected a number that divides the 4 heads of keys and values of small (in "
        "PyTorch heads are not split), found 8");
    Check(
        ReplaceFirst(DENSE, "160", "161"),
        [](auto&) {},
        "--tp: error: expected a number that divides the 161 inner elements of a feed-forward "
        "layer (ffn), found 2");
    Check(
        DENSE,
        [](auto& o) { o.sequence = 127; },
        "--tp: error: expected a number that divides the 127 tokens of a microbatch on a rank, "
        "found 2");
    Check(
        DENSE,
        [](auto& o) { o.layout.cp = 3; },
        "--cp: error: expected a number of which the double divides the 128 tokens of a "
        "sequence, as each rank has a piece of both halves, found 3");
    const auto trade = [](auto& o) {
        o.layout.cp = 8;
        o.context = "all-to-all";
    };
    Check(DENSE,
          trade,
          "--cp: error: expected a number that divides the 4 heads of a rank (heads / tp), found "
          "8");
    Check(ReplaceFirst(DENSE, "\"heads\": 8", "\"heads\": 16"),
          trade,
          "--cp: error: expected a number that divides the 2 heads of keys and values of a rank "
          "(kvHeads / tp, at least 1), found 8");
    Check(
        ReplaceFirst(DENSE, "\"kvHeads\": 4", "\"kvHeads\": 2"),
        [](auto& o) {
            o.layout.tp = 4;
            o.layout.cp = 2;
            o.context = "all-to-all";
        },
        "--cp: error: expected a number that divides the 1 heads of keys and values of a rank "
        "(kvHeads / tp, at least 1), found 2");
    Check(
        DENSE,
        [](auto& o) {
            o.layout.cp = 2;
            o.training.fusedAttention = false;
        },
        "--fusedAttention: error: expected on, because attention over context parallel ranks is "
        "a fused kernel, found off");
}

void
ModelOptionErrorTestCase::CheckUseless()
{
    Check(
        DENSE,
        [](auto& o) { o.recompute = "al"; },
        "--recompute: error: expected none, selective, full, found 'al'");
    Check(
        DENSE,
        [](auto& o) { o.context = "rings"; },
        "--context: error: expected ring, all-gather, all-to-all, found 'rings'; did you mean "
        "ring?");
    Check(
        DENSE,
        [](auto& o) { o.precision = "fp32"; },
        "--precision: error: expected bf16, fp16, fp8, found 'fp32'; did you mean fp16?");
    const auto alone = [](auto& o) { o.layout.dp = 1; };
    CheckRefusal(DENSE, "zero", alone, "there are no replicas to share anything with");
    CheckRefusal(DENSE,
                 "overlapGradients",
                 alone,
                 "there are no replicas to reduce gradients with");
    CheckRefusal(DENSE,
                 "overlapParameters",
                 alone,
                 "there are no replicas to gather parameters from");
    CheckRefusal(
        DENSE,
        "overlapParameters",
        [](auto& o) { o.training.zero = 0; },
        "with zero 0 every replica keeps all parameters");
    const auto whole = [](auto& o) {
        o.layout.tp = 1;
        o.sequenceParallel = o.training.overlapTensor = o.training.scatterMessages = true;
    };
    const std::string noTensor = "there are no tensor parallel ranks (--tp)";
    CheckRefusal(DENSE, "sequenceParallel", whole, noTensor);
    CheckRefusal(DENSE, "overlapTensor", whole, noTensor);
    CheckRefusal(DENSE, "scatterMessages", whole, noTensor);
    CheckRefusal(
        DENSE,
        "scatterMessages",
        [](auto& o) {
            o.layout.pp = 1;
            o.training.scatterMessages = true;
        },
        "there is one stage (--pp)");
    CheckRefusal(
        DENSE,
        "scatterMessages",
        [](auto& o) { o.training.scatterMessages = true; },
        "ranks send parts of the sequence (--sequenceParallel=off)");
    CheckRefusal(
        DENSE,
        "overlapTensor",
        [](auto& o) {
            o.training.overlapTensor = true;
            o.sequenceParallel = false;
        },
        "it works on parts of the sequence (--sequenceParallel=on)");
    CheckRefusal(
        DENSE,
        "context",
        [](auto&) {},
        "there are no context parallel ranks (--cp)");
    for (const std::string option : {"ep",
                                     "etp",
                                     "dispatch",
                                     "dispatchRanks",
                                     "expertLoad",
                                     "expertCapacity",
                                     "overlapExperts"})
    {
        CheckRefusal(
            DENSE,
            option,
            [](auto& o) {
                o.layout.ep = 2;
                o.training.overlapExperts = true;
            },
            "small has no experts");
    }
    CheckRefusal(
        MODEL,
        "expertCapacity",
        [](auto& o) { o.training.expertCapacity = 1; },
        "all experts are sent the same (--expertLoad)");
}

void
ModelOptionErrorTestCase::CheckOff()
{
    // One rank with all layers, and then two stages whose layers are given.
    for (const bool isWhole : {true, false})
    {
        Check(
            DENSE,
            [isWhole](auto& o) {
                o.layout.tp = o.layout.dp = 1;
                o.layout.pp = isWhole ? 1 : 2;
                o.training.zero = 0;
                o.sequenceParallel = false;
                o.training.overlapGradients = o.training.overlapParameters = false;
                if (!isWhole)
                {
                    o.firstStageLayers = 1;
                    o.given["firstStageLayers"] = {"--firstStageLayers", 0, 0, ""};
                }
                for (const std::string option : {"zero",
                                                 "sequenceParallel",
                                                 "overlapGradients",
                                                 "overlapParameters",
                                                 "overlapTensor",
                                                 "scatterMessages",
                                                 "overlapExperts",
                                                 "embeddingAsLayer",
                                                 "lossAsLayer",
                                                 "ep"})
                {
                    o.given[option] = {"--" + option, 0, 0, ""};
                }
            },
            "no error");
    }
}

void
ModelOptionErrorTestCase::CheckExperts()
{
    Check(
        MODEL,
        [](auto& o) { o.layout.ep = 3; },
        "--ep: error: expected a number that divides the 8 experts of model, found 3");
    Check(
        MODEL,
        [](auto& o) { o.etp = 5; },
        "--etp: error: expected a number that divides the 48 inner elements of an expert, found "
        "5");
    Check(
        MODEL,
        [](auto& o) { o.layout.ep = 4; },
        "--ep: error: expected ep x etp to divide the ranks of a pipeline stage, tp x cp x dp, "
        "which are 4, found ep 4 x etp 2");
    Check(
        MODEL,
        [](auto& o) { o.sequenceParallel = false; },
        "--sequenceParallel: error: expected on, because tensor parallel ranks send different "
        "tokens to experts, found off");
    Check(
        ReplaceFirst(MODEL, "\"groups\": 2", "\"shared\": 1, \"sharedFfn\": 7, \"groups\": 2"),
        [](auto&) {},
        "--tp: error: expected a number that divides the 7 inner elements of shared experts, "
        "found 2");
    Check(
        MODEL,
        [](auto& o) { o.dispatch = "groups"; },
        "--dispatch: error: expected auto, direct, by-group, found 'groups'");
    Check(
        MODEL,
        [](auto& o) { o.dispatch = "by-group"; },
        "--dispatch: error: expected direct, found by-group, which needs ranks of a group "
        "(--dispatchRanks), or a model with a groupLimit, and as ep a multiple of its groups");
    Check(
        MODEL,
        [](auto& o) {
            o.layout.ep = 2;
            o.dispatch = "by-group";
            o.expertLoad = "zipf:1";
        },
        "--dispatch: error: expected direct, found by-group, which needs even loads");
    const std::string loads = "--expertLoad: error: expected even, zipf:EXPONENT, or 8 shares with "
                              "commas between, one for each expert, not all 0, found ";
    Check(
        MODEL,
        [](auto& o) { o.expertLoad = "1,2,3"; },
        loads + "'1,2,3'");
    Check(
        MODEL,
        [](auto& o) { o.expertLoad = "0,0,0,0,0,0,0,0"; },
        loads + "'0,0,0,0,0,0,0,0'");
    Check(
        MODEL,
        [](auto& o) { o.expertLoad = "1,,1,1,1,1,1,1"; },
        "--expertLoad: error: expected a share as a number of 0 or more, such as 0.25 or 1e-3, "
        "found an empty field");
    Check(
        MODEL,
        [](auto& o) { o.expertLoad = "zipf:-1"; },
        "--expertLoad: error: expected an exponent as a number of 0 or more, such as 0.25 or "
        "1e-3, found '-1'");
}

void
ModelOptionErrorTestCase::CheckTimes()
{
    const auto table = CreateTempDirFilename("times.tsv");
    WriteWorkloadFile(table,
                      "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n"
                      "ffn.fc3\t1\t1\t1\n");
    Check(
        DENSE,
        [&](auto& o) { o.operatorTimes = table; },
        table + ":2:1: error: expected an operator of the model (optimizer, embedding, "
                "attention.norm, attention.qkv, attention.rotary, attention.core, "
                "attention.projection, attention.residual, ffn.norm, ffn.fc1, ffn.activation, "
                "ffn.fc2, ffn.residual, final-norm, output, loss), found 'ffn.fc3'; did you mean "
                "ffn.fc1?");
    Check(
        DENSE,
        [](auto& o) {
            o.accelerator.text = "a100";
            o.precision = "fp8";
        },
        "--precision: error: expected bf16, fp16, in which a100 can compute, found 'fp8'");

    auto options = MakeModelOptions("llama3-8b", 1, 1, 1, 2, 1);
    const auto warnings = ReadModel(options)->GetWarnings();
    NS_TEST_ASSERT_MSG_EQ(warnings.size(), 2, "doubts");
    NS_TEST_EXPECT_MSG_EQ(warnings[0],
                          "the pipeline has 2 stages and fewer microbatches, 1, so the stages "
                          "mostly wait for one another; --microbatches or --globalBatch sets them",
                          "too few microbatches");
    // 18 bytes of each of 16 layers' 218,112,000 parameters, the output layer and the last norm,
    // and of 8192 tokens' activations 8 h + 2 (2 x 4096 + 2 x 1024) + 6 x 14336 bytes a layer, and
    // 6 bytes for each of 128,256 logits.
    const double state = 18. * (16 * 218112000. + 128256. * 4096 + 4096);
    const double kept =
        16 * 8192. * (8 * 4096 + 2 * (2 * 4096 + 2 * 1024) + 6 * 14336) + 6 * 8192. * 128256;
    std::ostringstream text;
    text.precision(1);
    text << std::fixed << "a rank needs " << (state + kept) / 1024 / 1024 / 1024
         << " GiB of memory, " << kept / 1024 / 1024 / 1024
         << " of them for activations, and h100 has 80.0 GiB; --tp, --pp, --ep, more ranks "
            "(--world) or --zero=3 need less";
    NS_TEST_EXPECT_MSG_EQ(warnings[1], text.str(), "too much memory");
    options = MakeModelOptions("llama3-8b", 4, 1, 2, 1, 1);
    NS_TEST_EXPECT_MSG_EQ(ReadModel(options)->GetWarnings().size(), 0, "none");
    options = MakeModelOptions("llama3-8b", 4, 1, 1, 2, 2);
    NS_TEST_EXPECT_MSG_EQ(ReadModel(options)->GetWarnings().size(), 0, "as many as stages");
}

void
ModelOptionErrorTestCase::DoRun()
{
    CheckLayouts();
    CheckUseless();
    CheckOff();
    CheckExperts();
    CheckTimes();
}

} // namespace

std::vector<TestCase*>
MakeModelOptionErrorTestCases()
{
    return {new ModelOptionErrorTestCase};
}

} // namespace ns3
