/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIME_ACCOUNT_H
#define TIME_ACCOUNT_H

#include "replay-records.h"

#include "ns3/nstime.h"
#include "ns3/workload-program.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <deque>
#include <set>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Keeps account of a rank's time in one iteration, seen from its compute stream.
 *
 * A moment in which the compute stream does not work is charged, when the wait is over, to what
 * ended it: the dimension of the communication that released the next op. Of a wait for a pipeline
 * neighbour, the part before the neighbour posted its message is bubble. A wait for the host is
 * charged to nothing. Several compute streams count as one, which works while any of them does.
 */
class TimeAccount
{
  public:
    /// What ended a wait.
    struct Cause
    {
        WorkloadProgram::OpIndex op{0};        //!< the op that was waited for
        Dimension dimension{Dimension::WORLD}; //!< dimension of its stream
        bool receive{false};                   //!< true if it received one message
        Time sentAt;                           //!< receive: when the message was posted
        bool host{false};                      //!< true if it is work of the host
    };

    /**
     * Begin an iteration.
     *
     * @param now the time
     */
    void Begin(Time now);

    /**
     * An op has finished that the compute stream, or the end of the iteration, had to wait for.
     *
     * @param cause the op
     */
    void Release(const Cause& cause);

    /**
     * A compute stream begins to work; time since one last worked is charged as a wait.
     *
     * @param now the time
     */
    void StartCompute(Time now);

    /**
     * A compute stream stops to work.
     *
     * @param now the time
     */
    void StopCompute(Time now);

    /**
     * Communication begins, to be ended by StopCommunication().
     *
     * @param now the time
     */
    void StartCommunication(Time now);

    /**
     * Communication has ended; the part of it during which the compute stream worked is hidden.
     *
     * @param dimension its dimension
     * @param start when it began, see StartCommunication()
     * @param since from when on it counts: start, or later if it has only waited until then
     * @param now the time
     */
    void StopCommunication(Dimension dimension, Time start, Time since, Time now);

    /**
     * End the iteration; time since the compute stream last worked is charged as a wait.
     *
     * @param now the time
     * @return the account; rank and iteration are not set
     */
    IterationRecord End(Time now);

  private:
    /// A time in which the compute stream worked without a break.
    struct BusyInterval
    {
        Time start;  //!< its begin
        Time end;    //!< its end
        Time before; //!< compute time of the iteration before it
    };

    /**
     * @param at a time, not before the start of the earliest communication under way
     * @return time in which the compute stream has worked in this iteration until then
     */
    Time GetComputeTime(Time at) const;

    /**
     * Charge the time since the compute stream last worked.
     *
     * @param now the time
     */
    void ChargeWait(Time now);

    std::multiset<Time> m_communication; //!< starts of communication under way
    /// Intervals that are over, in order; those before all communication under way are forgotten.
    std::deque<BusyInterval> m_busy;
    IterationRecord m_record; //!< the account
    Cause m_cause;            //!< the op last waited for
    Time m_since;             //!< when the compute stream last began or stopped to work
    uint32_t m_working{0};    //!< compute streams that work
};

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

#endif /* TIME_ACCOUNT_H */
