/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include "output-file.h"

#include "ns3/nstime.h"
#include "ns3/replay-records.h"
#include "ns3/workload.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes trace.json: ops as Chrome trace events, which Perfetto and chrome://tracing open.
 *
 * A process is a rank, a thread is a stream; threads are numbered from 1, since 0 is not a thread
 * to all viewers. Where ops of a stream run in parallel, those that overlap have threads of their
 * own beyond those, for viewers take events of one thread to be nested. (Google, "Trace Event
 * Format": events B, E, X and M; times are in us.)
 */
class TraceFile
{
  public:
    /**
     * @param directory where the file goes
     * @param workload the job
     */
    TraceFile(const std::string& directory, const Workload& workload);

    /**
     * @param record an op that has finished
     */
    void Add(const OpRecord& record);

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish();

  private:
    /// Begin an event: every one but the first follows a comma.
    void BeginEvent();

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

    OutputFile m_file;    //!< the file
    bool m_isEmpty{true}; //!< no event has been written
    /// Threads of streams whose ops run in parallel, by rank and stream.
    std::map<std::pair<uint32_t, uint16_t>, std::vector<Row>> m_rows;
    std::vector<std::size_t> m_threads; //!< by rank: number of its threads
};

} // namespace ns3

#endif /* TRACE_FILE_H */
