/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-time-record.h"

#include "ns3/input-table.h"
#include "ns3/input-values.h"
#include "ns3/model-description.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <cmath>
#include <filesystem>
#include <system_error>

namespace ns3
{

namespace
{

/// Tokens of a sequence from which on attention takes a large part of a step.
constexpr uint32_t LONG_SEQUENCE = 32768;

/**
 * @param field a field of the table
 * @return it as a time, s
 */
double
ReadStepTime(const TextField& field)
{
    const auto time = ReadDecimal(field.text);
    if (!time || *time <= 0)
    {
        throw WorkloadError(field, "a step time above 0, s");
    }
    return *time;
}

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
    const auto file = GetModelFolder() + "/step-times.csv";
    std::error_code error;
    if (!std::filesystem::exists(file, error))
    {
        // An installation without the table has nothing to say.
        return {};
    }
    const WorkloadText text(file);
    const InputTable table(text,
                           {"a table of step times",
                            ',',
                            {"kind", "measured_s", "simulated_s"},
                            {"job", "options", "source"}});
    StepTimeErrors errors;
    for (std::size_t row = 0; row < table.GetNRows(); ++row)
    {
        const auto fields = table.Read(row);
        if (fields[0].text != kind)
        {
            continue;
        }
        const double difference = ReadStepTime(fields[2]) / ReadStepTime(fields[1]) - 1;
        ++errors.rows;
        errors.mean += std::abs(difference);
        errors.bias += difference;
        errors.worst = std::abs(difference) > std::abs(errors.worst) ? difference : errors.worst;
    }
    if (errors.rows == 0)
    {
        return {};
    }
    errors.mean /= errors.rows;
    errors.bias /= errors.rows;
    return errors;
}

} // namespace ns3
