/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_LOAD_H
#define RDMA_PORT_LOAD_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a port carries beside its packets, as that of a fluid does: who looks at a port need
 *        not know which it is.
 */
class RdmaPortLoad
{
  public:
    virtual ~RdmaPortLoad() = default;

    /// @return bytes that wait for the port now
    virtual uint64_t GetQueuedBytes() const = 0;

    /// @return bytes of frames that have left by the port, and that it counts later
    virtual double GetUncountedBytes() const = 0;
};

} // namespace ns3

#endif /* RDMA_PORT_LOAD_H */
