/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_RUN_H
#define COLLECTIVE_BENCH_RUN_H

#include "collective-bench-cluster.h"
#include "collective-bench-options.h"

#include "ns3/replay-result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

struct NetworkedJob;

/**
 * @ingroup workload-replay
 * @brief What the time of a collective of some size comes to; a row of the table of nccl-tests.
 */
struct CollectiveTiming
{
    uint64_t bytes{0};            //!< size, bytes
    double microseconds{0};       //!< mean time of a call, us; 0 = nothing had to move
    double algorithmBandwidth{0}; //!< size over time, GB/s of 10^9 bytes; 0 = no time was taken
    double busBandwidth{0}; //!< see GetBusBandwidth(), GB/s of 10^9 bytes; 0 = no time was taken
    std::string algorithm;  //!< name of the algorithm that ran
};

/**
 * @ingroup workload-replay
 * @brief Work out the bandwidths of a time.
 *
 * @param kind the kind of collective
 * @param ranks number of members
 * @param bytes size, bytes
 * @param microseconds mean time of a call, us
 * @return the row, without the algorithm
 */
CollectiveTiming MakeCollectiveTiming(CollectiveKind kind,
                                      uint32_t ranks,
                                      uint64_t bytes,
                                      double microseconds);

/**
 * @ingroup workload-replay
 * @brief A simulation that times a collective of one size.
 *
 * Every size has a simulation of its own. Otherwise the connections, the rates of congestion
 * control and the random numbers that a size leaves behind would reach into the next one, and a row
 * would depend on the rows above it; and a link that fails after some time would do so in one row
 * only. To build the network anew takes little beside the simulation.
 *
 * All ranks call at time 0, each as soon as its own call before has returned, and wait for each
 * other in nothing but the collective. The time is that from 0 to the last rank's last return, over
 * the number of calls.
 */
class CollectiveBenchRun
{
  public:
    /**
     * Build the network and install the ranks.
     *
     * @param options what the user asks for; SetNetworkDefaults() has been called with it
     * @param cluster where the ranks stand
     * @param bytes size, bytes
     * @throws WorkloadError if a link is to fail that is not there, or the algorithm cannot run
     *         where the ranks stand
     */
    CollectiveBenchRun(const CollectiveBenchOptions& options,
                       const CollectiveBenchCluster& cluster,
                       uint64_t bytes);

    /// Destroys the simulation.
    ~CollectiveBenchRun();

    // The simulation refers to it.
    CollectiveBenchRun(const CollectiveBenchRun&) = delete;
    CollectiveBenchRun& operator=(const CollectiveBenchRun&) = delete;

    /**
     * @return what the network is
     */
    FabricDescription Describe() const;

    /**
     * Run the simulation.
     *
     * @return why not all ranks have finished, one line each; empty if they have
     */
    std::vector<std::string> Run();

    /**
     * @return what the time comes to; to be asked for after Run() has found nothing wrong
     */
    CollectiveTiming GetTiming() const;

  private:
    const CollectiveBenchOptions& m_options; //!< what the user asks for
    uint64_t m_bytes;                        //!< size, bytes
    std::unique_ptr<NetworkedJob> m_job;     //!< what is simulated
};

} // namespace ns3

#endif /* COLLECTIVE_BENCH_RUN_H */
