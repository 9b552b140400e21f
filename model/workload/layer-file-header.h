/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_HEADER_H
#define LAYER_FILE_HEADER_H

#include "layer-file-policy.h"
#include "parallel-layout.h"

#include "ns3/workload-text.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the first line of a layer file says.
 */
struct LayerFileHeader
{
    SourceLocation where;                     //!< the line
    LayerFilePolicy policy{};                 //!< how the file is parallel
    LayoutRequest layout;                     //!< shape of the job, as far as it is said
    uint64_t pipelineBytes{0};                //!< bytes of a pipeline message; 0 = not said
    std::vector<TextField> checkpoints;       //!< rows whose input is kept for backward
    std::vector<TextField> recomputations;    //!< rows that start a recomputation in backward
    std::optional<TextField> lastBottomLayer; //!< DLRM: the row that waits for the embeddings
};

/**
 * @ingroup workload-replay
 * @brief Read the first line of a layer file.
 *
 * A policy, then keys and values in any order, the keys with a colon or without. Row numbers are
 * not checked, since the rows are not known yet.
 *
 * @param text the file
 * @return what the line says
 * @throws WorkloadError naming the first place that is wrong
 */
LayerFileHeader ParseLayerFileHeader(const WorkloadText& text);

} // namespace ns3

#endif /* LAYER_FILE_HEADER_H */
