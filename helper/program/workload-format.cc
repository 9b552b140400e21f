/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-format.h"

#include "model-options.h"
#include "workload-reader.h"

#include "ns3/chakra-reader.h"
#include "ns3/chakra-trace-files.h"
#include "ns3/goal-reader.h"
#include "ns3/layer-file-reader.h"
#include "ns3/log.h"
#include "ns3/op-table-reader.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WorkloadFormat");

NS_OBJECT_ENSURE_REGISTERED(WorkloadFormat);

TypeId
WorkloadFormat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WorkloadFormat").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

WorkloadFormat::WorkloadFormat()
{
    NS_LOG_FUNCTION(this);
}

WorkloadFormat::~WorkloadFormat()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::string>
WorkloadFormat::GetOptions() const
{
    return {};
}

bool
WorkloadFormat::RecognizesPath(const std::string& path [[maybe_unused]]) const
{
    return false;
}

bool
WorkloadFormat::RecognizesText(const WorkloadText& text [[maybe_unused]]) const
{
    return false;
}

namespace
{

/**
 * @param path a path
 * @return whether there is a directory
 */
bool
IsDirectory(const std::string& path)
{
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

/**
 * @param path a path
 * @return whether there is a directory that holds nothing but rank traces, as far as names tell
 */
bool
IsRankTraceDirectory(const std::string& path)
{
    return IsDirectory(path) && !HasChakraTraces(path) && !IsModel(path);
}

/**
 * @param path a path
 * @return false
 */
bool
IsNoPath(const std::string& path [[maybe_unused]])
{
    return false;
}

/**
 * @param path a path
 * @return whether there is a GOAL schedule
 */
bool
IsGoal(const std::string& path)
{
    return !IsDirectory(path) && LooksLikeGoal(path);
}

/**
 * @param text any text
 * @return false
 */
bool
IsNoText(const WorkloadText& text [[maybe_unused]])
{
    return false;
}

/// Options that say the shape of a job that has a pipeline.
const std::vector<std::string>
    SHAPE_OPTIONS{"world", "tp", "cp", "ep", "dp", "pp", "microbatches", "vpp", "schedule"};

/**
 * @param more names of options
 * @return SHAPE_OPTIONS and these
 */
std::vector<std::string>
WithShape(const std::vector<std::string>& more)
{
    auto names = SHAPE_OPTIONS;
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

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

} // namespace

/**
 * @ingroup workload-replay
 * @brief Defines a WorkloadFormat of functions.
 *
 * @param type the class
 * @param kind what a file is called, with an article
 * @param options names of its options
 * @param isPath tells a path
 * @param isText tells a text
 * @param read reads a workload
 */
#define DEFINE_WORKLOAD_FORMAT(type, kind, options, isPath, isText, read)                          \
    class type : public WorkloadFormat                                                             \
    {                                                                                              \
      public:                                                                                      \
        static TypeId GetTypeId()                                                                  \
        {                                                                                          \
            static TypeId tid = TypeId("ns3::" #type)                                              \
                                    .SetParent<WorkloadFormat>()                                   \
                                    .SetGroupName("WorkloadReplay")                                \
                                    .AddConstructor<type>();                                       \
            return tid;                                                                            \
        }                                                                                          \
                                                                                                   \
        std::string GetFileKind() const override                                                   \
        {                                                                                          \
            return kind;                                                                           \
        }                                                                                          \
                                                                                                   \
        std::vector<std::string> GetOptions() const override                                       \
        {                                                                                          \
            return options;                                                                        \
        }                                                                                          \
                                                                                                   \
        bool RecognizesPath(const std::string& path) const override                                \
        {                                                                                          \
            return isPath(path);                                                                   \
        }                                                                                          \
                                                                                                   \
        bool RecognizesText(const WorkloadText& text) const override                               \
        {                                                                                          \
            return isText(text);                                                                   \
        }                                                                                          \
                                                                                                   \
        std::shared_ptr<const Workload> Read(const ReplayOptions& user) const override             \
        {                                                                                          \
            return read(user);                                                                     \
        }                                                                                          \
    }

// Doxygen takes what stands in the calls for variables.
/// @cond

DEFINE_WORKLOAD_FORMAT(ChakraFormat,
                       "a Chakra trace",
                       (std::vector<std::string>{"world",
                                                 "commGroups",
                                                 "astraZeroIsWorld",
                                                 "controlDependencies",
                                                 "elementBytes",
                                                 "peakFlops",
                                                 "memoryBandwidth"}),
                       HasChakraTraces,
                       IsNoText,
                       ReadChakraWorkload);
NS_STRATEGY_ENSURE_REGISTERED(
    ChakraFormat,
    "chakra",
    "Chakra execution traces NAME.RANK.et: their directory, or DIRECTORY/NAME",
    3);

DEFINE_WORKLOAD_FORMAT(ModelFormat,
                       "a model",
                       WithShape(GetModelOptionNames()),
                       IsModel,
                       IsNoText,
                       ReadModelWorkload);
NS_STRATEGY_ENSURE_REGISTERED(ModelFormat, "model", "configuration of a model, see --model", 5);

DEFINE_WORKLOAD_FORMAT(MegatronFormat,
                       "a rank trace",
                       WithShape({"ppBytes", "bytesScale", "profile"}),
                       IsRankTraceDirectory,
                       LooksLikeRankTrace,
                       ReadRankTraceWorkload);
NS_STRATEGY_ENSURE_REGISTERED(MegatronFormat, "megatron", "rank traces", 1);

DEFINE_WORKLOAD_FORMAT(GoalFormat,
                       "a GOAL schedule",
                       (std::vector<std::string>{"logGops", "sizes"}),
                       IsGoal,
                       IsNoText,
                       ReadGoalWorkload);
NS_STRATEGY_ENSURE_REGISTERED(GoalFormat,
                              "goal",
                              "schedule of LogGOPSim, ATLAHS or htsim, text or binary",
                              4);

DEFINE_WORKLOAD_FORMAT(SimaiFormat,
                       "a layer file",
                       WithShape({"order", "ppBytes"}),
                       IsNoPath,
                       LooksLikeLayerFile,
                       ReadLayerFileWorkload);
NS_STRATEGY_ENSURE_REGISTERED(SimaiFormat,
                              "simai",
                              "layer file of SimAI, AICB or ASTRA-sim 1.0",
                              0);

DEFINE_WORKLOAD_FORMAT(
    OpTableFormat,
    "an op table",
    (std::vector<std::string>{"world", "dp", "backwardScale", "repeat", "elementBytes"}),
    IsNoPath,
    LooksLikeOpTable,
    ReadOpTableWorkload);
NS_STRATEGY_ENSURE_REGISTERED(OpTableFormat, "op-table", "", 2);

/// @endcond

} // namespace ns3
