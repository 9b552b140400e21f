/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_ACCOUNT_H
#define OP_ACCOUNT_H

#include "time-account.h"

#include "ns3/workload-program.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the ops of a rank mean for the account of its time.
 */
class OpAccount
{
  public:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param program the rank's program; must outlive this object
     */
    void Setup(const WorkloadProgram& program);

    /// An iteration begins, now.
    void Begin();

    /**
     * An op starts, now.
     *
     * @param op the op
     */
    void Start(OpIndex op);

    /**
     * An op finishes, now.
     *
     * @param op the op
     * @param start when it had started
     * @param sentAt of a receive, when its message was posted
     */
    void Finish(OpIndex op, Time start, Time sentAt);

    /**
     * An op has finished that the compute stream, or the end of the iteration, had to wait for.
     *
     * @param op the op
     * @param sentAt of a receive, when its message was posted
     */
    void Release(OpIndex op, Time sentAt);

    /**
     * The iteration ends, now.
     *
     * @return the account; rank and iteration are not set
     */
    IterationRecord End();

  private:
    const WorkloadProgram* m_program{nullptr}; //!< the rank's program
    TimeAccount m_account;                     //!< the account
};

} // namespace ns3

#endif /* OP_ACCOUNT_H */
