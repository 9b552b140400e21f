/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"

#include <sstream>

namespace ns3
{

void
AddModelTraffic(ModelTraffic& traffic, const std::string& key, uint64_t calls, uint64_t bytes)
{
    if (calls > 0)
    {
        traffic[key].first += calls;
        traffic[key].second += calls * bytes;
    }
}

ModelTraffic
CountModelTraffic(const WorkloadProgram& program, bool layersOnly)
{
    const std::map<uint32_t, std::string> expertSlots{{EXPERT_TENSOR_SLOT, "etp"},
                                                      {EXPERT_RAIL_SLOT, "rail"},
                                                      {EXPERT_GROUP_SLOT, "group"}};
    ModelTraffic traffic;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::COMPUTE || (layersOnly && op.layer < 0))
        {
            continue;
        }
        const auto slot = expertSlots.find(op.communicator);
        const auto communicator = slot != expertSlots.end()
                                      ? slot->second
                                      : ToString(static_cast<Dimension>(op.communicator));
        AddModelTraffic(
            traffic,
            communicator + " " +
                (op.kind == OpKind::COLLECTIVE ? ToString(op.collective) : ToString(op.kind)),
            1,
            op.amount);
    }
    return traffic;
}

std::string
DescribeModelTraffic(const ModelTraffic& traffic)
{
    std::ostringstream text;
    for (const auto& [key, sum] : traffic)
    {
        text << key << " " << sum.first << " x, " << sum.second << " B; ";
    }
    return text.str();
}

ModelDescription
ReadModelText(const std::string& file, const std::string& json)
{
    WriteWorkloadFile(file, json);
    return ReadModelDescription({file, {"--model", 0, 0, ""}});
}

ModelOptions
MakeModelOptions(const std::string& model,
                 uint32_t tp,
                 uint32_t cp,
                 uint32_t dp,
                 uint32_t pp,
                 uint32_t microbatches)
{
    ModelOptions options;
    options.model = {model, {"--model", 0, 0, ""}};
    options.layout.tp = tp;
    options.layout.cp = cp;
    options.layout.dp = dp;
    options.layout.pp = pp;
    options.layout.microbatches = microbatches;
    return options;
}

} // namespace ns3
