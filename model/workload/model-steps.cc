/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-steps.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation (bf16 or fp16, whatever matrices are multiplied in).
constexpr double ACTIVATION = 2;

/**
 * @param step a step of a layer
 * @param module a module
 * @return whether the step is a part of it
 */
bool
IsOf(const ModelStep& step, LayerModule module)
{
    const auto& name = step.name;
    const auto isAny = [&name](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto begins = [&name](const std::string& prefix) {
        return name.compare(0, prefix.size(), prefix) == 0;
    };
    switch (module)
    {
    case LayerModule::CORE_ATTENTION:
        return step.isAttentionCore;
    case LayerModule::LAYERNORM:
        return isAny({"attention.norm", "ffn.norm"});
    case LayerModule::MLA_UP:
        return isAny({"attention.kv-up", "attention.q-up", "attention.rotary"});
    case LayerModule::MLP:
        return isAny({"ffn.fc1", "ffn.activation", "ffn.fc2"});
    case LayerModule::MOE:
        return begins("moe.") || begins("shared.");
    case LayerModule::MOE_ACTIVATION:
        return isAny({"moe.activation"});
    case LayerModule::SHARED_EXPERTS:
        return begins("shared.");
    }
    NS_ABORT_MSG("unknown module");
}

/**
 * @param transfer what tensor parallel ranks communicate for a step
 * @param [in,out] step the step; receives what PyTorch copies besides
 * @param training how the model is trained
 */
void
AddSequenceCopies(const ModelTransfer& transfer, ModelStep& step, const ModelTraining& training)
{
    if (!training.IsPytorch())
    {
        return;
    }
    // A collective brings the pieces of ranks one after another, batches of tokens lie side by
    // side: what was gathered is put into that order, and taken out of it before it is reduced,
    // read and written once (PyTorch, torch/distributed/_functional_collectives.py, chunk and cat
    // of all_gather_tensor and reduce_scatter_tensor).
    step.forward.addedBytes += 2. * static_cast<double>(transfer.forwardBytes);
    step.inputGradient.addedBytes += 2. * static_cast<double>(transfer.backwardBytes);
}

} // namespace

bool
ModelStep::RunsAgain(const ModelTraining& training) const
{
    return training.recompute == Recomputation::SELECTIVE && !training.IsPytorch() &&
           std::any_of(training.againModules.begin(),
                       training.againModules.end(),
                       [this](LayerModule module) { return IsOf(*this, module); });
}

ModelStepMaker::ModelStepMaker(const ModelJob& job, uint32_t expertRank)
    : m_job(job),
      m_expertRank(expertRank)
{
}

ModelStep
ModelStepMaker::MakeLinear(const std::string& name,
                           Split split,
                           uint64_t inputs,
                           uint64_t outputs) const
{
    auto step = MakeProduct(name, split, inputs, outputs, m_job.training.precision);
    if (m_job.model.bias)
    {
        // The gradient of the bias is the sum of those of the output over all tokens, a kernel of
        // its own (Megatron-LM, tensor_parallel/layers.py; PyTorch).
        const uint64_t tp = m_job.layout.tp;
        const auto out = static_cast<double>(split == Split::COLUMN ? outputs / tp : outputs);
        step.weightGradient.addedBytes += ACTIVATION * out * GetLinearTokens(split);
        step.weightGradient.launches += 1;
    }
    return step;
}

void
ModelStepMaker::Separate(ModelStep& step, uint64_t inputs, uint32_t matrices) const
{
    if (!m_job.training.IsPytorch() || !m_job.model.gated)
    {
        return;
    }
    const double more = matrices - 1.;
    const double elements = static_cast<double>(m_job.GetTokens() * inputs);
    const double element = step.forward.precision == Precision::FP8 ? 1 : ACTIVATION;
    step.forward.memoryBytes += more * element * elements;
    step.weightGradient.memoryBytes += more * element * elements;
    // Each further gradient of the input is added to those before, which are read and written.
    step.inputGradient.addedBytes += more * 2 * ACTIVATION * elements;
    step.inputGradient.depth /= matrices;
    for (auto* cost : {&step.forward, &step.inputGradient, &step.weightGradient})
    {
        cost->launches += more;
    }
}

double
ModelStepMaker::GetLinearTokens(Split split) const
{
    return static_cast<double>(split == Split::NONE ? m_job.GetSharedTokens() : m_job.GetTokens());
}

