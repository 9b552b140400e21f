/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_TRAINING_H
#define MODEL_TRAINING_H

#include "accelerator.h"
#include "parallel-layout.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What is computed again in backward, so that it need not be kept.
 */
enum class Recomputation : uint8_t
{
    NONE,      //!< nothing
    SELECTIVE, //!< modules of layers, see LayerModule; in PyTorch by operator, as TorchTitan does
    FULL       //!< all layers, communication included
};

/**
 * @ingroup workload-replay
 * @brief Modules of a layer that selective recomputation may run again (Megatron-Core,
 *        transformer/transformer_config.py, recompute_modules).
 */
enum class LayerModule : uint8_t
{
    CORE_ATTENTION, //!< attention between its two linear layers
    LAYERNORM,      //!< the norms before attention and before the feed-forward network
    MLA_UP,         //!< what makes queries, keys and values of compressed ones (MLA), and rotates
    MLP,            //!< the feed-forward network of a layer without experts
    MOE,            //!< experts, their router, and what goes to other ranks and comes back
    MOE_ACTIVATION, //!< the activation between the two linear layers of experts
    SHARED_EXPERTS  //!< experts that all tokens go to
};

/**
 * @ingroup workload-replay
 * @brief How context parallel ranks get the keys and values of the others.
 */
enum class ContextExchange : uint8_t
{
    RING,       //!< passed on from rank to rank while attention works (ring attention)
    ALL_GATHER, //!< gathered before attention (Llama 3, arXiv 2407.21783, section 3.3.2)
    ALL_TO_ALL  //!< heads traded for parts of the sequence (DeepSpeed-Ulysses, arXiv 2309.14509)
};

/**
 * @ingroup workload-replay
 * @brief Whose kernels and schedules a model is trained with.
 */
enum class Framework : uint8_t
{
    MEGATRON, //!< Megatron-Core with Transformer Engine
    PYTORCH   //!< PyTorch as TorchTitan uses it: FSDP2, DTensor, TorchInductor, torchao
};

/**
 * @ingroup workload-replay
 * @brief How a model is trained, its parallel layout aside.
 */
struct ModelTraining
{
    Framework framework{Framework::MEGATRON}; //!< whose kernels and schedules
    uint32_t sequence{0};                     //!< tokens of a sequence
    uint32_t microbatchSize{1};               //!< sequences of a microbatch
    Precision precision{Precision::BF16};     //!< number format of matrix operations
    bool sequenceParallel{true}; //!< tensor parallel ranks share out tokens between linear layers
    bool scatterMessages{false}; //!< tensor parallel ranks send a piece each of what stages pass
                                 //!< on, and gather it (Megatron-LM until 2023, megatron/
                                 //!< p2p_communication.py, scatter_gather_tensors_in_pipeline)
    uint32_t zero{1};            //!< what replicas share out instead of keeping copies (ZeRO, arXiv
                                 //!< 1910.02054): 0 nothing, 1 optimizer state, 2 gradients, too, 3
                                 //!< parameters, too
    Recomputation recompute{Recomputation::NONE}; //!< what is computed again
    /// Modules that are, with SELECTIVE.
    std::set<LayerModule> againModules{LayerModule::CORE_ATTENTION};
    ContextExchange context{ContextExchange::RING}; //!< how context parallel ranks exchange
    bool fusedAttention{true}; //!< attention as one kernel that keeps no scores
    AttentionKernel attentionKernel{AttentionKernel::CUDNN}; //!< library of that kernel
    uint32_t gradientBytes{4};    //!< bytes of a gradient when it is reduced, 2 or 4
    bool overlapGradients{true};  //!< gradients are reduced in buckets while backward goes on
    bool overlapParameters{true}; //!< parameters are gathered in buckets while forward goes on
    bool overlapTensor{false};    //!< tensor parallel communication in pieces beside its layer
    bool overlapExperts{false};   //!< forward and backward passes run in pairs, so that each hides
                                  //!< what experts of the other send (PipelineShape::pairs)
    uint32_t dispatchGroups{0};   //!< groups of expert parallel ranks to each of which a token goes
                                  //!< once, and from there to its experts; 0 = it goes to each of
                                  //!< its experts by itself
    std::vector<double> expertLoads; //!< share of all tokens that each expert is sent, the sum is
                                     //!< 1; empty = all the same
    double expertCapacity{0};        //!< most that an expert takes, as a multiple of the mean; what
                                     //!< is above is dropped; 0 = everything

