/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_DIRECT_COLLECTIVE_H
#define COLLNET_DIRECT_COLLECTIVE_H

#include "collnet-collective.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief CollNetDirect of NCCL: each member of a server sends to each head its share of the buffer,
 *        and gets it back from there (src/device/all_reduce.h: scatter, reduce, broadcast, gather).
 *
 * So a chunk passes NVLink once on its way up and once on its way down, where it goes through all
 * members of a chain. Over NVLink a member sends and receives 2 S (n - 1) / n of a buffer of S
 * bytes in a server of n members, each of which is a head.
 */
class CollnetDirectCollective : public CollnetCollective
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollnetDirectCollective();

    /// Name of the algorithm.
    static constexpr const char* NAME = "collnet-direct";

  private:
    uint64_t GetDefaultChunk(uint64_t share, uint32_t members) const override;
    Time GetExtraLatency(uint32_t members) const override;
};

} // namespace ns3

#endif /* COLLNET_DIRECT_COLLECTIVE_H */
