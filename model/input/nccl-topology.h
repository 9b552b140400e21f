/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TOPOLOGY_H
#define NCCL_TOPOLOGY_H

#include "server-description.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read NCCL's description of a server: what NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE
 * reads, as clouds publish it.
 *
 * GPUs are numbered by dev, or by busid, as CUDA does; so are NICs. What hangs on one outermost
 * PCIe bridge of a CPU stands behind one switch. NICs slower than the fastest are left out, as they
 * carry no data of collectives.
 *
 * @param file path of the file
 * @return where GPUs and NICs stand, with the rates that the file says and notes of what it does
 * not
 * @throws WorkloadError if it is no such file, or has no GPU or no NIC
 */
ServerDescription ReadNcclTopology(const std::string& file);

} // namespace ns3

#endif /* NCCL_TOPOLOGY_H */
