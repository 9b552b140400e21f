/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "two-chunk-order.h"

#include <utility>

namespace ns3
{

TwoChunkOrder::TwoChunkOrder(uint32_t n,
                             uint32_t q,
                             uint32_t nearChunk,
                             std::array<uint32_t, 2> first)
    : m_n(n),
      m_q(q),
      m_nearChunk(nearChunk),
      m_nextForward(first),
      m_nextBackward(first)
{
}

void
TwoChunkOrder::WarmUp()
{
    // Step 1: only near microbatches have reached this stage.
    for (uint32_t i = 0; i < 2 * (m_n - m_q - 1); ++i)
    {
        Forward(NEAR);
    }
    // Step 2: those of both chunks have, but no gradient has come back yet.
    for (uint32_t i = 0; i < m_q + 1; ++i)
    {
        Forward(NEAR);
        Forward(FAR);
    }
    // Step 3: gradients come back through the far chunk first.
    for (uint32_t i = 0; i < m_n - m_q - 1; ++i)
    {
        BackwardInput(FAR);
        BackwardWeight();
        Forward(FAR);
    }
}

void
TwoChunkOrder::Forward(Chunk chunk, bool together)
{
    const auto number = GetNumber(chunk);
    m_passes.push_back({PassKind::FORWARD, m_nextForward[number]++, number, together});
}

void
TwoChunkOrder::Backward(Chunk chunk, bool together)
{
    const auto number = GetNumber(chunk);
    m_passes.push_back({PassKind::BACKWARD, m_nextBackward[number]++, number, together});
}

void
TwoChunkOrder::BackwardInput(Chunk chunk)
{
    const auto number = GetNumber(chunk);
    const auto microbatch = m_nextBackward[number]++;
    m_passes.push_back({PassKind::BACKWARD_INPUT, microbatch, number});
    m_weights.push_back({PassKind::BACKWARD_WEIGHT, microbatch, number});
}

void
TwoChunkOrder::BackwardWeight()
{
    // The oldest first, which frees the activations in the order in which they were kept.
    m_passes.push_back(m_weights.front());
    m_weights.pop_front();
}

void
TwoChunkOrder::CoolDown(uint32_t nWhole)
{
    // Step 6: forward passes are over.
    for (uint32_t i = 0; i < 2 * (m_q + 1); ++i)
    {
        const auto chunk = i % 2 == 0 ? FAR : NEAR;
        if (i < nWhole)
        {
            Backward(chunk);
        }
        else
        {
            BackwardInput(chunk);
        }
    }
    // Step 7: gradients of weights fill the time until the next gradient comes back.
    for (uint32_t i = 0; i < m_n - m_q - 1; ++i)
    {
        BackwardWeight();
        BackwardInput(NEAR);
    }
    // Step 8: the gradients of weights that are left.
    while (!m_weights.empty())
    {
        BackwardWeight();
    }
}

std::vector<PipelinePass>
TwoChunkOrder::Take()
{
    return std::move(m_passes);
}

uint32_t
TwoChunkOrder::GetNumber(Chunk chunk) const
{
    return chunk == NEAR ? m_nearChunk : 1 - m_nearChunk;
}

} // namespace ns3
