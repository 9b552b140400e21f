/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-format.h"

#include "ns3/flow-list-lowering.h"
#include "ns3/flow-list-reader.h"
#include "ns3/strategy-registry.h"
#include "ns3/topology-file.h"

#include <algorithm>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Flow lists of other simulators: each flow is a message.
 */
class FlowListFormat : public WorkloadFormat
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
    FlowListFormat,
    "flows",
    "flow list of HPCC or conweave, or connection matrix of htsim: a message for each flow",
    6);

TypeId
FlowListFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowListFormat")
                            .SetParent<WorkloadFormat>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<FlowListFormat>();
    return tid;
}

std::string
FlowListFormat::GetFileKind() const
{
    return "a flow list";
}

std::vector<std::string>
FlowListFormat::GetOptions() const
{
    return {"world"};
}

bool
FlowListFormat::RecognizesPath(const std::string& path) const
{
    return IsFlowList(path);
}

std::shared_ptr<const Workload>
FlowListFormat::Read(const ReplayOptions& options) const
{
    options.Refuse({"collective", "channels", "chunkBytes", "stepLatency", "launchLatency"},
                   " with a flow list, which has no collectives");
    auto list = ReadFlowList(options.workload);
    const bool hasFile = TopologyFile::IsFileName(options.topology);
    // The ids of a topology's file count switches, too.
    if (list.byNode && hasFile)
    {
        NumberByHost(list, TopologyFile::Read(options.topology, 0, options.fabric).GetHosts());
    }
    if (!hasFile && options.fabric.gpusPerServer > 1 && !options.IsGiven("gpusPerServer"))
    {
        list.notes.push_back("hosts stand in servers of " +
                             std::to_string(options.fabric.gpusPerServer) +
                             " and reach each other there over NVLink; with --gpusPerServer=1 each "
                             "is a server of its own");
    }
    const auto world = options.layout.world.value_or(std::max(list.hosts, 2U));
    if (world < list.hosts)
    {
        throw WorkloadError(options.Locate("world"),
                            "at least the " + std::to_string(list.hosts) + " hosts of " +
                                options.workload,
                            std::to_string(world));
    }
    return LowerFlowList(list, world);
}

} // namespace ns3
