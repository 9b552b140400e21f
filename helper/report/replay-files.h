/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FILES_H
#define REPLAY_FILES_H

#include "csv-file.h"
#include "ideal-message-time.h"
#include "message-times.h"
#include "output-file.h"
#include "output-selection.h"
#include "replay-output.h"
#include "replay-result.h"
#include "replay-sink.h"
#include "trace-file.h"
#include "trace-selection.h"

#include "ns3/merged-jobs.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"
#include "ns3/replay-statistics.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes the files of a replay, or some of them.
 *
 * - ops.csv has a row for each op, in the order in which they finish. Layer and microbatch are
 *   empty where an op belongs to none.
 * - collectives.csv has a row for each collective, when its last member is done with it.
 * - flows.csv has a row for each message, in the order in which they arrive. A message begins when
 *   the sender hands it to its transport, so that waiting for earlier messages of the same
 *   connection is part of its time. The column path is empty but for TellPaths().
 * - links.csv has a row for each direction of each link.
 * - Where several jobs run, or background traffic, the first three have a last column, job; ranks
 *   are those of the job, and of background traffic, whose job is "background", the hosts.
 * - timeseries.csv, if it was asked for, see TimeSeries.
 * - fabric.json and fabric.dot, see WriteTopologyFiles(); trace.json, see TraceFile; summary.json,
 *   see FormatReplaySummary().
 * - What registers as a ReplayOutput.
 *
 * A file that is not written costs nothing, and what an earlier run has left under its name is
 * removed when the others get theirs. Rows are written as things happen, so that memory does not
 * grow with the length of the run.
 * Equal runs give equal files, but for the object "run" of summary.json.
 */
class ReplayFiles : public ReplaySink
{
  public:
    /**
     * @param directory where the files go; PrepareOutputDirectory() has found nothing wrong with it
     * @param workload the job
     * @param graph the topology it runs on
     * @param selection which files are written
     * @param shown what trace.json shows; absent = it is not written
     */
    ReplayFiles(const std::string& directory,
                std::shared_ptr<const Workload> workload,
                const TopologyGraph& graph,
                const OutputSelection& selection,
                const std::optional<TraceSelection>& shown);

    /// Gives the links that a message takes, by queue pair of its connection.
    using PathFinder = std::function<std::vector<std::vector<uint32_t>>(const Message&)>;

    /**
     * Write paths into flows.csv: the numbers of the links, with blanks between; of several queue
     * pairs with '|' between.
     *
     * @param finder finds them
     */
    void TellPaths(PathFinder finder);

    void AddOp(const OpRecord& record) override;
    void AddCollective(const CollectiveRecord& record) override;
    void AddMessage(const Message& message, Time arrival) override;
    void AddIteration(const IterationRecord& record) override;

    /**
     * Close all files, and give them their names; summary.json comes last, so that the others are
     * complete where it says so.
     *
     * @param result the result, which need not be complete
     * @return what could not be written, one line each
     */
    std::vector<std::string> Finish(const ReplayResult& result);

    /**
     * Note messages that were not sent, see CollectiveReuse; flows.csv must not be written.
     *
     * @param communicator id of their communicator
     * @param messages the messages
     */
    void AddSkipped(uint32_t communicator, const PortIsolation::MessageGroup& messages);

  private:
    /// A ReplayOutput and its file.
    struct Other
    {
        std::unique_ptr<OutputFile> file; //!< where it writes
        Ptr<ReplayOutput> output;         //!< what writes
    };

    /**
     * Begin a table of which a row names the job if there are several.
     *
     * @param name its name, without .gz
     * @param header names of the other columns
     * @param [out] file the table, if it is written
     */
    void Open(const std::string& name,
              const std::string& header,
              std::optional<CsvFile>& file) const;

    /**
     * Add a row to a table that distinguishes jobs if there are several.
     *
     * @param file the table
     * @param job index of the job; Workload::JobRank::NO_JOB = it is background traffic
     * @param cells the cells, but for the job
     */
    template <typename... Cells>
    void AddRow(CsvFile& file, uint32_t job, const Cells&... cells)
    {
        const auto& jobs = m_workload->GetJobs();
        if (jobs.empty())
        {
            file.AddRow(cells...);
            return;
        }
        const bool isOfJob = job < jobs.size();
        file.AddRow(cells..., isOfJob ? jobs[job].name : std::string(BACKGROUND_COMMUNICATOR));
    }

    /**
     * @param communicator id of a communicator
     * @return index of its job; Workload::JobRank::NO_JOB = it is that of background traffic
     */
    uint32_t FindJob(uint32_t communicator) const;

    /**
     * @param job index of a job, or Workload::JobRank::NO_JOB
     * @param address address of a rank, host or NVSwitch that a message comes from or goes to
     * @return its rank in the job; of others the address
     */
    uint32_t GetNumber(uint32_t job, uint32_t address) const;

    /**
     * Write links.csv.
     *
     * @param name the name that it is written under
     * @param result the result
     * @return what CsvFile::Finish() returns
     */
    std::string WriteLinks(const std::string& name, const ReplayResult& result) const;

    /**
     * @param name name of the file
     * @param waits what unfinished ranks wait for
     * @return what is wrong; empty = nothing
     */
    std::string WriteWaits(const std::string& name, const std::vector<WaitRecord>& waits) const;

    std::string m_directory;                    //!< where the files go
    std::shared_ptr<const Workload> m_workload; //!< the job
    OutputSelection m_selection;                //!< which files are written
    std::vector<Other> m_others;                //!< outputs that have registered themselves
    CollectiveSpans m_spans;                    //!< collectives that not all members are done with
    TopologyGraph m_graph;                      //!< for fabric.json and fabric.dot
    IdealMessageTime m_idealTime;               //!< for flows.csv and summary.json
    PathFinder m_findPaths;                     //!< for the column path; null = it stays empty
    MessageTimesTable m_messageTimes;           //!< for summary.json
    std::optional<CsvFile> m_ops;               //!< ops.csv, if it is written
    std::optional<CsvFile> m_collectives;       //!< collectives.csv, if it is written
    std::optional<CsvFile> m_flows;             //!< flows.csv, if it is written
    std::optional<TraceFile> m_trace;           //!< trace.json, if it is written
};

} // namespace ns3

#endif /* REPLAY_FILES_H */
