/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_CHAIN_COLLECTIVE_H
#define COLLNET_CHAIN_COLLECTIVE_H

#include "collnet-collective.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief CollNetChain of NCCL: the members of a server stand in a chain.
 */
class CollnetChainCollective : public CollnetCollective
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollnetChainCollective();

    /// Name of the algorithm.
    static constexpr const char* NAME = "collnet-chain";

  private:
    uint64_t GetDefaultChunk(uint64_t share, uint32_t members) const override;
};

} // namespace ns3

#endif /* COLLNET_CHAIN_COLLECTIVE_H */
