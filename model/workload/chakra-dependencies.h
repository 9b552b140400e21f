/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_DEPENDENCIES_H
#define CHAKRA_DEPENDENCIES_H

#include "workload-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What each op of a program waits for, said as Chakra can: ops that must have finished.
 *
 * - An op of a stream that runs in order waits for the one before it.
 * - An op that waits for the start of another one waits for all that this one waits for, which is
 *   the same moment. Ops that take turns (StreamOrder::AS_READY) start at no moment that is known
 *   before, so that nothing can wait for their start.
 *
 * Ops of streams that run as they get ready or in parallel wait for nothing but their edges.
 */
class ChakraDependencies
{
  public:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param program the program; it must outlive this object
     * @throws WorkloadError naming an op whose start another one waits for, where Chakra cannot say
     *         that
     */
    explicit ChakraDependencies(const WorkloadProgram& program);

    /**
     * @param op an op
     * @return what must have finished before it starts, ascending
     */
    std::vector<OpIndex> Get(OpIndex op) const;

  private:
    /// Predecessors of ops, by op.
    struct Edges
    {
        /**
         * Turn edges around.
         *
         * @param program the program
         * @param get which successors of an op are meant
         */
        Edges(const WorkloadProgram& program,
              WorkloadProgram::Successors (WorkloadProgram::*get)(OpIndex) const);

        std::vector<uint64_t> offsets; //!< by op, where its predecessors begin; one more
        std::vector<OpIndex> sources;  //!< predecessors, one op after another
    };

    /**
     * Refuse what cannot be said.
     */
    void CheckStarts() const;

    const WorkloadProgram& m_program; //!< the program
    Edges m_finishes;                 //!< what must have finished
    Edges m_starts;                   //!< what must have started
    std::vector<OpIndex> m_before;    //!< by op: the one before it in a stream in order, or itself
};

} // namespace ns3

#endif /* CHAKRA_DEPENDENCIES_H */
