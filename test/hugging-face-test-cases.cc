/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/input-values.h"
#include "ns3/model-description.h"
#include "ns3/model-job.h"
#include "ns3/model-size.h"
#include "ns3/model-steps.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Which layers have experts and what the tokens of each attend to.
 */
class HuggingFaceLayersTestCase : public TestCase
{
  public:
    HuggingFaceLayersTestCase()
        : TestCase("configurations of Hugging Face: layers with experts, windows and chunks")
    {
    }

  private:
    void DoRun() override;

    /// Two of eight layers attend to all tokens, with heads of another size and number.
    void CheckWiderHeads()
    {
        const std::string keys = R"("model_type": "gemma4_text", "intermediate_size": 128,
            "sliding_window": 16, "sliding_window_pattern": 4)";
        const auto plain = ReadSmall(keys);
        const std::vector<std::pair<std::string, double>> rows{
            // Queries, outputs, keys and values of 8 heads: 16 elements in place of 8, or 4.
            {R"(, "global_head_dim": 16)", 64 * 4 * 8 * (16 - 8)},
            {R"(, "global_head_dim": 4)", 64 * 4 * 8 * (4 - 8)},
            // One matrix for keys and values, of 2 heads.
            {R"(, "global_head_dim": 16, "attention_k_eq_v": true, "num_global_key_value_heads": 2)",
             64 * ((8 + 8 + 2) * 16 - 4 * 8 * 8)}};
        for (const auto& [more, weights] : rows)
        {
            const auto model = ReadSmall(keys + more);
            NS_TEST_EXPECT_MSG_EQ(static_cast<double>(CountParameters(model).GetTotal()) -
                                      static_cast<double>(CountParameters(plain).GetTotal()),
                                  2 * weights,
                                  more);
            NS_TEST_EXPECT_MSG_EQ_TOL(GetFlopsPerToken(model, 64) - GetFlopsPerToken(plain, 64),
                                      2 * 6 * weights,
                                      1e-3,
                                      more);
        }
    }

    /**
     * @param more keys beside the sizes of a small model of 8 layers
     * @return the model
     */
    ModelDescription ReadSmall(const std::string& more)
    {
        return ReadModelText(CreateTempDirFilename("small.json"),
                             R"({"num_hidden_layers": 8, "hidden_size": 64,
                        "num_attention_heads": 8, "vocab_size": 1000,
                        "max_position_embeddings": 1024, )" +
                                 more + "}");
    }

    /// Layers differ in size, or have neither attention nor a feed-forward network.
    void CheckSizes()
    {
        const std::string both = R"({"attention": {"n_heads_in_group": 4, "no_op": false},
            "ffn": {"ffn_mult": 4.5, "replace_with_linear": false}}, )";
        const std::string none = R"({"attention": {"no_op": true}, "ffn": {"no_op": true}}, )";
        const std::string blocks = both + R"({"attention": {"no_op": true},
            "ffn": {"intermediate_size": 640}}, )" +
                                   none + both + none + both + none +
                                   R"({"attention": {"num_key_value_heads": 2},
            "ffn": {"no_op": true}})";
        const auto keys = R"("model_type": "nemotron-nas", "num_key_value_heads": null,
            "block_configs": [)" +
                          blocks + "]";
        NS_TEST_EXPECT_MSG_EQ(Describe(keys), "DFD-N-DFN-DFN-NF", "kinds of layers");
        const auto model = ReadSmall(keys);
        NS_TEST_EXPECT_MSG_EQ(model.kvHeads, 2, "8 heads in groups of 4");
        // 4.5 x 64 x 2 / 3 = 192, of which the next multiple of 256 is taken.
        NS_TEST_EXPECT_MSG_EQ(GetFfn(model, 0), 256, "a multiple");
        NS_TEST_EXPECT_MSG_EQ(GetFfn(model, 1), 640, "a size");
        NS_TEST_EXPECT_MSG_EQ(model.ffn, 640, "the largest");
        // Four with attention (64 x 64 for queries and output, 16 for keys and values, a norm), one
        // and three feed-forward networks of three matrices and a norm, two embeddings and a norm.
        NS_TEST_EXPECT_MSG_EQ(CountParameters(model).GetTotal(),
                              4 * (2 * 64 * 64 + 2 * 64 * 16 + 64) + 3 * (3 * 64 * 256 + 64) +
                                  3 * 64 * 640 + 64 + 2 * 1000 * 64 + 64,
                              "parameters");
        const auto job =
            CompleteModelJob(MakeModelOptions(CreateTempDirFilename("small.json"), 1, 1, 1));
        NS_TEST_EXPECT_MSG_EQ(ModelStepMaker(job, 0).MakeLayer(2).size(), 0, "nothing to do");
        NS_TEST_EXPECT_MSG_EQ(GetLayerActivations(job, 2), 0, "and nothing to keep");
        NS_TEST_EXPECT_MSG_EQ(ModelStepMaker(job, 0).MakeLayer(1).at(0).name,
                              "ffn.norm",
                              "no attention");
        // Norm and linear layer have inputs of 64, and the three matrices 640 inner elements.
        NS_TEST_EXPECT_MSG_EQ(GetLayerActivations(job, 1),
                              1024. * (4 * 64 + 6 * 640),
                              "a feed-forward network alone");
    }

    /// Channels of Mamba, steps, and inner sizes of LFM2.
    void CheckMamba()
    {
        const auto read = [this](const std::string& keys) {
            return *ReadSmall(R"("intermediate_size": 96, "model_type": )" + keys).reach.linear;
        };
        const auto alone = read(R"("falcon_mamba", "expand": 16, "time_step_rank": "auto")");
        NS_TEST_EXPECT_MSG_EQ(alone.valueHeads, 96, "the size counts, not how many times hidden");
        NS_TEST_EXPECT_MSG_EQ(alone.stepRank, 4, "a 16th of hidden");
        const auto beside = read(R"("jamba", "mamba_expand": 3, "mamba_dt_rank": 5)");
        NS_TEST_EXPECT_MSG_EQ(beside.valueHeads, 192, "three times hidden");
        NS_TEST_EXPECT_MSG_EQ(beside.stepRank, 5, "as said");
        const auto second = read(R"("mamba2", "n_groups": 2, "state_size": 16, "num_heads": 4,
            "head_dim": 32)");
        NS_TEST_EXPECT_MSG_EQ((second.rule == LinearRule::MAMBA_2), true, "Mamba-2");
        NS_TEST_EXPECT_MSG_EQ(second.GetValues(), 128, "four heads of 32");
        const auto inner = [this](const std::string& keys) {
            return ReadSmall(R"("model_type": "lfm2", "full_attn_idxs": [0], )" + keys).ffn;
        };
        NS_TEST_EXPECT_MSG_EQ(inner(R"("block_ff_dim": 1000, "intermediate_size": 5)"),
                              768,
                              "666, the next multiple of 256");
        NS_TEST_EXPECT_MSG_EQ(inner(R"("intermediate_size": 1000, "block_multiple_of": 10,
            "block_ffn_dim_multiplier": 1.5)"),
                              1000,
                              "666 x 1.5 is 999");
        NS_TEST_EXPECT_MSG_EQ(inner(R"("intermediate_size": 1000,
            "block_auto_adjust_ff_dim": false)"),
                              1000,
                              "as it is");
    }

    /**
     * @param more keys beside the sizes of a small model of 8 layers
     * @return a letter for each layer: experts E, dense D or neither N, then reach F, W, C, L or -
     */
    std::string Describe(const std::string& more)
    {
        const auto model = ReadSmall(more);
        std::string text;
        for (uint32_t layer = 0; layer < model.layers; ++layer)
        {
            text += model.HasExperts(layer) ? "E" : model.HasFeedForward(layer) ? "D" : "N";
            text += std::string("FWCL-").substr(static_cast<std::size_t>(model.GetReach(layer)), 1);
        }
        return text;
    }
};

