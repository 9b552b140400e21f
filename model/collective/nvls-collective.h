/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLS_COLLECTIVE_H
#define NVLS_COLLECTIVE_H

#include "collective-algorithm.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Collectives in which the NVSwitches add and multicast (NVLink SHARP, "NVLS" in NCCL).
 *
 * The buffer is cut into shards, each with a head in every server. For each shard all members of a
 * server send what they have to the NVSwitch, which sends the sum to the head; and the head sends
 * the result to the NVSwitch, which sends it to all of them. So of a buffer of S bytes a member of
 * a server of N sends S (1 + 1/N) and receives as much (NCCL 2.17 and later; Klenk et al., "An
 * in-network architecture for accelerating shared-memory multiprocessor collectives", ISCA 2020).
 *
 * - all-reduce: the members are the heads, as many as the smallest server has. In several servers
 *   the heads of a shard add up their sums along two complementary trees over the servers, half of
 *   the shard on each, every head by its own NIC: NVLSTree of NCCL;
 * - reduce-scatter, all-gather: one server only; each member is the head of its block, and only the
 *   first half or only the second half of the above takes place;
 * - reduce, broadcast: likewise, with the root as the only head.
 *
 * The read requests by which a head has the NVSwitch collect what members have are left out: a
 * member sends as soon as it calls.
 */
class NvlsCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NvlsCollective();

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    Switches GetSwitches() const override;

    /**
     * Estimate as NCCL does. Where the servers are described see ChannelTuning. Otherwise for
     * all-reduce, all-gather and reduce-scatter (tuning.cc, version 2.30): the base
     * latency, and the bytes at the rate of a ring that carried 7/8 of what is left of
     * NVLink, or twice that in an all-reduce, since both halves of it overlap.
     *
     * @param call the collective
     * @param protocol how it is to run
     * @param costs what latencies and wires cost
     * @return the time, seconds; none for two members of a server or fewer, with a protocol other
     *         than Simple, for other kinds, if the switch cannot reduce, or in several servers that
     *         are not described
     */
    std::optional<double> Estimate(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs) const override;

    /**
     * @param protocol how it is to run
     * @param layout where the members stand; in several servers NCCL has latencies of its own
     * @param costs what latencies and wires cost
     * @return its latencies, without the launch
     */
    CollectiveLatencies::Entry GetLatencies(CollectiveProtocol protocol,
                                            const CollectiveLayout& layout,
                                            const CollectiveCosts& costs) const override;

    /**
     * NCCL reckons the latencies of all messages as one. Here in one server each chunk takes that
     * of a hop of a tree, to the NVSwitch and back; in several servers chunks follow each other on
     * their way up and down, so that the call takes those of the network once.
     *
     * @param protocol how it runs
     * @param layout where the members stand
     * @param costs what latencies and wires cost
     * @return what a call costs
     */
    CollectiveTerms GetTerms(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const override;

    /**
     * @param call the collective, of a supported kind
     * @return Channels; if that is 0, one for each NVSwitch of a server
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

    std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const override;

    /// Name of the algorithm.
    static constexpr const char* NAME = "nvls";

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
    uint64_t CountReceivedBytes(const CollectiveCall& call) const override;

    /**
     * @param largest length of the largest share of all, bytes
     * @return pieces to cut each share into
     */
    uint64_t CountPieces(uint64_t largest) const;

    uint32_t m_channels;           //!< channels; 0 = see GetChannels()
    bool m_isMerged;               //!< whether channels in one server are one message each time
    uint64_t m_chunkBytes;         //!< largest piece, bytes; 0 = a share is one piece
    uint64_t m_smallestChunkBytes; //!< not to be cut for the sake of pipelining, bytes
    uint64_t m_fewestPieces;       //!< pieces that a share should have at least
    uint32_t m_pipelineDepth;      //!< pipelines of a share
};

} // namespace ns3

#endif /* NVLS_COLLECTIVE_H */
