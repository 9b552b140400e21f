/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "replay-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a rank sends at least in an iteration, whatever the algorithms, by link class.
 *
 * Within a server over NVLink, between servers through NICs. A rank stands for its server: what a
 * collective must bring into a server is shared by its members there.
 */
struct TrafficBound
{
    uint64_t calls{0};      //!< collective calls and messages sent
    double serverBytes{0};  //!< bytes over NVLink
    double networkBytes{0}; //!< bytes through NICs
};

/**
 * @ingroup workload-replay
 * @param workload a job
 * @param rank a rank of it
 * @param servers server of each rank
 * @return what the rank sends at least, by dimension of the communicator
 */
std::array<TrafficBound, N_DIMENSIONS> BoundTraffic(const Workload& workload,
                                                    uint32_t rank,
                                                    const std::vector<uint32_t>& servers);

/**
 * @ingroup workload-replay
 * @brief Print what a job made from a model is, before anything is simulated: parameters, FLOPs,
 *        memory, bytes by dimension and link class, and what an iteration takes at least.
 *
 * @param os where to
 * @param options what the user asks for, with a model as workload
 * @param graph the topology
 */
void PrintModelPlan(std::ostream& os, const ReplayOptions& options, const TopologyGraph& graph);

} // namespace ns3

#endif /* MODEL_PLAN_H */