void
HuggingFaceLayersTestCase::DoRun()
{
    const std::string dense = R"("intermediate_size": 128, )";
    const std::string experts = dense + R"("num_experts": 4, "num_experts_per_tok": 2, )";
    const std::string hybrid = experts + R"("model_type": "nemotron_h", "n_groups": 2,
        "ssm_state_size": 16, "mamba_num_heads": 4, "mamba_head_dim": 8, )";
    const std::string granite =
        R"("mamba_n_groups": 1, "mamba_d_state": 16, "mamba_n_heads": 4, "mamba_d_head": 8, )";
    const std::vector<std::pair<std::string, std::string>> rows{
        {dense + R"("model_type": "llama")", "DFDFDFDFDFDFDFDF"},
        // Without a dense layer no size of one is asked for.
        {R"("model_type": "qwen3_moe", "num_experts": 4, "moe_topk": 1, "moe_intermediate_size": 32)",
         "EFEFEFEFEFEFEFEF"},
        {experts + R"("model_type": "x", "decoder_sparse_step": 2)", "DFEFDFEFDFEFDFEF"},
        {experts + R"("model_type": "x", "mlp_only_layers": [0, 7])", "DFEFEFEFEFEFEFDF"},
        {experts + R"("model_type": "x", "moe_layers": [1, 2])", "DFEFEFDFDFDFDFDF"},
        {experts + R"("model_type": "x", "first_k_dense_replace": 3)", "DFDFDFEFEFEFEFEF"},
        {experts + R"("model_type": "x", "first_k_dense_replace": 1, "moe_layer_freq": 2)",
         "DFDFEFDFEFDFEFDF"},
        {R"("model_type": "mixtral", "intermediate_size": 32, "num_local_experts": 1)",
         "DFDFDFDFDFDFDFDF"},
        {dense + R"("model_type": "mistral", "sliding_window": 16)", "DWDWDWDWDWDWDWDW"},
        {dense + R"("model_type": "qwen2", "sliding_window": 16)", "DFDFDFDFDFDFDFDF"},
        {dense + R"("model_type": "qwen2", "sliding_window": 16, "use_sliding_window": true,
            "max_window_layers": 6)",
         "DFDFDFDFDFDFDWDW"},
        {dense + R"("model_type": "gemma2", "sliding_window": 16)", "DWDFDWDFDWDFDWDF"},
        {dense +
             R"("model_type": "gemma3_text", "sliding_window": 16, "sliding_window_pattern": 6)",
         "DWDWDWDWDWDFDWDW"},
        {dense + R"("model_type": "llama4_text", "attention_chunk_size": 16)", "DCDCDCDFDCDCDCDF"},
        {dense + R"("model_type": "x", "attn_type_list": [0, 1, 0, 1, 0, 1, 0, 1])",
         "DLDFDLDFDLDFDLDF"},
        {dense +
             R"("model_type": "kimi_linear", "linear_attn_config": {"full_attn_layers": [4, 8],
            "num_heads": 2, "head_dim": 8})",
         "DLDLDLDFDLDLDLDF"},
        {experts + R"("model_type": "x", "moe_layer_freq": [0, 0, 0, 1, 1, 1, 0, 1])",
         "DFDFDFEFEFEFDFEF"},
        {experts + R"("model_type": "x", "moe_layers_enum": "1,2,7")", "DFEFEFDFDFDFDFEF"},
        {dense + R"("model_type": "x", "hybrid_layer_pattern": [0, 1, 1, 1, 1, 1, 1, 0],
            "sliding_window": 16, "attention_chunk_size": 16)",
         "DFDWDWDWDWDWDWDF"},
        {dense + R"("model_type": "exaone4", "sliding_window": 16,
            "sliding_window_pattern": "LLLG")",
         "DWDWDWDFDWDWDWDF"},
        // A layer that predicts further tokens stands in the list, too.
        {dense + R"("model_type": "step3p5", "hybrid_layer_pattern": [0, 1, 1, 1, 1, 1, 1, 0, 1],
            "num_nextn_predict_layers": 1, "sliding_window": 16)",
         "DFDWDWDWDWDWDWDF"},
        {dense + R"("model_type": "bailing_moe_linear", "layer_group_size": 4)",
         "DLDLDLDFDLDLDLDF"},
        {dense + R"("model_type": "x", "layer_types": ["attention", "attention",
            "deepseek_sparse_attention", "attention", "attention", "attention",
            "sliding_attention", "full_attention"], "sliding_window": 16, "mamba_d_state": 16)",
         "DFDFDFDFDFDFDWDF"},
        // Layers with attention or Mamba, and a feed-forward network.
        {experts + granite + R"("model_type": "granitemoehybrid", "layer_types": ["mamba", "mamba",
            "attention", "mamba", "mamba", "full_attention", "mamba", "mamba"])",
         "ELELEFELELEFELEL"},
        {dense + granite + R"("model_type": "bamba", "attn_layer_indices": [2, 5])",
         "DLDLDFDLDLDFDLDL"},
        // Two layers of the file are one where they are a pair.
        {hybrid + R"("hybrid_override_pattern": "M-M*-ME*")", "DLNLDFELNF"},
        {hybrid + R"("layers_block_type": ["mamba", "moe", "mamba", "attention", "moe", "mamba",
            "mlp", "mamba"])",
         "ELNLEFDLNL"},
        {hybrid + R"("hybrid_override_pattern": "M-M*-MM-")", "DLNLDFNLDL"},
        // Mamba and attention of a layer are two, of which the second has the feed-forward network.
        {dense + granite + R"("model_type": "falcon_h1", "mamba_d_ssm": 32, "mamba_d_conv": 4)",
         "NLDFNLDFNLDFNLDFNLDFNLDFNLDFNLDF"},
        {experts + R"("model_type": "jamba", "attn_layer_period": 4, "attn_layer_offset": 2,
            "expert_layer_period": 2, "expert_layer_offset": 1)",
         "DLELDFELDLELDFEL"},
        {experts + R"("model_type": "jamba")", "DLELDLELDFELDLEL"},
        {R"("model_type": "mamba")", "NLNLNLNLNLNLNLNL"},
        {R"("model_type": "mamba2", "n_groups": 1, "state_size": 16, "num_heads": 4, "head_dim": 32)",
         "NLNLNLNLNLNLNLNL"},
        // Short convolutions in place of attention.
        {dense + R"("model_type": "lfm2", "layer_types": ["conv", "conv", "full_attention", "conv",
            "conv", "full_attention", "conv", "conv"])",
         "DLDLDFDLDLDFDLDL"},
        {experts + R"("model_type": "lfm2_moe", "num_dense_layers": 2, "conv_L_cache": 3,
            "full_attn_idxs": [2, 7])",
         "DLDLEFELELELELEF"}};
    for (const auto& [json, expected] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(Describe(json), expected, json);
    }
    CheckWiderHeads();
    CheckSizes();
    CheckMamba();
    // A layer that predicts further tokens is as the last one, or has attention of its own.
    const std::vector<std::pair<std::string, AttentionReach>> further{
        {"", AttentionReach::LINEAR},
        {R"(, "mtp_hybrid_override_pattern": "*E")", AttentionReach::FULL},
        {R"(, "mtp_layers_block_type": ["attention", "moe"])", AttentionReach::FULL}};
    for (const auto& [keys, reach] : further)
    {
        const auto model = ReadSmall(hybrid + R"("hybrid_override_pattern": "*-M-M-ME",
            "num_nextn_predict_layers": 1)" +
                                     keys);
        NS_TEST_EXPECT_MSG_EQ((model.GetReach(4) == reach), true, keys);
        NS_TEST_EXPECT_MSG_EQ(DescribeReach(model, 1024, true).at(0).substr(0, 6),
                              "3 of 4",
                              "of the others");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief What of a configuration is not modelled is said, and nothing else.
 */
