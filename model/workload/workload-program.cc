/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-program.h"

#include "ns3/abort.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace ns3
{

namespace
{

/// Place of an op in its program.
using OpIndex = WorkloadProgram::OpIndex;

/// What stands in place of the number of edges that an op waits for, once it has run.
constexpr uint32_t DONE = UINT32_MAX;

/**
 * @ingroup workload-replay
 * @brief Runs a program without time: each op as soon as nothing holds it up.
 */
class DryExecution
{
  public:
    /**
     * @param program the program; must outlive this object
     */
    explicit DryExecution(const WorkloadProgram& program)
        : m_program(program),
          m_waiting(program.GetOps().size()),
          m_next(program.GetStreams().size())
    {
        for (OpIndex op = 0; op < m_waiting.size(); ++op)
        {
            m_waiting[op] = program.GetPredecessorCount(op);
        }
    }

    /**
     * @return the first op that never ran; the number of ops if all have run
     */
    OpIndex Run()
    {
        for (OpIndex op = 0; op < m_waiting.size(); ++op)
        {
            AddIfReady(op);
        }
        while (!m_ready.empty())
        {
            const auto op = m_ready.back();
            // Any order will do: whether all ops can run does not depend on it.
            m_ready.pop_back();
            Execute(op);
        }
        // The index of the first op that has not run, or the number of ops.
        const auto stuck = std::find_if(m_waiting.begin(), m_waiting.end(), [](uint32_t waiting) {
            return waiting != DONE;
        });
        return static_cast<OpIndex>(stuck - m_waiting.begin());
    }

    /**
     * @param stuck an op that never ran
     * @return one of those it waits for that waits for itself
     */
    OpIndex FindOnCycle(OpIndex stuck) const
    {
        const auto blockers = FindBlockers();
        std::vector<bool> seen(blockers.size());
        // Each op leads to one that has not run either, so that the walk comes to a cycle.
        for (; !seen[stuck]; stuck = blockers[stuck])
        {
            seen[stuck] = true;
        }
        auto first = stuck;
        for (auto op = blockers[stuck]; op != stuck; op = blockers[op])
        {
            // The op of the cycle that the program has first: messages do not depend on where the
            // walk began.
            first = std::min(first, op);
        }
        return first;
    }

  private:
    /**
     * @param op an op
     * @return true if it is the next one of a stream that runs in order
     */
    bool IsNext(OpIndex op) const
    {
        const auto stream = m_program.GetOps()[op].stream;
        const auto& ops = m_program.GetStreamOps(stream);
        return m_next[stream] < ops.size() && ops[m_next[stream]] == op;
    }

    /**
     * @param op an op
     * @return true if its stream runs in order
     */
    bool IsInOrder(OpIndex op) const
    {
        return m_program.GetStreams()[m_program.GetOps()[op].stream].order == StreamOrder::IN_ORDER;
    }

    /**
     * @param op an op that has become the next of its stream, or waits for nothing more
     */
    void AddIfReady(OpIndex op)
    {
        if (m_waiting[op] == 0 && (!IsInOrder(op) || IsNext(op)))
        {
            m_ready.push_back(op);
        }
    }

    /**
     * @param op an op that can run
     */
    void Execute(OpIndex op)
    {
        m_waiting[op] = DONE;
        if (IsInOrder(op))
        {
            const auto stream = m_program.GetOps()[op].stream;
            const auto& ops = m_program.GetStreamOps(stream);
            if (++m_next[stream] < ops.size())
            {
                // It may have waited for this place in the stream alone.
                AddIfReady(ops[m_next[stream]]);
            }
        }
        for (const auto& successors :
             {m_program.GetFinishSuccessors(op), m_program.GetStartSuccessors(op)})
        {
            for (const auto successor : successors)
            {
                --m_waiting[successor];
                AddIfReady(successor);
            }
        }
    }

    /**
     * @return by op that never ran: one that it waits for and that never ran either
     */
    std::vector<OpIndex> FindBlockers() const
    {
        std::vector<OpIndex> blockers(m_waiting.size());
        for (OpIndex op = 0; op < m_waiting.size(); ++op)
        {
            if (m_waiting[op] == DONE)
            {
                continue;
            }
            for (const auto& successors :
                 {m_program.GetFinishSuccessors(op), m_program.GetStartSuccessors(op)})
            {
                // If several hold it up, any of them will do.
                for (const auto successor : successors)
                {
                    blockers[successor] = op;
                }
            }
        }
        for (std::size_t stream = 0; stream < m_next.size(); ++stream)
        {
            const auto& ops = m_program.GetStreamOps(stream);
            // In a stream in order each op waits for the one before it.
            for (auto i = m_next[stream] + 1; i < ops.size(); ++i)
            {
                blockers[ops[i]] = ops[i - 1];
            }
        }
        return blockers;
    }

    const WorkloadProgram& m_program; //!< the program
    std::vector<uint32_t> m_waiting;  //!< by op: edges not yet satisfied, or DONE
    std::vector<std::size_t> m_next;  //!< by stream that runs in order: position of its next op
    std::vector<OpIndex> m_ready;     //!< ops that can run
};

/**
 * @param program a program
 * @throws WorkloadError naming an op that waits for itself through edges and the order of streams,
 *         if there is one
 */
void
CheckAcyclic(const WorkloadProgram& program)
{
    DryExecution execution(program);
    const auto stuck = execution.Run();
    if (stuck < program.GetOps().size())
    {
        const auto& op = program.GetOps()[execution.FindOnCycle(stuck)];
        throw WorkloadError(program.Locate(op.origin),
                            "ops that can be put in an order",
                            Quoted(program.GetName(op)) +
                                ", which waits for itself through its dependencies");
    }
}

} // namespace

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

bool
WorkloadProgram::UsesResources() const
{
    return !m_streams.empty() && m_streams.front().order == StreamOrder::RESOURCES;
}

const std::vector<WorkloadProgram::OpIndex>&
WorkloadProgram::GetStreamOps(std::size_t stream) const
{
    return m_streamOps[stream];
}

std::string
WorkloadProgram::GetName(const WorkloadOp& op) const
{
    return m_names.Get(op.name);
}

const AllToAllSplits*
WorkloadProgram::GetSplits(const WorkloadOp& op) const
{
    // UINT32_MAX: equal parts, which take no entry.
    return op.splits == UINT32_MAX ? nullptr : &m_splits[op.splits];
}

SourceLocation
WorkloadProgram::Locate(uint32_t origin) const
{
    if (!m_hasNodes)
    {
        return {m_file, origin, 0, ""};
    }
    // Node ids have 64 bits in Chakra traces, an origin 32: it is then an index into the ids.
    const uint64_t id = m_nodeIds.empty() ? origin : m_nodeIds[origin];
    return {m_file + ", node " + std::to_string(id), 0, 0, ""};
}

std::string
WorkloadProgram::GetOrigin(const WorkloadOp& op) const
{
    return Locate(op.origin).ToString();
}

uint32_t
WorkloadProgram::GetPredecessorCount(OpIndex op) const
{
    return m_predecessorCounts[op];
}

WorkloadProgram::Successors
WorkloadProgram::GetFinishSuccessors(OpIndex op) const
{
    return m_finishEdges.Get(op);
}

WorkloadProgram::Successors
WorkloadProgram::GetStartSuccessors(OpIndex op) const
{
    return m_startEdges.Get(op);
}

WorkloadProgramBuilder::WorkloadProgramBuilder(std::string file)
    : m_program(std::make_shared<WorkloadProgram>())
{
    m_program->m_file = std::move(file);
}

void
WorkloadProgramBuilder::SetNodes(std::vector<uint64_t> ids)
{
    m_program->m_hasNodes = true;
    m_program->m_nodeIds = std::move(ids);
}

void
WorkloadProgramBuilder::Reserve(std::size_t ops, std::size_t edges)
{
    m_program->m_ops.reserve(ops);
    m_finishEdges.reserve(edges);
}

uint16_t
WorkloadProgramBuilder::AddStream(WorkloadStream stream)
{
    m_program->m_streams.push_back(std::move(stream));
    m_program->m_streamOps.emplace_back();
    return static_cast<uint16_t>(m_program->m_streams.size() - 1);
}

WorkloadProgramBuilder::OpIndex
WorkloadProgramBuilder::AddOp(WorkloadOp op, std::string_view name)
{
    NS_ABORT_MSG_IF(op.stream >= m_program->m_streams.size(), "op in a stream that was not added");
    // Names are kept once, however many ops have them.
    op.name = m_program->m_names.Add(name);
    const auto index = static_cast<OpIndex>(m_program->m_ops.size());
    m_program->m_ops.push_back(op);
    if (m_program->m_streams[op.stream].order == StreamOrder::IN_ORDER)
    {
        // Only streams in order need their list.
        m_program->m_streamOps[op.stream].push_back(index);
    }
    return index;
}

const WorkloadProgram&
WorkloadProgramBuilder::GetDraft() const
{
    return *m_program;
}

uint32_t
WorkloadProgramBuilder::AddSplits(const AllToAllSplits& splits)
{
    const auto next = static_cast<uint32_t>(m_program->m_splits.size());
    const auto [entry, isNew] =
        // Equal splits share an entry: traces repeat them for each layer.
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

std::vector<WorkloadProgramBuilder::OpIndex>
WorkloadProgramBuilder::FindOrder()
{
    SortEdges();
    const auto& program = *m_program;
    auto waiting = program.m_predecessorCounts;
    // Of the ops that are ready the one added first goes first, so that the order is always the
    // same.
    std::priority_queue<OpIndex, std::vector<OpIndex>, std::greater<>> ready;
    const auto release = [&waiting, &ready](WorkloadProgram::Successors successors) {
        for (const auto successor : successors)
        {
            if (--waiting[successor] == 0)
            {
                ready.push(successor);
            }
        }
    };
    for (OpIndex op = 0; op < waiting.size(); ++op)
    {
        if (waiting[op] == 0)
        {
            ready.push(op);
        }
    }
    std::vector<OpIndex> order;
    order.reserve(waiting.size());
    while (!ready.empty())
    {
        order.push_back(ready.top());
        ready.pop();
        release(program.GetFinishSuccessors(order.back()));
        release(program.GetStartSuccessors(order.back()));
    }
    // Throws, and names an op of the cycle.
    if (order.size() < waiting.size())
    {
        CheckAcyclic(program);
    }
    return order;
}

std::shared_ptr<const WorkloadProgram>
WorkloadProgramBuilder::Build()
{
    SortEdges();
    // At build time, so that a replay never waits for an op that cannot run.
    CheckAcyclic(*m_program);
    // The sorted edges stay; the lists in order of adding are given back.
    m_finishEdges = {};
    m_startEdges = {};
    m_splitsIndices.clear();
    m_program->m_names.Seal();
    return std::exchange(m_program, std::make_shared<WorkloadProgram>());
}

void
WorkloadProgramBuilder::SortEdges()
{
    m_program->m_predecessorCounts.assign(m_program->m_ops.size(), 0);
    Sort(m_finishEdges, m_program->m_finishEdges);
    Sort(m_startEdges, m_program->m_startEdges);
}

void
WorkloadProgramBuilder::Sort(const std::vector<Edge>& edges, WorkloadProgram::Edges& sorted)
{
    sorted = {};
    if (edges.empty())
    {
        return;
    }
    const auto nOps = m_program->m_ops.size();
    // Count the edges of each op, sum up to where they begin, then put each in its place.
    auto& offsets = sorted.offsets;
    offsets.assign(nOps + 1, 0);
    for (const auto& edge : edges)
    {
        NS_ABORT_MSG_IF(edge.before >= nOps || edge.after >= nOps,
                        "edge of an op that was not added");
        ++offsets[edge.before + 1];
        ++m_program->m_predecessorCounts[edge.after];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    sorted.targets.resize(edges.size());
    // Where the next edge of each op goes.
    auto next = offsets;
    for (const auto& edge : edges)
    {
        sorted.targets[next[edge.before]++] = edge.after;
    }
}

} // namespace ns3
