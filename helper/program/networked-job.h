/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORKED_JOB_H
#define NETWORKED_JOB_H

#include "network-options.h"
#include "replay-fabric.h"

#include "ns3/application-container.h"
#include "ns3/collective-selection.h"
#include "ns3/ptr.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-statistics.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FlowTimes;

/**
 * @ingroup workload-replay
 * @brief Build the topology that the user asks for, or read it from the file that they name.
 *
 * @param options what the user asks for
 * @param world number of ranks
 * @return the topology
 * @throws WorkloadError if it is wrong or does not fit the world
 */
TopologyGraph BuildTopology(const NetworkOptions& options, uint32_t world);

/**
 * @ingroup workload-replay
 * @brief Set the defaults of the attributes that options of the network are short names of, and the
 *        random numbers.
 *
 * @param options what the user asks for
 */
void SetNetworkDefaults(const NetworkOptions& options);

/**
 * @ingroup workload-replay
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @return the algorithms of collectives
 */
Ptr<const CollectiveSelection> CreateAlgorithms(const NetworkOptions& options);

/**
 * @ingroup workload-replay
 * @param options what the user asks for, with channels from a file; SetNetworkDefaults() has been
 *                called with it
 * @return how these differ from those that the search finds in the same servers, one sentence each;
 *         none if the servers were made of the channels
 */
std::vector<std::string> CompareNcclGraph(const NetworkOptions& options);

/**
 * @ingroup workload-replay
 * @brief Have a helper know where the ranks stand and which switches take part in collectives.
 *
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @param graph the topology, with a host for each rank of the workload
 * @param endpoints the nodes of it that messages go to
 * @param [in,out] helper has the workload
 */
void PlaceCollectives(const NetworkOptions& options,
                      const TopologyGraph& graph,
                      const FabricEndpoints& endpoints,
                      ReplayHelper& helper);

/**
 * @ingroup workload-replay
 * @brief Set in a helper how collectives are carried out: the algorithms, where the ranks stand and
 *        which switches take part.
 *
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @param graph the topology, with a host for each rank of the workload
 * @param [in,out] helper has the workload
 * @throws WorkloadError if an algorithm that was chosen cannot do what the workload wants of it
 */
void SetUpCollectives(const NetworkOptions& options,
                      const TopologyGraph& graph,
                      ReplayHelper& helper);

/**
 * @ingroup workload-replay
 * @brief A job, ready to run on the network that the user asks for, with all that listens to it.
 */
struct NetworkedJob
{
    /**
     * Make the network, and install ranks and switches.
     *
     * @param options what the user asks for; SetNetworkDefaults() has been called with it
     * @param graph the topology, with a host for each rank of the job
     * @param workload the job
     * @param iterations how often the ranks run it
     * @param reuses whether collectives may be reused: nobody looks at single messages
     * @throws WorkloadError if a link is to fail that is not there, or an algorithm cannot run
     *         where the ranks stand
     */
    NetworkedJob(const NetworkOptions& options,
                 const TopologyGraph& graph,
                 std::shared_ptr<const Workload> workload,
                 uint32_t iterations,
                 bool reuses = false);

    /**
     * Listen to a job that a script has put together. The network is still to be set.
     *
     * @param workload the job
     * @param ranks its applications
     * @param transports theirs, or a part of them
     */
    NetworkedJob(std::shared_ptr<const Workload> workload,
                 const ApplicationContainer& ranks,
                 const std::vector<Ptr<MessageTransport>>& transports);

    ~NetworkedJob();

    std::unique_ptr<ReplayFabric> fabric;         //!< the network
    ApplicationContainer ranks;                   //!< ReplayApplication of each that this
                                                  //!< process has
    ApplicationContainer switches;                //!< SwitchReducer of each switch that takes
                                                  //!< part in collectives
    Ptr<CollectiveReuse> reuse;                   //!< collectives that are reused; null = none
    std::shared_ptr<ReplayStatistics> statistics; //!< listens to all of them
    /// Listen to one of several jobs each; empty = there is one job.
    std::vector<std::shared_ptr<ReplayStatistics>> jobStatistics;
    std::unique_ptr<FlowTimes> flows; //!< of a workload of flows; else null
    std::vector<std::string> notes;   //!< collectives that go otherwise than was asked for

  private:
    /// Listen to each of several jobs by itself.
    void ListenToJobs();
};

} // namespace ns3

#endif /* NETWORKED_JOB_H */
