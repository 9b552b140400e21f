/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-reader.h"

#include "model-options.h"

#include "ns3/chakra-reader.h"
#include "ns3/chakra-trace-files.h"
#include "ns3/goal-reader.h"
#include "ns3/layer-file-reader.h"
#include "ns3/op-table-reader.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief A format of workloads.
 */
struct Format
{
    const char* name;                 //!< name in options
    const char* what;                 //!< what such a file is called
    std::vector<std::string> options; //!< options that say more about it; others do nothing
    bool (*looksLike)(const WorkloadText& text); //!< tells a file by its content; null = cannot
    std::shared_ptr<const Workload> (*read)(const ReplayOptions& options); //!< reads one
};

/**
 * Tell an op table by its header: one column besides the name is enough, so that the reader gets
 * to say what is wrong with the others.
 *
 * @param text any text
 * @return true if it is to be read as an op table
 */
bool
LooksLikeOpTable(const WorkloadText& text)
{
    const auto columns = text.Split(text.GetLines().front(), '\t');
    return columns.size() > 1 &&
           std::any_of(columns.begin(), columns.end(), [](const TextField& column) {
               const auto& name = column.text;
               return name.find("_compute_time") != std::string::npos ||
                      name.find("_comm_type") != std::string::npos ||
                      name.find("_comm_size") != std::string::npos;
           });
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadOpTableWorkload(const ReplayOptions& options)
{
    const LayoutRequest& layout = options.layout;
    OpTableOptions table;
    table.workers = layout.world.value_or(layout.dp.value_or(DEFAULT_WORKERS));
    if (layout.dp && *layout.dp != table.workers)
    {
        throw WorkloadError(options.Locate("dp"),
                            std::to_string(table.workers) +
                                ", the world, because an op table is data parallel only",
                            std::to_string(*layout.dp));
    }
    table.backwardScale = options.backwardScale;
    table.elementBytes = options.elementBytes;
    table.repeatFirst = options.repeat.first;
    table.repeatLast = options.repeat.last;
    table.repeatCount = options.repeat.count;
    return ReadOpTable(options.workload, table);
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadLayerFileWorkload(const ReplayOptions& options)
{
    LayerFileOptions layers;
    layers.layout = options.layout;
    layers.schedule = options.schedule;
    layers.order = options.order;
    layers.ppBytes = options.ppBytes;
    auto workload = ReadLayerFile(options.workload, layers);
    if (options.IsGiven("order") && options.order != workload->GetOrder())
    {
        throw WorkloadError(options.Locate("order"),
                            workload->GetOrder() + ", the only order for the policy of " +
                                options.workload,
                            Quoted(options.order));
    }
    return workload;
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadRankTraceWorkload(const ReplayOptions& options)
{
    RankTraceOptions traces;
    traces.layout = options.layout;
    traces.schedule = options.schedule;
    traces.ppBytes = options.ppBytes;
    traces.bytesScale = options.bytesScale;
    traces.robust = options.profile == "robust";
    return ReadRankTraces(options.workload, traces);
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadChakraWorkload(const ReplayOptions& options)
{
    ChakraOptions chakra;
    chakra.world = options.layout.world;
    chakra.groupFile = options.commGroups;
    chakra.controlDependencies = options.controlDependencies;
    chakra.zeroIsWorld = options.astraZeroIsWorld;
    chakra.elementBytes = options.IsGiven("elementBytes") ? options.elementBytes : 0;
    chakra.peakFlops = options.peakFlops;
    chakra.memoryBandwidth = options.memoryBandwidth;
    return ReadChakraTraces(options.workload, chakra);
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadGoalWorkload(const ReplayOptions& options)
{
    options.Refuse({"collective", "channels", "chunkBytes", "stepLatency", "launchLatency"},
                   " with a GOAL schedule, which has no collectives");
    options.Refuse({"communicationShare"}, " with a GOAL schedule, which knows no accelerators");
    return ReadGoal(options.workload);
}

/**
 * @param options what the user asks for
 * @return the workload
 */
std::shared_ptr<const Workload>
ReadModelWorkload(const ReplayOptions& options)
{
    return ReadModel(GetModelOptions(options));
}

/**
 * @return names of the options that say more about a model
 */
std::vector<std::string>
GetOptionsOfModels()
{
    auto names = GetModelOptionNames();
    names.insert(names.end(),
                 {"world", "tp", "cp", "ep", "dp", "pp", "microbatches", "vpp", "schedule"});
    return names;
}

/**
 * @return the formats, in the order in which a file is compared with them
 */
const std::vector<Format>&
GetFormats()
{
    static const std::vector<Format> formats{
        {"megatron",
         "rank trace",
         {"world",
          "tp",
          "cp",
          "ep",
          "dp",
          "pp",
          "microbatches",
          "vpp",
          "schedule",
          "ppBytes",
          "bytesScale",
          "profile"},
         LooksLikeRankTrace,
         ReadRankTraceWorkload},
        {"simai",
         "layer file",
         {"world",
          "tp",
          "cp",
          "ep",
          "dp",
          "pp",
          "microbatches",
          "vpp",
          "schedule",
          "order",
          "ppBytes"},
         LooksLikeLayerFile,
         ReadLayerFileWorkload},
        {"op-table",
         "op table",
         {"world", "dp", "backwardScale", "repeat", "elementBytes"},
         LooksLikeOpTable,
         ReadOpTableWorkload},
        {"chakra",
         "Chakra trace",
         {"world",
          "commGroups",
          "astraZeroIsWorld",
          "controlDependencies",
          "elementBytes",
          "peakFlops",
          "memoryBandwidth"},
         nullptr,
         ReadChakraWorkload},
        {"goal", "GOAL schedule", {"logGops", "sizes"}, nullptr, ReadGoalWorkload},
        {"model", "model", GetOptionsOfModels(), nullptr, ReadModelWorkload},
    };
    return formats;
}

/**
 * Find an option that says something about workloads of other formats only.
 *
 * @param options what the user asks for
 * @param format the format of the workload
 * @throws WorkloadError naming the option
 */
void
CheckUse(const ReplayOptions& options, const Format& format)
{
    const std::string article = format.what[0] == 'o' ? "an " : "a ";
    for (const auto& other : GetFormats())
    {
        auto useless = other.options;
        for (const auto& used : format.options)
        {
            useless.erase(std::remove(useless.begin(), useless.end(), used), useless.end());
        }
        options.Refuse(useless,
                       " with " + article + format.what + " (" + format.name +
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
    if (HasChakraTraces(fileOrDirectory))
    {
        return "chakra";
    }
    if (IsModel(fileOrDirectory))
    {
        return "model";
    }
    std::error_code error;
    if (std::filesystem::is_directory(fileOrDirectory, error))
    {
        return "megatron";
    }
    if (LooksLikeGoal(fileOrDirectory))
    {
        return "goal";
    }
    const WorkloadText text(fileOrDirectory);
    for (const auto& format : GetFormats())
    {
        if (format.looksLike && format.looksLike(text))
        {
            return format.name;
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
        names.insert(format.options.begin(), format.options.end());
    }
    return {names.begin(), names.end()};
}

std::shared_ptr<const Workload>
ReadWorkload(const ReplayOptions& options)
{
    const auto name =
        options.format == "auto" ? DetectWorkloadFormat(options.workload) : options.format;
    const auto& formats = GetFormats();
    const auto format = std::find_if(formats.begin(), formats.end(), [&name](const Format& entry) {
        return entry.name == name;
    });
    if (format == formats.end())
    {
        throw WorkloadError(options.Locate("format"), "auto or the name of a format", Quoted(name));
    }
    CheckUse(options, *format);
    auto workload = format->read(options);
    CheckPipelineUse(options, *workload);
    return workload;
}

} // namespace ns3
