/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-program.h"

#include "ns3/assert.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

const std::string&
WorkloadProgram::GetFile() const
{
    return m_file;
}

const std::vector<WorkloadOp>&
WorkloadProgram::GetOps() const
{
    return m_ops;
}

const std::vector<WorkloadStream>&
WorkloadProgram::GetStreams() const
{
    return m_streams;
}

const std::vector<WorkloadProgram::OpIndex>&
WorkloadProgram::GetStreamOps(std::size_t stream) const
{
    return m_streamOps[stream];
}

const std::string&
WorkloadProgram::GetName(const WorkloadOp& op) const
{
    return m_names[op.name];
}

const AllToAllSplits*
WorkloadProgram::GetSplits(const WorkloadOp& op) const
{
    return op.splits == UINT32_MAX ? nullptr : &m_splits[op.splits];
}

std::string
WorkloadProgram::GetOrigin(const WorkloadOp& op) const
{
    return SourceLocation{m_file, op.origin, 0, ""}.ToString();
}

uint32_t
WorkloadProgram::GetPredecessorCount(OpIndex op) const
{
    return m_predecessorCounts[op];
}

WorkloadProgram::Successors
WorkloadProgram::GetFinishSuccessors(OpIndex op) const
{
    return {m_edgeTargets.data() + m_edgeOffsets[op], m_edgeTargets.data() + m_edgeOffsets[op + 1]};
}

WorkloadProgramBuilder::WorkloadProgramBuilder(std::string file)
    : m_program(std::make_shared<WorkloadProgram>())
{
    m_program->m_file = std::move(file);
}

uint16_t
WorkloadProgramBuilder::AddStream(WorkloadStream stream)
{
    m_program->m_streams.push_back(std::move(stream));
    m_program->m_streamOps.emplace_back();
    return static_cast<uint16_t>(m_program->m_streams.size() - 1);
}

WorkloadProgramBuilder::OpIndex
WorkloadProgramBuilder::AddOp(WorkloadOp op, const std::string& name)
{
    NS_ASSERT_MSG(op.stream < m_program->m_streams.size(), "op in a stream that was not added");
    const auto [entry, isNew] =
        m_nameIndices.emplace(name, static_cast<uint32_t>(m_program->m_names.size()));
    if (isNew)
    {
        m_program->m_names.push_back(name);
    }
    op.name = entry->second;
    const auto index = static_cast<OpIndex>(m_program->m_ops.size());
    m_program->m_ops.push_back(op);
    m_program->m_streamOps[op.stream].push_back(index);
    return index;
}

uint32_t
WorkloadProgramBuilder::AddSplits(const AllToAllSplits& splits)
{
    const auto next = static_cast<uint32_t>(m_program->m_splits.size());
    const auto [entry, isNew] =
        m_splitsIndices.emplace(std::make_pair(splits.send, splits.receive), next);
    if (isNew)
    {
        m_program->m_splits.push_back(splits);
    }
    return entry->second;
}

void
WorkloadProgramBuilder::AddFinishEdge(OpIndex before, OpIndex after)
{
    m_edges.push_back({before, after});
}

std::shared_ptr<const WorkloadProgram>
WorkloadProgramBuilder::Build()
{
    SortEdges();
    CheckAcyclic();
    m_edges.clear();
    m_nameIndices.clear();
    m_splitsIndices.clear();
    return std::exchange(m_program, std::make_shared<WorkloadProgram>());
}

void
WorkloadProgramBuilder::SortEdges()
{
    const auto nOps = m_program->m_ops.size();
    auto& offsets = m_program->m_edgeOffsets;
    offsets.assign(nOps + 1, 0);
    m_program->m_predecessorCounts.assign(nOps, 0);
    for (const auto& edge : m_edges)
    {
        NS_ASSERT_MSG(edge.before < nOps && edge.after < nOps, "edge of an op that was not added");
        ++offsets[edge.before + 1];
        ++m_program->m_predecessorCounts[edge.after];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    m_program->m_edgeTargets.resize(m_edges.size());
    auto next = offsets;
    for (const auto& edge : m_edges)
    {
        m_program->m_edgeTargets[next[edge.before]++] = edge.after;
    }
}

void
WorkloadProgramBuilder::CheckAcyclic() const
{
    // Runs the program without time: a stream goes on while nothing holds up its next op.
    const auto& program = *m_program;
    auto waiting = program.m_predecessorCounts;
    std::vector<std::size_t> next(program.m_streams.size());
    std::vector<std::size_t> ready(program.m_streams.size());
    std::iota(ready.begin(), ready.end(), 0);
    while (!ready.empty())
    {
        const auto stream = ready.back();
        ready.pop_back();
        const auto& ops = program.m_streamOps[stream];
        for (auto& i = next[stream]; i < ops.size() && waiting[ops[i]] == 0; ++i)
        {
            for (const auto successor : program.GetFinishSuccessors(ops[i]))
            {
                if (--waiting[successor] == 0)
                {
                    ready.push_back(program.m_ops[successor].stream);
                }
            }
        }
    }
    auto stuck = static_cast<OpIndex>(program.m_ops.size());
    for (std::size_t stream = 0; stream < next.size(); ++stream)
    {
        const auto& ops = program.m_streamOps[stream];
        stuck = next[stream] < ops.size() ? std::min(stuck, ops[next[stream]]) : stuck;
    }
    if (stuck < program.m_ops.size())
    {
        const auto& op = program.m_ops[stuck];
        throw WorkloadError({program.m_file, op.origin, 0, ""},
                            "ops that can be put in an order",
                            Quoted(program.GetName(op)) +
                                ", which waits for itself through its dependencies");
    }
}

} // namespace ns3
