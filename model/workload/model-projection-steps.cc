/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes queries, keys and values.

#include "model-steps.h"

#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation.
constexpr double ACTIVATION = 2;

} // namespace

void
ModelStepMaker::AddProjections(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto outputs =
        model.GetQuerySize() + model.GetKeySize() + model.GetValueSize() + model.GetGateSize();
    auto qkv = MakeLinear("attention.qkv", Split::COLUMN, model.hidden, outputs);
    Separate(qkv, model.hidden, 3);
    qkv.againShare = static_cast<double>(model.GetKeySize()) / static_cast<double>(outputs);
    steps.push_back(std::move(qkv));
    if (m_job.GetKeyValueRanks() < m_job.layout.tp)
    {
        steps.push_back(MakeHeadGather(outputs));
    }
}

ModelStep
ModelStepMaker::MakeHeadGather(uint64_t outputs) const
{
    const auto elements = static_cast<double>(m_job.GetTokens() * outputs);
    // Forward puts what has come from each rank side by side, read and written once. Backward sets
    // the gradients of the heads of others to zero, copies those of its own group beside them, and
    // takes all apart for the sum.
    const double own = 2 * ACTIVATION / m_job.model.kvHeads;
    auto step = MakeElementwise("attention.head-gather",
                                OperatorKind::ELEMENTWISE,
                                elements,
                                0,
                                0,
                                2 * ACTIVATION,
                                ACTIVATION + own + 2 * ACTIVATION);
    step.inputGradient.launches = 3;
    ModelTransfer transfer;
    transfer.slot = static_cast<uint32_t>(Dimension::TP);
    transfer.forward = CollectiveKind::ALL_GATHER;
    transfer.backward = CollectiveKind::REDUCE_SCATTER;
    transfer.forwardBytes = 2 * m_job.GetTokens() * outputs;
    transfer.backwardBytes = transfer.forwardBytes;
    step.before.push_back(transfer);
    return step;
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
ModelStepMaker::AddLowRankQueries(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    // As above: every rank has the keys and values of all heads, and some heads' queries (vLLM,
    // model_executor/models/step3_text.py).
    steps.push_back(MakeLinear("attention.down", Split::NONE, model.hidden, model.GetLatentSize()));
    auto query = MakeLinear("attention.q-up", Split::COLUMN, model.queryRank, model.GetQuerySize());
    const auto gathered = MakeLinear("", Split::COLUMN, model.GetLatentSize(), 0);
    query.before = gathered.before;
    query.regatherBytes = gathered.regatherBytes;
    steps.push_back(std::move(query));
}

} // namespace ns3
