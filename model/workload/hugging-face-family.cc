/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-family.h"

#include <map>

namespace ns3
{

namespace
{

/// Families by model_type.
using HuggingFaceFamilies = std::map<std::string, HuggingFaceFamily>;

/**
 * @return families whose feed-forward layers have no gate
 */
HuggingFaceFamilies
MakePlainFamilies()
{
    HuggingFaceFamily gpt;
    gpt.gated = false;
    gpt.bias = true;
    gpt.learnedPositions = true;
    gpt.tied = true;
    gpt.inFours = true;
    auto alibi = gpt;
    alibi.learnedPositions = false;
    auto rotary = alibi;
    rotary.tied = false;
    auto falcon = alibi;
    falcon.bias = false;
    HuggingFaceFamily nemotron;
    nemotron.gated = false;
    return {{"gpt2", gpt},
            {"openai-gpt", gpt},
            {"biogpt", gpt},
            {"xglm", alibi},
            {"gpt_bigcode", gpt},
            {"gpt_neo", gpt},
            {"opt", gpt},
            {"bloom", alibi},
            {"mpt", alibi},
            {"starcoder2", alibi},
            {"falcon", falcon},
            {"RefinedWeb", falcon},
            {"RefinedWebModel", falcon},
            {"gpt_neox", rotary},
            {"gptj", rotary},
            {"codegen", rotary},
            {"phi", rotary},
            {"phi-msft", rotary},
            {"mixformer-sequential", rotary},
            {"nemotron", nemotron},
            {"nemotron_h", nemotron}};
}

/**
 * @return families whose feed-forward layers have a gate
 */
HuggingFaceFamilies
MakeGatedFamilies()
{
    // Sizes of a text_config of older files, which leave out those of the first model.
    HuggingFaceFamily llama;
    llama.defaults = {{"vocab_size", 32000},
                      {"hidden_size", 4096},
                      {"intermediate_size", 11008},
                      {"num_hidden_layers", 32},
                      {"num_attention_heads", 32}};
    HuggingFaceFamily mistral;
    mistral.defaults = llama.defaults;
    mistral.defaults["intermediate_size"] = 14336;
    mistral.defaults["num_key_value_heads"] = 8;
    HuggingFaceFamily qwen2;
    qwen2.defaults = llama.defaults;
    qwen2.defaults["vocab_size"] = 151936;
    qwen2.defaults["intermediate_size"] = 22016;
    HuggingFaceFamily qwen3;
    qwen3.queryKeyNorm = true;
    HuggingFaceFamily tied;
    tied.tied = true;
    auto gemma3 = tied;
    gemma3.queryKeyNorm = true;
    gemma3.defaults = {{"num_attention_heads", 8},
                       {"num_key_value_heads", 4},
                       {"head_dim", 256},
                       {"vocab_size", 262208},
                       {"sliding_window_pattern", 6}};
    auto lfm2 = tied;
    lfm2.queryKeyNorm = true;
    auto gemma4 = tied;
    gemma4.queryKeyNorm = true;
    HuggingFaceFamily both;
    both.countsBoth = true;
    return {{"llama", llama},        {"mistral", mistral},     {"qwen", both},
            {"qwen2", qwen2},        {"hf_olmo", both},        {"qwen3", qwen3},
            {"qwen3_moe", qwen3},    {"gemma", tied},          {"gemma2", tied},
            {"gemma3_text", gemma3}, {"gemma3n_text", gemma4}, {"gemma4_text", gemma4},
            {"cohere", tied},        {"cohere2", tied},        {"ernie4_5", tied},
            {"ernie4_5_moe", tied},  {"minicpm", tied},        {"minicpm3", tied},
            {"exaone", tied},        {"lfm2", lfm2},           {"lfm2_moe", lfm2},
            {"mamba", tied},         {"falcon_mamba", tied},   {"smollm3", tied},
            {"vaultgemma", tied},    {"phi3small", tied}};
}

/**
 * @return all families. Defaults are those of transformers, src/transformers/models
 *         (TYPE/configuration_TYPE.py), or of the code beside the model's file
 */
const HuggingFaceFamilies&
GetFamilies()
{
    static const auto families = [] {
        auto all = MakePlainFamilies();
        all.merge(MakeGatedFamilies());
        return all;
    }();
    return families;
}

} // namespace

HuggingFaceFamily
FindHuggingFaceFamily(const std::string& type)
{
    const auto found = GetFamilies().find(type);
    return found == GetFamilies().end() ? HuggingFaceFamily{} : found->second;
}

bool
IsHuggingFaceFamily(const std::string& type)
{
    return GetFamilies().count(type) > 0;
}

} // namespace ns3
