/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_SETUP_H
#define NETWORK_SETUP_H

#include "network-options.h"
#include "replay-fabric.h"

#include "ns3/application-container.h"
#include "ns3/collective-selection.h"
#include "ns3/ptr.h"
#include "ns3/replay-helper.h"
#include "ns3/topology-graph.h"

namespace ns3
{

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
 * @brief Tell a helper how collectives are carried out: the algorithms, where the ranks stand and
 *        which NVSwitches take part.
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
 * @brief Install what the NVSwitches run that take part in collectives. To be called before the
 *        ranks are installed.
 *
 * @param fabric the network
 * @param graph the topology it was made from
 * @param [in,out] helper SetUpCollectives() has been called with it
 * @return InSwitchReducer of each; none if none take part
 */
ApplicationContainer InstallSwitches(const ReplayFabric& fabric,
                                     const TopologyGraph& graph,
                                     ReplayHelper& helper);

} // namespace ns3

#endif /* NETWORK_SETUP_H */
