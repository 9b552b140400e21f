/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-scheduler.h"

namespace ns3
{

void
OpScheduler::Setup(const WorkloadProgram& program)
{
    m_program = &program;
    m_streams.resize(program.GetStreams().size());
}

void
OpScheduler::Begin()
{
    const auto nOps = static_cast<uint32_t>(m_program->GetOps().size());
    m_unfinished = nOps;
    m_waiting.resize(nOps);
    for (uint32_t op = 0; op < nOps; ++op)
    {
        m_waiting[op] = m_program->GetPredecessorCount(op);
    }
    // The last one is taken first.
    for (std::size_t stream = m_streams.size(); stream-- > 0;)
    {
        m_streams[stream].next = 0;
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
        auto& state = m_streams[stream];
        if (!state.busy && state.next < m_program->GetStreamOps(stream).size() &&
            m_waiting[GetCurrent(stream)] == 0)
        {
            state.busy = true;
            return stream;
        }
    }
    return std::nullopt;
}

bool
OpScheduler::Finish(std::size_t stream)
{
    const bool released = Release(m_program->GetFinishSuccessors(GetCurrent(stream)));
    m_streams[stream].busy = false;
    ++m_streams[stream].next;
    m_ready.push_back(stream);
    return --m_unfinished == 0 || released;
}

bool
OpScheduler::IsDone() const
{
    return m_unfinished == 0;
}

bool
OpScheduler::IsBusy(std::size_t stream) const
{
    return m_streams[stream].busy;
}

WorkloadProgram::OpIndex
OpScheduler::GetCurrent(std::size_t stream) const
{
    return m_program->GetStreamOps(stream)[m_streams[stream].next];
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
        released = released || m_program->GetStreams()[stream].compute;
        m_ready.push_back(stream);
    }
    return released;
}

} // namespace ns3
