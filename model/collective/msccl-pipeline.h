/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_PIPELINE_H
#define MSCCL_PIPELINE_H

#include "chunk-pipeline.h"
#include "msccl-plan.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// Steps that the thread blocks of a GPU have made, all loops counted.
using MscclProgress = std::vector<uint64_t>;

/**
 * @ingroup workload-replay
 * @brief Into what the chunks of a plan of MSCCL are cut when it runs.
 */
struct MscclPieces
{
    uint64_t chunk{0};       //!< length of a chunk, bytes
    uint64_t loops{1};       //!< pieces of each chunk, of which a loop over all steps moves one
    uint64_t switchBytes{0}; //!< most that goes through an NVSwitch at a time, bytes; 0 = any
    uint64_t switchDepth{1}; //!< pieces under way of sums that go to all, one for each GPU

    /**
     * @param gpus GPUs for each of which there is a sum
     * @return pieces of each sum that are under way
     */
    uint64_t CountAhead(uint64_t gpus) const;
};

/**
 * @ingroup workload-replay
 * @brief A thread block of a plan of MSCCL: a step with a message or none for each of its steps,
 * and two for one that passes on what it receives.
 *
 * What goes through an NVSwitch goes in pieces, so that one of them is on its way to the NVSwitch
 * while another one comes back.
 */
class MscclPipeline : public ChunkPipeline
{
  public:
    /**
     * @param plan the plan
     * @param gpu the GPU
     * @param block number of the block
     * @param pieces into what chunks are cut
     * @param progress of all blocks of the GPU
     */
    MscclPipeline(std::shared_ptr<const MscclPlan> plan,
                  uint32_t gpu,
                  uint32_t block,
                  const MscclPieces& pieces,
                  std::shared_ptr<MscclProgress> progress);

    bool IsBlocked() const override;
    bool Next(CollectiveStep& step) override;

  private:
    /**
     * @param now a step
     * @param loop a loop
     * @return what it moves then, bytes
     */
    uint64_t GetBytes(const MscclStep& now, uint64_t loop) const;

    /**
     * @param [out] step where the transfer is added
     * @param now a step that receives
     * @param bytes how many
     * @param piece number of the piece that they are
     */
    void Receive(CollectiveStep& step, const MscclStep& now, uint64_t bytes, uint64_t piece) const;

    /**
     * @param [out] step where the transfer is added
     * @param now a step that sends
     * @param bytes how many
     * @param piece number of the piece that they are
     */
    void Send(CollectiveStep& step, const MscclStep& now, uint64_t bytes, uint64_t piece) const;

    std::shared_ptr<const MscclPlan> m_plan;   //!< keeps what follows
    const MscclBlock& m_block;                 //!< the block
    const std::vector<MscclBlock>& m_blocks;   //!< all blocks of its GPU
    uint32_t m_gpu;                            //!< the GPU
    uint32_t m_number;                         //!< number of the block
    MscclPieces m_pieces;                      //!< into what chunks are cut
    std::shared_ptr<MscclProgress> m_progress; //!< of all blocks of the GPU
    uint64_t m_asked{0};                       //!< pieces of the present step that were asked for
};

} // namespace ns3

#endif /* MSCCL_PIPELINE_H */
