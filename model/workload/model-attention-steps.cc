/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes attention.

#include "model-steps.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation.
constexpr double ACTIVATION = 2;

/// Bytes that a ring moves in memory for one more rank, an element of each kind.
struct RingBytes
{
    double output;   //!< of the output, forward
    double passed;   //!< of keys and values, forward: put together to be sent
    double gradient; //!< of the gradient of queries
    double returned; //!< of the gradients of keys and values
};

/// Transformer Engine, context_parallel.py: an element is read in 2 bytes, and what there is of its
/// sum is read and written in 4, in one kernel.
constexpr RingBytes FUSED_RING{ACTIVATION + 8, 0, ACTIVATION + 8, ACTIVATION + 8};

/// PyTorch, torch/distributed/tensor/experimental/_attention.py, a kernel for each operation.
/// Output: conversion to 4 bytes (2 + 4), difference (12), scaling (8), sum (12); of half of it on
/// half of the ranks' steps, which then put both halves together (8). Gradients: sum (10), of half
/// and put together (8) likewise; those of keys and values are put together to be sent (8), as are
/// these (4) both ways.
constexpr RingBytes PYTORCH_RING{38. * 3 / 4 + 8. / 2,
                                 2 * ACTIVATION,
                                 10. * 3 / 4 + 8. / 2,
                                 10. * 3 / 4 + 8. / 2 + 8 + 2 * ACTIVATION};

/// Bytes that an element of queries and keys moves while it is rotated, in one kernel.
constexpr double ROTARY_BYTES = 2 * ACTIVATION;

/// Likewise in PyTorch, by complex numbers: converted to 4 bytes (2 + 4), multiplied (4 + 4) and
/// converted back (4 + 2) by kernels of their own, since TorchInductor makes none for complex
/// numbers (torchtitan, models/llama/model.py; torch/_inductor/lowering.py).
constexpr double COMPLEX_ROTARY_BYTES = (ACTIVATION + 4) + 8 + (4 + ACTIVATION);

/// Kernels of these.
constexpr double COMPLEX_ROTARY_LAUNCHES = 3;

/// Queries that a block of a fused kernel works on (FlashAttention-2, flash_fwd_launch_template.h,
/// heads of up to 128; FlashAttention-3, tile_size.h; blocks of masks in PyTorch's flex_attention).
constexpr double ATTENTION_BLOCK = 128;

/// Slot of context parallel ranks.
constexpr auto CP_SLOT = static_cast<uint32_t>(Dimension::CP);

/**
 * A ring passes keys and values on from rank to rank, backward their gradients as well. PyTorch
 * gathers those of all ranks at once (_AllGatherRotater, TorchTitan's default), and passes
 * gradients on in 4 bytes, all round the ring; compiled blocks wait for each call where it begins
 * (torch/distributed/_functional_collectives.py, _maybe_wrap_tensor).
 *
 * @param [in,out] step attention; receives what context parallel ranks communicate for it
 * @param ranks how many they are
 * @param bytes bytes of a rank's keys and values
 * @param isGathered whether they are gathered at once
 */
void
AddRing(ModelStep& step, uint32_t ranks, uint64_t bytes, bool isGathered)
{
    ModelTransfer passed;
    passed.slot = CP_SLOT;
    passed.forward = CollectiveKind::SHIFT;
    passed.backward = CollectiveKind::SHIFT;
    passed.forwardBytes = isGathered ? 0 : bytes;
    passed.backwardBytes = 2 * bytes;
    if (isGathered)
    {
        ModelTransfer gather;
        gather.slot = CP_SLOT;
        gather.forward = CollectiveKind::ALL_GATHER;
        gather.backward = CollectiveKind::ALL_GATHER;
        gather.forwardBytes = ranks * bytes;
        gather.backwardBytes = ranks * bytes;
        step.before.push_back(gather);
        passed.repetitions = ranks;
    }
    step.before.push_back(passed);
    step.ringSteps = isGathered ? 0 : ranks - 1;
}

