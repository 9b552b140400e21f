/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"

#include "ns3/model-description.h"
#include "ns3/model-size.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// A published configuration, shortened to what sizes follow from, and what is published of it.
struct PublishedConfig
{
    const char* name; //!< its name
    double total;     //!< 10^9 parameters, of the model card or the files' index
    double active;    //!< 10^9 parameters for a token; 0 = published with too few digits
    uint32_t left;    //!< of embedding and output layer, so many its publisher leaves out of these
    std::string json; //!< the configuration
};

/// @return an attn_type_list of MiniMax-Text-01: seven layers linear, the eighth full
std::string
MakeAttentionTypes()
{
    std::string list = "[";
    for (int layer = 0; layer < 80; ++layer)
    {
        list += (layer == 0 ? "" : ",") + std::string(layer % 8 == 7 ? "1" : "0");
    }
    return list + "]";
}

/**
 * @param letters a letter for each layer of a Nemotron: M Mamba, * attention, E experts
 * @return a layers_block_type
 */
std::string
MakeBlockTypes(const std::string& letters)
{
    const std::map<char, std::string> words{{'M', "mamba"}, {'*', "attention"}, {'E', "moe"}};
    std::string list;
    for (const auto letter : letters)
    {
        list += (list.empty() ? "[\"" : ", \"") + words.at(letter) + "\"";
    }
    return list + "]";
}

/**
 * @param layers layers of a Granite
 * @param first the first one with attention; every tenth one behind it has, too
 * @return a layer_types
 */
std::string
MakeLayerTypes(int layers, int first)
{
    std::string list;
    for (int layer = 0; layer < layers; ++layer)
    {
        list += (layer == 0 ? "[" : ", ") +
                std::string(layer % 10 == first ? "\"attention\"" : "\"mamba\"");
    }
    return list + "]";
}

/**
 * @return a block_configs with as many layers of each kind as Nemotron Super has: one with
 *         attention and a narrower network, 48 with both, and 31 without attention
 */
std::string
MakeBlockSizes()
{
    const std::string attention = R"("n_heads_in_group": 8, "no_op": false)";
    const std::string none = R"("n_heads_in_group": null, "no_op": true)";
    const std::vector<std::tuple<int, std::string, std::string>> kinds{{1, attention, "2.625"},
                                                                       {48, attention, "5.25"},
                                                                       {5, none, "2.625"},
                                                                       {1, none, "3.28125"},
                                                                       {10, none, "1.3125"},
                                                                       {1, none, "5.25"},
                                                                       {8, none, "1.0"},
                                                                       {6, none, "0.5"}};
    std::string list;
    for (const auto& [count, what, factor] : kinds)
    {
        for (int i = 0; i < count; ++i)
        {
            list +=
                (list.empty() ? "[" : ", ") + std::string(R"({"attention": {)") + what +
                R"(, "replace_with_linear": false, "window_length": null}, "ffn": {"ffn_mult": )" +
                factor + R"(, "no_op": false, "sparsify": null}})";
        }
    }
    return list + "]";
}

