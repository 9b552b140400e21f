/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_HEADER_H
#define LAYER_FILE_HEADER_H

#include "parallel-layout.h"
#include "workload-types.h"

#include "ns3/workload-text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How a layer file is parallel: the first word of the file.
 */
enum class LayerFilePolicy : uint8_t
{
    DATA,                            //!< data parallel
    MODEL,                           //!< tensor parallel
    HYBRID_DATA_MODEL,               //!< tensor parallel among neighbours, data parallel beyond
    HYBRID_MODEL_DATA,               //!< data parallel among neighbours, tensor parallel beyond
    HYBRID_TRANSFORMER,              //!< tensor and data parallel
    HYBRID_TRANSFORMER_FWD_IN_BCKWD, //!< likewise, with activations computed again in backward
    HYBRID_DLRM,                     //!< recommendation model: exchanged embeddings, data parallel
    HYBRID_DLRM_ENHANCED,            //!< likewise, the gradients of the embeddings not waited for
    HYBRID_CUSTOMIZED,               //!< each row says how it is parallel
    MICRO                            //!< collectives one after another
};

/**
 * @ingroup workload-replay
 * @brief The three parts of a row of a layer file, in the order of their columns.
 */
enum LayerColumn : std::size_t
{
    FORWARD_COLUMN,        //!< forward pass
    INPUT_GRADIENT_COLUMN, //!< gradient of the input
    WEIGHT_GRADIENT_COLUMN //!< gradient of the weights
};

/// Where the columns of a row communicate, by LayerColumn; nullopt = not at all.
using LayerGroups = std::array<std::optional<Dimension>, 3>;

/**
 * @param policy a policy
 * @return the word that layer files have for it
 */
std::string ToString(LayerFilePolicy policy);

/**
 * @param word any word
 * @return the policy that it names; nullopt = it names none
 */
std::optional<LayerFilePolicy> FindLayerFilePolicy(const std::string& word);

/**
 * @ingroup workload-replay
 * @brief What the first line of a layer file says.
 */
struct LayerFileHeader
{
    SourceLocation where;                  //!< the line
    LayerFilePolicy policy{};              //!< how the file is parallel
    LayoutRequest layout;                  //!< shape of the job, as far as it is said
    bool isInference{false};               //!< forward passes alone; the other columns do not run
    uint64_t pipelineBytes{0};             //!< bytes of a pipeline message; 0 = not said
    std::vector<TextField> checkpoints;    //!< rows whose input is kept for backward
    std::vector<TextField> recomputations; //!< rows that start a recomputation in backward
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

/**
 * @param field the last column of a row of HYBRID_CUSTOMIZED
 * @return the policy that it names
 * @throws WorkloadError if it names none that a row can have
 */
LayerFilePolicy ParseLayerRowPolicy(const TextField& field);

/**
 * Find out where a row communicates, if its words say nothing else.
 *
 * Where a file has one policy, DATA and MODEL have one group, which is the world. Where each row
 * has its own, the groups of the hybrid rows are parts of the world. Under HYBRID_MODEL_DATA the
 * replicas are neighbours: the group of neighbours is always called tp, that of ranks at the
 * distance of tp always dp.
 *
 * @param file policy of the file
 * @param row policy of the row
 * @param isFirst whether it is the first row
 * @return where its columns communicate
 */
LayerGroups GetLayerGroups(LayerFilePolicy file, LayerFilePolicy row, bool isFirst);

} // namespace ns3

#endif /* LAYER_FILE_HEADER_H */
