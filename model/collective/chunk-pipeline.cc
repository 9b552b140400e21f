/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chunk-pipeline.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <utility>

namespace ns3
{

uint32_t
CeilLog2(uint64_t number)
{
    uint32_t bits = 0;
    for (uint64_t rest = number - 1; rest > 0; rest >>= 1)
    {
        ++bits;
    }
    return bits;
}

BufferPart
BufferPart::Cut(uint64_t count, uint64_t index) const
{
    if (index >= count)
    {
        throw WorkloadError({"BufferPart::Cut()"},
                            "a part below the number of parts, " + std::to_string(count),
                            std::to_string(index));
    }
    // No byte may be lost to the division: the first parts are one byte longer.
    const uint64_t length = bytes / count;
    const uint64_t rest = bytes % count;
    return {offset + length * index + std::min(index, rest), length + (index < rest ? 1 : 0)};
}

bool
CollectiveTransfer::IsSend() const
{
    return action == SEND || action == SWITCH_REDUCE || action == SWITCH_MULTICAST ||
           action == NETWORK_REDUCE;
}

bool
CollectiveTransfer::UsesSwitch() const
{
    return action == SWITCH_REDUCE || action == SWITCH_MULTICAST || action == SWITCH_RECV ||
           action == SWITCH_RECV_SUM;
}

bool
CollectiveTransfer::UsesNetworkSwitch() const
{
    return action == NETWORK_REDUCE || action == NETWORK_RECV;
}

void
AddTransfer(CollectiveStep& step,
            CollectiveTransfer::Action action,
            uint32_t peer,
            const BufferPart& part)
{
    if (part.bytes > 0)
    {
        step.push_back({action, peer, part.offset, part.bytes});
    }
}

void
AddTransfer(CollectiveStep& step,
            CollectiveTransfer::Action action,
            uint32_t peer,
            const std::vector<BufferPart>& parts)
{
    std::vector<BufferPart> merged;
    uint64_t bytes = 0;
    for (const auto& part : parts)
    {
        bytes += part.bytes;
        // Parts side by side become one; only scattered ones need a list.
        if (!merged.empty() && merged.back().offset + merged.back().bytes == part.offset)
        {
            merged.back().bytes += part.bytes;
        }
        else if (part.bytes > 0)
        {
            merged.push_back(part);
        }
    }
    if (merged.empty())
    {
        return;
    }
    step.push_back({action, peer, merged.front().offset, bytes});
    if (merged.size() > 1)
    {
        step.back().parts = std::move(merged);
    }
}

ChunkPipeline::ChunkPipeline(uint32_t channel)
    : m_channel(channel)
{
}

bool
ChunkPipeline::IsBlocked() const
{
    return false;
}

uint32_t
ChunkPipeline::GetChannel() const
{
    return m_channel;
}

void
ChunkPipeline::Serve(uint32_t pipeline)
{
    m_serves = pipeline;
}

uint32_t
ChunkPipeline::GetPeerPipeline(uint32_t own) const
{
    return m_serves.value_or(own);
}

std::vector<PipelineItems>
PipelineItems::Distribute(uint64_t begin, uint64_t end, uint64_t pipelines)
{
    std::vector<PipelineItems> items;
    // Never a pipeline without items. Strides make the pipelines move neighbouring items at the
    // same time, so that the buffer is worked off from its beginning.
    const uint64_t count = std::min(end - begin, pipelines);
    for (uint64_t pipeline = 0; pipeline < count; ++pipeline)
    {
        items.push_back({begin + pipeline, end, count});
    }
    return items;
}

uint64_t
PipelineItems::CountPieces(uint64_t bytes, uint64_t chunkBytes)
{
    // Rounded up. Collectives of 0 bytes are not planned, so bytes - 1 does not wrap.
    return chunkBytes == 0 ? 1 : (bytes - 1) / chunkBytes + 1;
}

SteppedPipeline::SteppedPipeline(const PipelineItems& items, uint64_t steps, uint32_t channel)
    : ChunkPipeline(channel),
      m_items(items),
      m_item(items.first),
      m_steps(steps)
{
}

bool
SteppedPipeline::Next(CollectiveStep& step)
{
    step.clear();
    // The items in between belong to the other pipelines.
    if (m_turn == m_steps)
    {
        m_item += m_items.stride;
        m_turn = 0;
    }
    if (m_item >= m_items.end)
    {
        return false;
    }
    MakeStep(step, m_item, m_turn++);
    return true;
}

BufferPart
SteppedPipeline::CutPiece(const BufferPart& part) const
{
    return part.Cut(m_items.end, m_item);
}

StageBarrier::StageBarrier(std::size_t pipelines)
    : m_stages(std::make_shared<std::vector<uint64_t>>(pipelines, 0))
{
}

bool
StageBarrier::IsBlocked(std::size_t pipeline, uint64_t stage) const
{
    auto& stages = *m_stages;
    stages[pipeline] = stage;
    return *std::min_element(stages.begin(), stages.end()) < stage;
}

StagedPipeline::StagedPipeline(const BufferPart& share,
                               const PipelineItems& pieces,
                               uint64_t stages,
                               uint32_t channel)
    : ChunkPipeline(channel),
      m_share(share),
      m_pieces(pieces),
      m_end(pieces.first < pieces.end ? (pieces.end - pieces.first - 1) / pieces.stride + 1 + stages
                                      : 0)
{
}

bool
StagedPipeline::Next(CollectiveStep& step)
{
    step.clear();
    // Rounds in which the pipeline fills or drains at this member's depth make no step: a step
    // without transfers would cost a latency for nothing.
    while (step.empty() && m_round < m_end)
    {
        MakeRound(step);
        ++m_round;
    }
    return !step.empty();
}

BufferPart
StagedPipeline::GetPart(uint64_t start) const
{
    // The first piece reaches this stage in round start, and one more piece in each round after it.
    if (m_round < start)
    {
        return {};
    }
    const uint64_t piece = m_pieces.first + (m_round - start) * m_pieces.stride;
    return piece < m_pieces.end ? m_share.Cut(m_pieces.end, piece) : BufferPart();
}

} // namespace ns3
