/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAIN_COLLECTIVE_H
#define CHAIN_COLLECTIVE_H

#include "pipelined-collective.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Broadcast and reduce along a chain of all members, piece by piece, for large buffers.
 *
 * A broadcast begins at the root and follows the ring of the channel, see RailRing, to the member
 * before the root; a reduce begins at the member after the root and follows the ring to the root.
 * So does NCCL. P pieces take N - 2 + P times as long as one takes from a member to the next.
 *
 * Where the call does not say how its members are spread, they stand in the ring as in the
 * communicator.
 */
class ChainCollective : public PipelinedCollective
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ChainCollective();

    /**
     * Estimate as NCCL does, whose rings broadcast and reduce so: see ChannelTuning.
     *
     * @param call the collective
     * @param protocol how it is to run
     * @param costs what latencies cost
     * @return the time, seconds; none where the servers are not described
     */
    std::optional<double> Estimate(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs) const override;

    ChannelBundle GetBundle(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

  protected:
    TreePlace FindPlace(const CollectiveCall& call, uint32_t channel) const override;
    std::optional<uint64_t> CountNcclPieces(const CollectiveCall& call) const override;
};

} // namespace ns3

#endif /* CHAIN_COLLECTIVE_H */
