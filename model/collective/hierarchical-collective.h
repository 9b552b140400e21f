/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_COLLECTIVE_H
#define HIERARCHICAL_COLLECTIVE_H

#include "bucket-collective.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce, all-gather, reduce-scatter and all-to-all inside the servers and along rails.
 *
 * The rail of a member is its index among the members of its server; a rail-optimised fabric joins
 * the members of a rail by a single switch. Nothing goes from a rail to another but inside a
 * server, every byte crosses a NIC as seldom as it can, and all rails carry as much:
 *
 * - all-reduce: reduce-scatter inside the server, all-reduce of each rail along a ring of the
 * members on it, all-gather inside the server (Cho et al., "BlueConnect: decomposing all-reduce for
 * deep learning on heterogeneous network hierarchy", MLSys 2019);
 * - reduce-scatter: inside the server, then along the rails;
 * - all-gather: along the rails, then inside the server;
 * - all-to-all: each member gets from the others of its server all that goes along its rail, and
 * sends each member on the rail one message with the blocks of the whole server (Rajbhandari et
 * al., "DeepSpeed-MoE", ICML 2022; Hwang et al., "Tutel: adaptive mixture-of-experts at scale",
 * MLSys 2023).
 *
 * Inside a server all exchange with all at once: an NVSwitch gives every pair the full rate, and
 * that takes one step where a ring of L members takes L - 1. Between servers, where the way is long
 * and shared, there are rings.
 *
 * On a torus or a mesh whose ranks stand alone, its dimensions are the hierarchy: BucketCollective.
 *
 * Servers need not be equal: a member of a smaller server stands for several rails, see RailGrid.
 * An all-to-all with splits is not for it, because a member cannot know how long the blocks are
 * that it passes on.
 */
class HierarchicalCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HierarchicalCollective();

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;

    /**
     * @param call the collective, of a supported kind
     * @return of an all-to-all 1, of others the number of rails; by dimensions those of bucket
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    /**
     * @param call a collective
     * @return whether it goes by the dimensions of a torus or a mesh
     */
    static bool GoesByDimension(const CollectiveCall& call);

    Ptr<const BucketCollective> m_byDimension; //!< goes by the dimensions of a torus
    uint64_t m_chunkBytes;                     //!< longest message between servers, bytes; 0 = any
    uint32_t m_pipelineDepth;                  //!< pieces of a rail on their way at the same time
    uint32_t m_concurrency;                    //!< servers exchanged with at the same time
};

} // namespace ns3

#endif /* HIERARCHICAL_COLLECTIVE_H */
