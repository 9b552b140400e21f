/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-reader.h"

#include "workload-format.h"

#include "ns3/object-factory.h"
#include "ns3/strategy-registry.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @return an object of each format, in the order in which they are listed
 */
std::vector<Ptr<const WorkloadFormat>>
GetFormats()
{
    std::vector<Ptr<const WorkloadFormat>> formats;
    for (const auto& entry : StrategyRegistry::List(WorkloadFormat::GetTypeId()))
    {
        formats.emplace_back(ObjectFactory(entry.type.GetName()).Create<WorkloadFormat>());
    }
    return formats;
}

/**
 * @param format a format
 * @return its name in options
 */
std::string
GetName(const WorkloadFormat& format)
{
    return StrategyRegistry::GetName(format.GetInstanceTypeId());
}

/**
 * Find an option that says something about workloads of other formats only.
 *
 * @param options what the user asks for
 * @param format the format of the workload
 * @throws WorkloadError naming the option
 */
void
CheckUse(const ReplayOptions& options, const WorkloadFormat& format)
{
    for (const auto& other : GetFormats())
    {
        auto useless = other->GetOptions();
        // What the format has in common with others is of use.
        for (const auto& used : format.GetOptions())
        {
            useless.erase(std::remove(useless.begin(), useless.end(), used), useless.end());
        }
        options.Refuse(useless,
                       " with " + format.GetFileKind() + " (" + GetName(format) +
                           "), which has no use for it");
    }
}

/**
 * Find an option for a pipeline where the workload has none.
 *
 * @param options what the user asks for
 * @param workload the workload
 * @throws WorkloadError naming the option
 */
void
CheckPipelineUse(const ReplayOptions& options, const Workload& workload)
{
    if (workload.GetLayout().pp == 1)
    {
        const bool isLiteral = workload.GetOrder() == "literal";
        options.Refuse({"schedule", "ppBytes"},
                       isLiteral ? ", because rows in literal order have no pipeline"
                                 : ", because there is only one pipeline stage");
    }
    else if (workload.GetScheduleName() == "forward")
    {
        options.Refuse({"schedule"}, ", because inference has forward passes alone");
    }
}

} // namespace

std::string
DetectWorkloadFormat(const std::string& fileOrDirectory)
{
    const auto formats = GetFormats();
    // By path first: directories and binary files are no texts.
    for (const auto& format : formats)
    {
        if (format->RecognizesPath(fileOrDirectory))
        {
            return GetName(*format);
        }
    }
    const WorkloadText text(fileOrDirectory,
                            {ForeignFile::GOAL,
                             ForeignFile::LAYER_FILE,
                             ForeignFile::RANK_TRACE,
                             ForeignFile::OP_TABLE,
                             ForeignFile::OWN_MODEL});
    for (const auto& format : formats)
    {
        if (format->RecognizesText(text))
        {
            return GetName(*format);
        }
    }
    const auto& line = text.GetLines().front();
    throw WorkloadError({fileOrDirectory, line.number, 0, ""},
                        "the policy that a layer file begins with, such as HYBRID_TRANSFORMER "
                        "(simai), rank:R:op(...) of a rank trace (megatron), num_ranks of a GOAL "
                        "schedule (goal), or the tab-separated column names of an op table "
                        "(op-table); --format sets the format",
                        Quoted(line.text));
}

std::vector<std::string>
GetWorkloadOptions()
{
    std::set<std::string> names;
    for (const auto& format : GetFormats())
    {
        const auto options = format->GetOptions();
        names.insert(options.begin(), options.end());
    }
    return {names.begin(), names.end()};
}

std::shared_ptr<const Workload>
ReadWorkload(const ReplayOptions& options)
{
    const auto name =
        options.format == "auto" ? DetectWorkloadFormat(options.workload) : options.format;
    const auto format = StrategyRegistry::Create<WorkloadFormat>({name, options.Locate("format")});
    CheckUse(options, *format);
    auto workload = format->Read(options);
    if (!workload)
    {
        throw WorkloadError({options.workload},
                            "a workload from " + format->GetInstanceTypeId().GetName() + "::Read()",
                            "none");
    }
    workload->Validate();
    CheckPipelineUse(options, *workload);
    return workload;
}

} // namespace ns3
