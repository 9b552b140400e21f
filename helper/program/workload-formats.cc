/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-options.h"
#include "workload-format.h"
#include "workload-reader.h"

#include "ns3/chakra-reader.h"
#include "ns3/chakra-trace-files.h"
#include "ns3/goal-reader.h"
#include "ns3/kineto-reader.h"
#include "ns3/layer-file-reader.h"
#include "ns3/op-table-reader.h"
#include "ns3/pytorch-reader.h"
#include "ns3/rank-trace-reader.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{

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
 * @param more names of options
 * @return the options that say the shape of a job with a pipeline, and these
 */
std::vector<std::string>
WithShape(const std::vector<std::string>& more)
{
    std::vector<std::string>
        names{"world", "tp", "cp", "ep", "dp", "pp", "microbatches", "vpp", "schedule"};
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief Layer files of SimAI, AICB and ASTRA-sim 1.0.
 */
class SimaiFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesText(const WorkloadText& text) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(SimaiFormat,
                              "simai",
                              "layer file of SimAI, AICB or ASTRA-sim 1.0",
                              0);

TypeId
SimaiFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SimaiFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<SimaiFormat>();
    return tid;
}

std::string
SimaiFormat::GetFileKind() const
{
    return "a layer file";
}

std::vector<std::string>
SimaiFormat::GetOptions() const
{
    return WithShape({"order", "ppBytes"});
}

bool
SimaiFormat::RecognizesText(const WorkloadText& text) const
{
    return LooksLikeLayerFile(text);
}

std::shared_ptr<const Workload>
SimaiFormat::Read(const ReplayOptions& options) const
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
 * @ingroup workload-replay
 * @brief Traces of ranks of Megatron. Any directory that is nothing else holds them.
 */
class MegatronFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    bool RecognizesText(const WorkloadText& text) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(MegatronFormat, "megatron", "rank traces", 1);

TypeId
MegatronFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MegatronFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<MegatronFormat>();
    return tid;
}

std::string
MegatronFormat::GetFileKind() const
{
    return "a rank trace";
}

std::vector<std::string>
MegatronFormat::GetOptions() const
{
    return WithShape({"ppBytes", "bytesScale", "profile"});
}

bool
MegatronFormat::RecognizesPath(const std::string& path) const
{
    return IsDirectory(path) && !HasChakraTraces(path) && !HasKinetoTraces(path) &&
           !HasPytorchTraces(path) && !IsModel(path);
}

bool
MegatronFormat::RecognizesText(const WorkloadText& text) const
{
    return LooksLikeRankTrace(text);
}

std::shared_ptr<const Workload>
MegatronFormat::Read(const ReplayOptions& options) const
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
 * @ingroup workload-replay
 * @brief Op tables: forward and backward times of operators.
 */
class OpTableFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesText(const WorkloadText& text) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(OpTableFormat, "op-table", "", 2);

TypeId
OpTableFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpTableFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<OpTableFormat>();
    return tid;
}

std::string
OpTableFormat::GetFileKind() const
{
    return "an op table";
}

std::vector<std::string>
OpTableFormat::GetOptions() const
{
    return {"world", "dp", "backwardScale", "repeat", "elementBytes"};
}

bool
OpTableFormat::RecognizesText(const WorkloadText& text) const
{
    // One column besides the name is enough, so that the reader gets to say what is wrong with the
    // others.
    const auto columns = text.Split(text.GetLines().front(), '\t');
    return columns.size() > 1 &&
           std::any_of(columns.begin(), columns.end(), [](const TextField& column) {
               const auto& name = column.text;
               return name.find("_compute_time") != std::string::npos ||
                      name.find("_comm_type") != std::string::npos ||
                      name.find("_comm_size") != std::string::npos;
           });
}

std::shared_ptr<const Workload>
OpTableFormat::Read(const ReplayOptions& options) const
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
 * @ingroup workload-replay
 * @brief Chakra execution traces.
 */
class ChakraFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(
    ChakraFormat,
    "chakra",
    "Chakra execution traces NAME.RANK.et or .json: their directory, or DIRECTORY/NAME",
    3);

TypeId
ChakraFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ChakraFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<ChakraFormat>();
    return tid;
}

std::string
ChakraFormat::GetFileKind() const
{
    return "a Chakra trace";
}

