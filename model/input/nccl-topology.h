/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TOPOLOGY_H
#define NCCL_TOPOLOGY_H

#include "server-description.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A server as NCCL describes it.
 */
struct NcclServer
{
    ServerDescription server;       //!< where GPUs and NICs stand
    uint64_t nicRate{0};            //!< rate of a NIC, bit/s; 0 = the file does not say it
    uint64_t nvlinkRate{0};         //!< rate of a GPU's NVLinks, bit/s; 0 = likewise
    bool isLinkless{false};         //!< the file describes GPUs, and none has NVLinks
    std::vector<std::string> notes; //!< what of the file was left out, or is missing
};

/**
 * @ingroup workload-replay
 * @param text value of the option server
 * @return whether it is the name of a file, not a description
 */
bool IsServerFile(const std::string& text);

/**
 * @ingroup workload-replay
 * @brief Read NCCL's description of a server: what NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE
 * reads, as clouds publish it.
 *
 * GPUs are numbered by dev, or by busid, as CUDA does; so are NICs. What hangs on one outermost
 * PCIe bridge of a CPU stands behind one switch. NICs slower than the fastest are left out, as they
 * carry no data of collectives. Of several servers the first is read.
 *
 * @param file path of the file
 * @return the server
 * @throws WorkloadError if it is no such file, or has no GPU or no NIC
 */
NcclServer ReadNcclTopology(const std::string& file);

/**
 * @ingroup workload-replay
 * @param field value of the option server
 * @return the server that it describes, or that the file it names does
 * @throws WorkloadError as ReadNcclTopology() and ServerDescription::Parse()
 */
ServerDescription ReadServer(const TextField& field);

} // namespace ns3

#endif /* NCCL_TOPOLOGY_H */
