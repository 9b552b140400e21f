/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_INFRA_FILE_H
#define TOPOLOGY_INFRA_FILE_H

#include "infra-model.h"

#include "ns3/input-yaml.h"
#include "ns3/workload-text.h"

#include <cstdint>
#include <string>
#include <vector>

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

/**
 * @ingroup workload-replay
 * @param file where the file stands
 * @param document a file of InfraGraph before its schema 2.0
 * @return what it describes
 * @throws WorkloadError if it is wrong
 */
InfraModel ReadLegacyInfraModel(const SourceLocation& file, const InputDocument& document);

/**
 * @ingroup workload-replay
 * @param section bandwidth of a link: a choice, and under its name a number
 * @return bit/s; gigatransfers are those of 16 lanes of PCIe
 * @throws WorkloadError if it is anything else
 */
uint64_t ReadInfraRate(const JsonSection& section);

/**
 * @ingroup workload-replay
 * @return keys that the bandwidth of a link may have
 */
std::vector<std::string> GetInfraRateKeys();

} // namespace ns3

#endif /* TOPOLOGY_INFRA_FILE_H */
