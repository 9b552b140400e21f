/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_SIZE_H
#define MODEL_SIZE_H

#include "model-job.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Numbers of parameters.
 */
struct ParameterCount
{
    uint64_t shared{0};     //!< all but those of routed experts
    uint64_t experts{0};    //!< of routed experts
    uint64_t replicated{0}; //!< of the shared ones, those that each tensor parallel rank has a copy
                            //!< of: norms, the choice of experts, compressions of attention

    /**
     * @param other what to add
     * @return this
     */
    ParameterCount& operator+=(const ParameterCount& other);

    /// @return all
    uint64_t GetTotal() const
    {
        return shared + experts;
    }
};

/**
 * @ingroup workload-replay
 * @param model a model
 * @return its parameters
 */
ParameterCount CountParameters(const ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param job a job
 * @param layer a layer of its model
 * @return its parameters on one rank
 */
ParameterCount CountLayerParameters(const ModelJob& job, uint32_t layer);

/**
 * @ingroup workload-replay
 * @param job a job
 * @return parameters of the embedding on one rank, those of learned positions included
 */
uint64_t CountEmbeddingParameters(const ModelJob& job);

/**
 * @ingroup workload-replay
 * @param job a job
 * @return parameters of the output layer and the norm before it on one rank
 */
ParameterCount CountHeadParameters(const ModelJob& job);

/**
 * @ingroup workload-replay
 * @param job a job
 * @param part a part of its model
 * @return parameters of the part on one rank; tied weights count in the first and the last part
 */
ParameterCount CountPartParameters(const ModelJob& job, uint32_t part);

/**
 * @ingroup workload-replay
 * @brief Count the operations that training takes for one token: three times those of a forward
 *        pass, nothing computed again.
 *
 * As Megatron-LM counts them (num_floating_point_operations), with half the square of attention,
 * since no token attends to later ones.
 *
 * @param model a model
 * @param sequence tokens of a sequence
 * @return FLOP of a token
 */
double GetFlopsPerToken(const ModelDescription& model, uint32_t sequence);

/**
 * @ingroup workload-replay
 * @param job a job
 * @param part a part of its model
 * @return operations that training takes for one token in the part, as GetFlopsPerToken() counts
 */
double GetPartFlopsPerToken(const ModelJob& job, uint32_t part);

/**
 * @ingroup workload-replay
 * @brief What a rank keeps in the memory of its accelerator, bytes.
 */
struct ModelMemory
{
    double parameters{0};  //!< weights
    double gradients{0};   //!< gradients, in the format that they are reduced in
    double optimizer{0};   //!< weights and both moments of Adam in fp32
    double activations{0}; //!< what forward passes leave for backward passes, at their peak

    /// @return all
    double GetTotal() const
    {
        return parameters + gradients + optimizer + activations;
    }
};

/**
 * @ingroup workload-replay
 * @brief Say what the ranks of a stage keep in memory; buffers and fragmentation are not counted.
 *
 * Activations as in V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
 * Models", MLSys 2023, sections 4 and 5.
 *
 * @param job a job
 * @param stage a stage
 * @return what a rank of the stage keeps
 */
ModelMemory GetMemory(const ModelJob& job, uint32_t stage);

/**
 * @ingroup workload-replay
 * @param job a job
 * @param layer a layer
 * @return bytes of activations that a rank keeps for backward of one microbatch
 */
double GetLayerActivations(const ModelJob& job, uint32_t layer);

} // namespace ns3

#endif /* MODEL_SIZE_H */
