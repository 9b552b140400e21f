/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BUCKET_COLLECTIVE_H
#define BUCKET_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce, all-gather, reduce-scatter and all-to-all by the dimensions of a torus, over
 * all links of each member at once.
 *
 * The buffer has a part for each dimension and direction, two for each dimension. Part by part, on
 * a channel of its own, it is reduced and scattered along rings of one dimension after another,
 * beginning with the part's own, and gathered along them in the opposite order: the bucket
 * algorithm (N. Jain and Y. Sabharwal, "Optimal bucket algorithms for large MPI collectives on
 * torus interconnects", ICS 2010; P. Sack and W. Gropp, "Collective algorithms for multiported
 * torus networks", ACM TOPC 1(2), 2015). While the parts are in different dimensions and
 * directions, each link carries one of them: an all-reduce of S bytes on N members of D equal
 * dimensions with links of rate b takes S / D (N - 1) / N / b, as each of the 2 D links of a member
 * sends a part of S / 2 D twice.
 *
 * An all-to-all has a part of each block in each dimension: a member hands every other one of its
 * row what it holds for the place of that one, row after row (TorusExchangePipeline).
 *
 * In a dimension of two the two directions are one link, which carries two parts that are half as
 * long there.
 */
class BucketCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    BucketCollective();

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    uint32_t GetChannels(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
};

} // namespace ns3

#endif /* BUCKET_COLLECTIVE_H */
