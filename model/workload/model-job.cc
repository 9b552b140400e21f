/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-job.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

uint64_t
ModelJob::GetTokens() const
{
    return uint64_t{training.microbatchSize} * training.sequence / layout.cp;
}

uint64_t
ModelJob::GetSharedTokens() const
{
    return training.sequenceParallel ? GetTokens() / layout.tp : GetTokens();
}

uint32_t
ModelJob::GetKeyValueRanks() const
{
    return std::min(layout.tp, model.mla ? model.heads : model.kvHeads);
}

bool
ModelJob::SkipsBeyondReach() const
{
    const bool isRing = layout.cp > 1 && training.context == ContextExchange::RING;
    return training.fusedAttention && training.attentionKernel != AttentionKernel::TRITON &&
           !isRing;
}

uint64_t
ModelJob::GetActivationBytes() const
{
    return 2 * GetTokens() * model.hidden;
}

uint64_t
ModelJob::GetPaddedVocabulary() const
{
    // Megatron-LM pads to 128 elements on each rank (--make-vocab-size-divisible-by).
    const uint64_t multiple = 128 * uint64_t{layout.tp};
    return (model.vocabulary + multiple - 1) / multiple * multiple;
}

uint64_t
ModelJob::CountRankVocabulary() const
{
    return GetPaddedVocabulary() / layout.tp * model.GetEmbeddingSize();
}

uint32_t
ModelJob::CountCopies() const
{
    return layout.placement == StagePlacement::TWICE ? 2 : 1;
}

uint32_t
ModelJob::GetReplicas() const
{
    return layout.cp * layout.dp * CountCopies();
}

uint32_t
ModelJob::GetExpertReplicas() const
{
    return layout.etp == 0
               ? GetReplicas()
               : layout.tp * layout.cp * layout.dp / (layout.etp * layout.ep) * CountCopies();
}

uint32_t
ModelJob::GetFirstLayer(uint32_t part) const
{
    return std::accumulate(partLayers.begin(), partLayers.begin() + part, uint32_t{0});
}

uint32_t
ModelJob::GetFirstMtpLayer(uint32_t part) const
{
    return std::accumulate(partMtpLayers.begin(), partMtpLayers.begin() + part, model.layers);
}

bool
ModelJob::SharesEmbedding() const
{
    // What predicts further tokens looks them up in the same embedding.
    return model.tiedEmbedding || model.mtpLayers > 0;
}

bool
ModelJob::HoldsPart(uint32_t stage, uint32_t part) const
{
    const auto chunks = schedule->CountChunks(shape);
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        if (schedule->GetPart(shape, stage, chunk) == part)
        {
            return true;
        }
    }
    return false;
}

uint64_t
ModelJob::GetGlobalBatch() const
{
    return uint64_t{layout.microbatches} * training.microbatchSize * layout.dp;
}

} // namespace ns3
