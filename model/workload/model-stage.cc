/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-stage.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a parameter that forward passes compute with.
constexpr uint64_t PARAMETER_BYTES = 2;

/// Numbers of results of gathered parameters begin here, above those of a pass.
constexpr uint32_t FIRST_GATHERED = 1U << 30;

/**
 * @param slot a communicator
 * @param kind kind of the collective
 * @param bytes its size
 * @param phase part of the iteration
 * @return a call
 */
StageItem
MakeCall(Dimension slot, CollectiveKind kind, uint64_t bytes, OpPhase phase)
{
    StageItem item;
    item.op.kind = OpKind::COLLECTIVE;
    item.op.collective = kind;
    item.op.amount = bytes;
    item.op.communicator = static_cast<uint32_t>(slot);
    item.op.phase = phase;
    return item;
}

/**
 * @param [in,out] items receives a call that adds up
 * @param name its name
 * @param slot a communicator
 * @param bytes its size
 * @param phase part of the iteration
 */
void
AddSum(StageItems& items, const char* name, Dimension slot, uint64_t bytes, OpPhase phase)
{
    items.push_back(MakeCall(slot, CollectiveKind::ALL_REDUCE, bytes, phase));
    items.back().name = name;
}

/**
 * @param training how a model is trained
 * @param updated parameters that a rank updates
 * @return their update
 */
ModelStep
MakeUpdate(const ModelTraining& training, double updated)
{
    ModelStep update;
    update.name = "optimizer";
    // What Megatron-LM does with each parameter (megatron/core/optimizer/optimizer.py), in bytes
    // read and written: the gradient is read for the norm, scaled, read by Adam, and set to zero;
    // with fp16 it is divided by the scale of the loss before; Adam reads and writes the weight and
    // both moments in fp32, in 11 operations; the weight is copied to 2 bytes.
    const double gradient = training.gradientBytes;
    const double unscaling = training.precision == Precision::FP16 ? 2 * gradient : 0;
    // PyTorch's AdamW, a kernel for each operation on all parameters (torch/optim/adamw.py,
    // foreach), in bytes of fp32: both moments decay (8 each) and take up the gradient and its
    // square (12 each), the weight decays (8), root, division and sum of the second moment (8
    // each), and the change of the weight (16); before, gradients are read for the norm and
    // scaled (12), after, they are set to zero (4).
    constexpr double foreachBytes = 2 * 8 + 2 * 12 + 8 + 3 * 8 + 16 + 12 + 4;
    const double bytes = training.IsPytorch() ? foreachBytes : 5 * gradient + unscaling + 30;
    update.forward = {0, 11 * updated, bytes * updated, Precision::BF16, OperatorKind::OPTIMIZER};
    return update;
}

} // namespace

ModelStageMaker::ModelStageMaker(const ModelJob& job,
                                 const ModelTimes& times,
                                 uint32_t stage,
                                 uint32_t expertRank)
    : m_job(job),
      m_times(times),
      m_stage(stage),
      m_steps(job, expertRank)
{
    const auto chunks = job.schedule->CountChunks(job.shape);
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        m_chunks.push_back(MakeBlocks(chunk));
        for (auto& block : m_chunks.back())
        {
            if (job.training.CopiesParameters())
            {
                const auto parameters = static_cast<double>(block.parameters.GetTotal());
                block.steps.insert(block.steps.begin(), m_steps.MakeParameterCopies(parameters));
            }
        }
        FillBuckets(chunk, m_chunks.back());
    }
}

ModelStageMaker::Blocks
ModelStageMaker::MakeBlocks(uint32_t chunk) const
{
    const auto part = m_job.schedule->GetPart(m_job.shape, m_stage, chunk);
    const bool isLast = part + 1 == m_job.partLayers.size();
    const auto first = m_job.GetFirstLayer(part);
    Blocks blocks;
    if (part == 0)
    {
        Block embedding;
        embedding.steps = m_steps.MakeEmbedding();
        embedding.parameters.shared = CountEmbeddingParameters(m_job);
        blocks.push_back(std::move(embedding));
    }
    const auto addHead = [&] {
        Block head;
        head.steps = m_steps.MakeHead();
        head.parameters = CountHeadParameters(m_job);
        // The stage has the tied weights already: the head adds norms alone.
        if (m_job.HoldsPart(m_stage, 0) && m_job.model.tiedEmbedding)
        {
            head.parameters.shared = head.parameters.replicated;
        }
        blocks.push_back(std::move(head));
    };
    const auto addLayers = [&](uint32_t from, uint32_t count) {
        for (uint32_t layer = from; layer < from + count; ++layer)
        {
            Block block;
            block.steps = m_steps.MakeLayer(layer);
            block.layer = static_cast<int32_t>(layer);
            block.parameters = CountLayerParameters(m_job, layer);
            blocks.push_back(std::move(block));
        }
    };
    addLayers(first, m_job.partLayers[part]);
    // The head comes before the layers that predict further tokens, if they are in its part.
    if (isLast)
    {
        addHead();
    }
    addLayers(m_job.GetFirstMtpLayer(part), m_job.partMtpLayers[part]);
    return blocks;
}

