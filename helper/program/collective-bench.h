/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_H
#define COLLECTIVE_BENCH_H

#include "collective-bench-cluster.h"
#include "collective-bench-options.h"
#include "collective-bench-report.h"
#include "collective-reference.h"

#include "ns3/replay-result.h"
#include "ns3/text-table.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What wl-collective does: times a collective, size by size.
 *
 * Every size has a simulation of its own. Otherwise the connections, the rates of congestion
 * control and the random numbers that a size leaves behind would reach into the next one, and a row
 * would depend on the rows above it; and a link that fails after some time would do so in one row
 * only. To build the network anew takes little beside the simulation.
 *
 * All ranks call at time 0, each as soon as its own call before has returned, and wait for each
 * other in nothing but the collective. The time is that from 0 to the last rank's last return, over
 * the number of calls.
 *
 * Times are exact to the resolution of ns3::Time; call Time::SetResolution(Time::PS) first in the
 * program.
 */
class CollectiveBench
{
  public:
    /// Exit codes of wl-collective.
    enum ExitCode
    {
        DONE = 0,      //!< all sizes are timed
        BAD_INPUT = 1, //!< an option, the reference or an algorithm is wrong; nothing was run
        UNFINISHED = 2 //!< a size could not finish, or the picture not be written
    };

    /**
     * Read the reference and build the topology.
     *
     * @param options what the user asks for; checked by CheckCollectiveBenchOptions()
     * @throws WorkloadError if the reference or the topology is wrong, the servers do not hold the
     *         ranks, or the reference has none of the sizes
     */
    explicit CollectiveBench(const CollectiveBenchOptions& options);

    // What it prints by refers to it.
    CollectiveBench(const CollectiveBench&) = delete;
    CollectiveBench& operator=(const CollectiveBench&) = delete;

    /**
     * Time all sizes. The first one that cannot finish is the last.
     *
     * @param os where the table goes
     * @param errors where it is reported why a size could not finish, one line for each reason
     * @return DONE or UNFINISHED
     * @throws WorkloadError if the picture cannot be written, a link is to fail that is not there,
     *         or the algorithm cannot run where the ranks stand; nothing was printed then
     */
    ExitCode Run(std::ostream& os, std::ostream& errors);

    /**
     * Print what the fabric is and which algorithms would run, and write files if they are asked
     * for.
     *
     * @param os where to
     * @param errors where it is reported what could not be written
     * @return DONE or UNFINISHED
     * @throws WorkloadError if the directory for files cannot be written to, or the algorithm
     *         cannot run where the ranks stand; nothing was printed then
     */
    ExitCode DryRun(std::ostream& os, std::ostream& errors) const;

    /**
     * Check algorithms instead of timing them, see CheckAlgorithms().
     *
     * @param os where to
     * @return DONE, or BAD_INPUT if one is wrong
     */
    ExitCode Check(std::ostream& os) const;

    /**
     * All of wl-collective but for the resolution of time.
     *
     * @param arguments the arguments without the program's name
     * @return the exit code; errors are reported on standard error
     */
    static ExitCode Main(const std::vector<std::string>& arguments);

  private:
    /**
     * @throws WorkloadError if the reference has none of the sizes
     */
    void CheckReference() const;

    /**
     * @return which algorithm would run for each size
     * @throws WorkloadError if it cannot run where the ranks stand
     */
    TextTable ListAlgorithms() const;

    /**
     * Simulate one size and add its row to the table; the first one has the head printed before it.
     *
     * @param bytes the size
     * @param report the table
     * @return why it could not finish, one line each; empty if it has
     * @throws WorkloadError if a link is to fail that is not there, or the algorithm cannot run
     *         where the ranks stand
     */
    std::vector<std::string> TimeSize(uint64_t bytes, CollectiveBenchReport& report);

    CollectiveBenchOptions m_options;                       //!< what the user asks for
    std::unique_ptr<const CollectiveReference> m_reference; //!< null = nothing to compare with
    CollectiveBenchCluster m_cluster;                       //!< where the ranks stand
    FabricDescription m_fabric;              //!< what they run on, once a size was simulated
    std::vector<CollectiveTiming> m_timings; //!< rows of the table
    std::vector<std::string> m_troubles;     //!< what the last size has left idle or lost
};

} // namespace ns3

#endif /* COLLECTIVE_BENCH_H */
