/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_OPTIONS_H
#define MODEL_OPTIONS_H

#include "option-table.h"
#include "replay-options.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Add the options of jobs that are made from a model's configuration.
 *
 * @param table the table
 * @param options what the options set; must outlive the table
 */
void AddModelOptions(OptionTable& table, ReplayOptions& options);

/**
 * @ingroup workload-replay
 * @return names of the options that AddModelOptions() adds, but for the model itself
 */
std::vector<std::string> GetModelOptionNames();

/**
 * @ingroup workload-replay
 * @param name what stands for a workload
 * @return whether it is a model: a preset's name, or a file that ends in .json
 */
bool IsModel(const std::string& name);

/**
 * @ingroup workload-replay
 * @brief Put together what the user says about a model.
 *
 * @param options what the user asks for, with a model as workload
 * @return the same as the reader of models wants it
 */
ModelOptions GetModelOptions(const ReplayOptions& options);

} // namespace ns3

#endif /* MODEL_OPTIONS_H */