void
ModelStageMaker::FillBuckets(uint32_t chunk, Blocks& blocks)
{
    // Where two stages hold the part, both are to have the same buckets.
    const bool isCritical = m_job.schedule->GetPart(m_job.shape, m_stage, chunk) == 0;
    // Megatron-LM cuts buckets only where reducing overlaps and is on the critical path, on the
    // first stage (distributed_data_parallel.py).
    const auto most = isCritical && m_job.training.overlapGradients
                          ? std::max<uint64_t>(40000000, 1000000ULL * m_job.GetReplicas())
                          : UINT64_MAX;
    m_buckets.emplace_back();
    // Gradients are complete from the last block on.
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
    {
        if (m_buckets.back().GetTotal() >= most || m_job.training.zero == 3)
        {
            m_buckets.emplace_back();
        }
        block->bucket = static_cast<uint32_t>(m_buckets.size() - 1);
        m_buckets.back() += block->parameters;
    }
}

void
ModelStageMaker::AddReduction(StageItems& items, const ParameterCount& count, bool isBlocking) const
{
    const auto add = [&](Dimension dimension, uint64_t parameters, uint32_t replicas) {
        if (parameters == 0 || replicas == 1)
        {
            return;
        }
        auto item = MakeCall(dimension,
                             m_job.training.zero == 0 ? CollectiveKind::ALL_REDUCE
                                                      : CollectiveKind::REDUCE_SCATTER,
                             parameters * m_job.training.gradientBytes,
                             OpPhase::GRAD_SYNC);
        item.name = "gradients";
        item.blocking = isBlocking;
        items.push_back(std::move(item));
    };
    add(Dimension::DP, count.shared, m_job.GetReplicas());
    add(Dimension::EDP, count.experts, m_job.GetExpertReplicas());
}

void
ModelStageMaker::AddGathering(StageItems& items,
                              const ParameterCount& count,
                              uint64_t bytes,
                              std::optional<uint32_t> bucket) const
{
    const auto add = [&](Dimension dimension, uint64_t parameters, uint32_t replicas, uint32_t i) {
        if (parameters == 0 || replicas == 1)
        {
            return;
        }
        auto item =
            MakeCall(dimension, CollectiveKind::ALL_GATHER, parameters * bytes, OpPhase::OPTIMIZER);
        item.name = "parameters";
        if (bucket)
        {
            // With ZeRO 3 parameters are dropped after each pass, which gathers its own.
            item.produces = {FIRST_GATHERED + 2 * *bucket + i, m_job.training.zero < 3};
        }
        items.push_back(std::move(item));
    };
    add(Dimension::DP, count.shared, m_job.GetReplicas(), 0);
    add(Dimension::EDP, count.experts, m_job.GetExpertReplicas(), 1);
}

void
ModelStageMaker::GatherBlock(StageItems& items, const Blocks::value_type& block) const
{
    const auto& training = m_job.training;
    // Megatron-Core's FSDP keeps layers in fp8 where they are computed in it (fp8_param_gather of
    // Megatron-Bridge's recipes); embedding and output layer are none.
    const bool isNarrow =
        !training.IsPytorch() && training.precision == Precision::FP8 && block.layer >= 0;
    AddGathering(items, block.parameters, isNarrow ? 1 : PARAMETER_BYTES, block.bucket);
}

void
ModelStageMaker::AwaitGathering(ModelPassWriter& writer,
                                const ParameterCount& count,
                                uint32_t bucket) const
{
    const bool isLasting = m_job.training.zero < 3;
    if (count.shared > 0 && m_job.GetReplicas() > 1)
    {
        writer.Consume({FIRST_GATHERED + 2 * bucket, isLasting});
    }
    if (count.experts > 0 && m_job.GetExpertReplicas() > 1)
    {
        writer.Consume({FIRST_GATHERED + 2 * bucket + 1, isLasting});
    }
}

