/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of hugging-face-keys.h that says what of a configuration is not modelled.

#include "hugging-face-family.h"
#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A key whose presence says something.
struct TellingKey
{
    const char* key;  //!< the key
    const char* what; //!< what it says
};

/// Keys of models that are refused, and what their layers are.
const std::vector<TellingKey> REFUSED_KEYS{
    {"mamba_d_ssm", "Mamba and attention side by side in a layer of a family that is not modelled"},
    {"num_mem_blocks",
     "layers of Mamba, and attention whose weights layers share, which is not modelled"},
    {"ssm_cfg",
     "a file of mamba_ssm; of the same model the config.json of transformers, whose name ends in "
     "-hf, is read"},
    {"hybrid_override_pattern", "layers of Mamba (state spaces) of a family that is not modelled"},
    {"layers_block_type", "layers of Mamba (state spaces) of a family that is not modelled"},
    {"ssm_state_size", "layers of Mamba (state spaces) of a family that is not modelled"},
    {"mamba_d_state", "layers of Mamba (state spaces) of a family that is not modelled"},
    {"state_size", "layers of Mamba (state spaces) of a family that is not modelled"},
    {"lru_width", "recurrent layers, which are not modelled"},
    {"decay_low_rank_dim", "recurrent layers, which are not modelled"},
    {"attention_hidden_size", "recurrent layers, which are not modelled"},
    {"ffn_multipliers", "layers of different sizes, which are not modelled"}};

/// Keys of what is left out where they stand and are no 0, false or empty.
const std::vector<TellingKey> LEFT_OUT{
    {"index_topk", "sparse attention (index_topk) is not modelled: all is computed"},
    {"sparse_attention_config",
     "sparse attention (sparse_attention_config) is not modelled: all is computed"},
    {"blocksparse_block_size",
     "sparse attention (blocksparse_block_size) is not modelled: all is computed"},
    {"attention_types",
     "attention to the last tokens alone (attention_types) is not modelled: all "
     "is computed"},
    {"hc_mult",
     "several streams between layers (hyper-connections, hc_mult) are taken to be one: their "
     "mixing and activations are left out"},
    {"attn_res_block_size",
     "attention to the outputs of earlier layers (attn_res_block_size) is left out"},
    {"mla_use_output_gate", "the gate at the output of attention is left out"},
    {"hidden_size_per_layer_input",
     "embeddings of each layer (hidden_size_per_layer_input) count as parameters and FLOPs, and "
     "take no time"},
    {"ngram_vocab_size_ratio",
     "embeddings of several tokens together (ngram_vocab_size_ratio) count as parameters, and take "
     "no time"},
    {"use_double_wide_mlp",
     "feed-forward layers are taken to be of one size (use_double_wide_mlp is left out, also of "
     "the "
     "parameters)"},
    {"global_head_dim",
     "heads of layers that attend to all tokens count among parameters and FLOPs of linear layers, "
     "and are else taken to be as those of the others (global_head_dim)"},
    {"swa_num_key_value_heads",
     "heads of layers with a sliding window are taken to be as those of the others "
     "(swa_num_key_value_heads is left out)"},
    {"attention_other_setting",
     "heads of layers with a sliding window are taken to be as those of the others "
     "(attention_other_setting is left out)"},
    {"num_kv_shared_layers",
     "layers that have keys and values of others (num_kv_shared_layers) are taken to have their "
     "own"},
    {"use_cla", "layers that have keys and values of others (use_cla) are taken to have their own"},
    {"cross_attention_layers",
     "attention to images (cross_attention_layers) is taken to be attention to text"},
    {"zero_expert_num",
     "experts that give back what they are given (zero_expert_num) are left out: a token goes to "
     "as many others"},
    {"quantization_config",
     "quantization_config is how the weights are stored; --precision says the format of "
     "training"}};

/// What to do about a model that is refused.
const char* const OWN_KEYS = ", or a file of the module's own keys (layers, hidden, heads, ffn, "
                             "vocabulary, sequence) with sizes near these";

/// Parts of the names of classes (architectures) that are no decoders, and what they are.
const std::vector<TellingKey> OTHER_CLASSES{{"MaskedLM", "an encoder"},
                                            {"CLIP", "a model of images"},
                                            {"Siglip", "a model of images"},
                                            {"ImageClassification", "a model of images"},
                                            {"ForCTC", "a model of sound"},
                                            {"AudioClassification", "a model of sound"}};

/// Models that say what they are by a part of their model_type alone.
const std::vector<TellingKey> OTHER_TYPES{{"clip_text", "an encoder"},
                                          {"siglip_text", "an encoder"},
                                          {"siglip2_text", "an encoder"},
                                          {"jetmoe", "a mixture of attention heads"}};

