/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-size.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param model a model
 * @return matrices of a feed-forward layer
 */
uint64_t
CountMatrices(const ModelDescription& model)
{
    return model.gated ? 3 : 2;
}

/**
 * @param model a model
 * @return parameters of a norm
 */
uint64_t
CountNorm(const ModelDescription& model)
{
    return (model.bias ? 2 : 1) * uint64_t{model.hidden};
}

/**
 * @param model a model
 * @param tp tensor parallel ranks
 * @return parameters of an attention on one of them, its norm included
 */
ParameterCount
CountAttention(const ModelDescription& model, uint32_t tp)
{
    const uint64_t h = model.hidden;
    const auto outputs = model.GetAttentionOutput();
    ParameterCount count;
    count.replicated = CountNorm(model);
    if (model.mla)
    {
        const auto& mla = *model.mla;
        const uint64_t queryInput = mla.queryRank > 0 ? mla.queryRank : h;
        const auto perHead = uint64_t{mla.nopeSize} + mla.valueSize;
        // Each rank has all of the projections down to the latent vectors, and the norms of these.
        count.replicated += h * model.GetLatentSize() + mla.queryRank + mla.kvRank;
        count.shared =
            queryInput * model.GetQuerySize() / tp + mla.kvRank * (model.heads * perHead) / tp;
    }
    else if (model.queryRank > 0)
    {
        // The same, with keys and values that are not compressed.
        count.replicated += h * model.GetLatentSize() + model.queryRank;
        count.shared = model.queryRank * model.GetQuerySize() / tp;
    }
    else
    {
        const auto projected =
            model.GetQuerySize() + model.GetKeySize() + model.GetValueSize() + model.GetGateSize();
        count.shared = (h + (model.bias ? 1 : 0)) * projected / tp;
        count.replicated += model.queryKeyNorm ? 2 * model.headSize : 0;
    }
    count.replicated += model.bias ? h : 0;
    // Replicated parameters are a part of those that replicas share.
    count.shared += outputs / tp * h + count.replicated;
    return count;
}

/**
 * @param model a model
 * @param ffn inner size of a dense feed-forward layer
 * @param tp tensor parallel ranks
 * @return parameters of the layer on one of them, its norm included
 */
ParameterCount
CountDense(const ModelDescription& model, uint32_t ffn, uint32_t tp)
{
    const uint64_t h = model.hidden;
    ParameterCount count;
    count.replicated = CountNorm(model) + (model.bias ? h : 0);
    count.shared = (CountMatrices(model) * h + (model.bias ? 1 : 0)) * ffn / tp;
    count.shared += count.replicated;
    return count;
}

/**
 * @param model a model with experts
 * @param tp tensor parallel ranks
 * @param ep expert parallel ranks
 * @param etp tensor parallel ranks of an expert
 * @return parameters of a layer of experts on a rank, its norm included
 */
ParameterCount
CountExperts(const ModelDescription& model, uint32_t tp, uint32_t ep, uint32_t etp)
{
    const uint64_t h = model.hidden;
    const auto& experts = *model.experts;
    ParameterCount count;
    // Every rank has the whole router, and the whole matrices that make tokens narrow and results
    // wide (Megatron-Core, transformer/moe/moe_layer.py, parallel_mode="duplicated").
    count.replicated = CountNorm(model) + h * experts.count + 2 * h * experts.latent;
    count.shared = CountMatrices(model) * h * experts.sharedFfn / tp + count.replicated;
    const uint64_t perRank = experts.count / ep;
    const auto input = experts.GetInput(model.hidden);
    count.experts = perRank * CountMatrices(model) * input * experts.ffn / etp;
    if (experts.bias)
    {
        // Outputs of all matrices: of the inner ones each rank has a part, of the last one all.
        count.experts += perRank * ((CountMatrices(model) - 1) * experts.ffn / etp + input);
    }
    return count;
}

/**
 * @param model a model
 * @param layer a layer
 * @param tp tensor parallel ranks
 * @param ep expert parallel ranks
 * @param etp tensor parallel ranks of an expert
 * @return parameters of the layer on a rank
 */
