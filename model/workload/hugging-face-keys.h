/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HUGGING_FACE_KEYS_H
#define HUGGING_FACE_KEYS_H

#include "model-description.h"

#include "ns3/json-section.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The keys of a configuration of Hugging Face: sizes have other names in each family of
 *        models, and a key that is null is absent.
 */
class HuggingFaceKeys
{
  public:
    using Json = nlohmann::ordered_json;    //!< a value of the file
    using Names = std::vector<std::string>; //!< names that one size has in different families

    /// Largest size.
    static constexpr uint32_t MOST_ELEMENTS = 100000000;

    /// Largest number of layers, heads or experts.
    static constexpr uint32_t MOST_PARTS = 100000;

    /**
     * @param json the object with the sizes
     * @param where its place
     */
    HuggingFaceKeys(const Json& json, const SourceLocation& where);

    /**
     * @param names names of a value
     * @return the one under which it stands; empty = it is absent
     */
    std::string Find(const Names& names) const;

    /**
     * @param names names of a number
     * @param least smallest valid one
     * @param most largest valid one
     * @return the number; of a list, with one for each layer, that of all of them; nothing = absent
     */
    std::optional<uint32_t> FindWhole(const Names& names, uint32_t least, uint32_t most) const;

    /**
     * @param names names of a number that must be there
     * @param most largest valid one; 1 is the smallest
     * @return the number
     */
    uint32_t GetWhole(const Names& names, uint32_t most) const;

    /**
     * @param name name of a flag
     * @param otherwise its value if it is absent
     * @return its value
     */
    bool GetFlag(const std::string& name, bool otherwise) const;

    /**
     * @param name name of a list of layers, or of a text with commas between them
     * @param layers layers of the model
     * @param first number of the first layer, 0 or 1
     * @return the layers, counted from 0; empty = the list is absent
     */
    std::vector<uint32_t> FindLayers(const std::string& name,
                                     uint32_t layers,
                                     uint32_t first = 0) const;

    /**
     * @param name name of a list that is there, with an entry for each layer
     * @param words its valid entries
     * @param layers layers of the model
     * @param what what an entry says
     * @return index of each entry among the valid ones
     */
    std::vector<std::size_t> ReadWords(const std::string& name,
                                       const Names& words,
                                       uint32_t layers,
                                       const std::string& what) const;

    /**
     * @param name name of an object
     * @return its keys; nothing = it is absent or null
     * @throws WorkloadError if it is no object
     */
    std::optional<HuggingFaceKeys> FindObject(const std::string& name) const;

    /**
     * @param name name of a value that is there
     * @return the value
     */
    const Json& GetValue(const std::string& name) const;

    /// @return all of them, with their values
    const Json& GetAll() const;

    /**
     * @param name name of a value
     * @return its place
     */
    SourceLocation Locate(const std::string& name) const;

  private:
    /// @return the object, with any keys; made anew since this may be copied
    JsonSection GetSection() const;

    Json m_json;            //!< the object with the sizes
    SourceLocation m_where; //!< its place
};

/**
 * @ingroup workload-replay
 * @param keys a configuration
 * @param type its model_type
 * @param model the model, with its layers and heads
 * @return layers that do not attend to all tokens
 * @throws WorkloadError if the layers are not such as can be modelled
 */
ModelReach ReadHuggingFaceReach(const HuggingFaceKeys& keys,
                                const std::string& type,
                                const ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param type model_type of a configuration
 * @return whether it is one of LongCat-Flash, each of whose layers is two of others
 */
bool IsLongCat(const std::string& type);

/**
 * @ingroup workload-replay
 * @param keys a configuration
 * @param type its model_type
 * @param model the model, with its layers and hidden size
 * @return experts of its layers; nothing = it has none
 * @throws WorkloadError if a size is missing or wrong
 */
std::optional<ModelExperts> ReadHuggingFaceExperts(const HuggingFaceKeys& keys,
                                                   const std::string& type,
                                                   const ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param type model_type of a configuration
 * @return whether its layers are mixers and feed-forward networks by themselves (Nemotron-H), or
 *         have two mixers (Falcon-H1)
 */
bool HasSeveralMixers(const std::string& type);

/// Key of models whose layers are mixers and feed-forward networks by themselves, with a word each.
constexpr auto HYBRID_LAYERS = "layers_block_type";

/**
 * @ingroup workload-replay
 * @brief Layers of such a model, each a mixer and the feed-forward network behind it, if any.
 */
struct HuggingFaceHybrid
{
    std::vector<AttentionReach> reaches; //!< LINEAR: Mamba; FULL: attention
    std::vector<bool> feedForward;       //!< whether there is a feed-forward network behind it
    std::vector<bool> experts;           //!< whether that has experts
    std::string note;                    //!< what counts as one layer
    bool furtherAttend{false}; //!< layers that predict further tokens have attention, whatever the
                               //!< last layer has
};

/**
 * @ingroup workload-replay
 * @param keys a configuration of such a model
 * @param type its model_type
 * @return its layers
 * @throws WorkloadError if they are no pairs
 */
HuggingFaceHybrid ReadHuggingFaceHybrid(const HuggingFaceKeys& keys, const std::string& type);

/**
 * @ingroup workload-replay
 * @param type model_type of a configuration
 * @return whether its layers have attention or Mamba, and a feed-forward network, as those of
 *         Granite 4, Bamba and Jamba
 */
bool HasMambaLayers(const std::string& type);

/**
 * @ingroup workload-replay
 * @param type model_type of a configuration
 * @return whether its layers have Mamba and nothing else
 */
bool IsMambaAlone(const std::string& type);

/**
 * @ingroup workload-replay
 * @param keys a configuration of a model with Mamba
 * @param type its model_type
 * @param hidden size of a token's activation
 * @return its Mamba
 * @throws WorkloadError if a size is missing or wrong
 */
ModelLinearAttention ReadHuggingFaceMamba(const HuggingFaceKeys& keys,
                                          const std::string& type,
                                          uint32_t hidden);

/// Key of a list of layers of different sizes.
constexpr auto LAYER_SIZES = "block_configs";

/**
 * @ingroup workload-replay
 * @brief Read dense feed-forward networks, and layers of different sizes.
 *
 * @param keys a configuration
 * @param type its model_type
 * @param [in,out] model the model, with its layers, experts and reach; receives the sizes
 * @throws WorkloadError if a size is missing or wrong
 */
void ReadHuggingFaceFeedForward(const HuggingFaceKeys& keys,
                                const std::string& type,
                                ModelDescription& model);

/**
 * @ingroup workload-replay
 * @brief Read what models have beside their embedding and their layers.
 *
 * @param keys a configuration
 * @param [in,out] model the model, with its layers; receives the weights
 * @throws WorkloadError if a size is wrong
 */
void ReadHuggingFaceEmbeddings(const HuggingFaceKeys& keys, ModelDescription& model);

/**
 * @ingroup workload-replay
 * @param keys a configuration
 * @param type its model_type
 * @throws WorkloadError if its layers are no pairs of attention and feed-forward of one size
 */
void CheckHuggingFaceLayers(const HuggingFaceKeys& keys, const std::string& type);

/**
 * @ingroup workload-replay
 * @param keys a configuration
 * @param type its model_type
 * @param isGated whether its feed-forward layers are taken to have a gate
 * @return what of it is not modelled, besides what its layers attend to
 */
std::vector<std::string> ListHuggingFaceLimits(const HuggingFaceKeys& keys,
                                               const std::string& type,
                                               bool isGated);

} // namespace ns3

#endif /* HUGGING_FACE_KEYS_H */
