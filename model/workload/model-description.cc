/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-description.h"

namespace ns3
{

bool
ModelDescription::HasExperts(uint32_t layer) const
{
    if (!experts || layer < experts->denseLayers)
    {
        return false;
    }
    // The layers that predict further tokens are as the last one.
    const auto number = layer < layers ? layer : layers - 1;
    return (number - experts->denseLayers) % experts->every == experts->every - 1;
}

uint64_t
ModelDescription::GetQuerySize() const
{
    return mla ? uint64_t{heads} * (mla->nopeSize + mla->ropeSize) : uint64_t{heads} * headSize;
}

uint64_t
ModelDescription::GetKeySize() const
{
    return mla ? GetQuerySize() : uint64_t{kvHeads} * headSize;
}

uint64_t
ModelDescription::GetValueSize() const
{
    return mla ? uint64_t{heads} * mla->valueSize : uint64_t{kvHeads} * headSize;
}

uint64_t
ModelDescription::GetAttentionOutput() const
{
    return mla ? GetValueSize() : GetQuerySize();
}

uint64_t
ModelDescription::GetLatentSize() const
{
    return mla ? uint64_t{mla->queryRank} + mla->kvRank + mla->ropeSize : 0;
}

} // namespace ns3
