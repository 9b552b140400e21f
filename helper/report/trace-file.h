/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include "output-file.h"
#include "time-series.h"
#include "trace-selection.h"

#include "ns3/nstime.h"
#include "ns3/replay-records.h"
#include "ns3/workload.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
     *         message by itself, or its program needs CPUs and NICs, where a receive may take any
     * message
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

/**
 * @ingroup workload-replay
 * @brief Writes trace.json: ops as Chrome trace events, which Perfetto and chrome://tracing open.
 *
 * A process is a rank, a thread is a stream; threads are numbered from 1, since 0 is not a thread
 * to all viewers. Where ops of a stream run in parallel, those that overlap have threads of their
 * own beyond those, for viewers take events of one thread to be nested. A message between ranks
 * that are shown is an arrow, from the start of the op that sends it to the end of the one that
 * receives it. (Google, "Trace Event Format": events B, E, X, M, s, f and C; times are in us.)
 */
class TraceFile
{
  public:
    /**
     * @param directory where the file goes
     * @param name its name
     * @param workload the job, or the jobs
     * @param selection what is shown
     */
    TraceFile(const std::string& directory,
              const std::string& name,
              std::shared_ptr<const Workload> workload,
              const TraceSelection& selection);

    /**
     * @param record an op that has finished, whether it is shown or not
     */
    void Add(const OpRecord& record);

    /**
     * Show the rate and the largest queue of ports as counters, if there are at most 64 series of
     * them, more than which nobody can look at. To be called after all ops.
     *
     * @param series what was seen of ports
     */
    void AddCounters(const TimeSeries& series);

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish();

  private:
    /**
     * Begin an event.
     *
     * @param type its type, a letter of the trace event format
     * @param rank the rank that it belongs to
     * @param thread number of its thread; 0 = the process
     */
    void BeginEvent(char type, uint32_t rank, std::size_t thread);

    /// End an event, and write it.
    void EndEvent();

    /**
     * Add a time to the present event.
     *
     * @param key its name
     * @param nanoseconds the time, ns, not negative
     */
    void AppendTime(const char* key, int64_t nanoseconds);

    /**
     * Name something.
     *
     * @param what kind of name of the trace event format
     * @param rank the rank
     * @param thread number of its thread; 0 = the process
     * @param name the name
     */
    void WriteName(const std::string& what,
                   uint32_t rank,
                   std::size_t thread,
                   const std::string& name);

    /**
     * Name a rank and its streams.
     *
     * @param rank the rank
     * @param position where viewers are to show it among the others
     */
    void WriteProcess(uint32_t rank, std::size_t position);

    /**
     * @param record an op that has finished
     * @param thread number of the thread that shows it
     */
    void WriteOp(const OpRecord& record, std::size_t thread);

    /**
     * @param name what is counted
     * @param unit in what
     * @param time from when on, ns
     * @param value how much, not negative
     */
    void WriteCounter(const std::string& name,
                      const std::string& unit,
                      int64_t time,
                      int64_t value);

    /**
     * @param arrow a message
     */
    void WriteArrow(const TraceArrows::Arrow& arrow);

    /// A thread that shows ops of a stream.
    struct Row
    {
        std::size_t thread; //!< its number
        int64_t end;        //!< when its last op has ended, ns
    };

    /**
     * Find a thread that nothing is shown in from the start of an op on.
     *
     * @param record an op that has finished, after all that have finished before it
     * @return number of the thread
     */
    std::size_t FindThread(const OpRecord& record);

    std::shared_ptr<const Workload> m_workload; //!< the job, or the jobs
    TraceSelection m_selection;                 //!< what is shown
    OutputFile m_file;                          //!< the file
    std::string m_event;                        //!< the present event
    bool m_isEmpty{true};                       //!< no event has been written
    TraceArrows m_arrows;                       //!< finds messages
    uint64_t m_nArrows{0};                      //!< arrows that have been written
    /// Threads of streams whose ops run in parallel, by rank and stream.
    std::map<std::pair<uint32_t, uint16_t>, std::vector<Row>> m_rows;
    std::vector<std::size_t> m_threads; //!< by rank: number of its threads
};

} // namespace ns3

#endif /* TRACE_FILE_H */