/// @return published configurations of models without experts
std::vector<PublishedConfig>
GetDenseConfigs()
{
    const std::string llama = R"({"model_type": "llama", "vocab_size": 128256,
        "max_position_embeddings": 131072, "num_key_value_heads": 8, "tie_word_embeddings": false, )";
    const std::string qwen3 = R"({"model_type": "qwen3", "vocab_size": 151936, "head_dim": 128,
        "max_position_embeddings": 40960, "num_key_value_heads": 8, "sliding_window": null,
        "use_sliding_window": false, "max_window_layers": 36, "tie_word_embeddings": false, )";
    const std::string gemma3n = R"({"model_type": "gemma3n", "text_config": {
        "model_type": "gemma3n_text", "vocab_size": 262400, "hidden_size": 2048,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256,
        "vocab_size_per_layer_input": 262144, "hidden_size_per_layer_input": 256,
        "altup_num_inputs": 4, "laurel_rank": 64, )";
    const std::string mamba = R"({"model_type": "mamba", "vocab_size": 50280, "state_size": 16,
        "conv_kernel": 4, "expand": 2, )";
    const std::string lfm2 = R"({"model_type": "lfm2", "vocab_size": 65536, "conv_L_cache": 3,
        "num_hidden_layers": 16, "num_key_value_heads": 8, "full_attn_idxs": [2, 5, 8, 10, 12, 14],
        "max_position_embeddings": 128000, )";
    return {
        {"Llama-3.1-8B", 8.03, 0, 0, llama + R"("num_hidden_layers": 32, "hidden_size": 4096,
            "num_attention_heads": 32, "intermediate_size": 14336})"},
        {"Llama-3.1-405B", 405.85, 0, 0, llama + R"("num_hidden_layers": 126,
            "hidden_size": 16384, "num_attention_heads": 128, "intermediate_size": 53248})"},
        {"Mistral-7B-v0.1", 7.24, 0, 0, R"({"model_type": "mistral", "vocab_size": 32000,
            "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
            "num_key_value_heads": 8, "intermediate_size": 14336, "sliding_window": 4096,
            "max_position_embeddings": 32768})"},
        {"Qwen2-72B", 72.71, 0, 0, R"({"model_type": "qwen2", "vocab_size": 152064,
            "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64,
            "num_key_value_heads": 8, "intermediate_size": 29568, "sliding_window": 131072,
            "use_sliding_window": false, "max_window_layers": 80,
            "max_position_embeddings": 32768})"},
        {"Qwen3-8B", 8.19, 0, 0, qwen3 + R"("num_hidden_layers": 36, "hidden_size": 4096,
            "num_attention_heads": 32, "intermediate_size": 12288})"},
        {"Qwen3-32B", 32.76, 0, 0, qwen3 + R"("num_hidden_layers": 64, "hidden_size": 5120,
            "num_attention_heads": 64, "intermediate_size": 25600})"},
        {"phi-4", 14.66, 0, 0, R"({"model_type": "phi3", "vocab_size": 100352,
            "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40,
            "num_key_value_heads": 10, "intermediate_size": 17920, "sliding_window": null,
            "max_position_embeddings": 16384})"},
        {"phi-2", 2.78, 0, 0, R"({"model_type": "phi", "vocab_size": 51200,
            "num_hidden_layers": 32, "hidden_size": 2560, "num_attention_heads": 32,
            "num_key_value_heads": 32, "intermediate_size": 10240,
            "max_position_embeddings": 2048})"},
        {"gemma-2-9b", 9.24, 0, 0, R"({"model_type": "gemma2", "vocab_size": 256000,
            "num_hidden_layers": 42, "hidden_size": 3584, "num_attention_heads": 16,
            "num_key_value_heads": 8, "head_dim": 256, "intermediate_size": 14336,
            "sliding_window": 4096, "max_position_embeddings": 8192})"},
        {"gemma-3-27b, text", 27.01, 0, 0, R"({"architectures": ["Gemma3ForConditionalGeneration"],
            "model_type": "gemma3", "vision_config": {}, "text_config": {"model_type": "gemma3_text",
            "num_hidden_layers": 62, "hidden_size": 5376, "num_attention_heads": 32, "head_dim": 128,
            "num_key_value_heads": 16, "intermediate_size": 21504, "sliding_window": 1024}})"},
        // LM Studio, models of text alone made of these.
        {"gemma-3n-E4B, text", 6.9, 0, 0, gemma3n + R"("num_hidden_layers": 35,
            "intermediate_size": [16384, 16384]}})"},
        {"gemma-3n-E2B, text", 4.5, 0, 0, gemma3n + R"("num_hidden_layers": 30,
            "intermediate_size": [8192, 8192]}})"},
        {"nemotron-4-340b", 341.0, 0, 0, R"({"model_type": "nemotron", "vocab_size": 256000,
            "num_hidden_layers": 96, "hidden_size": 18432, "num_attention_heads": 96,
            "num_key_value_heads": 8, "intermediate_size": 73728,
            "max_position_embeddings": 4096})"},
        {"gpt2", 0.1244, 0, 0, R"({"model_type": "gpt2", "vocab_size": 50257, "n_layer": 12,
            "n_embd": 768, "n_head": 12, "n_inner": null, "n_positions": 1024})"},
        {"opt-350m", 0.3312, 0, 0, R"({"model_type": "opt", "vocab_size": 50272,
            "num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16,
            "ffn_dim": 4096, "word_embed_proj_dim": 512, "max_position_embeddings": 2048})"},
        {"gpt-neox-20b", 20.55, 0, 0, R"({"model_type": "gpt_neox", "vocab_size": 50432,
            "num_hidden_layers": 44, "hidden_size": 6144, "num_attention_heads": 64,
            "intermediate_size": 24576, "max_position_embeddings": 2048,
            "tie_word_embeddings": false})"},
        {"falcon-7b", 6.92, 0, 0, R"({"model_type": "falcon", "vocab_size": 65024,
            "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
            "num_kv_heads": 71, "multi_query": true, "new_decoder_architecture": false})"},
        {"mpt-7b", 6.65, 0, 0, R"({"model_type": "mpt", "vocab_size": 50432, "n_layers": 32,
            "d_model": 4096, "n_heads": 32, "expansion_ratio": 4, "no_bias": true,
            "attn_config": {"alibi": true}, "max_seq_len": 2048})"},
        {"gpt-neo-2.7B", 2.65, 0, 0, R"({"model_type": "gpt_neo", "vocab_size": 50257,
            "num_layers": 32, "hidden_size": 2560, "num_heads": 20, "intermediate_size": null,
            "max_position_embeddings": 2048})"},
        {"phi-1_5", 1.42, 0, 0, R"({"model_type": "phi-msft", "vocab_size": 51200, "n_layer": 24,
            "n_embd": 2048, "n_head": 32, "n_inner": null, "n_positions": 2048})"},
        {"Qwen-7B", 7.72, 0, 0, R"({"model_type": "qwen", "vocab_size": 151936,
            "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
            "kv_channels": 128, "intermediate_size": 22016, "seq_length": 8192})"},
        {"chatglm3-6b", 6.24, 0, 0, R"({"model_type": "chatglm", "padded_vocab_size": 65024,
            "num_layers": 28, "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128,
            "multi_query_attention": true, "multi_query_group_num": 2, "ffn_hidden_size": 13696,
            "vocab_size": 65024, "seq_length": 8192})"},
        {"Apertus-70B", 70.6, 0, 0, R"({"model_type": "apertus", "vocab_size": 131072,
            "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64,
            "num_key_value_heads": 8, "intermediate_size": 43008, "hidden_act": "xielu"})"},
        {"MiniCPM-2B", 2.72, 0, 0, R"({"model_type": "minicpm", "vocab_size": 122753,
            "num_hidden_layers": 40, "hidden_size": 2304, "num_attention_heads": 36,
            "num_key_value_heads": 36, "intermediate_size": 5760})"},
        {"MiniCPM3-4B", 4.07, 0, 0, R"({"model_type": "minicpm3", "vocab_size": 73448,
            "num_hidden_layers": 62, "hidden_size": 2560, "num_attention_heads": 40,
            "num_key_value_heads": 40, "intermediate_size": 6400, "kv_lora_rank": 256,
            "q_lora_rank": 768, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32})"},
        {"SmolLM3-3B", 3.08, 0, 0, R"({"model_type": "smollm3", "vocab_size": 128256,
            "num_hidden_layers": 36, "hidden_size": 2048, "num_attention_heads": 16,
            "num_key_value_heads": 4, "intermediate_size": 11008})"},
        {"biogpt", 0.3467, 0, 0, R"({"model_type": "biogpt", "vocab_size": 42384,
            "num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16,
            "intermediate_size": 4096, "max_position_embeddings": 1024, "hidden_act": "gelu"})"},
        {"bitnet-b1.58-2B-4T", 2.41, 0, 0, R"({"model_type": "bitnet", "vocab_size": 128256,
            "num_hidden_layers": 30, "hidden_size": 2560, "num_attention_heads": 20,
            "num_key_value_heads": 5, "intermediate_size": 6912, "hidden_act": "relu2",
            "tie_word_embeddings": true})"},
        // Published: 7,272,665,088 of its weights, and 129,135,360 and 2,768,345,600.
        {"falcon-mamba-7b", 7.273, 0, 0, R"({"model_type": "falcon_mamba", "vocab_size": 65024,
            "num_hidden_layers": 64, "hidden_size": 4096, "intermediate_size": 8192, "expand": 16,
            "state_size": 16, "conv_kernel": 4, "time_step_rank": 256,
            "tie_word_embeddings": false})"},
        {"mamba-130m-hf", 0.12914, 0, 0, mamba + R"("num_hidden_layers": 24, "hidden_size": 768,
            "intermediate_size": 1536, "time_step_rank": 48})"},
        {"mamba-2.8b-hf", 2.7683, 0, 0, mamba + R"("num_hidden_layers": 64, "hidden_size": 2560,
            "intermediate_size": 5120, "time_step_rank": 160})"},
        {"Mamba-Codestral-7B", 7.285, 0, 0, R"({"model_type": "mamba2", "vocab_size": 32768,
            "num_hidden_layers": 64, "hidden_size": 4096, "num_heads": 128, "head_dim": 64,
            "state_size": 128, "n_groups": 8, "expand": 2, "conv_kernel": 4,
            "tie_word_embeddings": false})"},
        {"LFM2-350M", 0.3545, 0, 0, lfm2 + R"("hidden_size": 1024, "num_attention_heads": 16,
            "intermediate_size": 6656, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256})"},
        {"LFM2-1.2B", 1.17, 0, 0, lfm2 + R"("hidden_size": 2048, "num_attention_heads": 32,
            "block_ff_dim": 12288, "block_auto_adjust_ff_dim": true, "block_multiple_of": 256})"},
        {"Llama-3.3-Nemotron-Super-49B", 49.87, 0, 0, R"({"model_type": "nemotron-nas",
            "vocab_size": 128256, "num_hidden_layers": 80, "hidden_size": 8192,
            "num_attention_heads": 64, "intermediate_size": null, "num_key_value_heads": null,
            "block_configs": )" + MakeBlockSizes() + "}"},
        // A text_config leaves out the sizes of the first Qwen2.
        {"Qwen2-Audio-7B, text", 7.754, 0, 0, R"({"model_type": "qwen2_audio", "text_config": {
            "model_type": "qwen2", "vocab_size": 156032, "intermediate_size": 11008,
            "tie_word_embeddings": false}})"},
        // Of a text_config of the first Llama nothing but its vocabulary need be said.
        {"llava-1.5-7b", 6.74, 0, 0, R"({"model_type": "llava", "text_config": {
            "model_type": "llama", "vocab_size": 32064}})"},
    };
}

