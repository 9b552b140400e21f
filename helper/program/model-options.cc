/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-options.h"

#include "ns3/accelerator-file.h"
#include "ns3/input-values.h"
#include "ns3/model-description.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{

namespace
{

/// A short name, for the tables of options.
using V = OptionValue;

/// Heading in the help.
const std::string GROUP = "Job from a model's configuration (--model)";

/// Heading of the part that says how long operators take.
const std::string TIME_GROUP = "Compute times of a model";

/**
 * @param variable what is set
 * @return on or off
 */
V
OnOff(bool& variable)
{
    const std::vector<std::string> words{"on", "off"};
    return {"on|off", variable ? "on" : "off", [&variable, words](const TextField& value) {
                variable = ParseWord(value, words) == "on";
            }};
}

/**
 * @param value an option's value
 * @return bytes of a gradient
 */
uint32_t
ParseGradientBytes(const TextField& value)
{
    return ParseWord(value, {"fp32", "bf16"}) == "fp32" ? 4 : 2;
}

/**
 * @param o what the options set
 * @return options about the batch and the number formats
 */
std::vector<Option>
MakeTrainingOptions(ModelOptions& o)
{
    auto& training = o.training;
    const auto setSequenceParallel = [&o](const TextField& v) {
        o.sequenceParallel = ParseWord(v, {"on", "off"}) == "on";
    };
    const auto setGradients = [&training](const TextField& v) {
        training.gradientBytes = ParseGradientBytes(v);
    };
    return {
        {"sequence",
         V::Number(o.sequence, 1, 1U << 30).Default("the model's"),
         "tokens of a sequence"},
        {"microbatchSize", V::Number(training.microbatchSize), "sequences of a microbatch"},
        {"globalBatch",
         V::Number(o.globalBatch, 1, 1U << 30).Default("microbatches x microbatchSize x dp"),
         "sequences of an iteration, which gives the microbatches"},
        {"precision",
         V::Word(o.precision, GetPrecisionNames()),
         "number format of matrix operations: bf16, fp16 or fp8"},
        {"gradients",
         {"fp32|bf16", "fp32", setGradients},
         "number format that gradients are reduced in"},
        {"sequenceParallel",
         {"on|off", "on if tp is above 1", setSequenceParallel},
         "tensor parallel ranks share out tokens between linear layers"},
        {"zero",
         V::Number(training.zero, 0, 3, "LEVEL"),
         "what replicas share out: 0 nothing, 1 optimizer state, 2 gradients, 3 parameters (FSDP), "
         "each with those before"},
        {"etp",
         V::Number(o.etp, 1, MAX_WORLD).Default("tp"),
         "tensor parallel ranks of an expert; ep times etp divides tp cp dp"}};
}

/**
 * @param o what the options set
 * @return options about the kernels of attention, and what runs again
 */
std::vector<Option>
MakeKernelOptions(ModelOptions& o)
{
    auto words = GetAttentionKernelNames();
    words.insert(words.begin(), "auto");
    return {
        {"recompute",
         V::Word(o.recompute, {"none", "selective", "full"}, "WHAT"),
         "what backward computes again: none, selective (modules of layers) or full (layers, "
         "with their communication)"},
        {"recomputeModules",
         V::Text(o.recomputeModules, "NAME,...").Default("core_attn"),
         "modules that selective recomputation runs again, by Megatron-Core's names: core_attn, "
         "layernorm, mla_up_proj, mlp, moe, moe_act, shared_experts"},
        {"fusedAttention",
         OnOff(o.training.fusedAttention),
         "attention is one kernel that keeps no scores (FlashAttention); off: with softmax and "
         "scores in memory"},
        {"attentionKernel",
         V::Word(o.attentionKernel, words, "LIBRARY"),
         "library of fused attention: fa2, fa3, triton (FlashAttention), cudnn, or auto: fa2 in "
         "PyTorch, else cudnn"},
        {"framework",
         V::Word(o.framework, {"auto", "megatron", "pytorch"}, "NAME"),
         "whose kernels and schedules: megatron (Megatron-Core, Transformer Engine), pytorch (as "
         "TorchTitan has it), or auto: pytorch with zero 3"}};
}

/**
 * @param o what the options set
 * @return options about which stage has which layers
 */
std::vector<Option>
MakeStageOptions(ModelOptions& o)
{
    return {
        {"pipelineLayout",
         V::NonEmpty(o.pipelineLayout, "LAYOUT").Default("even"),
         "layers of each part, as Megatron-LM has it: E embedding, t layer, m layer that predicts "
         "further tokens, L loss, | between parts, x*n and (...)*n repeat: \"Et*3|(tt|)*4tL\""},
        {"firstStageLayers",
         V::Number(o.firstStageLayers, 0, MAX_WORLD).Default("as the others"),
         "layers of the first stage"},
        {"lastStageLayers",
         V::Number(o.lastStageLayers, 0, MAX_WORLD).Default("as the others"),
         "layers of the last stage"},
        {"embeddingAsLayer",
         OnOff(o.embeddingAsLayer),
         "the embedding counts as a layer when they are shared out"},
        {"lossAsLayer",
         OnOff(o.lossAsLayer),
         "the output layer and the loss count as a layer when they are shared out"}};
}

/**
 * @param o what the options set
 * @return options about communication
 */
std::vector<Option>
MakeCommunicationOptions(ModelOptions& o)
{
    auto& training = o.training;
    const auto setCapacity = [&training](const TextField& v) {
        training.expertCapacity = ParseScale(v);
    };
    return {
        {"context",
         V::Word(o.context, {"ring", "all-gather", "all-to-all"}, "HOW"),
         "how context parallel ranks exchange keys and values: ring, all-gather or all-to-all "
         "(Ulysses)"},
        {"overlapGradients",
         OnOff(training.overlapGradients),
         "gradients are reduced in buckets while backward goes on"},
        {"overlapParameters",
         OnOff(training.overlapParameters),
         "with zero 1 to 3: parameters are gathered in buckets while forward goes on"},
        {"overlapTensor",
         OnOff(training.overlapTensor),
         "linear layers work on what has come from tensor parallel ranks while the rest is on its "
         "way (userbuffers, ring exchange)"},
        {"overlapExperts",
         OnOff(training.overlapExperts),
         "forward and backward passes run in pairs, so that each hides what experts of the other "
         "send (with --vpp, or without stages)"},
        {"scatterMessages",
         OnOff(training.scatterMessages),
         "without sequenceParallel: each tensor parallel rank sends a piece of the message between "
         "two stages and gathers the others, as Megatron-LM did until 2023"},
        {"dispatch",
         V::Word(o.dispatch, {"auto", "direct", "by-group"}, "HOW"),
         "how tokens go to experts: direct (each copy by itself), by-group (once to each group, "
         "then to its experts), auto (by-group if the model limits groups)"},
        {"dispatchRanks",
         V::Number(o.dispatchRanks, 1, MAX_WORLD).Default("the model's groups"),
         "expert parallel ranks of a group that tokens go to once, such as those of a server "
         "(DeepEP, HybridEP)"},
        {"expertLoad",
         V::Text(o.expertLoad, "LOADS").Default("even"),
         "shares of tokens that experts are sent: even, zipf:EXPONENT (the first expert most), or "
         "a number for each expert with commas between"},
        {"expertCapacity",
         {"FACTOR", "none", setCapacity},
         "most that an expert takes, as a multiple of the mean; the rest is dropped"}};
}

/**
 * @param o what the options set
 * @return options about times
 */
std::vector<Option>
MakeTimeOptions(ReplayOptions& o)
{
    auto& model = o.model;
    const auto setAccelerator = [&model](const TextField& v) { model.accelerator = v; };
    const auto setEfficiency = [&model](const TextField& v) { model.efficiency = ParseScale(v); };
    const auto setStepTime = [&o](const TextField& v) {
        o.stepTime = ParseDuration(v);
        if (o.stepTime.IsZero())
        {
            throw WorkloadError(v.where, "a time above 0", Quoted(v.text));
        }
    };
    return {{"accelerator",
             {"NAME|FILE", model.accelerator.text, setAccelerator},
             JoinWords(GetAcceleratorNames()) +
                 ", or a JSON file with the same keys: says how long operators take"},
            {"efficiency",
             {"SHARE", "1", setEfficiency},
             "what the speed of all operators is multiplied by, but of those in operatorTimes"},
            {"stepTime",
             {"TIME", "none", setStepTime},
             "find the efficiency with which an iteration takes this long, on the network given"},
            {"operatorTimes",
             V::NonEmpty(model.operatorTimes, "FILE").Default("none"),
             "table of measured operators: columns operator, forward_us, backward_input_us, "
             "backward_weight_us; --dryRun lists the names"}};
}

} // namespace

