/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_LOWERING_H
#define LAYER_FILE_LOWERING_H

#include "layer-file-parser.h"
#include "stage-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A row and the layer that it belongs to.
 */
struct PlacedRow
{
    const LayerRow* row{nullptr}; //!< the row
    int32_t layer{-1};            //!< layer, counted from 0; -1 = none
};

/**
 * @ingroup workload-replay
 * @brief What waits for the communication of an input gradient.
 */
enum class InputGradientWait : uint8_t
{
    WEIGHT_GRADIENT, //!< the weight gradient of the same row
    NEXT_ROW         //!< the row that comes next in backward; the weight gradient overlaps
};

/**
 * @ingroup workload-replay
 * @brief Make the forward and the backward pass through some rows.
 *
 * Forward: the rows in their order, each computes, then communicates. Backward: the rows in
 * reverse, each its input gradient, then its weight gradient, whose communication overlaps all that
 * follows. Before a row that starts a recomputation, the rows from the checkpoint before it up to
 * it run forward again, all rows before it if none of them is a checkpoint: the input of a pass is
 * kept in any case.
 *
 * @param rows the rows in forward order
 * @param wait what waits for input gradients
 * @return both passes
 */
StagePass MakeLayerPass(const std::vector<PlacedRow>& rows, InputGradientWait wait);

/**
 * @ingroup workload-replay
 * @brief Append a computation of a row.
 *
 * @param items what to append to
 * @param placed the row
 * @param column which of its computations
 * @param phase part of the iteration
 */
void AddLayerComputation(StageItems& items,
                         const PlacedRow& placed,
                         LayerColumn column,
                         OpPhase phase);

/**
 * @ingroup workload-replay
 * @brief Append a communication of a row; what follows waits for it.
 *
 * @param items what to append to
 * @param placed the row
 * @param column which of its communications
 * @param phase part of the iteration
 * @return the item, which stands last
 */
StageItem& AddLayerCommunication(StageItems& items,
                                 const PlacedRow& placed,
                                 LayerColumn column,
                                 OpPhase phase);

/**
 * @ingroup workload-replay
 * @brief Make the passes of a rank in the order of the file's rows, as ASTRA-sim 1.0 runs them.
 *
 * All rows forward, then all rows backward; a row is a layer. The input gradient of the first row
 * is that of the training data, which is why most policies have no use for it:
 * - DATA: weight gradient before input gradient; no input gradient of the first row.
 * - MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_CUSTOMIZED: InputGradientWait::NEXT_ROW,
 *   and the input gradient of the first row is not communicated.
 * - HYBRID_TRANSFORMER, HYBRID_TRANSFORMER_FWD_IN_BCKWD: InputGradientWait::WEIGHT_GRADIENT, which
 *   is what SimAI does; ASTRA-sim 1.0 itself has InputGradientWait::NEXT_ROW.
 * - HYBRID_DLRM: the first row, the embeddings, is exchanged in forward while the rows up to the
 *   last bottom layer compute. Backward is that of DATA; the gradient of the embeddings is
 *   exchanged once the row above the last bottom layer is done, while the others compute.
 * - HYBRID_DLRM_ENHANCED: likewise.
 * - MICRO: the communications of the weight gradients, one after another, and nothing else.
 *
 * @param file the file
 * @return the passes
 */
StagePass LowerLiteralOrder(const LayerFile& file);

} // namespace ns3

#endif /* LAYER_FILE_LOWERING_H */