/// @return published configurations of models with experts
std::vector<PublishedConfig>
GetExpertConfigs()
{
    const std::string llama4 = R"({"model_type": "llama4", "text_config": {
        "model_type": "llama4_text", "vocab_size": 202048, "num_hidden_layers": 48, "head_dim": 128,
        "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,
        "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_experts_per_tok": 1,
        "attention_chunk_size": 8192, "max_position_embeddings": 1048576, )";
    const std::string mixtral = R"({"model_type": "mixtral", "vocab_size": 32000,
        "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
        "max_position_embeddings": 32768, )";
    const std::string oss = R"({"model_type": "gpt_oss", "vocab_size": 201088, "hidden_size": 2880,
        "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "sliding_window": 128,
        "intermediate_size": 2880, "experts_per_token": 4, "max_position_embeddings": 131072, )";
    const std::string qwen =
        R"("vocab_size": 151936, "mlp_only_layers": [], "decoder_sparse_step": 1,
        "max_position_embeddings": 40960, "tie_word_embeddings": false, )";
    const std::string jamba = R"({"model_type": "jamba", "vocab_size": 65536,
        "attn_layer_offset": 4, "attn_layer_period": 8, "expert_layer_offset": 1,
        "expert_layer_period": 2, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2,
        "num_experts": 16, "num_experts_per_tok": 2, "num_key_value_heads": 8,
        "tie_word_embeddings": false, )";
    const std::string mla = R"("kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128, "moe_layer_freq": 1,
        "max_position_embeddings": 163840, )";
    return {
        {"Llama-4-Scout", 108.64, 17.17, 0, llama4 + R"("num_local_experts": 16,
            "interleave_moe_layer_step": 1}})"},
        {"Llama-4-Maverick", 401.58, 17.17, 0, llama4 + R"("num_local_experts": 128,
            "interleave_moe_layer_step": 2}})"},
        {"Mixtral-8x7B", 46.7, 12.88, 0, mixtral + R"("num_hidden_layers": 32,
            "hidden_size": 4096, "num_attention_heads": 32, "intermediate_size": 14336})"},
        {"Mixtral-8x22B", 140.6, 39.15, 0, mixtral + R"("num_hidden_layers": 56,
            "hidden_size": 6144, "num_attention_heads": 48, "intermediate_size": 16384})"},
        {"Qwen3-30B-A3B",
         30.53,
         3.35,
         0,
         R"({"model_type": "qwen3_moe", )" + qwen +
             R"("num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
            "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
            "moe_intermediate_size": 768, "intermediate_size": 6144})"},
        {"Qwen3-Next-80B-A3B",
         79.67,
         0,
         0,
         R"({"model_type": "qwen3_next", )" + qwen +
             R"("num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 16,
            "num_key_value_heads": 2, "head_dim": 256, "num_experts": 512, "num_experts_per_tok": 10,
            "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
            "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
            "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
            "intermediate_size": 5120})"},
        {"DeepSeek-V2",
         235.7,
         21.4,
         0,
         R"({"model_type": "deepseek_v2", )" + mla +
             R"("num_hidden_layers": 60, "hidden_size": 5120, "num_attention_heads": 128,
            "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160,
            "n_shared_experts": 2, "num_experts_per_tok": 6, "n_group": 8, "topk_group": 3,
            "first_k_dense_replace": 1, "vocab_size": 102400})"},
        {"DeepSeek-V3",
         671.0,
         36.7,
         1,
         R"({"model_type": "deepseek_v3", )" + mla +
             R"("num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
            "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "n_group": 8, "topk_group": 4,
            "first_k_dense_replace": 3, "vocab_size": 129280, "num_nextn_predict_layers": 1})"},
        {"Kimi-K2",
         1026.4,
         0,
         0,
         R"({"model_type": "kimi_k2", )" + mla +
             R"("num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 64,
            "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 384,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "n_group": 1, "topk_group": 1,
            "first_k_dense_replace": 1, "vocab_size": 163840})"},
        {"Jamba-v0.1", 51.6, 12, 0, jamba + R"("num_hidden_layers": 32, "hidden_size": 4096,
            "num_attention_heads": 32, "intermediate_size": 14336, "mamba_dt_rank": 256})"},
        {"Jamba-1.5-Large", 398, 94, 0, jamba + R"("num_hidden_layers": 72, "hidden_size": 8192,
            "num_attention_heads": 64, "intermediate_size": 24576, "mamba_dt_rank": 512})"},
        {"LFM2-8B-A1B", 8.34, 0, 0, R"({"model_type": "lfm2_moe", "vocab_size": 65536,
            "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 32,
            "num_key_value_heads": 8, "intermediate_size": 7168, "conv_L_cache": 3,
            "num_experts": 32, "num_experts_per_tok": 4, "moe_intermediate_size": 1792,
            "num_dense_layers": 2, "full_attn_idxs": [2, 6, 10, 14, 18, 21]})"},
        {"GLM-4.5", 355.0, 32.0, 2, R"({"model_type": "glm4_moe", "vocab_size": 151552,
            "num_hidden_layers": 92, "hidden_size": 5120, "num_attention_heads": 96,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288,
            "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 1,
            "num_experts_per_tok": 8, "first_k_dense_replace": 3, "n_group": 1, "topk_group": 1,
            "num_nextn_predict_layers": 1, "max_position_embeddings": 131072})"},
        {"gpt-oss-120b", 116.83, 5.13, 1, oss + R"("num_hidden_layers": 36,
            "num_local_experts": 128})"},
        {"gpt-oss-20b", 20.91, 3.61, 1, oss + R"("num_hidden_layers": 24,
            "num_local_experts": 32})"},
        {"MiniMax-Text-01",
         456.0,
         45.9,
         2,
         R"({"model_type": "minimax_text_01",
            "vocab_size": 200064, "num_hidden_layers": 80, "hidden_size": 6144, "head_dim": 128,
            "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 9216,
            "num_local_experts": 32, "num_experts_per_tok": 2, "shared_intermediate_size": 0,
            "max_position_embeddings": 10240000, "attn_type_list": )" +
             MakeAttentionTypes() + "}"},
    };
}