void
AddModelOptions(OptionTable& table, ReplayOptions& options)
{
    const auto setModel = [&options](const TextField& v) {
        options.workload = v.text;
        options.format = "model";
    };
    table.Add(GROUP,
              {{"model",
                {"NAME|FILE", "none", setModel},
                "instead of workload: a preset (" + JoinWords(GetModelPresets()) +
                    ") or a file FILE.json, or a directory with a config.json"}});
    table.Add(GROUP, MakeTrainingOptions(options.model));
    table.Add(GROUP, MakeKernelOptions(options.model));
    table.Add(GROUP, MakeStageOptions(options.model));
    table.Add(GROUP, MakeCommunicationOptions(options.model));
    table.Add(TIME_GROUP, MakeTimeOptions(options));
}

std::vector<std::string>
GetModelOptionNames()
{
    ReplayOptions options;
    OptionTable table;
    AddModelOptions(table, options);
    auto names = table.GetNames();
    names.erase(std::find(names.begin(), names.end(), "model"));
    return names;
}

bool
IsModel(const std::string& name)
{
    const std::string json = ".json";
    if (name.size() > json.size() && name.substr(name.size() - json.size()) == json)
    {
        return true;
    }
    // A file that has the name of a preset is read as what it is.
    const auto presets = GetModelPresets();
    std::error_code error;
    return std::find(presets.begin(), presets.end(), name) != presets.end() &&
           !std::filesystem::exists(name, error);
}

ModelOptions
GetModelOptions(const ReplayOptions& options)
{
    auto model = options.model;
    model.model = {options.workload,
                   options.Locate(options.IsGiven("model") ? "model" : "workload")};
    model.layout = options.layout;
    model.schedule = options.schedule;
    model.given = options.given;
    return model;
}

} // namespace ns3
