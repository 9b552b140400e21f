/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_CHAIN_COLLECTIVE_H
#define COLLNET_CHAIN_COLLECTIVE_H

#include "collective-algorithm.h"
#include "tree-pipeline.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce that switches of the network add up (SHARP): CollNetChain of NCCL.
 *
 * Each channel has a head in every server. The members of a server stand in a chain, which adds up
 * a chunk on its way to the head. The head sends the sum to the tree of switches that serves the
 * channel: each switch adds up what comes from below, its root sends the result back down (Graham
 * et al., "Scalable hierarchical aggregation protocol (SHArP)", COMHPC 2016). From the head it goes
 * down the chain. So of a buffer of S bytes a server sends S to the network and receives S, however
 * many servers there are, where a ring needs 2 S (N - 1) / N.
 *
 * Of each channel at most Window chunks are in the switches at a time, so that these need memory
 * for no more; the next chunk goes when the result of one has come, as with the pool of slots of
 * Sapio et al., "Scaling distributed machine learning with in-network aggregation", NSDI 2021,
 * section 3.3.
 */
class CollnetChainCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollnetChainCollective();

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    Switches GetSwitches() const override;

    /**
     * @param protocol how it runs
     * @param layout where the members stand
     * @param costs what latencies and wires cost
     * @return what a call costs: NCCL reckons the way through all switches and back as one latency,
     *         once for all chunks
     */
    CollectiveTerms GetTerms(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const override;

    /**
     * @param call the collective, of a supported kind
     * @return Channels; if that is 0, one for each head of a server
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

    /// Name of the algorithm.
    static constexpr const char* NAME = "collnet-chain";

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
    uint64_t CountReceivedBytes(const CollectiveCall& call) const override;

    /**
     * @param call the collective
     * @param channel a channel
     * @return place of the member in the chain of its server; the nodes are members
     */
    static TreePlace FindPlace(const CollectiveCall& call, uint32_t channel);

    /**
     * @param call the collective
     * @param share bytes of the largest channel
     * @return the largest chunk, bytes
     */
    uint64_t GetChunk(const CollectiveCall& call, uint64_t share) const;

    uint32_t m_channels;   //!< channels; 0 = see GetChannels()
    uint64_t m_chunkBytes; //!< largest chunk, bytes; 0 = as NCCL has it
    uint32_t m_window;     //!< chunks of a channel in the switches at a time
};

} // namespace ns3

#endif /* COLLNET_CHAIN_COLLECTIVE_H */
