/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_FORECAST_H
#define TRAFFIC_FORECAST_H

#include "network-options.h"

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a job sends in an iteration, before anything is simulated.
 *
 * All ranks count. Of a collective some members are planned, which stand for all others and for
 * communicators of the same size in as many servers; so sums are close, not exact.
 */
struct TrafficForecast
{
    uint64_t ranks{0};    //!< ranks
    double ops{0};        //!< ops
    double messages{0};   //!< messages
    double bytes{0};      //!< what they have on the wire but for headers
    double packets{0};    //!< packets of them
    double packetHops{0}; //!< packets times links of their paths
    double queuePairs{0}; //!< queue pairs, each of a communicator, two ranks and a pipeline

    double calls{0};         //!< collectives that ranks call
    double ownMessages{0};   //!< messages but for those of collectives that CollectiveReuse skips
    double fluidMessages{0}; //!< the same of a fluid, which skips fewer
    double singleHops{0}; //!< packets times links where queue pairs share a port packet by packet
    double trainHops{0};  //!< trains times links elsewhere
    double congestedTime{0}; //!< times that queue pairs are congested for, of all together, s
};

/**
 * @ingroup workload-replay
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @param graph the topology, with a host for each rank of the workload
 * @param workload the job, or several as one
 * @param reuses whether collectives may be reused: nobody looks at single messages
 * @return what an iteration sends
 * @throws WorkloadError if an algorithm that was chosen cannot do what the workload wants of it
 */
TrafficForecast ForecastTraffic(const NetworkOptions& options,
                                const TopologyGraph& graph,
                                std::shared_ptr<const Workload> workload,
                                bool reuses);

} // namespace ns3

#endif /* TRAFFIC_FORECAST_H */