/// @return published configurations whose experts or attention are less usual
std::vector<PublishedConfig>
GetUnusualConfigs()
{
    const std::string moe = R"("moe_intermediate_size": )";
    return {
        {"dbrx", 131.6, 36.5, 0, R"({"model_type": "dbrx", "vocab_size": 100352, "n_layers": 40,
            "d_model": 6144, "n_heads": 48, "attn_config": {"kv_n_heads": 8}, "max_seq_len": 32768,
            "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})"},
        {"grok-2", 269.5, 0, 0, R"({"num_hidden_layers": 64, "hidden_size": 8192,
            "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 32768,
            "moe_intermediate_size": 16384, "num_local_experts": 8, "num_experts_per_tok": 2,
            "residual_moe": true, "vocab_size": 131072})"},
        {"ERNIE-4.5-21B-A3B", 21.83, 0, 0, R"({"model_type": "ernie4_5_moe", "vocab_size": 103424,
            "num_hidden_layers": 28, "hidden_size": 2560, "num_attention_heads": 20,
            "num_key_value_heads": 4, "intermediate_size": 12288, "moe_num_experts": 64,
            "moe_k": 6, "moe_intermediate_size": 1536, "moe_num_shared_experts": 2,
            "moe_layer_start_index": 1})"},
        {"Step3, text", 316, 38, 1, R"({"model_type": "step3_vl", "text_config": {
            "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 64,
            "num_attention_groups": 1, "head_dim": 256, "share_q_dim": 2048, "vocab_size": 128815,
            "intermediate_size": 18432, "moe_intermediate_size": 5120, "moe_num_experts": 48,
            "moe_top_k": 3, "share_expert_dim": 5120, "moe_layer_start_index": 5}})"},
        {"gemma-4-26B-A4B", 25.2, 0, 0, R"({"model_type": "gemma4", "text_config": {
            "model_type": "gemma4_text", "vocab_size": 262144, "num_hidden_layers": 30,
            "hidden_size": 2816, "num_attention_heads": 16, "num_key_value_heads": 8,
            "head_dim": 256, "intermediate_size": 2112, "enable_moe_block": true,
            "num_experts": 128, "top_k_experts": 8, "moe_intermediate_size": 704}})"},
        {"gemma-4-31B", 30.7, 0, 0, R"({"model_type": "gemma4", "text_config": {
            "model_type": "gemma4_text", "vocab_size": 262144, "num_hidden_layers": 60,
            "hidden_size": 5376, "num_attention_heads": 32, "num_key_value_heads": 16,
            "head_dim": 256, "intermediate_size": 21504, "global_head_dim": 512,
            "num_global_key_value_heads": 4, "attention_k_eq_v": true, "sliding_window": 1024,
            "sliding_window_pattern": 6}})"},
        {"DeepSeek-V4-Flash",
         284,
         0,
         0,
         R"({"model_type": "deepseek_v4", "vocab_size": 129280,
            "num_hidden_layers": 43, "hidden_size": 4096, "num_attention_heads": 64,
            "num_key_value_heads": 1, "head_dim": 512, "q_lora_rank": 1024, "o_lora_rank": 1024,
            "o_groups": 8, "qk_rope_head_dim": 64, "n_routed_experts": 256, "n_shared_experts": 1,
            "num_experts_per_tok": 6, "sliding_window": 128, )" +
             moe + "2048}"},
        {"Kimi-Linear-48B-A3B",
         49.12,
         0,
         0,
         R"({"model_type": "kimi_linear", "vocab_size": 163840,
            "num_hidden_layers": 27, "hidden_size": 2304, "num_attention_heads": 32, "head_dim": 72,
            "intermediate_size": 9216, "kv_lora_rank": 512, "q_lora_rank": null,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "first_k_dense_replace": 1, "num_experts": 256, "num_experts_per_token": 8,
            "num_shared_experts": 1, "linear_attn_config": {"num_heads": 32, "head_dim": 128,
            "short_conv_kernel_size": 4, "full_attn_layers": [4, 8, 12, 16, 20, 24, 27]}, )" +
             moe + "1024}"},
        {"Nemotron-3-Nano-30B-A3B",
         31.6,
         3.6,
         0,
         R"({"model_type": "nemotron_h", "vocab_size": 131072, "num_hidden_layers": 52,
            "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
            "hidden_size": 2688, "num_attention_heads": 32, "num_key_value_heads": 2,
            "head_dim": 128, "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128,
            "n_groups": 8, "conv_kernel": 4, "mlp_hidden_act": "relu2", "n_routed_experts": 128,
            "num_experts_per_tok": 6, "moe_intermediate_size": 1856, "n_shared_experts": 1,
            "moe_shared_expert_intermediate_size": 3712})"},
        {"Falcon-H1-0.5B",
         0.5214,
         0,
         0,
         R"({"model_type": "falcon_h1", "vocab_size": 32784, "num_hidden_layers": 36,
            "hidden_size": 1024, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
            "intermediate_size": 2048, "mamba_d_ssm": 1536, "mamba_n_heads": 24, "mamba_d_head": 64,
            "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_rms_norm": false,
            "tie_word_embeddings": false})"},
        {"Falcon-H1-34B",
         33.64,
         0,
         0,
         R"({"model_type": "falcon_h1", "vocab_size": 261120, "num_hidden_layers": 72,
            "hidden_size": 5120, "num_attention_heads": 20, "num_key_value_heads": 4,
            "head_dim": 128, "intermediate_size": 21504, "mamba_d_ssm": 4096, "mamba_n_heads": 32,
            "mamba_d_head": 128, "mamba_d_state": 256, "mamba_n_groups": 2, "mamba_d_conv": 4,
            "tie_word_embeddings": false})"},
        {"Kimi-K3, text",
         2800,
         104,
         0,
         R"({"model_type": "kimi_k3", "text_config": {"model_type": "kimi_linear",
            "vocab_size": 163840, "num_hidden_layers": 93, "hidden_size": 7168,
            "num_attention_heads": 96, "intermediate_size": 33792, "kv_lora_rank": 512,
            "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "first_k_dense_replace": 1, "num_experts": 896, "num_experts_per_token": 16,
            "num_shared_experts": 2, "routed_expert_hidden_size": 3584, "linear_attn_config": {
            "num_heads": 96, "head_dim": 128, "short_conv_kernel_size": 4,
            "use_full_rank_gate": true, "full_attn_layers": [4, 8, 12, 16, 20, 24, 28, 32, 36, 40,
            44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 93]}, )" +
             moe + "3072}}"},
        {"Qwen3.5-397B-A17B",
         397,
         0,
         0,
         R"({"model_type": "qwen3_5_moe", "text_config": {"model_type": "qwen3_5_moe_text",
            "vocab_size": 248320, "num_hidden_layers": 60, "hidden_size": 4096, "head_dim": 256,
            "num_attention_heads": 32, "num_key_value_heads": 2, "attn_output_gate": true,
            "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
            "linear_num_key_heads": 16, "linear_num_value_heads": 64, "linear_value_head_dim": 128,
            "num_experts": 512, "num_experts_per_tok": 10,
            "shared_expert_intermediate_size": 1024, )" +
             moe + "1024}}"},
        {"GLM-5",
         744,
         40,
         1,
         R"({"model_type": "glm_moe_dsa", "vocab_size": 154880, "num_hidden_layers": 78,
            "hidden_size": 6144, "num_attention_heads": 64, "head_dim": 64,
            "intermediate_size": 12288, "kv_lora_rank": 512, "q_lora_rank": 2048,
            "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256,
            "first_k_dense_replace": 3, "n_routed_experts": 256, "n_shared_experts": 1,
            "num_experts_per_tok": 8, "index_topk": 2048, )" +
             moe + "2048}"},
        // NVIDIA's model card of Super: 120.6 G, 12.7 G of them active.
        {"Nemotron-3-Super-120B-A12B",
         120.6,
         12.7,
         0,
         R"({"model_type": "nemotron_h", "vocab_size": 131072, "num_hidden_layers": 88,
            "hybrid_override_pattern": ")"
         "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME"
         R"(", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 2,
            "head_dim": 128, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128,
            "n_groups": 8, "mlp_hidden_act": "relu2", "n_routed_experts": 512,
            "num_experts_per_tok": 22, "moe_latent_size": 1024, "n_shared_experts": 1,
            "moe_shared_expert_intermediate_size": 5376, )" +
             moe + "2688}"},
        {"Nemotron-3-Ultra-550B-A55B",
         550,
         55,
         1,
         R"({"model_type": "nemotron_h", "vocab_size": 131072, "hidden_size": 8192,
            "num_attention_heads": 64, "num_key_value_heads": 2, "head_dim": 128,
            "mamba_num_heads": 256, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8,
            "mlp_hidden_act": "relu2", "n_routed_experts": 512, "num_experts_per_tok": 22,
            "moe_latent_size": 2048, "n_shared_experts": 1,
            "moe_shared_expert_intermediate_size": 10240, "layers_block_type": )" +
             MakeBlockTypes("MEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEME"
                            "MEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME") +
             ", " + moe + "5120}"},
        {"Nemotron-H-8B",
         8.1,
         0,
         0,
         R"({"model_type": "nemotron_h", "vocab_size": 131072, "num_hidden_layers": 52,
            "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
            "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
            "head_dim": 128, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128,
            "n_groups": 8, "conv_kernel": 4, "mlp_hidden_act": "relu2",
            "intermediate_size": 21504})"},
        {"Bamba-9B", 9.78, 0, 0, R"({"model_type": "bamba", "vocab_size": 128256,
            "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
            "num_key_value_heads": 8, "intermediate_size": 14336, "attn_layer_indices": [9, 18, 27],
            "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1,
            "mamba_d_conv": 4})"},
        {"Ling-2.6-flash",
         104,
         7.4,
         0,
         R"({"model_type": "bailing_hybrid", "vocab_size": 157184, "num_hidden_layers": 32,
            "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128,
            "intermediate_size": 9216, "kv_lora_rank": 512, "q_lora_rank": 1536,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "layer_group_size": 8, "first_k_dense_replace": 1, "num_experts": 256,
            "num_experts_per_tok": 8, "num_shared_experts": 1, )" +
             moe + "1024}"},
        {"Ling-3.0-tiny",
         7.9,
         0,
         0,
         R"({"model_type": "bailing_hybrid", "vocab_size": 157184, "num_hidden_layers": 24,
            "hidden_size": 1536, "num_attention_heads": 16, "head_dim": 128,
            "intermediate_size": 4608, "kv_lora_rank": 512, "q_lora_rank": 256,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "layer_group_size": 4, "short_conv_kernel_size": 4, "no_kda_lora": true,
            "first_k_dense_replace": 1, "num_experts": 128, "num_experts_per_tok": 8,
            "num_shared_experts": 1, )" +
             moe + "512}"},
        {"granite-4.0-h-small",
         32.2,
         8.8,
         0,
         R"({"model_type": "granitemoehybrid",
            "vocab_size": 100352, "num_hidden_layers": 40, "hidden_size": 4096,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 768,
            "num_local_experts": 72, "num_experts_per_tok": 10, "shared_intermediate_size": 1536,
            "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1,
            "mamba_d_conv": 4, "tie_word_embeddings": true, "layer_types": )" +
             MakeLayerTypes(40, 5) + "}"},
        {"LongCat-Flash-Lite", 68.5, 0, 0, R"({"model_type": "longcat_flash_ngram",
            "vocab_size": 131072, "num_hidden_layers": 28, "num_layers": 14, "hidden_size": 3072,
            "num_attention_heads": 32, "ffn_hidden_size": 6144, "expert_ffn_hidden_size": 1024,
            "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256, "moe_topk": 12,
            "ngram_vocab_size_ratio": 78, "emb_neighbor_num": 4, "emb_split_num": 4})"},
        {"LongCat-Flash", 560, 0, 0, R"({"model_type": "longcat_flash", "vocab_size": 131072,
            "num_layers": 28, "hidden_size": 6144, "num_attention_heads": 64,
            "ffn_hidden_size": 12288, "expert_ffn_hidden_size": 2048, "kv_lora_rank": 512,
            "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
            "v_head_dim": 128, "n_routed_experts": 512, "zero_expert_num": 256, "moe_topk": 12})"},
    };
}

