/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_INTERNET_H
#define RDMA_INTERNET_H

#include "ns3/node-container.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Give hosts an internet stack that uses the ports of their NICs, see RdmaIpInterface.
 *
 * A host has one address whatever number of ports, RdmaFrame::GetIpv4Address() of its node.
 *
 * @param hosts the hosts; those without a NIC, which other processes have, get none
 * @param stream number of the first random stream of the stacks, the same in all processes
 */
void InstallRdmaInternet(const NodeContainer& hosts, int64_t stream);

} // namespace ns3

#endif /* RDMA_INTERNET_H */