ParameterCount
CountLayer(const ModelDescription& model, uint32_t layer, uint32_t tp, uint32_t ep, uint32_t etp)
{
    const auto reach = model.GetReach(layer);
    auto count = reach == AttentionReach::NONE ? ParameterCount{} : CountAttention(model, tp);
    if (reach == AttentionReach::LINEAR)
    {
        count = {};
        count.replicated = CountNorm(model);
        count.shared = model.reach.linearWeights / tp + count.replicated;
    }
    else if (reach == AttentionReach::FULL)
    {
        // Modulo 2^64 a negative difference is subtracted, too.
        count.shared += static_cast<uint64_t>(model.reach.fullWeights / static_cast<int64_t>(tp));
    }
    count.shared += model.layerWeights / tp;
    if (model.HasFeedForward(layer))
    {
        count += model.HasExperts(layer) ? CountExperts(model, tp, ep, etp)
                                         : CountDense(model, GetFfn(model, layer), tp);
    }
    if (layer >= model.layers)
    {
        // A layer that predicts further tokens begins with two norms and a linear layer.
        const uint64_t h = model.hidden;
        count.replicated += 2 * CountNorm(model);
        count.shared += 2 * h * h / tp + 2 * CountNorm(model);
    }
    return count;
}

/**
 * @param model a model
 * @param layer a layer
 * @return weights of all feed-forward layers that a token goes through
 */
double
CountActiveWeights(const ModelDescription& model, uint32_t layer)
{
    if (!model.HasFeedForward(layer))
    {
        return 0;
    }
    const double h = model.hidden;
    const auto matrices = static_cast<double>(CountMatrices(model));
    if (!model.HasExperts(layer))
    {
        return matrices * h * GetFfn(model, layer);
    }
    const auto& experts = *model.experts;
    const auto input = static_cast<double>(experts.GetInput(model.hidden));
    return matrices * (input * experts.topK * experts.ffn + h * experts.sharedFfn) +
           2 * h * experts.latent;
}

/**
 * @param model a model
 * @param layer a layer
 * @param sequence tokens of a sequence
 * @return FLOP that attention of the layer takes for one token of a forward pass
 */
double
GetAttentionFlops(const ModelDescription& model, uint32_t layer, uint32_t sequence)
{
    if (model.GetReach(layer) == AttentionReach::NONE)
    {
        return 0;
    }
    if (model.GetReach(layer) == AttentionReach::LINEAR)
    {
        const auto& linear = model.reach.linear;
        return 2 * static_cast<double>(model.reach.linearWeights) +
               (linear ? linear->GetStateFlops() : 0);
    }
    const double h = model.hidden;
    const auto queries = static_cast<double>(model.GetQuerySize());
    const auto values = static_cast<double>(model.GetAttentionOutput());
    double weights = values * h;
    if (model.mla)
    {
        const auto& mla = *model.mla;
        const double queryInput = mla.queryRank > 0 ? mla.queryRank : h;
        weights += mla.queryRank * (h + 1) + queryInput * queries +
                   mla.kvRank * (h + 1. + model.heads * (1. * mla.nopeSize + mla.valueSize)) +
                   h * mla.ropeSize;
    }
    else if (model.queryRank > 0)
    {
        weights += h * static_cast<double>(model.GetLatentSize()) + model.queryRank * (queries + 1);
    }
    else
    {
        weights += h * (queries + static_cast<double>(model.GetKeySize() + model.GetValueSize() +
                                                      model.GetGateSize()));
    }
    weights += model.GetReach(layer) == AttentionReach::FULL
                   ? static_cast<double>(model.reach.fullWeights)
                   : 0;
    // Two FLOP a weight, and for each token attended to two in each of two products.
    return 2 * weights + 2 * model.GetAttendedTokens(layer, sequence) * (queries + values);
}

/**
 * @param model a model
 * @return FLOP that its embedding takes for one token of a forward pass
 */
double
GetEmbeddingFlops(const ModelDescription& model)
{
    return 2 * static_cast<double>(model.CountWidening());
}

/**
 * @param model a model
 * @return FLOP that its output layer takes for one token of a forward pass
 */
double
GetHeadFlops(const ModelDescription& model)
{
    return 2. * (1. * model.GetEmbeddingSize() * model.vocabulary +
                 static_cast<double>(model.CountWidening()));
}

/**
 * @param model a model
 * @param layer a layer
 * @param sequence tokens of a sequence
 * @return FLOP that the layer takes for one token of a forward pass; one that predicts further
 * tokens has norms, a linear layer and an output layer of its own
 */
