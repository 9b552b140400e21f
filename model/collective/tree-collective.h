/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_COLLECTIVE_H
#define TREE_COLLECTIVE_H

#include "pipelined-collective.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce by a double binary tree; broadcast and reduce by a binomial tree.
 *
 * All-reduce uses two complementary binary trees over the servers, in which every server but one is
 * a leaf of one of them: one in even channels and the other in odd ones. Each piece goes up to the
 * root and down again as soon as it is complete there, so that both directions of all links carry
 * traffic and the time for large buffers tends to 2 S / B (Sanders, Speck and Traeff, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35(12), 2009;
 * Jeaugey, "Massively scale your deep learning training with NCCL 2.4", NVIDIA, 2019). The two must
 * not share connections: the pieces of one would wait behind those of the other, and a pair of
 * members that both trees join would get less of the ports than it needs.
 *
 * Inside a server a chain leads to the member that stands in the tree: in channels 2c and 2c + 1
 * the one on rail c mod L, so that all NICs are used. A piece takes 2 (ceil(log2 servers) + L - 1)
 * steps for servers of L members.
 *
 * Broadcast and reduce send through a binomial tree over the servers and one inside each server,
 * the roots of which stand on the root's rail (modulo the members of the server). A member sends to
 * all its children at once. They suit small buffers: a member has up to log2 N children.
 *
 * Where the call does not say how its members are spread, each stands alone.
 */
class TreeCollective : public PipelinedCollective
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TreeCollective();

    double GetUsedShare(const CollectiveCall& call) const override;
    ChannelBundle GetBundle(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

    /**
     * Estimate as NCCL does (tuning.cc): all-reduce takes the base latency, twice that of the chain
     * in a server and of the tree over the servers, and the time that twice the bytes take at 0.92
     * of the rate of the slowest link, made longer at middle sizes by a table of corrections.
     *
     * @param call the collective
     * @param protocol how it is to run
     * @param costs what latencies and wires cost
     * @return the time, seconds; none but for all-reduce
     */
    std::optional<double> Estimate(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs) const override;

  protected:
    /**
     * @param call the collective
     * @return of all-reduce, two for each member of the largest server, or those of NCCL,
     * when the members stand in several servers, two when it is not known where they stand;
     * otherwise one
     */
    uint32_t GetAutomaticChannels(const CollectiveCall& call) const override;

    TreePlace FindPlace(const CollectiveCall& call, uint32_t channel) const override;
    std::optional<uint64_t> CountNcclPieces(const CollectiveCall& call) const override;
};

} // namespace ns3

#endif /* TREE_COLLECTIVE_H */
