/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-dependencies.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

ChakraDependencies::Edges::Edges(const WorkloadProgram& program,
                                 WorkloadProgram::Successors (WorkloadProgram::*get)(OpIndex) const)
    : offsets(program.GetOps().size() + 1)
{
    // Count the predecessors of each op, then sum up to where those of each begin.
    const auto nOps = static_cast<OpIndex>(program.GetOps().size());
    for (OpIndex op = 0; op < nOps; ++op)
    {
        for (const auto successor : (program.*get)(op))
        {
            ++offsets[successor + 1];
        }
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    sources.resize(offsets.back());
    auto next = offsets;
    for (OpIndex op = 0; op < nOps; ++op)
    {
        for (const auto successor : (program.*get)(op))
        {
            sources[next[successor]++] = op;
        }
    }
}

ChakraDependencies::ChakraDependencies(const WorkloadProgram& program)
    : m_program(program),
      m_finishes(program, &WorkloadProgram::GetFinishSuccessors),
      m_starts(program, &WorkloadProgram::GetStartSuccessors),
      m_before(program.GetOps().size())
{
    CheckStarts();
    std::iota(m_before.begin(), m_before.end(), 0);
    for (std::size_t stream = 0; stream < program.GetStreams().size(); ++stream)
    {
        const auto& ops = program.GetStreamOps(stream);
        for (std::size_t i = 1; i < ops.size(); ++i)
        {
            m_before[ops[i]] = ops[i - 1];
        }
    }
}

void
ChakraDependencies::CheckStarts() const
{
    for (const auto source : m_starts.sources)
    {
        const auto& op = m_program.GetOps()[source];
        const auto& stream = m_program.GetStreams()[op.stream];
        if (stream.order == StreamOrder::AS_READY)
        {
            throw WorkloadError(m_program.Locate(op.origin),
                                "ops that wait for the finish of others, or for the start of ops "
                                "that do not take turns: Chakra has no other dependencies",
                                "one that waits for the start of " + Quoted(m_program.GetName(op)) +
                                    ", which takes turns in " + stream.name);
        }
    }
}

std::vector<ChakraDependencies::OpIndex>
ChakraDependencies::Get(OpIndex op) const
{
    std::set<OpIndex> found;
    std::set<OpIndex> seen{op};
    std::vector<OpIndex> open{op};
    while (!open.empty())
    {
        const auto next = open.back();
        open.pop_back();
        for (auto i = m_finishes.offsets[next]; i < m_finishes.offsets[next + 1]; ++i)
        {
            found.insert(m_finishes.sources[i]);
        }
        if (m_before[next] != next)
        {
            found.insert(m_before[next]);
        }
        // To wait for the start of an op is to wait for all that this op waits for.
        for (auto i = m_starts.offsets[next]; i < m_starts.offsets[next + 1]; ++i)
        {
            if (seen.insert(m_starts.sources[i]).second)
            {
                open.push_back(m_starts.sources[i]);
            }
        }
    }
    return {found.begin(), found.end()};
}

} // namespace ns3
