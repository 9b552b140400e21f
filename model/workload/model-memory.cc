/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of model-size.h that counts bytes of memory.

#include "model-size.h"

namespace ns3
{

/**
 * @param job a job
 * @param layer a layer
 * @return bytes that attention keeps of a token for its gradients, between its linear layers, of
 *         all tensor parallel ranks
 */
double
GetAttentionActivations(const ModelJob& job, uint32_t layer)
{
    const auto& model = job.model;
    if (model.GetReach(layer) == AttentionReach::NONE)
    {
        return 0;
    }
    if (model.HasLinearAttention(layer))
    {
        return 2 * static_cast<double>(model.reach.linear->CountKept());
    }
    double bytes = 2 * static_cast<double>(model.GetAttentionOutput());
    if (!job.training.RunsAgain(LayerModule::MLA_UP))
    {
        // Queries; keys and values, of which ranks have copies where there are fewer heads of them
        // than ranks.
        bytes += 2 * static_cast<double>(model.GetQuerySize());
        bytes += 2 * static_cast<double>(model.GetKeySize() + model.GetValueSize()) *
                 job.layout.tp / job.GetKeyValueRanks();
    }
    if (!job.training.fusedAttention && !job.training.RunsAgain(LayerModule::CORE_ATTENTION))
    {
        // Scores before and after dropping out, and the mask.
        bytes += (model.dropout ? 5. : 2.) * model.heads * job.training.sequence;
    }
    return bytes;
}

double
GetLayerActivations(const ModelJob& job, uint32_t layer)
{
    const auto& model = job.model;
    const auto tokens = static_cast<double>(job.GetTokens());
    const auto shared = static_cast<double>(job.GetSharedTokens());
    const double h = model.hidden;
    const double tp = job.layout.tp;
    if (job.training.recompute == Recomputation::FULL)
    {
        // Only the input of the layer is kept, in 2 bytes an element.
        return 2 * shared * h;
    }
    const auto keeps = [&job](LayerModule module) { return !job.training.RunsAgain(module); };
    const double mask = model.dropout ? h : 0;
    // Of attention and of the feed-forward network, if they are there, the inputs of the norm and
    // of the linear layer that follows it, in 2 bytes; a mask in one.
    const double blocks = (model.GetReach(layer) == AttentionReach::NONE ? 0 : 1) +
                          (model.HasFeedForward(layer) ? 1 : 0);
    double whole = blocks * (2 * h + (keeps(LayerModule::LAYERNORM) ? 2 * h : 0) + mask);
    double split = GetAttentionActivations(job, layer);
    const double inner = model.gated ? 6 : 4; // bytes an inner element: before and after activation
    if (!model.HasExperts(layer))
    {
        const bool isKept = model.HasFeedForward(layer) && keeps(LayerModule::MLP);
        split += isKept ? inner * GetFfn(model, layer) : 0;
    }
    else if (keeps(LayerModule::MOE))
    {
        const auto& experts = *model.experts;
        split += keeps(LayerModule::SHARED_EXPERTS) ? inner * experts.sharedFfn : 0;
        // Each token's copies are kept by the ranks that they are sent to, as many on each.
        const auto input = static_cast<double>(experts.GetInput(model.hidden));
        const double each = inner - (keeps(LayerModule::MOE_ACTIVATION) ? 0 : 2);
        whole += experts.topK * (2 * input + each * experts.ffn / job.layout.etp);
        // What comes back narrow is the input of the matrix that makes it wide.
        whole += 2. * experts.latent;
    }
    return tokens * split / tp + shared * whole;
}

ModelMemory
GetMemory(const ModelJob& job, uint32_t stage)
{
    const auto& training = job.training;
    ParameterCount count;
    double layers = 0;
    double activations = 0;
    double logits = 0;
    const auto chunks = job.schedule->CountChunks(job.shape);
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        const auto part = job.schedule->GetPart(job.shape, stage, chunk);
        count += CountPartParameters(job, part);
        const auto first = job.GetFirstLayer(part);
        for (uint32_t i = 0; i < job.partLayers[part]; ++i)
        {
            activations += GetLayerActivations(job, first + i);
        }
        layers += job.partLayers[part];
        if (part + 1 == job.partLayers.size())
        {
            for (uint32_t i = 0; i < job.model.mtpLayers; ++i)
            {
                activations += GetLayerActivations(job, job.model.layers + i);
            }
            // One microbatch at a time has logits, in 2 bytes, and what softmax makes of them, in
            // 4 (Megatron-LM, tensor_parallel/cross_entropy.py).
            logits = 6. * static_cast<double>(job.GetTokens()) *
                     static_cast<double>(job.GetPaddedVocabulary()) / job.layout.tp *
                     (1 + job.model.mtpLayers);
        }
    }
    // A tied embedding counts once, too, if two parts of the stage are both ends of the model.
    const auto last = static_cast<uint32_t>(job.partLayers.size()) - 1;
    if (job.model.tiedEmbedding && last > 0 && job.HoldsPart(stage, 0) &&
        job.HoldsPart(stage, last))
    {
        count.shared -= job.CountRankVocabulary();
    }
    // ZeRO 1 divides the optimizer's state among replicas, 2 gradients, and 3 parameters.
    const auto divide = [&count](bool isDivided, double replicas, double experts) {
        return static_cast<double>(count.shared) / (isDivided ? replicas : 1) +
               static_cast<double>(count.experts) / (isDivided ? experts : 1);
    };
    const auto copies = [&](uint32_t level, double bytes) {
        return bytes * divide(training.zero >= level, job.GetReplicas(), job.GetExpertReplicas());
    };
    ModelMemory memory;
    memory.parameters = copies(3, 2);
    memory.gradients = copies(2, training.gradientBytes);
    // Adam keeps the weight and two moments in fp32.
    memory.optimizer = copies(1, 12);
    // The peak counts chunks; each is as large as the mean one.
    memory.activations = activations / chunks * GetPeakActivations(*job.schedule, job.shape, stage);
    memory.activations += logits;
    if (training.recompute == Recomputation::FULL && layers > 0)
    {
        // The layer that is computed again has all its activations.
        auto whole = job;
        whole.training.recompute = Recomputation::NONE;
        memory.activations += GetLayerActivations(whole, job.GetFirstLayer(stage));
    }
    return memory;
}

} // namespace ns3
