/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_STAGE_H
#define MODEL_STAGE_H

#include "model-passes.h"
#include "model-size.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes the work of a pipeline stage of a model.
 *
 * Replicas reduce gradients in buckets from the last layer to the first, as soon as the last
 * backward pass through the chunk has a bucket full, and gather parameters in the order of the
 * first forward pass (Megatron-LM, megatron/core/distributed). A bucket has max(40 M, 1 M x
 * replicas) parameters in the first part of the model, whose reduction ends last; every other
 * chunk is one bucket (distributed_data_parallel.py). With ZeRO-2 every backward pass
 * reduces; with ZeRO-3 each layer is gathered, one ahead, in every pass, and reduced in every
 * backward pass.
 */
class ModelStageMaker
{
  public:
    /**
     * @param job the job; must outlive this
     * @param times times of operators; must outlive this
     * @param stage the stage
     * @param expertRank see ModelStepMaker
     */
    ModelStageMaker(const ModelJob& job,
                    const ModelTimes& times,
                    uint32_t stage,
                    uint32_t expertRank);

    /// @return the work
    StageWork MakeWork();

  private:
    /// A part of a chunk whose parameters belong together: the embedding, a layer, the head.
    struct Block
    {
        ModelSteps steps;          //!< what it does
        int32_t layer{-1};         //!< its layer; -1 = none
        ParameterCount parameters; //!< its parameters on a rank
        uint32_t bucket{0};        //!< bucket of its parameters, counted over all chunks
    };

    /// Blocks of a chunk in forward order.
    using Blocks = std::vector<Block>;

    /**
     * @param chunk a chunk of the stage
     * @return its blocks, buckets not set
     */
    Blocks MakeBlocks(uint32_t chunk) const;

    /**
     * Put the blocks of a chunk in buckets.
     *
     * @param chunk the chunk
     * @param blocks its blocks
     */
    void FillBuckets(uint32_t chunk, Blocks& blocks);

    /**
     * Have tensor parallel ranks gather what another stage sends, if each is sent a piece.
     *
     * @param [in,out] writer writes the pass
     * @param chunk chunk that it goes to
     * @param forward whether it is activations; false = gradients
     */
    void GatherMessage(ModelPassWriter& writer, uint32_t chunk, bool forward) const;

    /**
     * @param chunk a chunk
     * @param isFirst whether it is the first pass through the chunk in an iteration
     * @return the forward pass
     */
    StageItems MakeForward(uint32_t chunk, bool isFirst) const;

    /**
     * @param chunk a chunk
     * @param isLast whether it is the last pass through the chunk in an iteration
     * @return the backward pass
     */
    StageItems MakeBackward(uint32_t chunk, bool isLast) const;

    /**
     * @param chunks chunks in the order in which forward passes begin with them
     * @return gathering of all parameters in the order in which they are needed
     */
    StageItems GatherParameters(const std::vector<uint32_t>& chunks) const;

    /// @return what follows the last pass
    StageItems MakeAfter() const;

    /**
     * @param items receives the calls that add up gradients of parameters of which ranks of a
     *        replica have copies: norms of tensor parallel ranks, tied embeddings of both ends
     * @param count parameters of the stage
     */
    void AddGradientsOfCopies(StageItems& items, const ParameterCount& count) const;

    /**
     * @param items receives the calls that reduce gradients, of shared parameters and of experts
     * @param count their parameters
     * @param isBlocking whether others wait for it
     */
    void AddReduction(StageItems& items, const ParameterCount& count, bool isBlocking) const;

    /**
     * @param items receives the calls that gather parameters
     * @param count the parameters
     * @param bytes bytes of each
     * @param bucket number of the bucket, of which results are made; none = others wait for the
     * calls
     */
    void AddGathering(StageItems& items,
                      const ParameterCount& count,
                      uint64_t bytes,
                      std::optional<uint32_t> bucket) const;

    /**
     * @param items receives the calls that gather the parameters of a block, with ZeRO 3
     * @param block the block
     */
    void GatherBlock(StageItems& items, const Blocks::value_type& block) const;

    /**
     * @param writer has what comes next wait for parameters
     * @param count the parameters
     * @param bucket number of their bucket
     */
    void AwaitGathering(ModelPassWriter& writer,
                        const ParameterCount& count,
                        uint32_t bucket) const;

    const ModelJob& m_job;                 //!< the job
    const ModelTimes& m_times;             //!< times of operators
    uint32_t m_stage;                      //!< the stage
    ModelStepMaker m_steps;                //!< makes steps
    std::vector<Blocks> m_chunks;          //!< blocks by chunk
    std::vector<ParameterCount> m_buckets; //!< parameters by bucket, last layers first
};

} // namespace ns3

#endif /* MODEL_STAGE_H */
