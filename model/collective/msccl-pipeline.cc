/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-pipeline.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param [out] step where a transfer is added, unless there are no bytes
 * @param action what to do
 * @param peer index of the other member
 * @param bytes how many
 * @param piece number of the piece that they are: NVSwitches take pieces in turn
 */
void
AddPiece(CollectiveStep& step,
         CollectiveTransfer::Action action,
         uint32_t peer,
         uint64_t bytes,
         uint64_t piece)
{
    const auto stripe = static_cast<uint32_t>(piece);
    if (bytes > 0)
    {
        step.push_back({action, peer, CollectiveTransfer::SOMEWHERE, bytes, {}, stripe});
    }
}

} // namespace

uint64_t
MscclPieces::CountAhead(uint64_t gpus) const
{
    return std::max<uint64_t>(switchDepth / gpus, 1);
}

MscclPipeline::MscclPipeline(std::shared_ptr<const MscclPlan> plan,
                             uint32_t gpu,
                             uint32_t block,
                             const MscclPieces& pieces,
                             std::shared_ptr<MscclProgress> progress)
    : ChunkPipeline(plan->gpus[gpu][block].channel),
      m_plan(std::move(plan)),
      m_block(m_plan->gpus[gpu][block]),
      m_blocks(m_plan->gpus[gpu]),
      m_gpu(gpu),
      m_number(block),
      m_pieces(pieces),
      m_progress(std::move(progress))
{
    // The other end has a number of its own.
    Serve(m_block.tag);
}

bool
MscclPipeline::IsBlocked() const
{
    // A message that was received is sent on without waiting again.
    const auto& own = (*m_progress)[m_number];
    const auto size = m_block.steps.size();
    if (m_asked > 0 || own == size * m_pieces.loops)
    {
        return false;
    }
    // The other blocks must have come as far in the same loop.
    const uint64_t loop = own / size;
    const auto& dependencies = m_block.steps[own % size].dependencies;
    return std::any_of(dependencies.begin(), dependencies.end(), [this, loop](const auto& on) {
        const uint64_t theirs = m_blocks[on.block].steps.size();
        return (*m_progress)[on.block] <= loop * theirs + on.step;
    });
}

bool
MscclPipeline::Next(CollectiveStep& step)
{
    step.clear();
    auto& own = (*m_progress)[m_number];
    const auto size = m_block.steps.size();
    if (own == size * m_pieces.loops)
    {
        return false;
    }
    // Progress counts steps of all loops. CheckMscclPlan() has followed chunks already.
    const auto& now = m_block.steps[own % size];
    const BufferPart whole{0, GetBytes(now, own / size)};
    const bool usesSwitch = (now.receives && now.receivedBy != MscclStep::DIRECT) ||
                            (now.sends && now.sentBy != MscclStep::DIRECT);
    const auto pieces =
        PipelineItems::CountPieces(whole.bytes, usesSwitch ? m_pieces.switchBytes : 0);
    // What has come goes on while the next piece comes, or makes room for another contribution to
    // the sum that it is the result of. What was there before goes at once.
    const uint64_t ahead = now.isPaced ? m_pieces.CountAhead(m_plan->groups[now.group].size()) : 0;
    const auto& sender = now.receives && now.isPaced ? m_block.steps[own % size - 1] : now;
    const uint64_t all = now.isPaced ? ahead : pieces;
    const uint64_t end = now.receives ? m_asked + ahead : all;
    const uint64_t begin = now.receives ? end - std::min<uint64_t>(m_asked, 1) : 0;
    for (auto piece = begin; sender.sends && piece < std::min(end, pieces); ++piece)
    {
        Send(step, sender, whole.Cut(pieces, piece).bytes, piece);
    }
    if (now.receives && m_asked < pieces)
    {
        Receive(step, now, whole.Cut(pieces, m_asked).bytes, m_asked);
        ++m_asked;
        return true;
    }
    m_asked = 0;
    ++own;
    return true;
}

uint64_t
MscclPipeline::GetBytes(const MscclStep& now, uint64_t loop) const
{
    const auto bytes =
        now.bytes > 0 ? BufferPart{0, now.bytes}.Cut(m_pieces.loops, loop).bytes
                      : now.count * BufferPart{0, m_pieces.chunk}.Cut(m_pieces.loops, loop).bytes;
    return now.control + bytes;
}

void
MscclPipeline::Receive(CollectiveStep& step,
                       const MscclStep& now,
                       uint64_t bytes,
                       uint64_t piece) const
{
    const auto direct =
        now.reduces ? CollectiveTransfer::RECV_REDUCE : CollectiveTransfer::RECV_COPY;
    const auto action = now.receivedBy == MscclStep::SUM   ? CollectiveTransfer::SWITCH_RECV_SUM
                        : now.receivedBy == MscclStep::ALL ? CollectiveTransfer::SWITCH_RECV
                                                           : direct;
    AddPiece(step, action, now.receivedBy == MscclStep::SUM ? m_gpu : now.sender, bytes, piece);
}

void
MscclPipeline::Send(CollectiveStep& step,
                    const MscclStep& now,
                    uint64_t bytes,
                    uint64_t piece) const
{
    const auto action = now.sentBy == MscclStep::SUM   ? CollectiveTransfer::SWITCH_REDUCE
                        : now.sentBy == MscclStep::ALL ? CollectiveTransfer::SWITCH_MULTICAST
                                                       : CollectiveTransfer::SEND;
    AddPiece(step, action, now.sentBy == MscclStep::ALL ? m_gpu : now.receiver, bytes, piece);
}

} // namespace ns3
