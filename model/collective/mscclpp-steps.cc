/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-steps.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a signal, a counter that the receiver waits for, and of a request for what is read: a
/// semaphore of MSCCL++ is a word of 64 bits.
constexpr uint32_t CONTROL_BYTES = 8;

} // namespace

MscclppSteps::MscclppSteps(const MscclppProgram& program, uint64_t chunk, uint32_t parts)
    : m_plan(program.head),
      m_chunk(chunk),
      m_parts(parts)
{
    m_plan.chunks *= parts;
    // Tags of thread blocks come first, those of answers behind them.
    for (const auto& gpu : program.gpus)
    {
        m_tags = std::max(m_tags, static_cast<uint32_t>(gpu.blocks.size()));
    }
    m_plan.channels = std::max(m_tags, 1U);
    // Blocks of operations have their own numbers; others stand behind them.
    for (uint32_t gpu = 0; gpu < program.gpus.size(); ++gpu)
    {
        for (uint32_t block = 0; block < program.gpus[gpu].blocks.size(); ++block)
        {
            m_plan.gpus[gpu].push_back({block, block, {}, {}});
        }
    }
}

void
MscclppSteps::SetBlock(uint32_t gpu, uint32_t block)
{
    m_gpu = gpu;
    m_block = block;
}

void
MscclppSteps::SetOp(const MscclppOp& op, const Piece& piece)
{
    m_op = &op;
    m_piece = piece;
}

uint32_t
MscclppSteps::GetGpu() const
{
    return m_gpu;
}

MscclPlan&
MscclppSteps::GetPlan()
{
    return m_plan;
}

MscclppOp::Chunks
MscclppSteps::Cut(const MscclppOp::Chunks& chunks) const
{
    // Parts of a chunk divide evenly, as all groups and pipelines divide m_parts.
    const auto part = m_op->part * m_piece.count + m_piece.number;
    const auto count = chunks.count * m_parts / m_op->parts / m_piece.count;
    return {chunks.gpu, {chunks.place.buffer, chunks.place.chunk * m_parts + part * count}, count};
}

MscclppSteps::Ref
MscclppSteps::Add(uint32_t gpu, uint32_t block, MscclStep step)
{
    auto& steps = m_plan.gpus[gpu][block].steps;
    step.pointer = m_op->where.pointer;
    // Pieces have the length that a pipeline says; the parts of the plan only tell them apart.
    step.bytes =
        m_piece.bytes > 0 && step.count > 0 ? m_piece.bytes : step.count * m_chunk / m_parts;
    steps.push_back(std::move(step));
    return {gpu, block, static_cast<uint32_t>(steps.size()) - 1, m_block, m_op};
}

MscclppSteps::Ref
MscclppSteps::Add(MscclStep step)
{
    return Add(m_gpu, m_block, std::move(step));
}

MscclppSteps::Ref
MscclppSteps::GetLast()
{
    const auto count = static_cast<uint32_t>(m_plan.gpus[m_gpu][m_block].steps.size());
    return count == 0 ? Add({}) : Ref{m_gpu, m_block, count - 1, m_block, m_op};
}

uint32_t
MscclppSteps::FindBlock(char role, uint32_t gpu, uint32_t peer)
{
    auto& blocks = m_plan.gpus[gpu];
    const auto added =
        m_blocks.emplace(BlockKey{role, gpu, peer, m_block}, static_cast<uint32_t>(blocks.size()));
    if (added.second)
    {
        // Answers have tags of their own: each GPU may ask the other one.
        const auto tag = role == 'L' ? m_block : m_tags + m_block;
        blocks.push_back({m_block, tag, MscclBlock::Owner{m_gpu, m_block}, {}});
    }
    return added.first->second;
}

MscclStep
MscclppSteps::MakeReceive(const MscclppOp::Chunks* source, const MscclPlace& destination) const
{
    MscclStep receive;
    receive.receives = true;
    receive.sender = m_gpu;
    receive.control = source ? 0 : CONTROL_BYTES;
    if (source)
    {
        receive.stores = true;
        receive.source = destination;
        receive.destination = destination;
        receive.count = source->count;
    }
    return receive;
}

