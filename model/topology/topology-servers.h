/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SERVERS_H
#define TOPOLOGY_SERVERS_H

#include "fabric-parameters.h"
#include "topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A point at which a server is attached to the network.
 */
struct ServerNic
{
    uint32_t node;   //!< node that the links of the NIC start from: a host, or the NIC's own switch
    uint32_t server; //!< server that it stands in, counted from 0
    uint32_t index;  //!< which NIC of its server it is, counted from 0
    DataRate rate;   //!< rate of its links, bit/s
};

/**
 * @ingroup workload-replay
 * @brief Divide whole numbers, rounding up.
 *
 * @param dividend any number
 * @param divisor at least 1
 * @return the quotient, rounded up
 */
uint32_t DivideUp(uint32_t dividend, uint32_t divisor);

/**
 * @ingroup workload-replay
 * @brief Number of servers of a job.
 *
 * @param world number of ranks
 * @param parameters size of a server
 * @return number of servers; the last one may be partial
 */
uint32_t CountServers(uint32_t world, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Number of rails of a job: one for each NIC of its largest server.
 *
 * @param world number of ranks
 * @param parameters size of a server and its NICs
 * @return number of rails, at least 1
 */
uint32_t CountRails(uint32_t world, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Number of NICs of some servers. A partial server has those NICs that its ranks use.
 *
 * @param ranks number of ranks that fill the servers in order
 * @param parameters size of a server and its NICs
 * @return number of NICs
 */
uint32_t CountNics(uint32_t ranks, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Make a graph of servers, not yet linked to each other.
 *
 * Node i is the host of rank i. The NVSwitches of the servers whose ranks reach others over NVLink
 * follow, each with an NVLink link from each rank of the server. Where NVLink joins servers, a
 * second level comes after all of them: for each NVSwitch of a server one that has a link to it and
 * to those of the same number in the other servers of the domain. This is the NVLink Switch System
 * of DGX H100 (NVIDIA H100 Tensor Core GPU Architecture, "NVLink Switch System": 32 servers, half
 * the rate to the second level), whose several switches and links are merged to one of each here.
 *
 * Without NVLink the PCIe switches of the server described come instead, server0-pcie0, ..., and
 * its CPUs, server0-cpu0, ..., each linked to the others: ranks to their PCIe switch, these to
 * their CPU.
 *
 * @param world number of ranks
 * @param parameters size of a server, NVSwitches, rate and delay of NVLink
 * @return the graph
 */
TopologyGraph MakeServers(uint32_t world, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Find the points at which servers are attached to the network; every builder links these.
 *
 * Of G ranks with K NICs, K below G, rank g is at NIC g K / G, rounded down: as consecutive ranks
 * are behind one PCIe switch. So of 8 ranks with 7 NICs ranks 0 and 1 share a NIC, and the others
 * have one each. Of more NICs than ranks, NIC k is one of rank k G / K.
 *
 * A NIC with a rank of its own, or one of several NICs of a rank, is the host itself. A NIC that
 * consecutive ranks share becomes a switch of the name server0-nic0, which stands for the NIC and
 * the PCIe switch before it; each of its ranks gets a link to it, of the NIC's rate and of the
 * delay of a link inside a server.
 *
 * Of servers without NVLink every NIC is a switch of that name behind its PCIe switch, whether
 * ranks fill the server or not. Of other servers that are described each rank is its own
 * attachment: by the NIC behind its PCIe switch, or, where there is none, at the rate of host
 * memory where its nearest NIC is. What such a rank sends does not take from the rate of that NIC,
 * since NCCL gives it one that is free if it can.
 *
 * @param [in,out] graph servers, as MakeServers() has made them
 * @param parameters size of a server and its NICs
 * @return the NICs, server after server; the NICs of one rank stand together
 */
std::vector<ServerNic> AddNics(TopologyGraph& graph, const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Find which ranks share a NIC, in any graph.
 *
 * Ranks share what they are linked to if that is a switch, theirs alone in one server, whose other
 * links together are no faster than the link of one rank: such are those of AddNics().
 *
 * @param graph the graph
 * @return by rank the node of its NIC: the switch that it shares, or the host itself
 */
std::vector<uint32_t> FindNics(const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_SERVERS_H */