double
GetLayerFlops(const ModelDescription& model, uint32_t layer, uint32_t sequence)
{
    const double h = model.hidden;
    const double further = layer < model.layers ? 0 : GetHeadFlops(model) + 2 * (3 * h + 2 * h * h);
    return further + 2. * static_cast<double>(model.layerWeights) +
           GetAttentionFlops(model, layer, sequence) + 2 * CountActiveWeights(model, layer);
}

} // namespace

ParameterCount&
ParameterCount::operator+=(const ParameterCount& other)
{
    shared += other.shared;
    experts += other.experts;
    replicated += other.replicated;
    return *this;
}

ParameterCount
CountParameters(const ModelDescription& model)
{
    ParameterCount count;
    const uint64_t embedding = uint64_t{model.vocabulary} * model.GetEmbeddingSize();
    const uint64_t positions = model.learnedPositions ? uint64_t{model.sequence} * model.hidden : 0;
    count.shared = embedding * (model.tiedEmbedding ? 1 : 2) + positions + model.embeddingWeights +
                   2 * model.CountWidening() + CountNorm(model) * (1 + model.mtpLayers);
    for (uint32_t layer = 0; layer < model.layers + model.mtpLayers; ++layer)
    {
        count += CountLayer(model, layer, 1, 1, 1);
    }
    return count;
}

ParameterCount
CountLayerParameters(const ModelJob& job, uint32_t layer)
{
    return CountLayer(job.model, layer, job.layout.tp, job.layout.ep, std::max(1U, job.layout.etp));
}

uint64_t
CountEmbeddingParameters(const ModelJob& job)
{
    const uint64_t positions = job.model.learnedPositions ? job.training.sequence : 0;
    return job.CountRankVocabulary() + positions * job.model.hidden + job.model.CountWidening() +
           job.model.embeddingWeights / job.layout.tp;
}

ParameterCount
CountHeadParameters(const ModelJob& job)
{
    ParameterCount count;
    // Every rank has the whole matrix that makes tokens as narrow as embeddings are.
    count.replicated = CountNorm(job.model) * (1 + job.model.mtpLayers) + job.model.CountWidening();
    count.shared = job.CountRankVocabulary() + count.replicated;
    return count;
}

ParameterCount
CountPartParameters(const ModelJob& job, uint32_t part)
{
    const auto parts = static_cast<uint32_t>(job.partLayers.size());
    const bool isLast = part + 1 == parts;
    ParameterCount count;
    count.shared = part == 0 ? CountEmbeddingParameters(job) : 0;
    count.replicated = part == 0 ? job.model.CountWidening() : 0;
    const auto addLayers = [&](uint32_t first, uint32_t layers) {
        for (uint32_t i = 0; i < layers; ++i)
        {
            count += CountLayerParameters(job, first + i);
        }
    };
    addLayers(job.GetFirstLayer(part), job.partLayers[part]);
    addLayers(job.GetFirstMtpLayer(part), job.partMtpLayers[part]);
    if (isLast)
    {
        count += CountHeadParameters(job);
        // A tied embedding that the part has at its beginning already counts once.
        const bool hasBoth = part == 0 && job.model.tiedEmbedding;
        count.shared -= hasBoth ? job.CountRankVocabulary() : 0;
    }
    return count;
}

double
GetFlopsPerToken(const ModelDescription& model, uint32_t sequence)
{
    double forward = GetHeadFlops(model) + GetEmbeddingFlops(model);
    for (uint32_t layer = 0; layer < model.layers + model.mtpLayers; ++layer)
    {
        forward += GetLayerFlops(model, layer, sequence);
    }
    // Backward takes twice what forward does.
    return 3 * forward;
}

double
GetPartFlopsPerToken(const ModelJob& job, uint32_t part)
{
    const bool isLast = part + 1 == job.partLayers.size();
    double forward = isLast ? GetHeadFlops(job.model) : 0;
    forward += part == 0 ? GetEmbeddingFlops(job.model) : 0;
    const auto addLayers = [&](uint32_t first, uint32_t layers) {
        for (uint32_t i = 0; i < layers; ++i)
        {
            forward += GetLayerFlops(job.model, first + i, job.training.sequence);
        }
    };
    addLayers(job.GetFirstLayer(part), job.partLayers[part]);
    addLayers(job.GetFirstMtpLayer(part), job.partMtpLayers[part]);
    return 3 * forward;
}

} // namespace ns3
