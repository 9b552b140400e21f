/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-scheduler.h"

#include <algorithm>
#include <functional>

namespace ns3
{

void
OpScheduler::Setup(const WorkloadProgram& program)
{
    m_program = &program;
    m_streams.resize(program.GetStreams().size());
    m_current.assign(m_streams.size(), NONE);
}

void
OpScheduler::Begin()
{
    const auto& ops = m_program->GetOps();
    const auto nOps = static_cast<uint32_t>(ops.size());
    m_unfinished = nOps;
    m_waiting.resize(nOps);
    for (uint32_t op = 0; op < nOps; ++op)
    {
        m_waiting[op] = m_program->GetPredecessorCount(op);
        if (m_waiting[op] == 0 &&
            m_program->GetStreams()[ops[op].stream].order != StreamOrder::IN_ORDER)
        {
            // In ascending order, which is a heap.
            m_streams[ops[op].stream].heap.push_back(op);
        }
    }
    // The last one is taken first.
    for (std::size_t stream = m_streams.size(); stream-- > 0;)
    {
        m_streams[stream].next = 0;
        // All streams are looked at once; those without a first op that may start yield nothing.
        m_ready.push_back(stream);
    }
}

std::optional<std::size_t>
OpScheduler::TakeReady()
{
    while (!m_ready.empty())
    {
        const auto stream = m_ready.back();
        m_ready.pop_back();
        const auto op = TakeFrom(stream);
        if (op != NONE)
        {
            const auto track = FindTrack(stream);
            m_current[track] = op;
            Release(m_program->GetStartSuccessors(op));
            return track;
        }
    }
    return std::nullopt;
}

WorkloadProgram::OpIndex
OpScheduler::TakeFrom(std::size_t stream)
{
    auto& [next, heap] = m_streams[stream];
    const auto order = m_program->GetStreams()[stream].order;
    if (order != StreamOrder::PARALLEL && m_current[stream] != NONE)
    {
        return NONE;
    }
    if (order == StreamOrder::IN_ORDER)
    {
        const auto& ops = m_program->GetStreamOps(stream);
        // As in a CUDA stream, a later op never overtakes one that waits.
        return next < ops.size() && m_waiting[ops[next]] == 0 ? ops[next] : NONE;
    }
    if (heap.empty())
    {
        return NONE;
    }
    // Of those that can start the first one in the order of the program.
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const auto op = heap.back();
    heap.pop_back();
    // It may start another one beside this.
    if (order == StreamOrder::PARALLEL && !heap.empty())
    {
        m_ready.push_back(stream);
    }
    return op;
}

std::size_t
OpScheduler::FindTrack(std::size_t stream)
{
    if (m_current[stream] == NONE)
    {
        return stream;
    }
    if (m_free.empty())
    {
        // Ops of a PARALLEL stream beyond the first run on tracks of their own.
        m_current.push_back(NONE);
        return m_current.size() - 1;
    }
    const auto track = m_free.back();
    m_free.pop_back();
    return track;
}

bool
OpScheduler::Finish(std::size_t track)
{
    const auto op = GetCurrent(track);
    const bool released = Release(m_program->GetFinishSuccessors(op));
    const auto stream = m_program->GetOps()[op].stream;
    m_current[track] = NONE;
    if (track >= m_streams.size())
    {
        // Tracks beyond the streams are used again.
        m_free.push_back(track);
    }
    ++m_streams[stream].next;
    m_ready.push_back(stream);
    // Whether a compute stream may go on: the owner charges its wait to this op.
    return --m_unfinished == 0 || released;
}

bool
OpScheduler::IsDone() const
{
    return m_unfinished == 0;
}

bool
OpScheduler::IsBusy(std::size_t track) const
{
    return m_current[track] != NONE;
}

WorkloadProgram::OpIndex
OpScheduler::GetCurrent(std::size_t track) const
{
    return m_current[track];
}

void
OpScheduler::MakeReady(OpIndex op)
{
    const auto stream = m_program->GetOps()[op].stream;
    if (m_program->GetStreams()[stream].order != StreamOrder::IN_ORDER)
    {
        auto& heap = m_streams[stream].heap;
        heap.push_back(op);
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    m_ready.push_back(stream);
}

bool
OpScheduler::Release(WorkloadProgram::Successors ops)
{
    bool released = false;
    for (const auto op : ops)
    {
        if (--m_waiting[op] > 0)
        {
            continue;
        }
        const auto stream = m_program->GetOps()[op].stream;
        // Whether a wait of the compute stream may have ended.
        released = released || m_program->GetStreams()[stream].compute;
        MakeReady(op);
    }
    return released;
}

} // namespace ns3
