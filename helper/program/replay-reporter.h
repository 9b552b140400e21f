/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_REPORTER_H
#define REPLAY_REPORTER_H

#include "networked-job.h"

#include "ns3/application-container.h"
#include "ns3/collective-reuse.h"
#include "ns3/output-selection.h"
#include "ns3/ptr.h"
#include "ns3/replay-result.h"
#include "ns3/time-series.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class RdmaFabricHelper;
class ReplayRecorder;
class TcpFabricHelper;

/**
 * @ingroup workload-replay
 * @brief Runs a simulation that a script has put together, and writes the report, summary.json and
 * the other files of wl-replay about it.
 *
 *     ReplayHelper helper(workload);
 *     auto ranks = helper.Install(fabric.GetHosts(), fabric.GetTransports());
 *     ReplayReporter reporter(workload, ranks);
 *     reporter.SetFabric(fabric);
 *     reporter.WriteFiles("out");
 *     const bool isComplete = reporter.Run(std::cout, std::cerr);
 *     Simulator::Destroy();
 *
 * Ranks that contradict each other end the run, and it says so. Of several processes
 * (ProcessGroup) each has a reporter, whose functions all call alike; the first one writes what all
 * have seen. Objects that it is given must outlive the simulation, and it must, too.
 */
class ReplayReporter
{
  public:
    /**
     * @param workload what the ranks do; several jobs (MergeJobs()) are reported one by one
     * @param ranks applications of ReplayHelper
     */
    ReplayReporter(std::shared_ptr<const Workload> workload, const ApplicationContainer& ranks);
    ~ReplayReporter();

    // The simulation refers to it.
    ReplayReporter(const ReplayReporter&) = delete;
    ReplayReporter& operator=(const ReplayReporter&) = delete;

    /**
     * Say what the ranks run on; to be called once, before anything is sent. Without it, reports
     * say nothing of a network.
     *
     * @param fabric the fabric, installed; TopologyGraph::SetName() has named its topology
     */
    void SetFabric(RdmaFabricHelper& fabric);

    /**
     * The same of a network of ns-3's internet stack.
     *
     * @param fabric the network, installed
     */
    void SetFabric(TcpFabricHelper& fabric);

    /**
     * The same of any other network, whose links are not counted.
     *
     * @param description what reports say of it
     */
    void SetFabric(const FabricDescription& description);

    /**
     * Count what is reused, see ReplayHelper::ReuseCollectives(). Files with a row for each message
     * do not go with it.
     *
     * @param reuse knows the collectives
     */
    void SetReuse(Ptr<CollectiveReuse> reuse);

    /**
     * Look at ports and queue pairs at regular times, for timeseries.csv. To be called after
     * SetFabric() of a fabric helper and before WriteFiles(). Where collectives are reused, ports
     * are not seen to carry them.
     *
     * @param request at which, and how often
     * @throws WorkloadError if there is no such link or rank
     */
    void SetTimeSeries(const TimeSeriesRequest& request);

    /**
     * @param assumption what results rest on, a sentence that the report is to have
     */
    void AddAssumption(const std::string& assumption);

    /**
     * Write files, too. To be called after SetFabric() and before anything is sent.
     *
     * @param directory where they go; made if it is not there
     * @param files which of them; timeseries.csv needs SetTimeSeries()
     * @throws WorkloadError if they cannot be written there, or flows.csv is to be where
     *         collectives are reused
     */
    void WriteFiles(const std::string& directory, const OutputSelection& files = {});

    /**
     * Run the simulation to its end, print the report and write the files.
     *
     * @param report where the report goes
     * @param errors where the reasons go why not all ranks have finished, and what could not be
     *        written, one line each
     * @return whether all ranks have finished and all is written, the same in all processes
     */
    bool Run(std::ostream& report, std::ostream& errors);

    /**
     * @return what the report says; Run() has been called. Of several processes the first one's is
     *         that of all
     */
    const ReplayResult& GetResult() const;

  private:
    class ScriptFabric;

    /// Have the report say what the fabric warns of.
    void AddFabricWarnings();

    std::shared_ptr<const Workload> m_workload; //!< what the ranks do
    std::unique_ptr<NetworkedJob> m_job;        //!< what is simulated
    TopologyGraph m_graph;                      //!< what they run on; without nodes = not known
    std::vector<std::string> m_assumptions;     //!< what results rest on
    std::unique_ptr<ReplayRecorder> m_recorder; //!< runs and records it
    bool m_hasSeries{false};                    //!< ports are looked at over time
    ReplayResult m_result;                      //!< what the report says
};

} // namespace ns3

#endif /* REPLAY_REPORTER_H */
