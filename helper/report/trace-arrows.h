/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_ARROWS_H
#define TRACE_ARROWS_H

#include "ns3/replay-records.h"
#include "ns3/workload.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Finds for each send of a program the receive of its message, and the other way round.
 *
 * Messages are matched as the ranks match them, first in, first out per pair, communicator and tag.
 * An end is kept until the other one has finished, so that memory does not grow with the run.
 */
class TraceArrows
{
  public:
    /// What is shown of one end.
    struct End
    {
        uint32_t rank{0};      //!< its rank
        std::size_t thread{0}; //!< the thread that shows it; 0 = it is not shown
        int64_t start{0};      //!< when the op began, ns
        int64_t end{0};        //!< when it had finished, ns
    };

    /// A message.
    struct Arrow
    {
        End send;    //!< where it comes from
        End receive; //!< where it goes to
    };

    /**
     * @param workload the job, or the jobs; must outlive this object
     */
    explicit TraceArrows(const Workload& workload);

    /**
     * @param record an op that has finished
     * @return the rank at the other end of its message; none if it is not known: the op moves no
     *         message by itself, or its program has LANES, where a receive may take any message
     */
    std::optional<uint32_t> FindPeer(const OpRecord& record) const;

    /**
     * Take in one end.
     *
     * @param record an op that has finished, and of which FindPeer() knows the peer; of one rank,
     *        after those that have finished before
     * @param end what is shown of it
     * @return the message, if this was its other end, and both are shown
     */
    std::optional<Arrow> Add(const OpRecord& record, const End& end);

  private:
    /// Sender, receiver, communicator and tag of a message.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>;

    /// Ends that lack the other one, all of them sends or all of them receives.
    struct Queue
    {
        bool areSends{false}; //!< they are sends
        std::deque<End> ends; //!< in their order
    };

    /**
     * @param record a send or a receive
     * @return its message
     */
    Key FindKey(const OpRecord& record) const;

    const Workload& m_workload;    //!< the job, or the jobs
    std::map<Key, Queue> m_queues; //!< those that are not empty
};

} // namespace ns3

#endif /* TRACE_ARROWS_H */