ModelStep
ModelStepMaker::MakeProduct(const std::string& name,
                            Split split,
                            uint64_t inputs,
                            uint64_t outputs,
                            Precision precision) const
{
    const uint64_t tp = m_job.layout.tp;
    const auto& training = m_job.training;
    const auto in = static_cast<double>(split == Split::ROW ? inputs / tp : inputs);
    const auto out = static_cast<double>(split == Split::COLUMN ? outputs / tp : outputs);
    ModelStep step;
    step.name = name;
    SetMatrixCosts(step, GetLinearTokens(split), in, out, in * out, precision);
    // What is communicated: the input of column-split matrices, the output of row-split ones.
    const auto bytes = 2 * m_job.GetTokens() * (split == Split::COLUMN ? inputs : outputs);
    if (tp == 1 || split == Split::NONE)
    {
        return step;
    }
    ModelTransfer transfer;
    transfer.slot = static_cast<uint32_t>(Dimension::TP);
    const bool isColumn = split == Split::COLUMN;
    if (training.sequenceParallel)
    {
        const auto gathered = CastBeforeGathering(step, isColumn, bytes);
        transfer.forward = isColumn ? CollectiveKind::ALL_GATHER : CollectiveKind::REDUCE_SCATTER;
        transfer.backward = isColumn ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_GATHER;
        transfer.forwardBytes = isColumn ? gathered : bytes;
        transfer.backwardBytes = isColumn ? bytes : gathered;
        // PyTorch keeps what it has gathered.
        step.regatherBytes = isColumn && !training.IsPytorch() ? gathered : 0;
        AddSequenceCopies(transfer, step, training);
    }
    else
    {
        // An all-reduce: of outputs forward (split by rows), or of gradients backward (by columns).
        (isColumn ? transfer.backwardBytes : transfer.forwardBytes) = bytes;
    }
    (isColumn ? step.before : step.after).push_back(transfer);
    return step;
}

uint64_t
ModelStepMaker::CastBeforeGathering(ModelStep& step, bool isColumn, uint64_t bytes) const
{
    auto& cost = isColumn ? step.forward : step.inputGradient;
    if (cost.castElements == 0)
    {
        return bytes;
    }
    const auto elements = static_cast<double>(bytes) / ACTIVATION;
    cost.castElements -= elements * (1 - 1. / m_job.layout.tp);
    // What has been gathered is read and written by itself for the gradient of the weights, which
    // has its terms, the tokens, in the other order.
    cost.transposedBytes -= elements;
    step.weightGradient.transposedBytes += 2 * elements;
    return static_cast<uint64_t>(elements);
}

void
ModelStepMaker::SetMatrixCosts(ModelStep& step,
                               double tokens,
                               double inputs,
                               double outputs,
                               double weights,
                               Precision precision) const
{
    const bool isNarrow = precision == Precision::FP8;
    const double element = isNarrow ? 1 : ACTIVATION;
    const double flops = 2 * tokens * inputs * outputs;
    const auto in = tokens * inputs;
    const auto out = tokens * outputs;
    const auto set = [&](OperatorCost& cost, double depth, double bytes, double cast) {
        cost = {flops, 0, bytes, precision, OperatorKind::PRODUCT};
        cost.depth = depth;
        // What comes in 2 bytes is written in one before fp8 matrices are multiplied: its largest
        // element, the scale and the cast are kernels of their own.
        cost.castElements = isNarrow ? cast : 0;
        cost.transposedBytes = cost.castElements;
        cost.launches = cost.castElements > 0 ? 1 + OperatorCost::CAST_KERNELS : 1;
    };
    // PyTorch has weights in 2 bytes, and casts them each time; Megatron-Core keeps them cast.
    const double cast = m_job.training.IsPytorch() ? weights : 0;
    set(step.forward, inputs, element * (in + weights) + ACTIVATION * out, in + cast);
    set(step.inputGradient, outputs, element * (out + weights) + ACTIVATION * in, out + cast);
    // Both of its inputs have been cast, as they are and transposed.
    set(step.weightGradient, tokens, element * (in + out), 0);
    if (m_job.training.zero == 3)
    {
        // Reduced as it is after each microbatch, not added to those of others.
        step.weightGradient.memoryBytes += ACTIVATION * weights;
    }
    else
    {
        step.weightGradient.addedBytes = 2. * m_job.training.gradientBytes * weights;
    }
}

