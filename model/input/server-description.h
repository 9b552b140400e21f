/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_DESCRIPTION_H
#define SERVER_DESCRIPTION_H

#include "workload-error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which GPUs and NICs of a server stand behind the same PCIe switch and the same CPU.
 *
 * As text, for instance of a server with two CPUs, four GPUs and three NICs:
 * "gpu0 gpu1+nic0 / gpu2+nic1 gpu3+nic2". A slash separates CPUs, a blank PCIe switches, a plus
 * what stands behind one switch.
 *
 * A NIC reads and writes the memory of a GPU behind its own switch (GPUDirect RDMA). What other
 * GPUs send through it goes through host memory, as NCCL has it unless NCCL_NET_GDR_LEVEL says
 * otherwise (src/graph/paths.cc, ncclTopoCheckGdr).
 */
struct ServerDescription
{
    /// Where a GPU or a NIC stands.
    struct Place
    {
        uint32_t cpu{0};    //!< its CPU, counted from 0
        uint32_t bridge{0}; //!< its PCIe switch, counted from 0 in the whole server

        /**
         * @param other another place
         * @return whether both are the same
         */
        bool operator==(const Place& other) const
        {
            return cpu == other.cpu && bridge == other.bridge;
        }
    };

    /**
     * @param field the text and its place
     * @return what it describes
     * @throws WorkloadError if it is no description, or GPUs or NICs are not numbered from 0 in the
     *         order in which they stand there
     */
    static ServerDescription Parse(const TextField& field);

    /**
     * @return whether nothing is described
     */
    bool IsEmpty() const;

    /**
     * @param gpu a GPU
     * @return the first NIC behind its PCIe switch that no earlier GPU behind it has, or if there
     *         are fewer NICs than GPUs, the last one; nullopt = there is none behind the switch
     */
    std::optional<uint32_t> FindNic(uint32_t gpu) const;

    /**
     * @param gpu a GPU
     * @return FindNic(), or if there is none the first NIC of its CPU, or of the server
     */
    uint32_t FindNearestNic(uint32_t gpu) const;

    std::vector<Place> gpus; //!< where each GPU stands
    std::vector<Place> nics; //!< where each NIC stands
};

} // namespace ns3

#endif /* SERVER_DESCRIPTION_H */
