/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-cycle.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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
            m_ready.pop_back();
            Execute(op);
        }
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

} // namespace

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

} // namespace ns3
