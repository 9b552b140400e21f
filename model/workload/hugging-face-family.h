/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HUGGING_FACE_FAMILY_H
#define HUGGING_FACE_FAMILY_H

#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What differs between families of models of Hugging Face and does not stand in their files.
 */
struct HuggingFaceFamily
{
    bool gated{true};             //!< see ModelDescription
    bool bias{false};             //!< see ModelDescription
    bool learnedPositions{false}; //!< see ModelDescription
    bool tied{false};             //!< default of tie_word_embeddings
    bool queryKeyNorm{false};     //!< see ModelDescription
    bool inFours{false};          //!< ffn is four times hidden where the file does not say it
    bool countsBoth{false};       //!< ffn of the file counts the gate and what it gates
    nlohmann::ordered_json defaults = nlohmann::ordered_json::object(); //!< of keys left out
};

/**
 * @ingroup workload-replay
 * @param type a model_type
 * @return its family; of one that is not known that of llama
 */
HuggingFaceFamily FindHuggingFaceFamily(const std::string& type);

/**
 * @ingroup workload-replay
 * @param type a model_type
 * @return whether something stands here of its family
 */
bool IsHuggingFaceFamily(const std::string& type);

} // namespace ns3

#endif /* HUGGING_FACE_FAMILY_H */