/**
 * @ingroup workload-replay-tests
 * @brief Parameters of published configurations, against published ones.
 */
class HuggingFaceParametersTestCase : public TestCase
{
  public:
    HuggingFaceParametersTestCase()
        : TestCase("configurations of Hugging Face: parameters against published ones")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& configs : {GetDenseConfigs(), GetExpertConfigs(), GetUnusualConfigs()})
        {
            for (const auto& config : configs)
            {
                Check(config);
            }
        }
        CheckFurtherLayers();
    }

    /// Check layers that predict further tokens and are not as the last one.
    void CheckFurtherLayers()
    {
        // As the model card of Step-3.5-Flash has it, 196.81 G with 0.81 G in its three layers that
        // predict further tokens. These are dense; a tenth of it are more heads in layers with a
        // window, which the module takes to be as the others.
        const std::string config = R"({"model_type": "step3p5", "vocab_size": 128896,
            "num_hidden_layers": 45, "hidden_size": 4096, "num_attention_heads": 64,
            "num_attention_groups": 8, "head_dim": 128, "intermediate_size": 11264,
            "moe_num_experts": 288, "moe_top_k": 8, "moe_intermediate_size": 1280,
            "share_expert_dim": 1280, "num_nextn_predict_layers": 3, "moe_layers_enum": ")";
        std::string layers;
        for (int layer = 3; layer < 45; ++layer)
        {
            layers += (layers.empty() ? "" : ",") + std::to_string(layer);
        }
        auto model = ReadModelText(CreateTempDirFilename("config.json"), config + layers + "\"}");
        const auto all = static_cast<double>(CountParameters(model).GetTotal());
        model.mtpLayers = 0;
        const auto main = static_cast<double>(CountParameters(model).GetTotal());
        NS_TEST_EXPECT_MSG_EQ_TOL(main / 1e9, 196.0, 1.96, "the model itself");
        NS_TEST_EXPECT_MSG_EQ_TOL((all - main) / 1e9, 0.81, 0.1, "its further layers");
    }

    /**
     * @param config a configuration
     */
    void Check(const PublishedConfig& config)
    {
        auto model = ReadModelText(CreateTempDirFilename("config.json"), config.json);
        model.mtpLayers = 0;
        const auto count = CountParameters(model);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count.GetTotal()) / 1e9,
                                  config.total,
                                  0.01 * config.total,
                                  config.name);
        if (config.active > 0)
        {
            const auto& experts = *model.experts;
            auto active = static_cast<double>(count.shared) +
                          static_cast<double>(count.experts) * experts.topK / experts.count;
            active -= 1. * config.left * model.vocabulary * model.hidden;
            NS_TEST_EXPECT_MSG_EQ_TOL(active / 1e9,
                                      config.active,
                                      0.01 * config.active,
                                      config.name << ", active");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeHuggingFaceParameterTestCases()
{
    return {new HuggingFaceParametersTestCase};
}

} // namespace ns3