/**
 * PyTorch's models repeat keys and values for the heads that share them, before attention
 * (torchtitan, models/llama/model.py, repeat_kv).
 *
 * @param job a job
 * @return size of all keys and values once they are repeated; 0 = they are not
 */
uint64_t
GetRepeatedSize(const ModelJob& job)
{
    const auto& model = job.model;
    const bool isGrouped = !model.mla && model.kvHeads < model.heads;
    return job.training.IsPytorch() && isGrouped ? model.GetQuerySize() + model.GetAttentionOutput()
                                                 : 0;
}

} // namespace

void
ModelStepMaker::AddAttention(ModelSteps& steps, uint32_t layer) const
{
    const auto& model = m_job.model;
    steps.push_back(MakeNorm("attention.norm", GetHiddenElements()));
    if (model.HasLinearAttention(layer))
    {
        AddLinearAttention(steps);
        steps.push_back(MakeResidual("attention.residual"));
        return;
    }
    if (model.mla)
    {
        AddLatentProjections(steps);
    }
    else if (model.queryRank > 0)
    {
        AddLowRankQueries(steps);
    }
    else
    {
        AddProjections(steps);
    }
    if (model.queryKeyNorm)
    {
        const auto normed = GetRankQuerySize() + GetRankKeySize();
        const auto elements = static_cast<double>(m_job.GetTokens() * normed);
        steps.push_back(MakeNorm("attention.head-norm", elements));
    }
    if (!model.learnedPositions)
    {
        steps.push_back(MakeRotation());
    }
    if (GetRepeatedSize(m_job) > 0)
    {
        // Read as they are and written for each head; backward adds up what heads give back.
        const auto elements =
            static_cast<double>(m_job.GetTokens()) * static_cast<double>(GetRepeatedSize(m_job));
        const auto ratio = static_cast<double>(model.kvHeads) / model.heads;
        const double bytes = ACTIVATION * (1 + ratio);
        steps.push_back(MakeElementwise("attention.repeat",
                                        OperatorKind::ELEMENTWISE,
                                        elements / m_job.layout.tp,
                                        0,
                                        1,
                                        bytes,
                                        bytes));
    }
    AddAttentionCore(steps, layer);
    steps.push_back(
        MakeLinear("attention.projection", Split::ROW, model.GetAttentionOutput(), model.hidden));
    steps.push_back(MakeResidual("attention.residual"));
}

uint64_t
ModelStepMaker::GetRankQuerySize() const
{
    return m_job.model.GetQuerySize() / m_job.layout.tp;
}

uint64_t
ModelStepMaker::GetRankKeySize() const
{
    return m_job.model.GetKeySize() / m_job.GetKeyValueRanks();
}

ModelStep
ModelStepMaker::MakeRotation() const
{
    const auto& model = m_job.model;
    const auto rotated = model.mla ? uint64_t{model.heads} * model.mla->ropeSize / m_job.layout.tp
                                   : GetRankQuerySize() + GetRankKeySize();
    const auto elements = static_cast<double>(m_job.GetTokens() * rotated);
    const bool isComplex = m_job.training.IsPytorch();
    const double bytes = isComplex ? COMPLEX_ROTARY_BYTES : ROTARY_BYTES;
    const auto kind = isComplex ? OperatorKind::ELEMENTWISE : OperatorKind::ROTARY;
    auto step = MakeElementwise("attention.rotary", kind, elements, 3, 3, bytes, bytes);
    for (auto* cost : {&step.forward, &step.inputGradient})
    {
        cost->launches = isComplex ? COMPLEX_ROTARY_LAUNCHES : 1;
    }
    return step;
}

uint64_t
ModelStepMaker::GetRankKeyValueSize() const
{
    const auto repeated = GetRepeatedSize(m_job);
    return repeated > 0 ? repeated / m_job.layout.tp
                        : GetRankKeySize() + m_job.model.GetValueSize() / m_job.GetKeyValueRanks();
}

