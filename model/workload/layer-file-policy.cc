/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-policy.h"

#include "layer-file-words.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// The policies by their number.
const std::vector<std::string> POLICIES{
    "DATA",
    "MODEL",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_TRANSFORMER",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "HYBRID_CUSTOMIZED",
    "MICRO",
};

/// The policies that a row of HYBRID_CUSTOMIZED may have.
const std::vector<std::string> ROW_POLICIES(POLICIES.begin(), POLICIES.begin() + 5);

/**
 * @param field a word that should be a policy
 * @param names the policies that are right here
 * @return the policy
 */
LayerFilePolicy
ParsePolicy(const TextField& field, const std::vector<std::string>& names)
{
    if (std::find(names.begin(), names.end(), field.text) == names.end())
    {
        throw WorkloadError(field.where,
                            "a policy (" + JoinWords(names) + ")",
                            Quoted(field.text),
                            NearestName(field.text, names));
    }
    return *FindLayerFilePolicy(field.text);
}

} // namespace

std::string
ToString(LayerFilePolicy policy)
{
    return POLICIES[static_cast<std::size_t>(policy)];
}

std::optional<LayerFilePolicy>
FindLayerFilePolicy(const std::string& word)
{
    const auto name = std::find(POLICIES.begin(), POLICIES.end(), word);
    if (name == POLICIES.end())
    {
        return std::nullopt;
    }
    return static_cast<LayerFilePolicy>(name - POLICIES.begin());
}

LayerFilePolicy
ParseLayerFilePolicy(const TextField& field)
{
    return ParsePolicy(field, POLICIES);
}

LayerFilePolicy
ParseLayerRowPolicy(const TextField& field)
{
    return ParsePolicy(field, ROW_POLICIES);
}

LayerGroups
GetLayerGroups(LayerFilePolicy file, LayerFilePolicy row, bool isFirst)
{
    const bool isCustomized = file == LayerFilePolicy::HYBRID_CUSTOMIZED;
    const auto model = isCustomized ? Dimension::WORLD : Dimension::TP;
    const auto data = isCustomized ? Dimension::WORLD : Dimension::DP;
    switch (row)
    {
    case LayerFilePolicy::HYBRID_DLRM:
    case LayerFilePolicy::HYBRID_DLRM_ENHANCED:
        return isFirst ? LayerGroups{data, data, data}
                       : LayerGroups{std::nullopt, std::nullopt, data};
    case LayerFilePolicy::DATA:
    case LayerFilePolicy::MICRO:
        return {std::nullopt, std::nullopt, data};
    case LayerFilePolicy::MODEL:
        return {model, model, std::nullopt};
    case LayerFilePolicy::HYBRID_MODEL_DATA:
        return {Dimension::DP, Dimension::DP, Dimension::TP};
    default:
        return {Dimension::TP, Dimension::TP, Dimension::DP};
    }
}

} // namespace ns3
