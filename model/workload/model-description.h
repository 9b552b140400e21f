/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_DESCRIPTION_H
#define MODEL_DESCRIPTION_H

#include "model-linear-attention.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The feed-forward layers of a mixture of experts.
 */
struct ModelExperts
{
    uint32_t count{1};        //!< routed experts of a layer
    uint32_t topK{1};         //!< experts that a token is sent to
    uint32_t ffn{0};          //!< inner size of an expert
    uint32_t sharedFfn{0};    //!< inner size of all shared experts together; 0 = none are shared
    uint32_t denseLayers{0};  //!< so many first layers have no experts
    uint32_t every{1};        //!< of the others, one in so many has experts, the last of each
    std::vector<bool> layers; //!< whether each layer has experts, those that predict further tokens
                              //!< last, which may be left out; empty = as the two above say
    uint32_t groups{1};       //!< groups that the experts of a layer are divided into
    uint32_t groupLimit{0};   //!< groups that a token is sent to at most; 0 = any number
    bool bias{false};         //!< their linear layers have biases
    uint32_t latent{0};      //!< elements that a token is made narrow to before it is sent, and its
                             //!< result wide again from (LatentMoE of Nemotron 3, arXiv
                             //!< 2601.18089); 0 = it is sent whole
    double dispatchBytes{0}; //!< bytes of an element on the way to the experts, with its share of
                             //!< the scales, if the model computes in fp8; 0 = those of activations

    /**
     * @param hidden elements of a token in the model
     * @return those that routed experts see of it
     */
    uint64_t GetInput(uint32_t hidden) const
    {
        return latent > 0 ? latent : hidden;
    }
};

/**
 * @ingroup workload-replay
 * @brief Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1).
 */
struct ModelLatentAttention
{
    uint32_t queryRank{0}; //!< rank of queries; 0 = queries are not compressed
    uint32_t kvRank{0};    //!< rank that keys and values share
    uint32_t nopeSize{0};  //!< size of a head's query and key without position
    uint32_t ropeSize{0};  //!< size of their part with position
    uint32_t valueSize{0}; //!< size of a head's value
};

/**
 * @ingroup workload-replay
 * @brief What a token of a layer attends to.
 */
enum class AttentionReach : uint8_t
{
    FULL,   //!< all tokens before it
    WINDOW, //!< the last ones of a number (sliding window)
    CHUNK,  //!< those of its chunk of the sequence
    LINEAR, //!< a state that sums them up (linear attention), or compressed ones
    NONE    //!< nothing: the layer has no attention
};

/**
 * @ingroup workload-replay
 * @brief Attention of layers that do not attend to all tokens.
 */
struct ModelReach
{
    std::vector<AttentionReach> layers; //!< by layer, those that predict further tokens after the
                                        //!< others, or as the last one; empty = all are full
    uint32_t tokens{0};                 //!< tokens of a window or a chunk
    uint64_t linearWeights{0};          //!< weights of linear or compressed attention in a layer
    int64_t fullWeights{0};             //!< weights that attention to all tokens has more than that
                                        //!< of windows (Gemma 4), or less
    std::optional<ModelLinearAttention> linear; //!< that attention; none = nothing is known of it
                                                //!< but its weights
};

/**
 * @ingroup workload-replay
 * @brief A transformer as its authors describe it, before anybody distributes it.
 */
struct ModelDescription
{
    std::string name;             //!< its name
    std::string file;             //!< file that it was read from
    uint32_t layers{0};           //!< transformer layers
    uint32_t hidden{0};           //!< size of a token's activation
    uint32_t heads{0};            //!< attention heads
    uint32_t kvHeads{0};          //!< heads of keys and values; grouped queries share one
    uint32_t headSize{0};         //!< size of a head; unused with latent attention
    uint32_t ffn{0};              //!< inner size of the dense feed-forward layers
    uint32_t vocabulary{0};       //!< tokens
    uint32_t sequence{0};         //!< tokens of a sequence, unless the user says otherwise
    bool gated{true};             //!< feed-forward layers have a third matrix, the gate (SwiGLU)
    bool tiedEmbedding{false};    //!< the output layer has the weights of the embedding
    bool learnedPositions{false}; //!< positions are an embedding, too; else rotary
    bool bias{false};             //!< linear layers have biases, norms are layer norms (GPT), else
                                  //!< root mean square norms without
    bool queryKeyNorm{false};     //!< each head of queries and keys has a norm (Qwen3)
    bool outputGate{false};       //!< a gate as wide as the output of attention (Qwen3-Next)
    bool dropout{false};          //!< drops out after embedding, attention and feed-forward layers
    std::optional<ModelExperts> experts;     //!< experts; none = all layers are dense
    std::optional<ModelLatentAttention> mla; //!< latent attention; none = grouped queries
    uint32_t queryRank{0}; //!< rank of grouped queries (Step-3, arXiv 2507.19427, section 3); 0 =
                           //!< queries are not compressed, or are latent
    uint32_t mtpLayers{0}; //!< layers that predict further tokens (DeepSeek-V3, arXiv 2412.19437,
                           //!< section 2.2)
    uint32_t embeddingSize{0}; //!< elements of an embedding that is made as wide as the layers by a
                               //!< matrix, and narrow again by another (OPT-350m); 0 = hidden
    ModelReach reach;          //!< layers that do not attend to all tokens
    std::vector<uint32_t> ffns; //!< inner size of each layer's feed-forward network without
                                //!< experts, the largest of which is ffn; 0 = it has none; empty =
                                //!< all that have no experts are as large
    uint64_t embeddingWeights{0}; //!< weights beside the embedding: embeddings of each layer (Gemma
                                  //!< 3n), of which a token reads few
    uint64_t layerWeights{0};     //!< weights of further linear layers in each layer
    std::vector<std::string> notes; //!< what of its file was left out or taken for something else

