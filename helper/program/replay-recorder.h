/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_RECORDER_H
#define REPLAY_RECORDER_H

#include "networked-job.h"
#include "replay-part.h"

#include "ns3/output-selection.h"
#include "ns3/replay-result.h"
#include "ns3/time-series.h"
#include "ns3/topology-graph.h"
#include "ns3/trace-selection.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class BackgroundRun;
class ReplayFiles;
class ReplayListener;
class ReplayProgress;
class ReplaySpool;
class StallWatch;
class TimeSeriesSampler;

/**
 * @ingroup workload-replay
 * @brief Runs the simulation of a job and records it: what reports are made of, ports over time,
 *        and files. Where several processes simulate, the first one gets what all have seen.
 *
 * wl-replay and the scripts' ReplayReporter record by it.
 */
class ReplayRecorder
{
  public:
    /**
     * @param job what is simulated; it and all that is given below must outlive this
     * @param graph what it runs on; without nodes = not known
     */
    ReplayRecorder(NetworkedJob& job, const TopologyGraph& graph);
    ~ReplayRecorder();

    // The simulation refers to it.
    ReplayRecorder(const ReplayRecorder&) = delete;
    ReplayRecorder& operator=(const ReplayRecorder&) = delete;

    /**
     * @param background traffic beside the job, which does not end by itself
     */
    void SetBackground(BackgroundRun* background);

    /**
     * Look at ports and queue pairs at regular times. The topology is known.
     *
     * @param request at which and when
     * @throws WorkloadError if there is no such link or rank
     */
    void SampleNetwork(const TimeSeriesRequest& request);

    /**
     * Write files. To be called in all processes, of which the first one writes.
     *
     * @param directory where they go; made if it is not there
     * @param where what asks for it
     * @param files which of them
     * @param shown what trace.json shows; absent = it is not written
     * @param tellsPaths whether flows.csv has the path of each message
     * @throws WorkloadError if they cannot be written there, and there is one process
     * @throws ProcessError the same, in all of several processes
     */
    void WriteFiles(const std::string& directory,
                    const SourceLocation& where,
                    const OutputSelection& files,
                    const std::optional<TraceSelection>& shown,
                    bool tellsPaths);

    /**
     * Run the simulation to its end. To be called once, in all processes.
     *
     * @param progress shows the progress; null = nobody looks
     * @param stopCondition says whether to stop early, asked ten times per second of real time;
     *                      null = never
     * @return what is known of it: in the first process of all, in others of themselves alone
     */
    ReplayPart Run(std::unique_ptr<ReplayProgress> progress = nullptr,
                   std::function<bool()> stopCondition = nullptr);

    /**
     * @return what the simulation has cost this process; Run() has been called
     */
    const RunCost& GetCost() const;

    /**
     * End the files, if there are any.
     *
     * @param result all that the reports give
     * @return what could not be written, one line each
     */
    std::vector<std::string> Finish(const ReplayResult& result);

  private:
    /**
     * Two ranks contradict each other: stop.
     *
     * @param fault what they contradict each other in
     */
    void HandleFault(const ReplayFault& fault);

    /// Listen to what reports and files need, and to nothing else.
    void Listen();

    /// See to it that the simulation ends.
    void WatchForEnd();

    NetworkedJob& m_job;                          //!< what is simulated
    const TopologyGraph& m_graph;                 //!< what it runs on
    BackgroundRun* m_background{nullptr};         //!< traffic beside it; null = none
    std::unique_ptr<TimeSeriesSampler> m_sampler; //!< looks at ports; null = nobody does
    std::unique_ptr<StallWatch> m_watch;          //!< ends what never would; null = it does
    std::optional<OutputSelection> m_selection;   //!< files that are written; absent = none
    std::optional<TraceSelection> m_shown;        //!< what trace.json shows; absent = it is not
                                                  //!< written
    std::unique_ptr<ReplayFiles> m_files;         //!< writes files; null = this process does not
    std::unique_ptr<ReplaySpool> m_spool;       //!< keeps what happens for the first process; null
                                                //!< = this is the only one
    std::unique_ptr<ReplayListener> m_listener; //!< reports to files or spool what happens
    std::vector<ReplayPart::Fault> m_faults;    //!< contradictions between ranks
    RunCost m_cost;                             //!< what the simulation has cost
};

} // namespace ns3

#endif /* REPLAY_RECORDER_H */
