/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PXN_COLLECTIVE_H
#define PXN_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-to-all along rails: blocks change rails inside the sender's server.
 *
 * A block for a member of another server goes first to the member of the own server on the
 * receiver's rail, over NVLink, and from there to the receiver. So no block leaves its rail between
 * servers, as with PXN in NCCL ("Doubling all2all performance with NVIDIA Collective Communication
 * Library 2.12", NVIDIA, 2022). No message has more than one block; compare
 * HierarchicalCollective, which joins those for one receiver. Blocks are cut into pieces of at most
 * ChunkBytes, so that who passes one on need not wait for all of it.
 *
 * As in DirectCollective a member sends to the one d places further on while it receives from the
 * one d places back, and up to Concurrency distances are under way at once. In a server that is
 * smaller than others a member stands for several rails, see RailGrid. An all-to-all with splits is
 * not for it, because a member cannot know how long the blocks are that it passes on.
 */
class PxnCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PxnCollective();

    double GetUsedShare(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    uint32_t m_concurrency; //!< blocks under way at the same time, or pieces of them
    uint64_t m_chunkBytes;  //!< largest message, bytes; 0 = a block
};

} // namespace ns3

#endif /* PXN_COLLECTIVE_H */
