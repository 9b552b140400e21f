/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HUGGING_FACE_CONFIG_H
#define HUGGING_FACE_CONFIG_H

#include "model-description.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param json content of a file
 * @return whether it is the configuration of a model of Hugging Face (config.json)
 */
bool IsHuggingFaceConfig(const nlohmann::ordered_json& json);

/**
 * @ingroup workload-replay
 * @brief Read the configuration of a model of Hugging Face (config.json).
 *
 * Keys as in transformers, src/transformers/models (TYPE/configuration_TYPE.py); a key that is
 * absent or null has the default of its family. What the module does not model is left out and
 * stands in ModelDescription::notes.
 *
 * @param json content of the file
 * @param file its path
 * @return the model
 * @throws WorkloadError if a key is missing or wrong, or its layers cannot be modelled at all
 */
ModelDescription ReadHuggingFaceConfig(const nlohmann::ordered_json& json, const std::string& file);

} // namespace ns3

#endif /* HUGGING_FACE_CONFIG_H */
