/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_CLUSTER_H
#define COLLECTIVE_BENCH_CLUSTER_H

#include "collective-bench-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

struct NetworkedJob;
struct ReplayPart;

/**
 * @ingroup workload-replay
 * @brief Where the ranks of a collective stand.
 *
 * Servers are filled evenly, not one after the other: with fewer ranks than GPUs on a server the
 * first GPUs take part, and the others are idle hosts of the topology.
 */
struct CollectiveBenchCluster
{
    TopologyGraph graph;                //!< the topology
    std::vector<uint32_t> hosts;        //!< the host (its rank in the topology) of each rank
    std::vector<uint32_t> serverShares; //!< number of ranks on each server that has some
};

/**
 * @ingroup workload-replay
 * @brief Build the topology that the user asks for, or read it, and deal out the ranks.
 *
 * With S servers each gets ranks / S of them, the first ones one more if division leaves some over.
 * A host that stands in no server is a server of its own.
 *
 * @param options what the user asks for
 * @return the topology and the hosts in it
 * @throws WorkloadError if the topology is wrong, or its servers do not hold the ranks
 */
CollectiveBenchCluster BuildCollectiveBenchCluster(const CollectiveBenchOptions& options);

/**
 * @ingroup workload-replay
 * @brief Make a job that calls a collective once.
 *
 * @param options kind, ranks and root
 * @param cluster where the ranks stand; idle hosts do nothing
 * @param bytes size of the collective, as CollectiveKind counts it
 * @return the job; communicator 0 is that of the collective
 */
std::shared_ptr<const Workload> MakeCollectiveWorkload(const CollectiveBenchOptions& options,
                                                       const CollectiveBenchCluster& cluster,
                                                       uint64_t bytes);

/**
 * @ingroup workload-replay
 * @brief What a simulation of one size comes to.
 */
struct CollectiveSample
{
    double microseconds{0};           //!< mean time of a call, us; 0 = nothing had to move
    std::string algorithm;            //!< name of the algorithm that ran
    std::vector<std::string> reasons; //!< why it could not finish, one line each; empty = it has
};

/**
 * @ingroup workload-replay
 * @brief Simulate one size of a collective.
 *
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @param cluster where the ranks stand
 * @param bytes the size
 * @param onReady is called before the simulation begins; null = nobody
 * @param onDone is called when it has finished; null = nobody
 * @return what it comes to
 * @throws WorkloadError if a link is to fail that is not there, or the algorithm cannot run where
 *         the ranks stand
 */
CollectiveSample SimulateCollective(
    const CollectiveBenchOptions& options,
    const CollectiveBenchCluster& cluster,
    uint64_t bytes,
    const std::function<void(const NetworkedJob&)>& onReady = nullptr,
    const std::function<void(const NetworkedJob&, const ReplayPart&)>& onDone = nullptr);

} // namespace ns3

#endif /* COLLECTIVE_BENCH_CLUSTER_H */
