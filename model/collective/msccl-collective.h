/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_COLLECTIVE_H
#define MSCCL_COLLECTIVE_H

#include "collective-algorithm.h"
#include "msccl-file.h"

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
 * time. What NVSwitches add up and multicast goes through them as in NvlsCollective, in pieces of
 * SwitchBytes; a request for a sum goes there first.
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
     * @param file an algorithm of MSCCL or MSCCL++; the name is that of its file
     */
    explicit MscclCollective(std::shared_ptr<const MscclFile> file);

    /**
     * @return the algorithm, see MscclFile::GetPlan()
     */
    const MscclPlan& GetPlan() const;

    std::string FindUnsupportedReason(const CollectiveCall& call) const override;
    bool LeavesUnsupported(const CollectiveCall& call) const override;
    Switches GetSwitches() const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    uint32_t GetChannels(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;

    /**
     * @param call the collective
     * @return why the NVSwitches cannot do what it needs of them; empty = they can, or it needs
     * none
     */
    std::string FindSwitchReason(const CollectiveCall& call) const;

    std::shared_ptr<const MscclFile> m_file; //!< the algorithm
    uint64_t m_chunkBytes;  //!< most of a chunk that a loop takes, bytes; 0 = what the plan says
    uint64_t m_switchBytes; //!< most that goes through an NVSwitch at a time, bytes; 0 = any
    uint32_t m_switchDepth; //!< pieces of a sum under way
};

} // namespace ns3

#endif /* MSCCL_COLLECTIVE_H */
