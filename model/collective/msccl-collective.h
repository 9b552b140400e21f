/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_COLLECTIVE_H
#define MSCCL_COLLECTIVE_H

#include "collective-algorithm.h"
#include "msccl-plan.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An algorithm of MSCCL or MSCCL++ that a file describes step by step.
 *
 * Each thread block is a pipeline. Blocks of a GPU wait for each other as the file says; the n-th
 * message from GPU to GPU on a channel is the n-th that is received there. Each chunk goes in
 * pieces of ChunkBytes, one loop over all steps after another. Calls that the plan is not for are
 * left to the automatic choice, as MSCCL leaves them to NCCL. Copies and sums within a GPU take no
 * time.
 */
class MscclCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param plan an algorithm of MSCCL that CheckMscclPlan() has found to be right; the name is
     *             that of its file
     */
    explicit MscclCollective(MscclPlan plan);

    /**
     * @param file path of an algorithm of MSCCL in XML, or of MSCCL++ in JSON
     * @return the algorithm
     * @throws WorkloadError if it is none, or does not do what it says
     */
    static Ptr<MscclCollective> Read(const std::string& file);

    /**
     * @return the algorithm as the file has it
     */
    const MscclPlan& GetPlan() const;

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    bool LeavesUnsupported() const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    uint32_t GetChannels(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    /// Shared with pipelines, which may outlive a choice of another algorithm.
    std::shared_ptr<const MscclPlan> m_plan;
    uint64_t m_chunkBytes; //!< most of a chunk that a loop takes, bytes; 0 = what the plan says
};

} // namespace ns3

#endif /* MSCCL_COLLECTIVE_H */
