/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-recomputation.h"

#include "ns3/input-values.h"

namespace ns3
{

namespace
{

/**
 * @param model a model
 * @param module a module
 * @return what the model has none of, so that no layer has the module; empty = some layer has it
 */
std::string
FindMissing(const ModelDescription& model, LayerModule module)
{
    const auto hasLayer = [&model](bool hasExperts) {
        for (uint32_t layer = 0; layer < model.layers; ++layer)
        {
            if (model.HasFeedForward(layer) && model.HasExperts(layer) == hasExperts)
            {
                return true;
            }
        }
        return false;
    };
    switch (module)
    {
    case LayerModule::MLA_UP:
        return model.mla ? "" : "latent attention (mla)";
    case LayerModule::MLP:
        return hasLayer(false) ? "" : "layers without experts";
    case LayerModule::MOE:
    case LayerModule::MOE_ACTIVATION:
        return hasLayer(true) ? "" : "experts";
    case LayerModule::SHARED_EXPERTS:
        return model.experts && model.experts->sharedFfn > 0 ? "" : "shared experts";
    default:
        return "";
    }
}

} // namespace

const std::vector<std::string>&
GetLayerModuleNames()
{
    static const std::vector<std::string>
        names{"core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"};
    return names;
}

std::set<LayerModule>
ReadLayerModules(const TextField& names, const ModelDescription& model)
{
    const auto& known = GetLayerModuleNames();
    const auto expected = "modules with commas between, of " + JoinWords(known);
    std::set<LayerModule> modules;
    for (const auto& part : SplitText(names.text, ','))
    {
        const TextField name{part, names.where};
        const auto module = static_cast<LayerModule>(FindWord(name, known, expected));
        if (!modules.insert(module).second)
        {
            throw WorkloadError(name.where, "each module once", Quoted(name.text) + " twice");
        }
        if (const auto missing = FindMissing(model, module); !missing.empty())
        {
            throw WorkloadError(name.where,
                                "no " + name.text + ", because " + model.name + " has no " +
                                    missing,
                                "it");
        }
    }
    return modules;
}

} // namespace ns3
