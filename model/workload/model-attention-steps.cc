/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes attention.

#include "model-steps.h"

#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation.
constexpr double ACTIVATION = 2;

/// Slot of context parallel ranks.
constexpr auto CP_SLOT = static_cast<uint32_t>(Dimension::CP);

} // namespace

void
ModelStepMaker::AddAttention(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    steps.push_back(MakeNorm("attention.norm"));
    if (model.mla)
    {
        AddLatentProjections(steps);
    }
    else
    {
        const auto outputs = model.GetQuerySize() + model.GetKeySize() + model.GetValueSize();
        steps.push_back(MakeLinear("attention.qkv", Split::COLUMN, model.hidden, outputs));
    }
    if (!model.learnedPositions)
    {
        const auto rotated = model.mla ? uint64_t{model.heads} * model.mla->ropeSize
                                       : model.GetQuerySize() + model.GetKeySize();
        const auto elements =
            static_cast<double>(m_job.GetTokens()) * static_cast<double>(rotated) / m_job.layout.tp;
        steps.push_back(
            MakeElementwise("attention.rotary", elements, 3, 3, 2 * ACTIVATION, 2 * ACTIVATION));
    }
    AddAttentionCore(steps);
    steps.push_back(
        MakeLinear("attention.projection", Split::ROW, model.GetAttentionOutput(), model.hidden));
    steps.push_back(MakeResidual("attention.residual"));
}

void
ModelStepMaker::AddLatentProjections(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto& mla = *model.mla;
    const auto latent = model.GetLatentSize();
    const auto keysAndValues = uint64_t{model.heads} * (uint64_t{mla.nopeSize} + mla.valueSize);
    // Every rank compresses its own tokens; then all ranks need the compressed ones of all tokens,
    // which are communicated once for queries, keys and values.
    steps.push_back(MakeLinear("attention.down", Split::NONE, model.hidden, latent));
    auto up = MakeLinear("attention.kv-up", Split::COLUMN, mla.kvRank, keysAndValues);
    const auto gathered = MakeLinear("", Split::COLUMN, latent, 0);
    up.before = gathered.before;
    up.regatherBytes = gathered.regatherBytes;
    auto query = MakeLinear("attention.q-up",
                            Split::COLUMN,
                            mla.queryRank > 0 ? mla.queryRank : model.hidden,
                            model.GetQuerySize());
    if (mla.queryRank > 0)
    {
        query.before.clear();
        query.regatherBytes = 0;
    }
    steps.push_back(std::move(up));
    steps.push_back(std::move(query));
}

void
ModelStepMaker::AddAttentionCore(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto tokens = static_cast<double>(m_job.GetTokens());
    const double sequence = m_job.training.sequence;
    const double tp = m_job.layout.tp;
    const auto queries = static_cast<double>(model.GetQuerySize()) / tp;
    const auto outputs = static_cast<double>(model.GetAttentionOutput()) / tp;
    const auto kv = static_cast<double>(model.GetKeySize() + model.GetValueSize()) / tp;
    const auto first = steps.size();
    if (m_job.training.fusedAttention)
    {
        ModelStep core;
        core.name = "attention.core";
        // No token attends to later ones, and the kernel leaves them out. Backward has five
        // products where forward has two (T. Dao, FlashAttention-2, arXiv 2307.08691, 2.3.2).
        const double flops = tokens * sequence * (queries + outputs);
        const double bytes = ACTIVATION * tokens * (queries + outputs + kv);
        core.forward = {flops, 0, bytes};
        core.inputGradient = {2.5 * flops, 0, 2 * bytes};
        steps.push_back(std::move(core));
    }
    else
    {
        const double scores = tokens * sequence * model.heads / tp;
        const auto product = [&](const std::string& name, double size, double operands) {
            ModelStep step;
            step.name = name;
            const double bytes = ACTIVATION * (scores + tokens * operands);
            step.forward = {2 * tokens * sequence * size, 0, bytes};
            step.inputGradient = {4 * tokens * sequence * size, 0, 2 * bytes};
            return step;
        };
        const auto keys = static_cast<double>(model.GetKeySize()) / tp;
        steps.push_back(product("attention.scores", queries, queries + keys));
        steps.push_back(
            MakeElementwise("attention.softmax", scores, 5, 8, 2 * ACTIVATION, 3 * ACTIVATION));
        if (model.dropout)
        {
            const double bytes = 2 * ACTIVATION + 1;
            steps.push_back(MakeElementwise("attention.dropout", scores, 1, 1, bytes, bytes));
        }
        steps.push_back(product("attention.values", outputs, outputs + kv - keys));
    }
    for (auto i = first; i < steps.size(); ++i)
    {
        steps[i].isAttentionCore = true;
    }
    AddContextExchange(steps[first], steps.back());
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
    // Bytes of a rank's tokens, of its share of the heads, in 2 bytes an element.
    const auto bytesOf = [&](uint64_t size) { return 2 * m_job.GetTokens() * (size / layout.tp); };
    const auto kv = bytesOf(model.GetKeySize() + model.GetValueSize());
    ModelTransfer transfer;
    transfer.slot = CP_SLOT;
    switch (m_job.training.context)
    {
    case ContextExchange::RING:
        // Forward passes keys and values on, backward their gradients as well.
        transfer.forward = CollectiveKind::SHIFT;
        transfer.backward = CollectiveKind::SHIFT;
        transfer.forwardBytes = kv;
        transfer.backwardBytes = 2 * kv;
        step.before.push_back(transfer);
        step.ringSteps = layout.cp - 1;
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
        for (const auto size : {model.GetQuerySize(), model.GetKeySize(), model.GetValueSize()})
        {
            transfer.forwardBytes = bytesOf(size);
            transfer.backwardBytes = bytesOf(size);
            step.before.push_back(transfer);
        }
        transfer.forwardBytes = bytesOf(model.GetAttentionOutput());
        transfer.backwardBytes = bytesOf(model.GetAttentionOutput());
        last.after.push_back(transfer);
        return;
    }
}

} // namespace ns3
