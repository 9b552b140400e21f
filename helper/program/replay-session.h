/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SESSION_H
#define REPLAY_SESSION_H

#include "job-request.h"
#include "replay-options.h"
#include "replay-part.h"
#include "replay-scene.h"

#include "ns3/replay-output.h"
#include "ns3/replay-records.h"
#include "ns3/replay-result.h"
#include "ns3/trace-selection.h"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class BackgroundRun;
struct NetworkedJob;
class ReplayProgress;
class ReplayRecorder;

/**
 * @ingroup workload-replay
 * @brief One replay as wl-replay does it: from options to reports.
 *
 * Times are exact to the resolution of ns3::Time; call Time::SetResolution(Time::PS) first in the
 * program.
 */
class ReplaySession
{
  public:
    /// Name of the program in messages.
    static constexpr const char* PROGRAM = "wl-replay";

    /// Exit codes of wl-replay.
    enum ExitCode
    {
        DONE = 0,      //!< all ranks have finished
        BAD_INPUT = 1, //!< an option or the input is wrong; nothing was run
        UNFINISHED = 2 //!< the replay could not finish; what was written is marked incomplete
    };

    /**
     * Read the workload, build the network and install the ranks.
     *
     * @param options what the user asks for; checked by CheckReplayOptions()
     * @throws WorkloadError if the workload, the topology or the output directory is wrong; no
     *         directory is made before all else is found right
     */
    explicit ReplaySession(const ReplayOptions& options);

    /// Destroys the simulation.
    ~ReplaySession();

    // A session is listened from by the simulation.
    ReplaySession(const ReplaySession&) = delete;
    ReplaySession& operator=(const ReplaySession&) = delete;

    /// Says whether the simulation is to stop.
    using StopCondition = std::function<bool()>;

    /**
     * Have the simulation stop early when somebody wants it. Reports and files then give what has
     * happened until then.
     *
     * @param condition asked ten times per second of real time; null = never stop early
     */
    void SetStopCondition(StopCondition condition);

    /**
     * @return what was built
     */
    ReplayScene GetScene() const;

    /**
     * Run, and print and write nothing.
     *
     * @return time of the last iteration; 0 = it did not finish
     */
    Time Measure();

    /**
     * Run the simulation, print the report and write the files.
     *
     * @param report where the report goes
     * @param errors where it is reported why the replay could not finish, one line for each reason
     * @return DONE or UNFINISHED
     */
    ExitCode Run(std::ostream& report, std::ostream& errors);

    /**
     * Read and build as the constructor does, in all processes that simulate together.
     *
     * @param options what the user asks for; checked by CheckReplayOptions()
     * @return the replay
     * @throws WorkloadError as the constructor, where there is one process
     * @throws ProcessError if it goes wrong in one of several, or they have read different things
     */
    static std::unique_ptr<ReplaySession> Make(const ReplayOptions& options);

  private:
    /**
     * Make a network, and the ranks on it as the options say.
     *
     * @param workload what the hosts do
     * @return all of it
     */
    std::unique_ptr<NetworkedJob> MakeJob(std::shared_ptr<const Workload> workload);

    /**
     * Run each of several jobs in a network that is the same, but for the other jobs.
     *
     * @param [in,out] result where to report how long their iterations take
     */
    void RunAlone(ReplayResult& result);

    /**
     * Print what is replayed, if the user wants to see the progress.
     *
     * @return shows the progress; null = nobody looks
     */
    std::unique_ptr<ReplayProgress> BeginProgress() const;

    /// Have what was made recorded, but for files.
    void Record();

    /**
     * Find out whether files can be written, and begin them. To be called in all processes.
     *
     * @throws WorkloadError if they cannot, and there is one process
     * @throws ProcessError the same, in all of several processes
     */
    void OpenFiles();

    /**
     * @param part what is known of the simulation
     * @return all that the reports give; of links in the first process alone, which writes them
     */
    ReplayResult MakeResult(const ReplayPart& part) const;

    ReplayOptions m_options;                     //!< what the user asks for
    std::vector<JobRequest> m_requests;          //!< the jobs
    TopologyGraph m_graph;                       //!< what they run on
    std::shared_ptr<const Workload> m_workload;  //!< what the hosts do
    std::unique_ptr<NetworkedJob> m_job;         //!< what is simulated
    std::unique_ptr<BackgroundRun> m_background; //!< traffic beside the jobs; null = none
    std::unique_ptr<ReplayRecorder> m_recorder;  //!< runs and records it
    std::optional<TraceSelection> m_shown;       //!< what trace.json shows; absent = it is not
                                                 //!< written
    std::vector<std::string> m_assumptions;      //!< what the results rest on
    StopCondition m_stopCondition;               //!< says whether to stop; null = never
};

} // namespace ns3

#endif /* REPLAY_SESSION_H */