class HuggingFaceLimitsTestCase : public TestCase
{
  public:
    HuggingFaceLimitsTestCase()
        : TestCase("configurations of Hugging Face: what is left out")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("limits.json");
        const auto find = [&file](const std::string& more) {
            std::string notes;
            for (const auto& note : ReadModelText(file,
                                                  R"({"num_hidden_layers": 2, "hidden_size": 64,
                "num_attention_heads": 8, "intermediate_size": 128, "vocab_size": 1000)" +
                                                      more + "}")
                                        .notes)
            {
                notes += BeginsWith(note, "sequences are taken") ? "" : note + "\n";
            }
            return notes;
        };
        NS_TEST_EXPECT_MSG_EQ(find(R"(, "model_type": "llama", "use_cla": false, "index_topk": null,
            "hidden_size_per_layer_input": 0, "head_dim": 8, "quantization_config": {})"),
                              "",
                              "nothing is left out");
        NS_TEST_EXPECT_MSG_EQ(
            find(R"(, "index_topk": 16, "use_cla": true, "head_dim": 16, "v_head_dim": 8)"),
            "sparse attention (index_topk) is not modelled: all is computed\n"
            "layers that have keys and values of others (use_cla) are taken to have their own\n"
            "values are taken to be as large as keys (v_head_dim is left out)\n",
            "several");
        const std::string gate =
            "the family of-tomorrow is not known: feed-forward layers are taken to have a gate\n";
        NS_TEST_EXPECT_MSG_EQ(find(R"(, "model_type": "of-tomorrow", "hidden_act": "gelu_new")"),
                              gate,
                              "a family that may have no gate");
        NS_TEST_EXPECT_MSG_EQ(find(R"(, "model_type": "of-tomorrow", "hidden_act": "silu")"),
                              "",
                              "a family that has one");
        NS_TEST_EXPECT_MSG_EQ(find(R"(, "model_type": "apertus", "hidden_act": "xielu")"),
                              "",
                              "an activation that has none");
        NS_TEST_EXPECT_MSG_EQ(find(R"(, "hc_mult": 4, "attn_res_block_size": 12)"),
                              "several streams between layers (hyper-connections, hc_mult) are "
                              "taken to be one: their mixing and activations are left out\n"
                              "attention to the outputs of earlier layers (attn_res_block_size) is "
                              "left out\n",
                              "what stands between layers");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Wrong configurations.
 */
