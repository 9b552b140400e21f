/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_REQUEST_H
#define BACKGROUND_REQUEST_H

#include "transport-kind.h"

#include "ns3/background-traffic.h"
#include "ns3/keyed-values.h"
#include "ns3/topology-graph.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Background traffic that the user asks for, ready to be added to BackgroundTraffic.
 */
struct BackgroundRequest
{
    std::unique_ptr<TrafficPattern> pattern; //!< the flows
    BackgroundTraffic::Period period;        //!< when they begin
    bool isTcp{false};                       //!< over TCP beside the transport of the jobs
};

/**
 * @ingroup workload-replay
 * @brief Make what the option background asks for: KIND[:KEY=VALUE,...].
 *
 * Kinds and their keys, besides hosts (such as 0-7+16-23; all), start and until (times), and
 * transport (same as the jobs', or tcp):
 * - poisson: load (share of the hosts' rate), sizes (see FlowSizes; web-search);
 * - permutation: load, bytes (1 MiB);
 * - incast: load, bytes (500 KB), senders (as many as 60), receiver (a host; any).
 * - file: name of the file, see ReadFlowFile(); no load and no hosts.
 *
 * @param fields values of the option
 * @param transport transport of the jobs
 * @param graph the topology
 * @param stream index of the first random stream to use
 * @return the traffic, in the order of the fields
 * @throws WorkloadError if a value is wrong, or the topology has not the hosts
 */
std::vector<BackgroundRequest> MakeBackground(const std::vector<KeyedField>& fields,
                                              const TransportKind& transport,
                                              const TopologyGraph& graph,
                                              int64_t stream);

} // namespace ns3

#endif /* BACKGROUND_REQUEST_H */
