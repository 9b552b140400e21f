/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_PARSER_H
#define LAYER_FILE_PARSER_H

#include "layer-file-header.h"
#include "workload-types.h"

#include "ns3/workload-text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A part of a row of a layer file: a computation and the communication after it.
 */
struct LayerWork
{
    uint64_t time{0};                                //!< computation in ps; 0 = none
    uint64_t bytes{0};                               //!< size as the kind counts it; 0 = none
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< which collective
    Dimension dimension{Dimension::TP};              //!< in which group
};

/**
 * @ingroup workload-replay
 * @brief A row of a layer file, checked and in the units of the replay.
 */
struct LayerRow
{
    std::string name;                //!< name of the layer
    uint32_t line{0};                //!< line in the file, counted from 1
    std::array<LayerWork, 3> work;   //!< its parts by LayerColumn
    uint64_t updateTime{0};          //!< ps after each communication; 0 = none
    bool isCheckpoint{false};        //!< its input is kept for the backward pass
    bool startsRecomputation{false}; //!< in backward, the rows from the checkpoint before it up
                                     //!< to it run forward again
};

/**
 * @ingroup workload-replay
 * @brief A layer file as it stands.
 */
struct LayerFile
{
    std::string file;               //!< path of the file
    LayerFileHeader header;         //!< the first line
    std::size_t lastBottomLayer{0}; //!< DLRM: the row that waits for the embeddings
    std::vector<LayerRow> rows;     //!< the rows, at least one
};

/**
 * @ingroup workload-replay
 * @brief Read the text of a layer file of SimAI, AICB or ASTRA-sim 1.0.
 *
 * @param text the text
 * @return the file
 * @throws WorkloadError naming the first place that is wrong
 */
LayerFile ParseLayerFile(const WorkloadText& text);

} // namespace ns3

#endif /* LAYER_FILE_PARSER_H */
