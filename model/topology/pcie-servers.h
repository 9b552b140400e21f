/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PCIE_SERVERS_H
#define PCIE_SERVERS_H

#include "topology-servers.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Join the ranks of servers without NVLink by the PCIe switches and CPUs that are described.
 *
 * The PCIe switches and CPUs of every server are all there, whether ranks fill it or not.
 *
 * @param [in,out] graph hosts
 * @param parameters servers, with a description
 */
void AddPcie(TopologyGraph& graph, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Add the NICs of servers that AddPcie() has joined, each as a switch behind its PCIe
 * switch.
 *
 * @param [in,out] graph the servers
 * @param parameters servers, with a description
 * @return their NICs, server after server
 */
std::vector<ServerNic> AddPcieNics(TopologyGraph& graph, const FabricParameters& parameters);

} // namespace ns3

#endif /* PCIE_SERVERS_H */
