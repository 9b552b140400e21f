/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_STAGES_H
#define LAYER_FILE_STAGES_H

#include "layer-file-lowering.h"
#include "layer-file-parser.h"
#include "pipeline-schedule.h"
#include "stage-program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The rows of a layer file sorted into the work of pipeline stages, as Megatron runs it.
 *
 * The file shows one stage that does everything. Names of rows show what belongs where:
 * - `embedding_layer` to the first stage, `final_column`, `embedding_norm` and `cross_entropy*` to
 *   the last one;
 * - `moe_grad_norm*`, `layernorm`, `embedding_grads`, `grad_param*`, `optimizer*` and `grad_gather`
 *   run once, in this order, after the last backward pass; `embedding_grads` only in stages that
 *   hold an end of the model. Each column of such a row computes, then communicates, but
 * `grad_param*` communicates first, and so does `grad_norm`, which older files have in its place;
 * - all others are layers. The name of the first one begins a layer wherever it stands.
 *
 * If the file has several microbatches, every `embedding_layer` begins one. Rows of the last stage
 * that only the last microbatch has run with that one. With several model chunks a stage, each has
 * as many consecutive layers, but all of them where each part of the model is on two stages
 * (StagePlacement::TWICE); the embedding is in the model's first part, and what belongs to the last
 * stage in its last one. A stage with twice the layers runs twice what runs once, as the gradients
 * of both parts are to be reduced, over the ranks of both stages.
 */
class LayerFileStages
{
  public:
    /**
     * @param file the file; must outlive this
     * @param microbatches microbatches it has by its own account; 1 = all rows are one, whatever
     *        their names
     * @throws WorkloadError if the microbatches do not have the same rows
     */
    LayerFileStages(const LayerFile& file, uint32_t microbatches);

    /**
     * @return microbatches written out in the file, at least 1
     */
    std::size_t CountMicrobatches() const;

    /**
     * @return layers of a microbatch; 0 = it has no rows of layers
     */
    uint32_t CountLayers() const;

    /**
     * Find the size of a pipeline message in what the layers communicate.
     *
     * The first tensor parallel communication in forward has the size of an activation. Where it is
     * an all-reduce, each rank holds all of it; where it gathers or scatters (sequence parallel),
     * each rank holds its part.
     *
     * @param tp tensor parallel ranks
     * @return bytes that each rank of a stage sends to the next one; 0 = the layers do not say
     */
    uint64_t GetActivationBytes(uint32_t tp) const;

    /**
     * @param schedule says what each stage holds
     * @param shape shape of the pipeline; its parts divide the layers, and the file has one of its
     *        microbatches or all
     * @param stage a stage
     * @param messageBytes bytes of a pipeline message
     * @return the work of the stage
     */
    StageWork GetWork(const PipelineSchedule& schedule,
                      const PipelineShape& shape,
                      uint32_t stage,
                      uint64_t messageBytes);

  private:
    /// What a row is for. Those that run once come first, in their order.
    enum Role : std::size_t
    {
        MOE_GRAD_NORM,   //!< gradients of experts
        LAYERNORM,       //!< gradients of norms
        EMBEDDING_GRADS, //!< gradients of embeddings
        GRAD_PARAM,      //!< reduction of gradients, and the update
        OPTIMIZER,       //!< norms over all gradients
        GRAD_GATHER,     //!< gathering of the new parameters
        N_ONCE_ROLES,    //!< number of roles that run once
        EMBEDDING,       //!< first stage
        HEAD,            //!< last stage
        LAYER            //!< every stage
    };

    /// Rows of a microbatch.
    using Rows = std::vector<const LayerRow*>;

    /// Passes of a chunk by microbatch.
    using Passes = std::vector<std::shared_ptr<const StagePass>>;

    /**
     * @param row a row
     * @return what it is for
     */
    static Role GetRole(const LayerRow& row);

    /**
     * @throws WorkloadError if the microbatches do not have the same rows
     */
    void CheckMicrobatches() const;

    /**
     * @param hasEmbedding whether it is the first chunk of the model
     * @param hasHead whether it is the last one
     * @param blocks equal blocks that the layers of the file are cut into
     * @param block number of the block that the chunk holds
     * @return a pass for each microbatch of the file
     */
    const Passes& GetPasses(bool hasEmbedding, bool hasHead, uint32_t blocks, uint32_t block);

    /**
     * @param rows the rows of a microbatch
     * @param hasEmbedding whether it is the first chunk of the model
     * @param hasHead whether it is the last one
     * @param blocks equal blocks that the layers of the file are cut into
     * @param block number of the block that the chunk holds
     * @return the rows of the chunk
     */
    std::vector<PlacedRow> SelectRows(const Rows& rows,
                                      bool hasEmbedding,
                                      bool hasHead,
                                      uint32_t blocks,
                                      uint32_t block) const;

    /**
     * @param items what to append the rows to that run once
     * @param isEnd whether the stage holds an end of the model
     */
    void AddOnceRows(StageItems& items, bool isEnd) const;

    const LayerFile& m_file;               //!< the file
    std::array<Rows, N_ONCE_ROLES> m_once; //!< rows that run once, by role
    std::vector<Rows> m_microbatches;      //!< the other rows by microbatch
    std::string m_layerName;               //!< name that begins a layer; empty = no layers
    std::map<std::tuple<bool, bool, uint32_t, uint32_t>, Passes> m_passes; //!< see GetPasses()
};

} // namespace ns3

#endif /* LAYER_FILE_STAGES_H */
