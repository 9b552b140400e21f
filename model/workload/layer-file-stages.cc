/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-stages.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/**
 * Append what a row does once in an iteration.
 *
 * @param items what to append to
 * @param row the row
 * @param communicatesFirst true: all communications, then all computations; false: each column
 *        computes, then communicates
 * @param phase phase of the communications; what is computed belongs to the optimizer
 */
void
AddOnce(StageItems& items, const LayerRow& row, bool communicatesFirst, OpPhase phase)
{
    const PlacedRow placed{&row, -1};
    for (const auto column : {FORWARD_COLUMN, INPUT_GRADIENT_COLUMN, WEIGHT_GRADIENT_COLUMN})
    {
        if (!communicatesFirst)
        {
            AddLayerComputation(items, placed, column, OpPhase::OPTIMIZER);
        }
        AddLayerCommunication(items, placed, column, phase);
    }
    for (const auto column : {FORWARD_COLUMN, INPUT_GRADIENT_COLUMN, WEIGHT_GRADIENT_COLUMN})
    {
        if (communicatesFirst)
        {
            AddLayerComputation(items, placed, column, OpPhase::OPTIMIZER);
        }
    }
}

} // namespace

LayerFileStages::LayerFileStages(const LayerFile& file, uint32_t microbatches)
    : m_file(file),
      m_microbatches(1)
{
    for (const auto& row : file.rows)
    {
        const auto role = GetRole(row);
        if (role < N_ONCE_ROLES)
        {
            m_once[role].push_back(&row);
            continue;
        }
        // A row of embedding_layer begins a microbatch, if the job has several.
        if (role == EMBEDDING && microbatches > 1 && !m_microbatches.back().empty())
        {
            m_microbatches.emplace_back();
        }
        m_microbatches.back().push_back(&row);
        if (role == LAYER && m_layerName.empty())
        {
            m_layerName = row.name;
        }
    }
    CheckMicrobatches();
}

LayerFileStages::Role
LayerFileStages::GetRole(const LayerRow& row)
{
    /// A name that a row may have, or begin with.
    struct RoleName
    {
        std::string name; //!< the name
        bool isPrefix;    //!< whether names that begin with it count
        Role role;        //!< what such a row is for
    };

    static const std::vector<RoleName> names{
        {"moe_grad_norm", true, MOE_GRAD_NORM},
        {"layernorm", false, LAYERNORM},
        {"embedding_grads", false, EMBEDDING_GRADS},
        {"grad_param", true, GRAD_PARAM},
        {"grad_norm", false, GRAD_PARAM},
        {"optimizer", true, OPTIMIZER},
        {"grad_gather", false, GRAD_GATHER},
        {"embedding_layer", false, EMBEDDING},
        {"final_column", false, HEAD},
        {"embedding_norm", false, HEAD},
        {"cross_entropy", true, HEAD},
    };
    const auto match = std::find_if(names.begin(), names.end(), [&row](const RoleName& name) {
        return name.isPrefix ? row.name.compare(0, name.name.size(), name.name) == 0
                             : row.name == name.name;
    });
    return match == names.end() ? LAYER : match->role;
}

void
LayerFileStages::CheckMicrobatches() const
{
    const auto& first = m_microbatches.front();
    for (const auto& microbatch : m_microbatches)
    {
        const auto fail =
            [this](const LayerRow& row, const std::string& expected, const std::string& found) {
                throw WorkloadError({m_file.file, row.line, 1, ""}, expected, found);
            };
        for (std::size_t i = 0; i < microbatch.size(); ++i)
        {
            const auto& row = *microbatch[i];
            if (i < first.size() && row.name != first[i]->name)
            {
                fail(row,
                     Quoted(first[i]->name) + ", as in the first microbatch",
                     Quoted(row.name));
            }
            // The head may stand once, at the end of the file, and not in each microbatch.
            const bool mayStandOnce = &microbatch == &m_microbatches.back() && GetRole(row) == HEAD;
            if (i >= first.size() && !mayStandOnce)
            {
                fail(row, "embedding_layer, which begins a microbatch", Quoted(row.name));
            }
        }
        if (microbatch.size() < first.size())
        {
            fail(*microbatch.back(),
                 std::to_string(first.size()) + " rows in each microbatch",
                 std::to_string(microbatch.size()));
        }
    }
}

std::size_t
LayerFileStages::CountMicrobatches() const
{
    return m_microbatches.size();
}