    /**
     * @param layer a layer, counted from 0; those that predict further tokens come last
     * @return what its tokens attend to
     */
    AttentionReach GetReach(uint32_t layer) const;

    /**
     * @param layer a layer
     * @return whether it has linear attention of which more is known than its weights
     */
    bool HasLinearAttention(uint32_t layer) const;

    /**
     * @param layer a layer
     * @param sequence tokens of a sequence
     * @return tokens that a token attends to, the mean over the sequence; 0 with linear attention
     */
    double GetAttendedTokens(uint32_t layer, uint32_t sequence) const;

    /**
     * @param layer a layer, counted from 0; those that predict further tokens come last
     * @return whether it has a feed-forward network, with experts or without
     */
    bool HasFeedForward(uint32_t layer) const;

    /**
     * @param layer a layer, counted from 0; those that predict further tokens come last
     * @return whether it has experts
     */
    bool HasExperts(uint32_t layer) const;

    /// @return elements of an embedding
    uint32_t GetEmbeddingSize() const;

    /// @return weights of each of the matrices between embeddings and layers; 0 = there are none
    uint64_t CountWidening() const;

    /// @return outputs of the linear layer of queries, or of their second one with latent attention
    uint64_t GetQuerySize() const;

    /// @return size of all keys as attention has them, and of all values
    uint64_t GetKeySize() const;

    /// @return size of all values as attention has them
    uint64_t GetValueSize() const;

    /// @return inputs of the linear layer after attention
    uint64_t GetAttentionOutput() const;

    /// @return outputs of the linear layer of the gate after attention; 0 = it has none
    uint64_t GetGateSize() const;

    /// @return size of what a token's query, key and value are compressed to: keys and values are
    ///         what they are beside queries of low rank; 0 = nothing is compressed
    uint64_t GetLatentSize() const;
};

/**
 * @ingroup workload-replay
 * @param model a model
 * @return whether a layer of it has a feed-forward network without experts
 */
bool HasDenseLayer(const ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param model a model
 * @return whether a layer of it has heads of queries: attention that is not linear, or of which
 * only the weights are known
 */
bool HasHeads(const ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param model a model
 * @param layer a layer, counted from 0; those that predict further tokens come last
 * @return inner size of its feed-forward network without experts; 0 = it has none in a model whose
 *         layers differ
 */
uint32_t GetFfn(const ModelDescription& model, uint32_t layer);

/**
 * @ingroup workload-replay
 * @return the folder of the presets
 */
const std::string& GetModelFolder();

/**
 * @ingroup workload-replay
 * @brief Read a model: a preset, a file examples/models/NAME.json of the module, or any file.
 *
 * @param model NAME or FILE.json
 * @return the model
 * @throws WorkloadError if there is none of the name, or the file is wrong
 */
ModelDescription ReadModelDescription(const TextField& model);

/**
 * @ingroup workload-replay
 * @return names of the presets, sorted
 */
std::vector<std::string> GetModelPresets();

/**
 * @ingroup workload-replay
 * @param model a model
 * @param sequence tokens of a sequence
 * @param isSkipped whether kernels of attention leave out what lies beyond a window or a chunk
 * @return one line for each kind of layers that do not attend to all of them and take the compute
 *         times of those that do
 */
std::vector<std::string> DescribeReach(const ModelDescription& model,
                                       uint32_t sequence,
                                       bool isSkipped);

} // namespace ns3

#endif /* MODEL_DESCRIPTION_H */
