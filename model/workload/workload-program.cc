/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-program.h"

#include "ns3/assert.h"
#include "ns3/workload-error.h"

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
    return m_onFinish.Get(op);
}

WorkloadProgram::Successors
WorkloadProgram::GetStartSuccessors(OpIndex op) const
{
    return m_onStart.Get(op);
}

WorkloadProgram::Successors
WorkloadProgram::EdgeTable::Get(OpIndex op) const
{
    return {targets.data() + offsets[op], targets.data() + offsets[op + 1]};
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
    m_finishEdges.push_back({before, after});
}

void
WorkloadProgramBuilder::AddStartEdge(OpIndex before, OpIndex after)
{
    m_startEdges.push_back({before, after});
}

std::shared_ptr<const WorkloadProgram>
WorkloadProgramBuilder::Build()
{
    m_program->m_onFinish = MakeTable(m_finishEdges);
    m_program->m_onStart = MakeTable(m_startEdges);
    m_program->m_predecessorCounts.assign(m_program->m_ops.size(), 0);
    for (const auto* table : {&m_program->m_onFinish, &m_program->m_onStart})
    {
        for (const auto target : table->targets)
        {
            ++m_program->m_predecessorCounts[target];
        }
    }
    CheckAcyclic();
    m_finishEdges.clear();
    m_startEdges.clear();
    m_nameIndices.clear();
    m_splitsIndices.clear();
    return std::exchange(m_program, std::make_shared<WorkloadProgram>());
}

WorkloadProgram::EdgeTable
WorkloadProgramBuilder::MakeTable(const std::vector<Edge>& edges) const
{
    const auto nOps = m_program->m_ops.size();
    WorkloadProgram::EdgeTable table;
    table.offsets.assign(nOps + 1, 0);
    for (const auto& edge : edges)
    {
        NS_ASSERT_MSG(edge.before < nOps && edge.after < nOps, "edge of an op that was not added");
        ++table.offsets[edge.before + 1];
    }
    for (std::size_t op = 0; op < nOps; ++op)
    {
        table.offsets[op + 1] += table.offsets[op];
    }
    table.targets.resize(edges.size());
    auto next = table.offsets;
    for (const auto& edge : edges)
    {
        table.targets[next[edge.before]++] = edge.after;
    }
    return table;
}

void
WorkloadProgramBuilder::CheckAcyclic() const
{
    // Kahn's algorithm over edges and the order within streams.
    const auto& program = *m_program;
    const auto nOps = program.m_ops.size();
    auto waiting = program.m_predecessorCounts;
    constexpr OpIndex none = UINT32_MAX;
    std::vector<OpIndex> nextInStream(nOps, none);
    for (const auto& ops : program.m_streamOps)
    {
        for (std::size_t i = 1; i < ops.size(); ++i)
        {
            nextInStream[ops[i - 1]] = ops[i];
            ++waiting[ops[i]];
        }
    }
    std::vector<OpIndex> ready;
    for (OpIndex op = 0; op < nOps; ++op)
    {
        if (waiting[op] == 0)
        {
            ready.push_back(op);
        }
    }
    std::size_t done = 0;
    while (!ready.empty())
    {
        const auto op = ready.back();
        ready.pop_back();
        ++done;
        auto release = [&](OpIndex next) {
            if (--waiting[next] == 0)
            {
                ready.push_back(next);
            }
        };
        for (const auto* table : {&program.m_onFinish, &program.m_onStart})
        {
            for (const auto next : table->Get(op))
            {
                release(next);
            }
        }
        if (nextInStream[op] != none)
        {
            release(nextInStream[op]);
        }
    }
    for (OpIndex op = 0; op < nOps && done < nOps; ++op)
    {
        if (waiting[op] > 0)
        {
            throw WorkloadError({program.m_file, program.m_ops[op].origin, 0, ""},
                                "ops that can be put in an order",
                                Quoted(program.GetName(program.m_ops[op])) +
                                    ", which waits for itself through its dependencies");
        }
    }
}

} // namespace ns3
