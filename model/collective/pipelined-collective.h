/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINED_COLLECTIVE_H
#define PIPELINED_COLLECTIVE_H

#include "collective-algorithm.h"
#include "tree-pipeline.h"

#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Collectives that send pieces of the buffer along trees, one after another.
 *
 * The buffer is shared out among the channels, each of which has a tree. Each share is cut into
 * pieces of at most ChunkBytes.
 */
class PipelinedCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param call the collective, of a supported kind
     * @return Channels; if that is 0, what GetAutomaticChannels() says
     */
    uint32_t GetChannels(const CollectiveCall& call) const override;

  protected:
    /**
     * @param name name in reports and options
     * @param kinds the kinds that it supports: of all-reduce, reduce and broadcast
     */
    PipelinedCollective(const std::string& name, const std::set<CollectiveKind>& kinds);

    /**
     * @param call the collective
     * @return channels when the user asks for none, see CountNetworkChannels()
     */
    virtual uint32_t GetAutomaticChannels(const CollectiveCall& call) const;

    /**
     * @param call the collective, of two members or more
     * @param channel a channel
     * @return place of the member in the channel's tree; the nodes are members
     */
    virtual TreePlace FindPlace(const CollectiveCall& call, uint32_t channel) const = 0;

  private:
    /**
     * @param call the collective, whose placement may know its channels
     * @return pieces that NCCL would cut a channel's share into; nullopt = that is not known
     */
    virtual std::optional<uint64_t> CountNcclPieces(const CollectiveCall& call) const = 0;

    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
    uint64_t CountReceivedBytes(const CollectiveCall& call) const override;

    uint32_t m_channels;      //!< channels; 0 = see GetChannels()
    uint64_t m_chunkBytes;    //!< largest piece, bytes; 0 = as in NCCL, or a share is one
    uint32_t m_pipelineDepth; //!< pieces under way, for each edge if they go up and down
};

} // namespace ns3

#endif /* PIPELINED_COLLECTIVE_H */