class HuggingFaceErrorTestCase : public TestCase
{
  public:
    HuggingFaceErrorTestCase()
        : TestCase("configurations of Hugging Face: wrong ones")
    {
    }

  private:
    void DoRun() override
    {
        const std::string right = R"({"model_type": "llama", "num_hidden_layers": 2,
"hidden_size": 64, "num_attention_heads": 8, "intermediate_size": 128, "vocab_size": 1000})";
        const auto file = CreateTempDirFilename("wrong.json");
        const auto check =
            [&](const std::string& part, const std::string& other, const std::string& message) {
                const auto json = ReplaceFirst(right, part, other);
                NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadModelText(file, json); }),
                                      file + message,
                                      other);
            };
        check(R"("num_hidden_layers": 2,)",
              "",
              ": error: expected the key num_hidden_layers, found none");
        check(R"("intermediate_size": 128, )",
              "",
              ": error: expected the key intermediate_size, found none");
        check("64", "\"64\"", ":/hidden_size: error: expected a number, found string '\"64\"'");
        check("64",
              "63",
              ":/num_attention_heads: error: expected the key head_dim, as the heads do not divide "
              "hidden_size, found none");
        const auto add = [&](const std::string& keys, const std::string& message) {
            check("\"vocab", keys + ", \"vocab", message);
        };
        const std::string own = ", or a file of the module's own keys (layers, hidden, heads, ffn, "
                                "vocabulary, sequence) with sizes near these, found ";
        const std::string pairs = " error: expected a transformer, whose layers all have attention "
                                  "and a feed-forward network" +
                                  own;
        const std::string mamba = "layers of Mamba (state spaces) of a family that is not modelled";
        add(R"("num_key_value_heads": 3)",
            ":/num_key_value_heads: error: expected a number that divides the 8 heads, found 3");
        add(R"("hybrid_override_pattern": "M-")", ":/hybrid_override_pattern:" + pairs + mamba);
        add(R"("num_experts": 4, "num_experts_per_tok": 5)",
            ":/num_experts_per_tok: error: expected a whole number from 1 to 4, found 5");
        add(R"("num_experts": 4, "moe_topk": [1, 2])",
            ":/moe_topk: error: expected the same number for all layers, as others are not "
            "modelled, found 1 and 2");
        add(R"("num_experts": 4, "moe_topk": 1, "moe_layers": [2])",
            ":/moe_layers: error: expected layers from 0 to 1, found 2");
        add(R"("layer_types": ["full_attention"])",
            ":/layer_types: error: expected a list with an entry for each of the 2 layers, found 1 "
            "entries");
        add(R"("layer_types": ["full_atention", "mamba"])",
            ":/layer_types: error: expected attention of a layer: full_attention, "
            "sliding_attention, chunked_attention, linear_attention, attention, "
            "deepseek_sparse_attention, conv, found 'full_atention'; did you mean full_attention?");
        add(R"("mamba_d_state": 16)", ":/mamba_d_state:" + pairs + mamba);
        check("llama\"",
              R"(zamba2", "num_mem_blocks": 2)",
              ":/model_type: error: expected layers that have weights of their own" + own +
                  "zamba2: Mamba, and blocks of attention and a feed-forward network, each of "
                  "which stands at many places of the model with the same weights; to count them "
                  "at each place would make too many parameters, gradients and messages");
        add(R"("lru_width": 16)",
            ":/lru_width:" + pairs + "recurrent layers, which are not modelled");
        add(R"("mamba_d_state": 16, "mamba_d_ssm": 128)",
            ":/mamba_d_ssm:" + pairs +
                "Mamba and attention side by side in a layer of a family that is not modelled");
        add(R"("ssm_cfg": {})",
            ":/ssm_cfg:" + pairs +
                "a file of mamba_ssm; of the same model the config.json of transformers, whose "
                "name "
                "ends in -hf, is read");
        check("llama\"",
              R"(jamba", "attn_layer_period": 4, "attn_layer_offset": 4)",
              ":/attn_layer_offset: error: expected a whole number from 0 to 3, found 4");
        const auto addSizes = [&add](const std::string& second, const std::string& message) {
            add(R"("block_configs": [{"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 2}}, )" +
                    second + "]",
                message);
        };
        add(R"("block_configs": [])",
            ":/block_configs: error: expected a list with an object for each of the 2 layers, "
            "found "
            "0 entries");
        addSizes(R"({"attention": {"no_op": true}})",
                 ":/block_configs/1/ffn: error: expected an object, found none");
        addSizes(
            R"({"attention": {"replace_with_linear": true}})",
            ":/block_configs/1/attention/replace_with_linear: error: expected attention to all "
            "tokens and a feed-forward network, or none, as other parts of layers are not "
            "modelled, found true");
        addSizes(R"({"attention": {"n_heads_in_group": 3}})",
                 ":/block_configs/1/attention/n_heads_in_group: error: expected a number that "
                 "divides the 8 heads, found 3");
        addSizes(
            R"({"attention": {"n_heads_in_group": 8}})",
            ":/block_configs/1/attention/n_heads_in_group: error: expected the 2 heads of keys "
            "and values of the layers before, as others are not modelled, found 1");
        addSizes(R"({"attention": {"no_op": true}, "ffn": {"ffn_mult": 0}})",
                 ":/block_configs/1/ffn/ffn_mult: error: expected a number above 0, at most 1000, "
                 "found 0");
        addSizes(R"({"attention": {"no_op": true}, "ffn": {}})",
                 ":/block_configs/1/ffn/ffn_mult: error: expected a number above 0, at most 1000, "
                 "found none");
        add(R"("type_vocab_size": 2)",
            ":/model_type: error: expected a decoder" + own +
                "an encoder (llama), which is not modelled");
        add(R"("architectures": ["ModernBertForMaskedLM"])",
            ":/model_type: error: expected a decoder" + own +
                "an encoder (llama), which is not modelled");
        add(R"("architectures": ["ViTForImageClassification"])",
            ":/model_type: error: expected a decoder" + own +
                "a model of images (llama), which is not modelled");
        check("llama",
              "jetmoe",
              ":/model_type: error: expected a decoder" + own +
                  "a mixture of attention heads (jetmoe), which is not modelled");
        add(R"("decay_low_rank_dim": 16)",
            ":/decay_low_rank_dim:" + pairs + "recurrent layers, which are not modelled");
        add(R"("is_encoder_decoder": true)",
            ":/is_encoder_decoder: error: expected a decoder alone" + own +
                "an encoder, too, which is not modelled");
        add(R"("num_experts": 4, "moe_topk": 1, "moe_layers_enum": "1;2")",
            ":/moe_layers_enum: error: expected numbers of layers with commas between, found "
            "\"1;2\"");
        const auto makeHybrid = [&check](const std::string& keys, const std::string& message) {
            check("llama\"", "nemotron_h\", " + keys, message);
        };
        const std::string letters =
            ":/hybrid_override_pattern: error: expected a letter for each of the 2 layers "
            "(num_hidden_layers): M (Mamba), * (attention), - (feed-forward network), E (experts), "
            "found ";
        makeHybrid(R"("hybrid_override_pattern": "M-M")", letters + "'M-M'");
        makeHybrid(R"("hybrid_override_pattern": "MX")", letters + "'MX'");
        makeHybrid(R"("hybrid_override_pattern": 3)", letters + "''");
        makeHybrid(R"("n_groups": 2)",
                   ":/hybrid_override_pattern: error: expected a letter for each layer, or the key "
                   "layers_block_type with a word for each, found none");
        makeHybrid(R"("hybrid_override_pattern": "-M")",
                   ":/hybrid_override_pattern: error: expected Mamba or attention before each "
                   "feed-forward network, as a layer is made of both, found one without");
        makeHybrid(R"("layers_block_type": ["mamba", "hybrid"])",
                   ":/layers_block_type: error: expected kind of a layer: mamba, attention, mlp, "
                   "moe, found 'hybrid'");
        makeHybrid(R"("hybrid_override_pattern": "M-")",
                   ": error: expected the key n_groups, found none");
        makeHybrid(R"("hybrid_override_pattern": "M-", "n_groups": 3, "ssm_state_size": 16,
                "mamba_num_heads": 4, "mamba_head_dim": 8)",
                   ":/mamba_num_heads: error: expected a multiple of the 3 groups, found 4");
        const auto makeGranite = [&check](const std::string& keys, const std::string& message) {
            check("llama\"", "granitemoehybrid\", " + keys, message);
        };
        makeGranite(R"("layer_types": ["mamba", "mamba2"])",
                    ":/layer_types: error: expected kind of a layer: mamba, attention, "
                    "full_attention, found 'mamba2'; did you mean mamba?");
        makeGranite(R"("mamba_n_groups": 3, "mamba_d_state": 16, "mamba_n_heads": 4,
            "mamba_d_head": 8)",
                    ":/mamba_n_heads: error: expected a multiple of the 3 groups, found 4");
        // The directory of a config.json names the model.
        const auto folder = CreateTempDirFilename("small-model");
        std::filesystem::create_directory(folder);
        WriteWorkloadFile(folder + "/config.json", right);
        const auto bare = folder + "/config";
        WriteWorkloadFile(bare, right);
        NS_TEST_EXPECT_MSG_EQ(ReadModelDescription({bare, {"--model", 0, 0, ""}}).file,
                              bare,
                              "a file of any name");
        const auto model = ReadModelDescription({folder, {"--model", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(model.name, "small-model", "a directory");
        NS_TEST_EXPECT_MSG_EQ(model.vocabulary, 1000, "a directory");
        // Python writes numbers that JSON does not have.
        NS_TEST_EXPECT_MSG_EQ(
            ReadModelText(file,
                          ReplaceFirst(right, "\"vocab", "\"time\": [0.0, Infinity], \"vocab"))
                .vocabulary,
            1000,
            "Infinity in a key that says nothing of sizes");
    }
};

} // namespace

std::vector<TestCase*>
MakeHuggingFaceTestCases()
{
    return {new HuggingFaceLayersTestCase,
            new HuggingFaceLimitsTestCase,
            new HuggingFaceErrorTestCase};
}

} // namespace ns3