StageItems
ModelStageMaker::GatherParameters(const std::vector<uint32_t>& chunks) const
{
    StageItems items;
    std::optional<uint32_t> last;
    for (const auto chunk : chunks)
    {
        for (const auto& block : m_chunks[chunk])
        {
            if (block.bucket != last)
            {
                AddGathering(items, m_buckets[block.bucket], PARAMETER_BYTES, block.bucket);
                last = block.bucket;
            }
        }
    }
    return items;
}

void
ModelStageMaker::GatherMessage(ModelPassWriter& writer, uint32_t chunk, bool forward) const
{
    const auto source = m_job.schedule->FindNeighbour(m_job.shape, m_stage, chunk, !forward);
    if (m_job.training.scatterMessages && source && source->stage != m_stage)
    {
        auto call = MakeCall(Dimension::TP,
                             CollectiveKind::ALL_GATHER,
                             m_job.GetActivationBytes(),
                             forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT);
        call.name = forward ? "activations" : "gradients";
        writer.AddCollective(std::move(call));
    }
}

StageItems
ModelStageMaker::MakeForward(uint32_t chunk, bool isFirst) const
{
    const auto& training = m_job.training;
    const auto& blocks = m_chunks[chunk];
    StageItems items;
    ModelPassWriter writer(m_job, m_times, items);
    GatherMessage(writer, chunk, true);
    const auto gather = [&](std::size_t block) {
        StageItems calls;
        GatherBlock(calls, blocks[block]);
        std::for_each(calls.begin(), calls.end(), [&](auto& call) { writer.AddCollective(call); });
    };
    std::optional<uint32_t> awaited;
    for (std::size_t i = 0; i < blocks.size(); ++i)
    {
        const auto& block = blocks[i];
        if (training.zero == 3)
        {
            // One block ahead, if communication is to overlap.
            const auto end = std::min(blocks.size(), i + (training.overlapParameters ? 2 : 1));
            for (auto next = i == 0 || !training.overlapParameters ? i : i + 1; next < end; ++next)
            {
                gather(next);
            }
            AwaitGathering(writer, block.parameters, block.bucket);
        }
        else if (isFirst && training.zero > 0 && training.overlapParameters &&
                 awaited != block.bucket)
        {
            // The first pass to compute with a bucket waits for it, once.
            AwaitGathering(writer, m_buckets[block.bucket], block.bucket);
            awaited = block.bucket;
        }
        writer.AddForward(block.steps, block.layer);
    }
    return items;
}

StageItems
ModelStageMaker::MakeBackward(uint32_t chunk, bool isLast) const
{
    const auto& training = m_job.training;
    const auto& blocks = m_chunks[chunk];
    // From ZeRO 2 on each microbatch reduces its gradients; else the last one, if that overlaps.
    const bool reduces = training.zero >= 2 || (isLast && training.overlapGradients);
    StageItems items;
    ModelPassWriter writer(m_job, m_times, items);
    GatherMessage(writer, chunk, false);
    const auto addAll = [&writer](const StageItems& calls) {
        std::for_each(calls.begin(), calls.end(), [&](auto& call) { writer.AddCollective(call); });
    };
    for (std::size_t i = blocks.size(); i-- > 0;)
    {
        const auto& block = blocks[i];
        if (training.zero == 3)
        {
            StageItems calls;
            const bool isAhead = training.overlapParameters;
            if (!isAhead || i + 1 == blocks.size())
            {
                GatherBlock(calls, block);
            }
            if (isAhead && i > 0)
            {
                GatherBlock(calls, blocks[i - 1]);
            }
            addAll(calls);
            AwaitGathering(writer, block.parameters, block.bucket);
        }
        writer.AddBackward(block.steps, block.layer);
        // The bucket is complete: the next block belongs to another one.
        if (reduces && (i == 0 || blocks[i - 1].bucket != block.bucket))
        {
            StageItems calls;
            AddReduction(calls, m_buckets[block.bucket], !training.overlapGradients);
            addAll(calls);
        }
    }
    return items;
}

