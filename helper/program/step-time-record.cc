/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-time-record.h"

#include "ns3/model-description.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// Tokens of a sequence from which on attention takes a large part of a step.
constexpr uint32_t LONG_SEQUENCE = 32768;

} // namespace

std::string
GetStepTimeKind(const ModelOptions& options)
{
    const auto model = ReadModelDescription(options.model);
    if (model.experts)
    {
        return "experts";
    }
    if (options.sequence.value_or(model.sequence) >= LONG_SEQUENCE)
    {
        return "long-context";
    }
    return options.training.zero == 3 ? "fsdp" : "dense";
}

std::optional<StepTimeErrors>
FindStepTimeErrors(const std::string& kind)
{
    std::ifstream file(GetModelFolder() + "/step-times.csv");
    StepTimeErrors errors;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);)
    {
        // No cell has a comma in it.
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, ',');)
        {
            cells.push_back(cell);
        }
        if (cells.size() != 6 || cells[0] != kind)
        {
            continue;
        }
        const double error = std::stod(cells[4]) / std::stod(cells[3]) - 1;
        ++errors.rows;
        errors.mean += std::abs(error);
        errors.bias += error;
        errors.worst = std::abs(error) > std::abs(errors.worst) ? error : errors.worst;
    }
    if (errors.rows == 0)
    {
        // An installation without the table has nothing to say.
        return {};
    }
    errors.mean /= errors.rows;
    errors.bias /= errors.rows;
    return errors;
}

} // namespace ns3