ModelStep
ModelStepMaker::MakeElementwise(const std::string& name,
                                OperatorKind kind,
                                double elements,
                                double forwardFlops,
                                double backwardFlops,
                                double forwardBytes,
                                double backwardBytes) const
{
    ModelStep step;
    step.name = name;
    step.forward = {0, forwardFlops * elements, forwardBytes * elements, Precision::BF16, kind};
    step.inputGradient = {0,
                          backwardFlops * elements,
                          backwardBytes * elements,
                          Precision::BF16,
                          kind};
    return step;
}

double
ModelStepMaker::GetHiddenElements() const
{
    return static_cast<double>(m_job.GetSharedTokens()) * m_job.model.hidden;
}

ModelStep
ModelStepMaker::MakeNorm(const std::string& name, double elements) const
{
    auto step =
        MakeElementwise(name, OperatorKind::NORM, elements, 9, 14, 2 * ACTIVATION, 3 * ACTIVATION);
    step.weightGradient = {0,
                           7 * elements,
                           2 * ACTIVATION * elements,
                           Precision::BF16,
                           OperatorKind::NORM};
    return step;
}

ModelStep
ModelStepMaker::MakeResidual(const std::string& name) const
{
    // Forward reads both terms and writes the sum, backward adds both gradients; the mask of what
    // drops out has a byte an element.
    const double drop = m_job.model.dropout ? 1 : 0;
    return MakeElementwise(name,
                           OperatorKind::ELEMENTWISE,
                           GetHiddenElements(),
                           1 + drop,
                           1 + drop,
                           3 * ACTIVATION + drop,
                           3 * ACTIVATION + drop * (2 * ACTIVATION + 1));
}

ModelStep
ModelStepMaker::MakeActivation(const std::string& name, double elements) const
{
    // GeLU, or SiLU times the other half of a gated layer.
    constexpr auto kind = OperatorKind::NONLINEARITY;
    return m_job.model.gated
               ? MakeElementwise(name, kind, elements, 10, 16, 3 * ACTIVATION, 5 * ACTIVATION)
               : MakeElementwise(name, kind, elements, 8, 13, 2 * ACTIVATION, 3 * ACTIVATION);
}

ModelStep
ModelStepMaker::MakeParameterCopies(double parameters) const
{
    // What is gathered is read and written once more, as it comes from each rank in one piece;
    // gradients are copied to what is reduced, in its number format (PyTorch, FSDP2,
    // torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py).
    ModelStep step;
    step.name = "parameters";
    step.forward = {0, 0, 2 * ACTIVATION * parameters, Precision::BF16, OperatorKind::ELEMENTWISE};
    step.weightGradient = step.forward;
    step.weightGradient.memoryBytes = (ACTIVATION + m_job.training.gradientBytes) * parameters;
    // Full recomputation runs it again backward.
    if (m_job.training.recompute != Recomputation::FULL)
    {
        step.inputGradient = step.forward;
    }
    // The policy of selective recomputation is about what layers compute.
    step.againShare = 0;
    return step;
}

ModelSteps
ModelStepMaker::MakeEmbedding() const
{
    const auto& model = m_job.model;
    const auto size = model.GetEmbeddingSize();
    const auto elements = static_cast<double>(m_job.GetTokens()) * size;
    constexpr auto kind = OperatorKind::ELEMENTWISE;
    auto step = MakeElementwise("embedding", kind, elements, 0, 0, 2 * ACTIVATION, 0);
    step.weightGradient = {0,
                           elements,
                           (ACTIVATION + 2. * m_job.training.gradientBytes) * elements,
                           Precision::BF16,
                           kind};
    if (m_job.layout.tp > 1)
    {
        // Each rank looks up the tokens of its part of the vocabulary.
        const auto row = MakeLinear("", Split::ROW, 0, size);
        step.after = row.after;
    }
    ModelSteps steps{step};
    if (model.CountWidening() > 0)
    {
        steps.push_back(MakeLinear("embedding.widening", Split::NONE, size, model.hidden));
    }
    return steps;
}