/**
 * @param text a name
 * @param parts parts of names
 * @return what the first of them that is in the name says; empty = none is
 */
std::string
FindPart(const std::string& text, const std::vector<TellingKey>& parts)
{
    const auto found = std::find_if(parts.begin(), parts.end(), [&text](const auto& part) {
        return text.find(part.key) != std::string::npos;
    });
    return found == parts.end() ? "" : found->what;
}

/**
 * @param keys a configuration
 * @param type its model_type
 * @return what it is a model of, if it is no decoder; empty = nothing says so
 */
std::string
FindOtherKind(const HuggingFaceKeys& keys, const std::string& type)
{
    const std::string classes = "architectures";
    const auto other =
        keys.Find({classes}).empty() ? "" : FindPart(keys.GetValue(classes).dump(), OTHER_CLASSES);
    if (!other.empty())
    {
        return other;
    }
    // Kinds of text in one input are what encoders tell apart.
    if (!keys.Find({"type_vocab_size"}).empty() && !keys.GetFlag("is_decoder", false))
    {
        return "an encoder";
    }
    return FindPart(type, OTHER_TYPES);
}

/**
 * @param keys a configuration
 * @param name name of a value
 * @return whether it is there and no 0, false or empty
 */
bool
IsSet(const HuggingFaceKeys& keys, const std::string& name)
{
    if (keys.Find({name}).empty())
    {
        return false;
    }
    const auto& value = keys.GetValue(name);
    return value != 0 && value != false && (!value.is_structured() || !value.empty());
}

} // namespace

void
CheckHuggingFaceLayers(const HuggingFaceKeys& keys, const std::string& type)
{
    const auto refuse =
        [&keys](const std::string& key, const std::string& expected, const std::string& found) {
            throw WorkloadError(keys.Locate(key), expected + OWN_KEYS, found);
        };
    if (BeginsWith(type, "zamba"))
    {
        refuse("model_type",
               "layers that have weights of their own",
               type + ": Mamba, and blocks of attention and a feed-forward network, each of which "
                      "stands at many places of the model with the same weights; to count them at "
                      "each place would make too many parameters, gradients and messages");
    }
    // Of the newest families some models are plain transformers.
    const std::string types = "layer_types";
    const bool isPlain = !keys.Find({types}).empty() && keys.GetValue(types).is_array() &&
                         std::all_of(keys.GetValue(types).begin(),
                                     keys.GetValue(types).end(),
                                     [](const auto& entry) {
                                         return entry.dump().find("attention") != std::string::npos;
                                     });
    const bool isRead = HasSeveralMixers(type) || HasMambaLayers(type) || IsMambaAlone(type);
    for (const auto& [key, what] : REFUSED_KEYS)
    {
        if (!isPlain && !isRead && !keys.Find({key}).empty())
        {
            refuse(key,
                   "a transformer, whose layers all have attention and a feed-forward network",
                   what);
        }
    }
    if (keys.GetFlag("is_encoder_decoder", false))
    {
        refuse("is_encoder_decoder", "a decoder alone", "an encoder, too, which is not modelled");
    }
    const auto other = FindOtherKind(keys, type);
    if (!other.empty())
    {
        refuse("model_type", "a decoder", other + " (" + type + "), which is not modelled");
    }
}

std::vector<std::string>
ListHuggingFaceLimits(const HuggingFaceKeys& keys, const std::string& type, bool isGated)
{
    std::vector<std::string> limits;
    for (const auto& [key, what] : LEFT_OUT)
    {
        if (IsSet(keys, key))
        {
            limits.emplace_back(what);
        }
    }
    const auto activation = keys.Find({"hidden_act", "activation_function", "hidden_activation"});
    if (isGated && !IsHuggingFaceFamily(type) && !activation.empty() &&
        keys.GetValue(activation).dump().find("elu") != std::string::npos)
    {
        // Most networks with GELU or ReLU have no gate.
        limits.emplace_back("the family " + (type.empty() ? "without model_type" : type) +
                            " is not known: feed-forward layers are taken to have a gate");
    }
    if (IsLongCat(type))
    {
        limits.emplace_back("a layer is taken to be two, of which the second has experts, whose "
                            "communication is not hidden behind the first");
    }
    const auto head = keys.Find({"head_dim"});
    const auto value = keys.Find({"v_head_dim"});
    if (!head.empty() && !value.empty() && keys.Find({"kv_lora_rank"}).empty() &&
        keys.GetValue(head) != keys.GetValue(value))
    {
        limits.emplace_back("values are taken to be as large as keys (v_head_dim is left out)");
    }
    return limits;
}

} // namespace ns3