void
ModelStageMaker::AddGradientsOfCopies(StageItems& items, const ParameterCount& count) const
{
    const auto& training = m_job.training;
    const auto& layout = m_job.layout;
    if (layout.tp > 1 && training.sequenceParallel)
    {
        // Each tensor parallel rank has gradients of its tokens only.
        AddSum(items,
               "norm-gradients",
               Dimension::TP,
               count.replicated * training.gradientBytes,
               OpPhase::GRAD_SYNC);
    }
    const bool holdsFirst = m_job.HoldsPart(m_stage, 0);
    const bool holdsLast = m_job.HoldsPart(m_stage, m_job.partLayers.size() - 1);
    // Both ends have a copy, and add up its gradients; a stage with both ends has one copy.
    if (m_job.SharesEmbedding() && holdsFirst != holdsLast)
    {
        const auto weights = m_job.CountRankVocabulary();
        AddSum(items,
               "embedding-gradients",
               Dimension::EMBEDDING,
               weights * training.gradientBytes,
               OpPhase::GRAD_SYNC);
    }
}

StageItems
ModelStageMaker::MakeAfter() const
{
    const auto& training = m_job.training;
    StageItems items;
    ParameterCount count;
    for (const auto& bucket : m_buckets)
    {
        count += bucket;
        // Otherwise backward passes reduce, see MakeBackward().
        if (training.zero < 2 && !training.overlapGradients)
        {
            AddReduction(items, bucket, true);
        }
    }
    AddGradientsOfCopies(items, count);
    if (m_job.layout.world > 1)
    {
        AddSum(items, "gradient-norm", Dimension::WORLD, 4, OpPhase::OPTIMIZER);
    }
    const auto share = [&](uint64_t parameters, uint32_t replicas) {
        return static_cast<double>(parameters) / (training.zero > 0 ? replicas : 1);
    };
    const double updated =
        share(count.shared, m_job.GetReplicas()) + share(count.experts, m_job.GetExpertReplicas());
    const auto update = MakeUpdate(training, updated);
    StageItem item;
    item.name = update.name;
    item.op.phase = OpPhase::OPTIMIZER;
    item.op.amount = m_times.GetTime(update, OpPhase::FORWARD);
    items.push_back(std::move(item));
    const bool gathers = (training.zero == 1 || training.zero == 2) && !training.overlapParameters;
    for (auto bucket = m_buckets.rbegin(); bucket != m_buckets.rend() && gathers; ++bucket)
    {
        AddGathering(items, *bucket, PARAMETER_BYTES, {});
    }
    return items;
}

StageWork
ModelStageMaker::MakeWork()
{
    const auto passes = m_job.schedule->GetPasses(m_job.shape, m_stage);
    const auto& training = m_job.training;
    StageWork work;
    work.file = m_job.model.file;
    const bool isPiece = training.sequenceParallel || training.scatterMessages;
    work.messageBytes = m_job.GetActivationBytes() / (isPiece ? m_job.layout.tp : 1);
    std::vector<uint32_t> order;
    for (const auto& pass : passes)
    {
        if (std::find(order.begin(), order.end(), pass.chunk) == order.end())
        {
            order.push_back(pass.chunk);
        }
    }
    const bool gathersAhead =
        training.overlapParameters && (training.zero == 1 || training.zero == 2);
    for (uint32_t chunk = 0; chunk < m_chunks.size(); ++chunk)
    {
        const auto ofChunk = [chunk](const PipelinePass& pass) { return pass.chunk == chunk; };
        const auto first = std::find_if(passes.begin(), passes.end(), ofChunk)->microbatch;
        const auto last = std::find_if(passes.rbegin(), passes.rend(), ofChunk)->microbatch;
        // All microbatches share these, but for the first forward and the last backward pass.
        StagePass pass{MakeForward(chunk, false), MakeBackward(chunk, false)};
        work.passes.emplace_back(m_job.shape.microbatches, std::make_shared<StagePass>(pass));
        const auto change = [&](uint32_t microbatch) {
            auto changed = std::make_shared<StagePass>(*work.passes[chunk][microbatch]);
            work.passes[chunk][microbatch] = changed;
            return changed;
        };
        const auto opening = change(first);
        opening->forward =
            gathersAhead && chunk == order.front() ? GatherParameters(order) : StageItems();
        const auto forward = MakeForward(chunk, true);
        opening->forward.insert(opening->forward.end(), forward.begin(), forward.end());
        change(last)->backward = MakeBackward(chunk, true);
    }
    work.after = MakeAfter();
    return work;
}

} // namespace ns3
