/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_LINK_END_H
#define RDMA_LINK_END_H

#include <cstdint>

namespace ns3
{

class RdmaNetDevice;
class RdmaProcessLink;

/**
 * @ingroup workload-replay
 * @brief A port as the port at the other end of its cable sees it.
 */
struct RdmaLinkEnd
{
    RdmaNetDevice* port{nullptr};     //!< the port, at which packets come in
    RdmaProcessLink* remote{nullptr}; //!< to the process that has the port; null = this one
    uint32_t index{0};                //!< number of the port at its node
    uint32_t address{0};              //!< what packets call its node by that are to go to it
    uint32_t context{0};              //!< id of its node in the simulation
};

} // namespace ns3

#endif /* RDMA_LINK_END_H */
