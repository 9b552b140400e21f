/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_READER_H
#define LAYER_FILE_READER_H

#include "parallel-layout.h"
#include "workload.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class WorkloadText;

/**
 * @ingroup workload-replay
 * @brief What the user says about a layer file.
 */
struct LayerFileOptions
{
    LayoutRequest layout;          //!< shape of the job; wins over the header of the file
    std::string schedule{"1f1b"};  //!< pipeline schedule, see PipelineSchedule::GetNames()
    std::string order{"megatron"}; //!< order of the rows: megatron, literal
    uint64_t ppBytes{0};           //!< bytes of a pipeline message; 0 = from the file
};

/**
 * @ingroup workload-replay
 * @brief Read a layer file of SimAI, AICB or ASTRA-sim 1.0 and lower it to a workload.
 *
 * The first line is a policy and keys with values, the second one the number of rows. A row has a
 * name, a dependency that is not used, a time, a communication and its bytes for each of forward
 * pass, input gradient and weight gradient, and a time after each communication of the row. Times
 * are nanoseconds. A communication of 0 bytes is none.
 *
 * The order "megatron" runs files of the policies HYBRID_TRANSFORMER and
 * HYBRID_TRANSFORMER_FWD_IN_BCKWD in pipeline stages, see LayerFileStages. The order "literal" runs
 * all rows of a file on every rank, see LowerLiteralOrder(): it has no pipeline, and the data
 * parallel groups take the ranks of the stages. Files of other policies know that order only; tp is
 * the world under MODEL, dp under DATA, MICRO and HYBRID_DLRM, and the hybrid ones need tp, the
 * number of neighbours that the model is split over, or under HYBRID_MODEL_DATA the data.
 *
 * Several model chunks a stage (vpp) make the schedule 1f1b interleaved. If they do not divide the
 * layers, or the schedule can not serve them, there are as many as the schedule has by itself, one
 * if it is interleaved, and a warning says why. Under schedules that have each part of the model on
 * two stages, both hold the rows of a stage, and ranks of both share data parallel groups.
 *
 * A pipeline message has the bytes that the user says, else those of pp_comm in the file, else
 * those of LayerFileStages::GetActivationBytes(), of which a warning reports.
 *
 * @param file path of the file
 * @param options what the user says
 * @return the workload
 * @throws WorkloadError with file, line and column, or the option, if something is wrong
 */
std::shared_ptr<const Workload> ReadLayerFile(const std::string& file,
                                              const LayerFileOptions& options);

/**
 * @ingroup workload-replay
 * @brief Recognize a layer file from files of other formats by its first word, the policy.
 *
 * @param text any text
 * @return true if it is to be read as a layer file
 */
bool LooksLikeLayerFile(const WorkloadText& text);

} // namespace ns3

#endif /* LAYER_FILE_READER_H */
