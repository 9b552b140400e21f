/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_READER_H
#define MODEL_READER_H

#include "model-training.h"
#include "parallel-layout.h"
#include "workload.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a user says about the training of a model. Anything may be left open.
 */
struct ModelOptions
{
    TextField model;                      //!< preset or file, see ReadModelDescription()
    LayoutRequest layout;                 //!< layout; microbatches win over nothing
    std::optional<uint32_t> etp;          //!< tensor parallel ranks of an expert; none = tp
    std::optional<uint32_t> sequence;     //!< tokens of a sequence; none = the model's
    std::optional<uint32_t> globalBatch;  //!< sequences of an iteration; none = the microbatches
    std::string schedule{"1f1b"};         //!< see PipelineSchedule
    std::string precision{"bf16"};        //!< bf16, fp16 or fp8
    std::optional<bool> sequenceParallel; //!< none = if there is tensor parallelism
    std::string context{"ring"};          //!< ring, all-gather or all-to-all
    std::string recompute{"none"};        //!< none, selective or full
    std::string dispatch{"auto"};         //!< direct, by-group, or auto: by-group if the model
                                          //!< limits the groups of a token's experts
    std::string expertLoad{"even"};       //!< even, zipf:EXPONENT, or a share an expert with
                                          //!< commas between
    ModelTraining training;               //!< the rest; what stands above is filled in from it
    TextField accelerator{"h100", {"--accelerator", 0, 0, ""}}; //!< see FindAccelerator()
    double efficiency{1};      //!< see Accelerator::SetEfficiency()
    std::string operatorTimes; //!< file of measured times; empty = none

    /// Where options were given, by name; for messages.
    std::map<std::string, SourceLocation> given;

    /**
     * @param option name of an option
     * @return where it was given, or its name
     */
    SourceLocation Locate(const std::string& option) const;
};

/**
 * @ingroup workload-replay
 * @brief Make the workload of a model from its configuration.
 *
 * @param options what the user says
 * @return the workload; its warnings tell what was assumed
 * @throws WorkloadError if what the user says does not go together
 */
std::shared_ptr<const Workload> ReadModel(const ModelOptions& options);

} // namespace ns3

#endif /* MODEL_READER_H */
