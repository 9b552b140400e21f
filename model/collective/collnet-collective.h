/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_COLLECTIVE_H
#define COLLNET_COLLECTIVE_H

#include "collective-algorithm.h"
#include "tree-pipeline.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All-reduce that switches of the network add up (SHARP): what NCCL calls CollNet.
 *
 * Each channel has a head in every server. The members of a server stand in a tree below it, which
 * adds up a chunk on its way to the head. The head sends the sum to the tree of switches that
 * serves the channel: each switch adds up what comes from below, its root sends the result back
 * down (Graham et al., "Scalable hierarchical aggregation protocol (SHArP)", COMHPC 2016). From the
 * head it goes down the tree of the server. So of a buffer of S bytes a server sends S to the
 * network and receives S, however many servers there are, where a ring needs 2 S (N - 1) / N.
 *
 * Of each channel at most Window chunks are in the switches at a time, so that these need memory
 * for no more; the next chunk goes when the result of one has come, as with the pool of slots of
 * Sapio et al., "Scaling distributed machine learning with in-network aggregation", NSDI 2021,
 * section 3.3.
 */
class CollnetCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param name name of the algorithm
     * @param makePlace makes the place of a member in the tree of its server, whose head is 0
     */
    CollnetCollective(const std::string& name, TreePlace::Maker makePlace);

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    Switches GetSwitches() const override;

    /**
     * @param protocol how it runs
     * @param layout where the members stand
     * @param costs what latencies and wires cost
     * @return what a call costs: NCCL reckons the path through all switches and back as one
     *         latency, once for all chunks
     */
    CollectiveTerms GetTerms(CollectiveProtocol protocol,
                             const CollectiveLayout& layout,
                             const CollectiveCosts& costs) const override;

    /**
     * @param call the collective, of a supported kind
     * @return Channels; if that is 0, one for each head of a server
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

  protected:
    /// A chunk is halved while a channel has fewer of them than so many times the depth of servers,
    /// and it is larger than so many bytes.
    using Halving = std::pair<uint64_t, uint64_t>;

    /**
     * @param share bytes of the largest channel
     * @param depth levels of the largest server
     * @param halvings conditions, one after the other
     * @return chunk of NCCL, bytes
     */
    static uint64_t Halve(uint64_t share, uint64_t depth, std::initializer_list<Halving> halvings);

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
    uint64_t CountReceivedBytes(const CollectiveCall& call) const override;

    /**
     * @param share bytes of the largest channel
     * @param members members of the largest server
     * @return the largest chunk that NCCL takes, bytes
     */
    virtual uint64_t GetDefaultChunk(uint64_t share, uint32_t members) const = 0;

    /**
     * @param members members of the largest server
     * @return what NCCL adds to the latency of a call
     */
    virtual Time GetExtraLatency(uint32_t members [[maybe_unused]]) const
    {
        return Time(0);
    }

    /**
     * @param call the collective
     * @param channel a channel
     * @return place of the member in the tree of its server; the nodes are members
     */
    TreePlace FindPlace(const CollectiveCall& call, uint32_t channel) const;

    TreePlace::Maker m_makePlace; //!< makes places in the tree of a server
    uint32_t m_channels;          //!< channels; 0 = see GetChannels()
    uint64_t m_chunkBytes;        //!< largest chunk, bytes; 0 = as NCCL has it
    uint32_t m_window;            //!< chunks of a channel in the switches at a time
};

} // namespace ns3

#endif /* COLLNET_COLLECTIVE_H */