std::vector<std::string>
ChakraFormat::GetOptions() const
{
    return {"world",
            "commGroups",
            "astraZeroIsWorld",
            "controlDependencies",
            "elementBytes",
            "peakFlops",
            "memoryBandwidth"};
}

bool
ChakraFormat::RecognizesPath(const std::string& path) const
{
    return HasChakraTraces(path);
}

std::shared_ptr<const Workload>
ChakraFormat::Read(const ReplayOptions& options) const
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
 * @ingroup workload-replay
 * @brief Traces of PyTorch's profiler.
 */
class KinetoFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(KinetoFormat,
                              "kineto",
                              "traces of PyTorch's profiler, of all ranks: their directory",
                              3);

TypeId
KinetoFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::KinetoFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<KinetoFormat>();
    return tid;
}

std::string
KinetoFormat::GetFileKind() const
{
    return "a Kineto trace";
}

std::vector<std::string>
KinetoFormat::GetOptions() const
{
    return {"world"};
}

bool
KinetoFormat::RecognizesPath(const std::string& path) const
{
    return HasKinetoTraces(path);
}

std::shared_ptr<const Workload>
KinetoFormat::Read(const ReplayOptions& options) const
{
    return ReadKinetoTraces(options.workload, options.layout.world);
}

/**
 * @ingroup workload-replay
 * @brief Execution traces of PyTorch.
 */
class PytorchFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(PytorchFormat,
                              "pytorch-et",
                              "execution traces of PyTorch, of all ranks: their directory",
                              3);

TypeId
PytorchFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PytorchFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<PytorchFormat>();
    return tid;
}

std::string
PytorchFormat::GetFileKind() const
{
    return "an execution trace of PyTorch";
}

std::vector<std::string>
PytorchFormat::GetOptions() const
{
    return {"world", "accelerator", "efficiency", "operatorTimes"};
}

bool
PytorchFormat::RecognizesPath(const std::string& path) const
{
    return HasPytorchTraces(path);
}

std::shared_ptr<const Workload>
PytorchFormat::Read(const ReplayOptions& options) const
{
    PytorchOptions traces;
    traces.world = options.layout.world;
    traces.accelerator = options.model.accelerator;
    traces.efficiency = options.model.efficiency;
    traces.operatorTimes = options.model.operatorTimes;
    return ReadPytorchTraces(options.workload, traces);
}

/**
 * @ingroup workload-replay
 * @brief GOAL schedules, as text or binary.
 */
class GoalFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(GoalFormat,
                              "goal",
                              "schedule of LogGOPSim, ATLAHS or htsim, text or binary",
                              4);

TypeId
GoalFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GoalFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<GoalFormat>();
    return tid;
}

std::string
GoalFormat::GetFileKind() const
{
    return "a GOAL schedule";
}

std::vector<std::string>
GoalFormat::GetOptions() const
{
    return {"logGops", "sizes"};
}

bool
GoalFormat::RecognizesPath(const std::string& path) const
{
    return !IsDirectory(path) && LooksLikeGoal(path);
}

std::shared_ptr<const Workload>
GoalFormat::Read(const ReplayOptions& options) const
{
    options.Refuse({"collective", "channels", "chunkBytes", "stepLatency", "launchLatency"},
                   " with a GOAL schedule, which has no collectives");
    options.Refuse({"communicationShare"}, " with a GOAL schedule, which knows no accelerators");
    return ReadGoal(options.workload);
}

/**
 * @ingroup workload-replay
 * @brief Configurations of models.
 */
class ModelFormat : public WorkloadFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetFileKind() const override;
    std::vector<std::string> GetOptions() const override;
    bool RecognizesPath(const std::string& path) const override;
    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override;
};

NS_STRATEGY_ENSURE_REGISTERED(ModelFormat, "model", "configuration of a model, see --model", 5);

TypeId
ModelFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ModelFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<ModelFormat>();
    return tid;
}

std::string
ModelFormat::GetFileKind() const
{
    return "a model";
}

std::vector<std::string>
ModelFormat::GetOptions() const
{
    return WithShape(GetModelOptionNames());
}

bool
ModelFormat::RecognizesPath(const std::string& path) const
{
    return IsModel(path);
}

std::shared_ptr<const Workload>
ModelFormat::Read(const ReplayOptions& options) const
{
    return ReadModel(GetModelOptions(options));
}

} // namespace ns3
