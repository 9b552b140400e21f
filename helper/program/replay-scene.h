/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SCENE_H
#define REPLAY_SCENE_H

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/ptr.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a replay consists of, once it is built and before it runs, for whoever wants to
 * connect sinks or to set attributes of single objects. Of several processes each has its own part:
 * null stands for what another one has.
 *
 * NICs and switches of a packet network are aggregated to its nodes:
 * `scene.nodes.Get(number)->GetObject<RdmaNic>()`, `GetObject<RdmaSwitch>()`. Collectives whose
 * ports, or Posted and Arrived of whose transports, a sink listens to are not reused. Sinks of
 * Carried and Delivered, and traffic of one's own, need reuse=off: reused collectives have no
 * messages, and take the network for the jobs' alone.
 */
struct ReplayScene
{
    TopologyGraph graph;                      //!< the topology
    std::shared_ptr<const Workload> workload; //!< what the ranks do
    NodeContainer nodes;                      //!< by number in the graph; of networks without
                                              //!< packets the hosts alone, by rank
    ApplicationContainer ranks;               //!< ReplayApplication of each rank that the process
                                              //!< has; GetRank() says which it is
    ApplicationContainer switches;            //!< SwitchReducer of each switch that takes part in
                                              //!< collectives
    std::vector<Ptr<MessageTransport>> transports; //!< by rank
    /// Returns the port of a link at a node, both by number in the graph; null = it has none.
    std::function<Ptr<NetDevice>(uint32_t link, uint32_t node)> getDevice;
    /// Takes a link down or up, by its number in the graph, at the time at which it is called, in
    /// all processes alike; null = links of this network do not fail, as those of ideal.
    std::function<void(uint32_t link, bool up)> setLinkUp;
};

/// Is called with what was built, before it runs.
using ReplayHook = std::function<void(const ReplayScene&)>;

} // namespace ns3

#endif /* REPLAY_SCENE_H */
