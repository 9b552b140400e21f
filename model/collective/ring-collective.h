/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_COLLECTIVE_H
#define RING_COLLECTIVE_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Ring all-reduce, all-gather and reduce-scatter.
 *
 * The buffer is cut into one chunk per member. In N - 1 steps of reduce-scatter each member sends a
 * chunk to the next member and adds the one it gets from the previous member; in N - 1 steps of
 * all-gather the finished chunks go round once more. All-reduce is the first followed by the
 * second: 2 (N - 1) steps, 2 (N - 1) / N of the buffer sent by every member (Patarasuk and Yuan,
 * "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69(2), 2009).
 *
 * Each chunk is shared out among the channels, and each channel's share is cut into pieces of at
 * most ChunkBytes, which go round as rings of their own, PipelineDepth of them at a time.
 *
 * Where the call says how its members are spread over servers, each channel has a ring of its own
 * through them, see RailRing. Otherwise the members stand in the ring as in the communicator.
 */
class RingCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RingCollective();

    std::string DescribeLayout(const CollectiveCall& call) const override;
    double GetUsedShare(const CollectiveCall& call) const override;
    ChannelBundle GetBundle(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

    /**
     * Estimate as NCCL does (tuning.cc): the base latency, one of NVLink or network for each step,
     * and the time that the bytes of all steps take at the rate of the slowest link. Of all-reduce
     * 2 (N - 1) steps, of which as many cross the network as servers follow each other; of the
     * other kinds half.
     *
     * @param call the collective
     * @param protocol how it is to run
     * @param costs what latencies and wires cost
     * @return the time, seconds
     */
    std::optional<double> Estimate(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs) const override;

    /**
     * @param protocol how it is to run
     * @param layout where the members stand; alone in their servers they see the latencies of the
     *               network as those of a tree do, in full
     * @param costs what latencies and wires cost
     * @return its latencies, without the launch
     */
    CollectiveLatencies::Entry GetLatencies(CollectiveProtocol protocol,
                                            const CollectiveLayout& layout,
                                            const CollectiveCosts& costs) const override;

    /**
     * @param protocol how it runs
     * @param layout where the members stand; in several servers all wait for the proxies that post
     *               to the network
     * @param costs what latencies and wires cost
     * @return what a call costs
     */
    CollectiveTerms GetTerms(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const override;

    /**
     * @param call the collective, of a supported kind
     * @return Channels; if that is 0, two for each of GetLinkRings(), or CountNetworkChannels()
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
    uint64_t CountReceivedBytes(const CollectiveCall& call) const override;

    uint32_t m_channels;      //!< rings in parallel; 0 = see GetChannels()
    uint64_t m_chunkBytes;    //!< largest piece, bytes; 0 = as in NCCL, or a share is one
    uint32_t m_pipelineDepth; //!< pieces of a channel on their way at the same time
};

} // namespace ns3

#endif /* RING_COLLECTIVE_H */