void
ModelStepMaker::AddAttentionCore(ModelSteps& steps, uint32_t layer) const
{
    const auto first = steps.size();
    if (m_job.training.fusedAttention)
    {
        steps.push_back(MakeFusedCore(layer));
    }
    else
    {
        AddScores(steps);
    }
    for (auto i = first; i < steps.size(); ++i)
    {
        steps[i].isAttentionCore = true;
        steps[i].againShare = 0;
    }
    AddContextExchange(steps[first], steps.back());
}

ModelStep
ModelStepMaker::MakeFusedCore(uint32_t layer) const
{
    const auto& model = m_job.model;
    const auto tokens = static_cast<double>(m_job.GetTokens());
    const auto queries = static_cast<double>(GetRankQuerySize());
    const auto outputs = static_cast<double>(model.GetAttentionOutput()) / m_job.layout.tp;
    const auto kv = static_cast<double>(GetRankKeyValueSize());
    ModelStep core;
    const double bytes = ACTIVATION * tokens * (queries + outputs + kv);
    core.forward = {0, 0, bytes, Precision::BF16, OperatorKind::ATTENTION};
    core.forward.headSize =
        static_cast<double>(model.GetQuerySize() + model.GetAttentionOutput()) / 2 / model.heads;
    core.forward.attention = m_job.training.attentionKernel;
    SetReach(core, layer);
    const bool isRing = m_job.training.context == ContextExchange::RING;
    const double merged = tokens * (isRing ? m_job.layout.cp - 1 : 0);
    const auto& ring = m_job.training.IsPytorch() ? PYTORCH_RING : FUSED_RING;
    core.forward.addedBytes = merged * (ring.output * outputs + ring.passed * kv);
    core.inputGradient = core.forward;
    core.inputGradient.addedBytes = merged * (ring.gradient * queries + ring.returned * kv);
    // Backward has five products where forward has two (T. Dao, FlashAttention-2, arXiv 2307.08691,
    // 2.3.2).
    core.inputGradient.matrixFlops = 2.5 * core.forward.matrixFlops;
    core.inputGradient.memoryBytes = 2 * bytes;
    core.inputGradient.isBackward = true;
    core.inputGradient.launches = 3; // sums of rows before, the kernel, a conversion after
    return core;
}

void
ModelStepMaker::SetReach(ModelStep& core, uint32_t layer) const
{
    const auto& model = m_job.model;
    const double sequence = m_job.training.sequence;
    const bool isRing = m_job.training.context == ContextExchange::RING;
    const auto reach = m_job.SkipsBeyondReach() ? model.GetReach(layer) : AttentionReach::FULL;
    // No token attends to later ones, and the kernel leaves them out.
    double attended = sequence / 2;
    core.name = "attention.core";
    // Kernels of a ring work on the keys of one rank at a time.
    core.forward.length = isRing ? sequence / m_job.layout.cp : sequence;
    if (reach == AttentionReach::WINDOW && model.reach.tokens < sequence)
    {
        // All queries of a block see the keys from where the window of the first one begins: half a
        // block more each, in the mean. The other end, at the query itself, is that of all kernels.
        attended =
            std::min(model.GetAttendedTokens(layer, m_job.training.sequence) + ATTENTION_BLOCK / 2,
                     attended);
        core.name = "attention.window-core";
        // What a block of queries takes besides its keys is as for a sequence in which it attends
        // to as many.
        core.forward.length = 2 * attended;
    }
    else if (reach == AttentionReach::CHUNK && model.reach.tokens < sequence)
    {
        // Chunks are sequences of their own.
        attended = model.GetAttendedTokens(layer, m_job.training.sequence);
        core.name = "attention.chunk-core";
        core.forward.length = 2 * attended;
    }
    // Two FLOP in each of two products.
    const auto sizes = static_cast<double>(model.GetQuerySize() + model.GetAttentionOutput());
    const auto tokens = static_cast<double>(m_job.GetTokens());
    core.forward.matrixFlops = 2 * tokens * attended * sizes / m_job.layout.tp;
}