    /// @return whether PyTorch's kernels and schedules are used
    bool IsPytorch() const
    {
        return framework == Framework::PYTORCH;
    }

    /**
     * @return whether parameters are copied when they are gathered, and gradients when they are
     *         reduced: PyTorch's FSDP does, Megatron-Core's keeps them in the buffers that it
     *         communicates (distributed/fsdp, fsdp_double_buffer)
     */
    bool CopiesParameters() const
    {
        return zero == 3 && IsPytorch();
    }

    /**
     * @param module a module of a layer
     * @return whether selective recomputation runs it again
     */
    bool RunsAgain(LayerModule module) const
    {
        return recompute == Recomputation::SELECTIVE && againModules.count(module) > 0;
    }

    /// @return whether the load differs between experts
    bool HasUnevenExperts() const
    {
        return !expertLoads.empty();
    }
};

/**
 * @ingroup workload-replay
 * @brief What a user says about the training of a model. Anything may be left open.
 */
struct ModelOptions
{
    TextField model;                     //!< preset or file, see ReadModelDescription()
    LayoutRequest layout;                //!< layout; microbatches win over nothing
    std::optional<uint32_t> etp;         //!< tensor parallel ranks of an expert; none = tp
    std::optional<uint32_t> sequence;    //!< tokens of a sequence; none = the model's
    std::optional<uint32_t> globalBatch; //!< sequences of an iteration; none = the microbatches
    std::string schedule{"1f1b"};        //!< see PipelineSchedule
    std::string pipelineLayout;          //!< see ParsePipelineLayout(); empty = layers are shared
                                         //!< out evenly
    std::optional<uint32_t> firstStageLayers; //!< layers of the first stage; none = as the others
    std::optional<uint32_t> lastStageLayers;  //!< layers of the last stage; none = as the others
    bool embeddingAsLayer{false};         //!< the embedding counts as a layer when they are shared
                                          //!< out
    bool lossAsLayer{false};              //!< the output layer and the loss likewise
    std::string precision{"bf16"};        //!< bf16, fp16 or fp8
    std::optional<bool> sequenceParallel; //!< none = if there is tensor parallelism
    std::string context{"ring"};          //!< ring, all-gather or all-to-all
    std::string recompute{"none"};        //!< none, selective or full
    std::string recomputeModules{"core_attn"}; //!< see ReadLayerModules()
    std::string framework{"auto"};             //!< megatron, pytorch, or auto: pytorch with zero 3
    std::string attentionKernel{"auto"}; //!< fa2, fa3, cudnn, triton, or auto: fa2 in PyTorch,
                                         //!< cudnn in Transformer Engine
    std::string dispatch{"auto"};        //!< direct, by-group, or auto: by-group if the model
                                         //!< limits the groups of a token's experts
    /// Expert parallel ranks of such a group; none = the model's groups.
    std::optional<uint32_t> dispatchRanks;
    std::string expertLoad{"even"}; //!< even, zipf:EXPONENT, or a share an expert with
                                    //!< commas between
    ModelTraining training;         //!< the rest; what stands above is filled in from it
    TextField accelerator{"h100", {"--accelerator", 0, 0, ""}}; //!< see FindAccelerator()
    double efficiency{1};      //!< see Accelerator::SetEfficiency()
    std::string operatorTimes; //!< file of measured times; empty = none

    /// Where options were given, by name; for messages.
    std::map<std::string, SourceLocation> given;

    /**
     * @param option name of an option
     * @return where it was given, or its name
     */
    SourceLocation Locate(const std::string& option) const
    {
        const auto entry = given.find(option);
        return entry == given.end() ? SourceLocation{"--" + option, 0, 0, ""} : entry->second;
    }
};

} // namespace ns3

#endif /* MODEL_TRAINING_H */
