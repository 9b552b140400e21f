/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-family.h"

#include <map>

namespace ns3
{

HuggingFaceFamily
FindHuggingFaceFamily(const std::string& type)
{
    // Defaults are those of transformers, src/transformers/models (TYPE/configuration_TYPE.py).
    const nlohmann::ordered_json none = nlohmann::ordered_json::object();
    const HuggingFaceFamily gpt{false, true, true, true, true, none};
    const HuggingFaceFamily alibi{false, true, false, true, true, none};
    const HuggingFaceFamily rotary{false, true, false, false, true, none};
    const HuggingFaceFamily falcon{false, false, false, true, true, none};
    const HuggingFaceFamily nemotron{false, false, false, false, false, none};
    const HuggingFaceFamily tied{true, false, false, true, false, none};
    auto gemma3 = tied;
    gemma3.defaults = {{"num_attention_heads", 8},
                       {"num_key_value_heads", 4},
                       {"head_dim", 256},
                       {"vocab_size", 262208},
                       {"sliding_window_pattern", 6}};
    const std::map<std::string, HuggingFaceFamily> families{{"gpt2", gpt},
                                                            {"gpt_bigcode", gpt},
                                                            {"gpt_neo", gpt},
                                                            {"opt", gpt},
                                                            {"bloom", alibi},
                                                            {"starcoder2", alibi},
                                                            {"falcon", falcon},
                                                            {"RefinedWeb", falcon},
                                                            {"RefinedWebModel", falcon},
                                                            {"gpt_neox", rotary},
                                                            {"gptj", rotary},
                                                            {"codegen", rotary},
                                                            {"phi", rotary},
                                                            {"nemotron", nemotron},
                                                            {"gemma", tied},
                                                            {"gemma2", tied},
                                                            {"gemma3_text", gemma3},
                                                            {"cohere", tied},
                                                            {"cohere2", tied}};
    const auto found = families.find(type);
    return found == families.end() ? HuggingFaceFamily{} : found->second;
}

} // namespace ns3