uint32_t
LayerFileStages::CountLayers() const
{
    const auto& rows = m_microbatches.front();
    return static_cast<uint32_t>(
        std::count_if(rows.begin(), rows.end(), [this](const LayerRow* row) {
            return row->name == m_layerName;
        }));
}

uint64_t
LayerFileStages::GetActivationBytes(uint32_t tp) const
{
    for (const auto* row : m_microbatches.front())
    {
        const auto& work = row->work[FORWARD_COLUMN];
        if (GetRole(*row) != LAYER || work.bytes == 0 || work.dimension != Dimension::TP)
        {
            continue;
        }
        // With sequence parallelism a rank sends its part of the activation to the next stage.
        const bool isWhole =
            work.kind == CollectiveKind::ALL_REDUCE || work.kind == CollectiveKind::BROADCAST;
        return isWhole ? work.bytes : work.bytes / tp + (work.bytes % tp > 0);
    }
    return 0;
}

std::vector<PlacedRow>
LayerFileStages::SelectRows(const Rows& rows,
                            bool hasEmbedding,
                            bool hasHead,
                            uint32_t blocks,
                            uint32_t block) const
{
    const auto perBlock = static_cast<int32_t>(CountLayers() / blocks);
    const auto firstLayer = static_cast<int32_t>(block) * perBlock;
    std::vector<PlacedRow> selected;
    int32_t layer = -1;
    for (const auto* row : rows)
    {
        const auto role = GetRole(*row);
        if (role == LAYER)
        {
            // The name of the first layer's first row begins each layer.
            layer += row->name == m_layerName ? 1 : 0;
            if (layer >= firstLayer && layer < firstLayer + perBlock)
            {
                selected.push_back({row, layer});
            }
        }
        else if (role == EMBEDDING ? hasEmbedding : hasHead)
        {
            selected.push_back({row, -1});
        }
    }
    return selected;
}

const LayerFileStages::Passes&
LayerFileStages::GetPasses(bool hasEmbedding, bool hasHead, uint32_t blocks, uint32_t block)
{
    // Microbatches and chunks of the same rows share their passes; only the ends of the pipeline
    // differ.
    auto& passes = m_passes[{hasEmbedding, hasHead, blocks, block}];
    if (passes.empty())
    {
        for (const auto& rows : m_microbatches)
        {
            passes.push_back(std::make_shared<StagePass>(
                MakeLayerPass(SelectRows(rows, hasEmbedding, hasHead, blocks, block),
                              InputGradientWait::WEIGHT_GRADIENT)));
        }
    }
    return passes;
}

StageWork
LayerFileStages::GetWork(const PipelineSchedule& schedule,
                         const PipelineShape& shape,
                         uint32_t stage,
                         uint64_t messageBytes)
{
    const auto parts = schedule.CountParts(shape);
    // The file shows the layers of a stage, or, of inference, those of all stages.
    const bool isWhole = m_file.header.isInference;
    const auto blocks = isWhole ? parts : parts / shape.stages;
    bool isEnd = false;
    StageWork work;
    work.file = m_file.file;
    work.messageBytes = messageBytes;
    for (uint32_t chunk = 0; chunk < schedule.CountChunks(shape); ++chunk)
    {
        const auto part = schedule.GetPart(shape, stage, chunk);
        const bool isFirst = part == 0;
        const bool isLast = part + 1 == parts;
        isEnd |= isFirst || isLast;
        auto passes = GetPasses(isFirst, isLast, blocks, isWhole ? part : chunk % blocks);
        // The one microbatch in the file stands for all.
        if (passes.size() == 1)
        {
            passes.resize(shape.microbatches, passes.front());
        }
        work.passes.push_back(std::move(passes));
    }
    // A stage's worth of layers has its own gradients and optimizer.
    // 2 where each part of the model is on two stages, else 1.
    const auto held = schedule.CountChunks(shape) * shape.stages / parts;
    for (uint32_t i = 0; i < held; ++i)
    {
        AddOnceRows(work.after, isEnd);
    }
    return work;
}

void
LayerFileStages::AddOnceRows(StageItems& items, bool isEnd) const
{
    for (std::size_t role = 0; role < N_ONCE_ROLES; ++role)
    {
        if (role == EMBEDDING_GRADS && !isEnd)
        {
            continue;
        }
        for (const auto* row : m_once[role])
        {
            AddOnce(items,
                    *row,
                    role == GRAD_PARAM,
                    role <= GRAD_PARAM ? OpPhase::GRAD_SYNC : OpPhase::OPTIMIZER);
        }
    }
}

} // namespace ns3
