/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STALL_WATCH_H
#define STALL_WATCH_H

#include "networked-job.h"

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/replay-records.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Finds out when the jobs have finished or cannot go on, in a simulation whose events never
 * run out: background traffic goes on, or somebody looks at regular times.
 *
 * They cannot if no rank computes, none of their messages is under way, unless the network has
 * given up, and nothing has come to pass for a while.
 */
class StallWatch
{
  public:
    /**
     * @param job what is simulated; it and this object must outlive the simulation
     * @param graph the topology, which says how late what happens at a rank may be known elsewhere
     * @param end called when they have, in all processes at one time
     */
    StallWatch(const NetworkedJob& job, const TopologyGraph& graph, std::function<void()> end);

  private:
    /// What the jobs have done so far in one process.
    struct ProcessState
    {
        uint64_t ops{0};         //!< ops finished
        uint64_t posted{0};      //!< messages handed to transports
        uint64_t arrived{0};     //!< messages that have arrived
        bool isComputing{false}; //!< a rank computes, or has not begun
        bool hasFailed{false};   //!< something in the network has broken

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.ops);
            visit(record.posted);
            visit(record.arrived);
            visit(record.isComputing);
            visit(record.hasFailed);
        }
    };

    /// The same in all processes.
    struct State
    {
        uint64_t ops{0};       //!< ops finished
        uint64_t posted{0};    //!< messages handed to transports
        uint64_t arrived{0};   //!< messages that have arrived
        uint32_t computing{0}; //!< processes in which a rank computes, or has not begun
        uint32_t failed{0};    //!< processes in which something in the network has broken
        uint32_t toldBy{0};    //!< processes that it is of
    };

    /**
     * A rank has finished an iteration.
     *
     * @param record the iteration
     */
    void HandleIteration(const IterationRecord& record);

    /**
     * A message of a rank or of background traffic is handed over.
     *
     * @param message the message
     */
    void HandlePosted(const Message& message);

    /**
     * A message of a rank or of background traffic has arrived.
     *
     * @param message the message
     */
    void HandleArrived(const Message& message);

    /// Report to all processes that the ranks of this one have finished.
    void TellEnd();

    /// Report to all processes what this one has done so far, and do it again later.
    void TellState();

    /**
     * Report to all processes something, which they all know after m_delay.
     *
     * @param bytes what
     */
    void Tell(const std::string& bytes);

    /**
     * A process has reported something.
     *
     * @param from the process
     * @param bytes what
     */
    void Handle(uint32_t from, const std::string& bytes);

    /// Look whether the jobs go on, now that all have reported their states.
    void Look();

    /// The jobs have finished or cannot go on.
    void End();

    /**
     * @return whether a rank computes, or has not begun
     */
    bool IsAnyComputing() const;

    const NetworkedJob& m_job;   //!< what is simulated
    std::function<void()> m_end; //!< called when the jobs have ended
    bool m_isOver{false};        //!< they have
    Time m_delay;                //!< after which all know what one has reported
    uint32_t m_unfinished;       //!< ranks of this process that have not finished
    uint32_t m_ended{0};         //!< processes whose ranks have all finished
    ProcessState m_own;          //!< what this process has done
    State m_all;                 //!< what all had done when they reported it last
    State m_before;              //!< the same the time before
};

} // namespace ns3

#endif /* STALL_WATCH_H */