void
ModelStepMaker::AddScores(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto tokens = static_cast<double>(m_job.GetTokens());
    const double sequence = m_job.training.sequence;
    const auto tp = m_job.layout.tp;
    const double scores = tokens * sequence * model.heads / tp;
    // size: of what has a row for each query; other: of keys or values; both on a rank. depth:
    // terms that a result sums up; a gradient is a sum over queries or keys in one product at
    // least, and as deep as backDepth in the other one.
    const auto addProduct = [&](const std::string& name,
                                uint64_t size,
                                uint64_t other,
                                double depth,
                                double backDepth) {
        ModelStep step;
        step.name = name;
        const double bytes = ACTIVATION * (scores + tokens * static_cast<double>(size + other));
        const double flops = 2 * tokens * sequence * static_cast<double>(size);
        const auto precision =
            m_job.training.precision == Precision::FP16 ? Precision::FP16 : Precision::BF16;
        step.forward = {flops, 0, bytes, precision, OperatorKind::PRODUCT};
        step.inputGradient = {2 * flops, 0, 2 * bytes, precision, OperatorKind::PRODUCT};
        step.forward.depth = depth;
        step.inputGradient.depth = 2 / (1 / sequence + 1 / backDepth);
        steps.push_back(std::move(step));
    };
    constexpr auto kind = OperatorKind::ELEMENTWISE;
    const double head = static_cast<double>(model.GetQuerySize()) / model.heads;
    addProduct("attention.scores", GetRankQuerySize(), GetRankKeySize(), head, sequence);
    steps.push_back(
        MakeElementwise("attention.softmax", kind, scores, 5, 8, 2 * ACTIVATION, 3 * ACTIVATION));
    if (model.dropout)
    {
        const double bytes = 2 * ACTIVATION + 1;
        steps.push_back(MakeElementwise("attention.dropout", kind, scores, 1, 1, bytes, bytes));
    }
    addProduct("attention.values",
               model.GetAttentionOutput() / tp,
               model.GetValueSize() / m_job.GetKeyValueRanks(),
               sequence,
               static_cast<double>(model.GetAttentionOutput()) / model.heads);
}

void
ModelStepMaker::AddContextExchange(ModelStep& step, ModelStep& last) const
{
    const auto& layout = m_job.layout;
    if (layout.cp == 1)
    {
        return;
    }
    const auto& model = m_job.model;
    // Bytes of a rank's tokens, in 2 bytes an element.
    const auto bytesOf = [&](uint64_t size) { return 2 * m_job.GetTokens() * size; };
    const auto kv = bytesOf(GetRankKeyValueSize());
    ModelTransfer transfer;
    transfer.slot = CP_SLOT;
    switch (m_job.training.context)
    {
    case ContextExchange::RING:
        AddRing(step, layout.cp, kv, m_job.training.IsPytorch());
        return;
    case ContextExchange::ALL_GATHER:
        // Every rank needs all keys and values of the sequence; their gradients are summed.
        transfer.forward = CollectiveKind::ALL_GATHER;
        transfer.backward = CollectiveKind::REDUCE_SCATTER;
        transfer.forwardBytes = layout.cp * kv;
        transfer.backwardBytes = layout.cp * kv;
        step.before.push_back(transfer);
        return;
    case ContextExchange::ALL_TO_ALL:
        // Each rank exchanges parts of the sequence for parts of the heads, and back afterwards.
        transfer.forward = CollectiveKind::ALL_TO_ALL;
        transfer.backward = CollectiveKind::ALL_TO_ALL;
        for (const auto size : {GetRankQuerySize(),
                                GetRankKeySize(),
                                model.GetValueSize() / m_job.GetKeyValueRanks()})
        {
            transfer.forwardBytes = bytesOf(size);
            transfer.backwardBytes = bytesOf(size);
            step.before.push_back(transfer);
        }
        transfer.forwardBytes = bytesOf(model.GetAttentionOutput() / layout.tp);
        transfer.backwardBytes = transfer.forwardBytes;
        last.after.push_back(transfer);
        return;
    }
}

} // namespace ns3
