/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLS_PIPELINE_H
#define NVLS_PIPELINE_H

#include "chunk-pipeline.h"
#include "tree-pipeline.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The part that a member plays in moving a shard along a tree.
 */
struct NvlsRole
{
    uint32_t member{0};  //!< the member
    uint32_t head{0};    //!< the head of its server
    bool isAlone{false}; //!< it is the only member of its server
    /// Place of its server in the tree; the nodes are heads, and members of other servers than
    /// the own one count only for the head.
    TreePlace place;

    /**
     * @return true if the member is the head of its server
     */
    bool IsHead() const
    {
        return member == head;
    }
};

/**
 * @ingroup workload-replay
 * @brief Moves the pieces of a share of the buffer through the NVSwitches of the servers and, if
 * there are several servers, through a tree over them.
 *
 * One member of each server is the head: the NVSwitch sends it the sum of what the members of the
 * server have, the heads add up their sums along the tree, and have their NVSwitches send the
 * result to all members.
 *
 * Time goes in rounds, which all members count alike. In a tree of height H the server of depth d
 * adds up piece p in round p + H - d, in which its head also receives what the heads below have; it
 * sends the total up one round later. The root has all of it then, and a head of depth d sends it
 * down and to its own server in round p + H + 1 + d. What only goes up or only goes down, which it
 * does in one server alone, does so in round p.
 */
class NvlsPipeline : public StagedPipeline
{
  public:
    /**
     * @param direction in which direction the pieces go
     * @param role the part that the member plays
     * @param share the share of the buffer
     * @param pieces the pieces of it that the pipeline moves
     * @param channel channel of the messages
     */
    NvlsPipeline(TreeDirection direction,
                 NvlsRole role,
                 const BufferPart& share,
                 const PipelineItems& pieces,
                 uint32_t channel);

  private:
    void MakeRound(CollectiveStep& step) const override;

    /**
     * Add what goes down in the present round.
     *
     * @param step where to add it
     */
    void AddDown(CollectiveStep& step) const;

    /**
     * Add what goes up in the present round.
     *
     * @param step where to add it
     */
    void AddUp(CollectiveStep& step) const;

    TreeDirection m_direction; //!< in which direction the pieces go
    NvlsRole m_role;           //!< the part that the member plays
};

} // namespace ns3

#endif /* NVLS_PIPELINE_H */