MscclppSteps::Ref
MscclppSteps::Send(uint32_t peer, const MscclppOp::Chunks* source, const MscclPlace& destination)
{
    MscclStep send;
    send.sends = true;
    send.receiver = peer;
    // Chunks need no word of their own: the message that brings them is what is waited for.
    send.control = source ? 0 : CONTROL_BYTES;
    if (source)
    {
        send.source = source->place;
        send.count = source->count;
    }
    // The peer's thread blocks do nothing for it, as stores of others go to their memory.
    Add(send);
    return Add(peer, FindBlock('L', peer, m_gpu), MakeReceive(source, destination));
}

MscclppSteps::Ref
MscclppSteps::Fetch(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces)
{
    // A load goes there as a request, and comes back with the data.
    const auto asked = Send(source.gpu, nullptr, {});
    MscclStep answer;
    answer.sends = true;
    answer.receiver = m_gpu;
    answer.source = source.place;
    answer.count = source.count;
    const auto answered = Add(source.gpu, FindBlock('A', source.gpu, m_gpu), answer);
    MscclppOrder::Depend(m_plan, answered, asked);
    auto receive = MakeReceive(&source, destination);
    receive.sender = source.gpu;
    receive.reduces = reduces;
    return Add(m_gpu, FindBlock('R', m_gpu, m_gpu), receive);
}

MscclppSteps::Ref
MscclppSteps::Copy(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces)
{
    MscclStep step;
    step.reduces = reduces;
    step.stores = true;
    step.source = source.place;
    step.destination = destination;
    step.count = source.count;
    return Add(step);
}

uint32_t
MscclppSteps::FindGroup(const std::vector<uint32_t>& group)
{
    auto& groups = m_plan.groups;
    const auto found = std::find(groups.begin(), groups.end(), group);
    const auto number = static_cast<uint32_t>(found - groups.begin());
    if (found == groups.end())
    {
        groups.push_back(group);
    }
    return number;
}

std::vector<MscclppSteps::Ref>
MscclppSteps::ReceiveAll(const std::vector<uint32_t>& group,
                         const MscclppOp::Chunks* source,
                         const MscclPlace& destination,
                         bool isPaced)
{
    auto receive = MakeReceive(source, destination);
    receive.receivedBy = MscclStep::ALL;
    receive.isPaced = isPaced;
    receive.group = FindGroup(group);
    std::vector<Ref> received;
    for (const auto gpu : group)
    {
        received.push_back(Add(gpu, FindBlock('L', gpu, m_gpu), receive));
    }
    return received;
}

std::vector<MscclppSteps::Ref>
MscclppSteps::Multicast(const std::vector<uint32_t>& group,
                        const MscclppOp::Chunks* source,
                        const MscclPlace& destination)
{
    MscclStep send;
    send.sends = true;
    send.sentBy = MscclStep::ALL;
    send.group = FindGroup(group);
    send.control = source ? 0 : CONTROL_BYTES;
    if (source)
    {
        send.source = source->place;
        send.count = source->count;
    }
    Add(send);
    return ReceiveAll(group, source, destination, false);
}

std::vector<MscclppSteps::Ref>
MscclppSteps::Sum(const std::vector<uint32_t>& group,
                  const MscclppOp::Chunks& source,
                  const MscclPlace& destination,
                  bool isMulticast)
{
    // A load goes to all of them as a request; the NVSwitch adds up what comes back.
    for (const auto& asked : Multicast(group, nullptr, {}))
    {
        MscclStep answer;
        answer.sends = true;
        answer.sentBy = MscclStep::SUM;
        answer.group = FindGroup(group);
        answer.receiver = m_gpu;
        answer.source = source.place;
        answer.count = source.count;
        answer.isPaced = isMulticast;
        // The block that was asked: others of the group have the same one, which the sum goes by.
        MscclppOrder::Depend(m_plan, Add(asked.gpu, asked.block, answer), asked);
    }
    auto receive = MakeReceive(&source, destination);
    receive.receivedBy = MscclStep::SUM;
    receive.group = FindGroup(group);
    receive.sends = isMulticast;
    receive.sentBy = MscclStep::ALL;
    Add(receive);
    return isMulticast ? ReceiveAll(group, &source, destination, true) : std::vector<Ref>();
}

} // namespace ns3