ModelSteps
ModelStepMaker::MakeHead() const
{
    const auto& model = m_job.model;
    const auto vocabulary = m_job.GetPaddedVocabulary();
    const auto logits = static_cast<double>(m_job.GetTokens() * (vocabulary / m_job.layout.tp));
    // Bytes of a logit (Megatron-LM, tensor_parallel/cross_entropy.py): it is converted to fp32,
    // the largest one is found and taken off, exponentials are written, summed up and divided;
    // backward copies them, scales them and converts them. PyTorch's takes about as much.
    constexpr double forwardBytes = (ACTIVATION + 4) + 4 + 8 + 8 + 4 + 8;
    constexpr double backwardBytes = 8 + 8 + (4 + ACTIVATION);
    auto loss =
        MakeElementwise("loss", OperatorKind::LOSS, logits, 5, 2, forwardBytes, backwardBytes);
    if (m_job.layout.tp > 1)
    {
        // Largest logit, logit of the right token, and sum of exponentials, each a float a token.
        ModelTransfer reduction;
        reduction.slot = static_cast<uint32_t>(Dimension::TP);
        reduction.forwardBytes = 4 * m_job.GetTokens();
        reduction.repetitions = 3;
        loss.after.push_back(reduction);
    }
    // The output layer stays in 16 bits where layers multiply in fp8: Megatron-Core has no layer of
    // Transformer Engine there (models/gpt/gpt_model.py), TorchTitan leaves it out
    // (components/float8.py), and so does DeepSeek-V3 (arXiv 2412.19437, section 3.3.1).
    const auto precision = m_job.training.precision;
    const auto wide = precision == Precision::FP8 ? Precision::BF16 : precision;
    const auto size = model.GetEmbeddingSize();
    ModelSteps steps{MakeNorm("final-norm", GetHiddenElements())};
    if (model.CountWidening() > 0)
    {
        steps.push_back(MakeLinear("output.narrowing", Split::NONE, model.hidden, size));
    }
    steps.push_back(MakeProduct("output", Split::COLUMN, size, vocabulary, wide));
    steps.push_back(std::move(loss));
    return steps;
}

ModelSteps
ModelStepMaker::MakeLayer(uint32_t layer) const
{
    const auto& model = m_job.model;
    ModelSteps steps;
    if (layer >= model.layers)
    {
        steps = MakeEmbedding();
        steps.push_back(MakeNorm("mtp.norm", GetHiddenElements()));
        auto projection =
            MakeLinear("mtp.projection", Split::COLUMN, 2 * model.hidden, model.hidden);
        // Every rank has some of the outputs of all tokens, and wants all outputs of some tokens.
        auto gather = MakeLinear("", Split::COLUMN, model.hidden, model.hidden).before;
        projection.after.insert(projection.after.end(), gather.begin(), gather.end());
        steps.push_back(std::move(projection));
    }
    if (model.GetReach(layer) != AttentionReach::NONE)
    {
        AddAttention(steps, layer);
    }
    if (model.HasExperts(layer))
    {
        AddExperts(steps);
    }
    else if (model.HasFeedForward(layer))
    {
        steps.push_back(MakeNorm("ffn.norm", GetHiddenElements()));
        AddFeedForward(steps, "ffn", GetFfn(model, layer));
    }
    if (model.HasFeedForward(layer))
    {
        steps.push_back(MakeResidual("ffn.residual"));
    }
    if (layer >= model.layers)
    {
        const auto head = MakeHead();
        steps.insert(steps.end(), head.begin(), head.end());
    }
    return steps;
}

void
ModelStepMaker::AddFeedForward(ModelSteps& steps, const std::string& prefix, uint64_t ffn) const
{
    const auto& model = m_job.model;
    const auto elements = static_cast<double>(m_job.GetTokens() * (ffn / m_job.layout.tp));
    auto up = MakeLinear(prefix + ".fc1", Split::COLUMN, model.hidden, (model.gated ? 2 : 1) * ffn);
    Separate(up, model.hidden, 2);
    auto down = MakeLinear(prefix + ".fc2", Split::ROW, ffn, model.hidden);
    // Queries, keys, values, output, gate, up, down: every second one is computed again.
    up.againShare = model.gated ? 0.5 : 0;
    down.againShare = model.gated ? 0 : 1;
    steps.push_back(std::move(up));
    steps.push_back(MakeActivation(prefix + ".activation", elements));
    steps.push_back(std::move(down));
}

} // namespace ns3
