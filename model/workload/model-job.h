/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include "model-description.h"
#include "model-training.h"
#include "parallel-layout.h"
#include "pipeline-layout.h"
#include "pipeline-schedule.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A model, how it is trained and how it is laid out over ranks. All of it fits together.
 */
struct ModelJob
{
    ModelDescription model;                           //!< the model
    ModelTraining training;                           //!< how it is trained
    ParallelLayout layout;                            //!< how it is laid out
    PipelineShape shape;                              //!< shape of its pipeline
    std::shared_ptr<const PipelineSchedule> schedule; //!< order of passes
    std::vector<uint32_t> partLayers;                 //!< layers of each part of the model
    std::vector<uint32_t> partMtpLayers; //!< those of each part that predict further tokens

    /// @return tokens of a microbatch that a rank attends with
    uint64_t GetTokens() const;

    /// @return tokens of a microbatch that a rank has between its linear layers
    uint64_t GetSharedTokens() const;

    /**
     * @return among how many tensor parallel ranks the heads of keys and values are shared out: all
     * of them or, if there are fewer heads, as many as those; further ranks have copies
     */
    uint32_t GetKeyValueRanks() const;

    /**
     * @return whether the kernels of attention leave out what lies beyond a window or a chunk:
     * fused ones do (FlashAttention-2 and 3, cuDNN), but FlashAttention's of Triton know none, and
     *         Transformer Engine has none in a ring of context parallel ranks
     * (context_parallel.py), for which all is taken to be attended to
     */
    bool SkipsBeyondReach() const;

    /// @return bytes of the activations of GetTokens()
    uint64_t GetActivationBytes() const;

    /// @return the vocabulary with what pads it to a multiple of 128 for each tensor parallel rank
    ///         (Megatron-LM, make-vocab-size-divisible-by)
    uint64_t GetPaddedVocabulary() const;

    /// @return weights of the embedding on a rank, or of the output layer
    uint64_t CountRankVocabulary() const;

    /// @return stages that hold the same part of the model
    uint32_t CountCopies() const;

    /// @return ranks that hold a copy of the same parameters, those of experts aside
    uint32_t GetReplicas() const;

    /// @return ranks that hold a copy of the same experts
    uint32_t GetExpertReplicas() const;

    /**
     * @param part a part of the model
     * @return its first layer
     */
    uint32_t GetFirstLayer(uint32_t part) const;

    /**
     * @param part a part of the model
     * @return its first layer that predicts further tokens, counted on from the others
     */
    uint32_t GetFirstMtpLayer(uint32_t part) const;

    /// @return true if the first and the last part have the same weights of the embedding
    bool SharesEmbedding() const;

    /**
     * @param stage a stage
     * @param part a part of the model
     * @return whether the stage holds it
     */
    bool HoldsPart(uint32_t stage, uint32_t part) const;

    /// @return sequences of an iteration
    uint64_t GetGlobalBatch() const;
};

/**
 * @ingroup workload-replay
 * @brief Put together a model, how it is trained and how it is laid out.
 *
 * @param options what the user says
 * @return the job
 * @throws WorkloadError naming what is wrong, does not go together, or has no effect
 */
ModelJob CompleteModelJob(const ModelOptions& options);

/**
 * @ingroup workload-replay
 * @brief Share out the layers of a model over its parts.
 *
 * If they do not come out even, the last part, which has the output layer, has one layer less, then
 * the first one, which has the embedding, then the second to last, the second one, and so on
 * inwards. Megatron-LM leaves both out likewise (account-for-embedding-in-pipeline-split).
 *
 * @param layers layers of the model
 * @param parts parts, no more than layers
 * @return layers of each part
 */
std::vector<uint32_t> SpreadLayers(uint32_t layers, uint32_t parts);

/**
 * @ingroup workload-replay
 * @brief Share out the layers of a model over its parts as a user says: by a layout, by the layers
 * of the first and the last stage, by what counts as a layer, or evenly.
 *
 * @param options what the user says
 * @param job the job, with its model, layout, schedule and shape
 * @return layers of each part
 * @throws WorkloadError if what the user says does not fit the model or its pipeline
 */
PipelineLayout ShareOutLayers(const ModelOptions& options, const ModelJob& job);

} // namespace ns3

#endif /* MODEL_JOB_H */
