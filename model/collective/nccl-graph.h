/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_GRAPH_H
#define NCCL_GRAPH_H

#include "channel-search.h"

#include "ns3/server-description.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Channels of a server that NCCL has found and written.
 */
struct NcclGraphs
{
    std::string file;               //!< path of the file
    ChannelGraph ring;              //!< rings
    ChannelGraph tree;              //!< trees; no channels = the file has none
    ChannelGraph nvls;              //!< GPUs that NVSwitches reduce to; likewise
    std::vector<uint32_t> gpus;     //!< the GPUs that the communicator used, ascending
    bool hasNetwork{false};         //!< whether it used other servers too
    std::vector<std::string> notes; //!< what of the file was left out

    /**
     * @return a server in which such channels may be: each NIC beside the first GPU that a ring or
     * a head of NVLS enters from it, unless another NIC is there; all on one CPU
     */
    ServerDescription MakeServer() const;

    /**
     * @param server a server
     * @return the same channels with NICs by their place in a ServerGraph, where those of one PCIe
     *         switch follow those of the one before
     * @throws WorkloadError if they use GPUs or NICs that the server does not have
     */
    NcclGraphs Place(const ServerDescription& server) const;
};

/**
 * @ingroup workload-replay
 * @brief Read NCCL's description of channels: what NCCL_GRAPH_DUMP_FILE writes and NCCL_GRAPH_FILE
 *        reads.
 *
 * @param file path of the file
 * @return its rings, trees and heads of NVLS
 * @throws WorkloadError if it is no such file, has no rings, or channels have other GPUs than the
 *         first ring
 */
NcclGraphs ReadNcclGraphs(const std::string& file);

} // namespace ns3

#endif /* NCCL_GRAPH_H */
