/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_INFRA_FILE_H
#define TOPOLOGY_INFRA_FILE_H

#include "fabric-parameters.h"
#include "topology-graph.h"

#include "ns3/workload-text.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read an infrastructure of InfraGraph (Keysight/infragraph, schema 2.x in JSON or YAML, or
 * the YAML before it, whose components have a type and whose edges are lists of connections).
 *
 * @param text the file
 * @param parameters rates and delays of links of which the file does not say them
 * @return the fabric of its XPUs, see InfraGraph
 * @throws WorkloadError if it is wrong
 */
TopologyGraph ReadInfraTopology(const WorkloadText& text, const FabricParameters& parameters);

} // namespace ns3

#endif /* TOPOLOGY_INFRA_FILE_H */
