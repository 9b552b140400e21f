/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-collective.h"

#include "msccl-file.h"
#include "msccl-pipeline.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MscclCollective");

NS_OBJECT_ENSURE_REGISTERED(MscclCollective);

namespace
{

/**
 * What a loop takes of a chunk is what fits into a buffer of a connection at a time: half of the
 * 4 MiB of Simple, and the data in an eighth of those of the others (Azure/msccl,
 * src/collectives/device/msccl_interpreter.h, and NCCL's default sizes of buffers).
 *
 * @param protocol a protocol
 * @return most of a chunk that a loop takes, bytes
 */
uint64_t
GetLoopBytes(CollectiveProtocol protocol)
{
    // Flags are not counted.
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return 32768;
    case CollectiveProtocol::LL128:
        return 576000;
    default:
        return 2 * 1024 * 1024;
    }
}

} // namespace

TypeId
MscclCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MscclCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("ChunkBytes",
                          "Most that a loop over the steps of a plan takes of each of its chunks, "
                          "bytes. 0 = as MSCCL's runtime: 2 MiB with Simple, 576000 bytes with "
                          "LL128, 32 KiB with LL; or as that of MSCCL++, which has no loop.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MscclCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SwitchBytes",
                          "Most that goes through an NVSwitch as one message, bytes: the grain of "
                          "the pipelining of what MSCCL++ loads and stores there, which it does 16 "
                          "bytes at a time. 0 = what an operation moves is one message.",
                          UintegerValue(64 * 1024),
                          MakeUintegerAccessor(&MscclCollective::m_switchBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SwitchDepth",
                          "Messages of SwitchBytes that a GPU has sent to sums of an NVSwitch "
                          "that go to all, one for each GPU, and whose results have not come back; "
                          "one of each sum at least. So sums and results share the links.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&MscclCollective::m_switchDepth),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

MscclCollective::MscclCollective(std::shared_ptr<const MscclFile> file)
    : CollectiveAlgorithm(file->GetPlan().file, {file->GetPlan().kind}),
      m_file(std::move(file))
{
    NS_LOG_FUNCTION(this);
}

const MscclPlan&
MscclCollective::GetPlan() const
{
    return m_file->GetPlan();
}

std::string
MscclCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    const auto& plan = GetPlan();
    if (call.size != plan.gpus.size())
    {
        return "it is for " + std::to_string(plan.gpus.size()) + " members";
    }
    // A chunk has one length.
    if (call.splits)
    {
        return "it is for parts of equal length";
    }
    if (HasRoot(call.kind) && call.root != 0)
    {
        return "its root is member 0";
    }
    if (call.bytes % plan.granule != 0)
    {
        return "it is for multiples of " + std::to_string(plan.granule) + " bytes, its chunks";
    }
    if (call.bytes < plan.minBytes || (plan.maxBytes > 0 && call.bytes > plan.maxBytes))
    {
        return "it is for " + std::to_string(plan.minBytes) +
               (plan.maxBytes > 0 ? " to " + std::to_string(plan.maxBytes) + " bytes"
                                  : " bytes or more");
    }
    const auto reason = FindSwitchReason(call);
    if (reason.empty())
    {
        // Pipelines that do not fit each other with so many bytes are a mistake in the plan.
        m_file->GetPlanFor(call.bytes);
    }
    return reason;
}

std::string
MscclCollective::FindSwitchReason(const CollectiveCall& call) const
{
    const auto& groups = GetPlan().groups;
    if (groups.empty())
    {
        return "";
    }
    if (!call.placement || call.placement->GetNSwitches() == 0)
    {
        return "NVSwitches add up or multicast in it, and not all servers of its members have one "
               "that links all of their ranks: choose another fabric, or a plan without glre, "
               "glres, gstore and gstorepkt";
    }
    const auto& servers = call.placement->GetServers();
    const bool isApart = std::any_of(groups.begin(), groups.end(), [&servers](const auto& group) {
        return std::find(servers.begin(), servers.end(), group) == servers.end();
    });
    return isApart ? "NVSwitches add up or multicast in it for a group of GPUs that is not all of "
                     "its members in a server: place them so, see --gpusPerServer"
                   : "";
}

bool
MscclCollective::LeavesUnsupported(const CollectiveCall& call) const
{
    // MSCCL leaves what a plan is not for to others; what it cannot do on such a fabric fails.
    return call.size != GetPlan().gpus.size() || FindSwitchReason(call).empty();
}

CollectiveAlgorithm::Switches
MscclCollective::GetSwitches() const
{
    return GetPlan().groups.empty() ? Switches::NONE : Switches::NVLINK;
}

std::vector<CollectiveProtocol>
MscclCollective::GetProtocols() const
{
    return {GetPlan().protocol};
}

uint32_t
MscclCollective::GetChannels(const CollectiveCall& /* call */) const
{
    return GetPlan().channels;
}

ChunkPipelines
MscclCollective::DoPlan(const CollectiveCall& call) const
{
    const auto plan = m_file->GetPlanFor(call.bytes);
    const auto chunk = call.bytes / plan->chunks;
    const auto usual = plan->isWhole ? 0 : GetLoopBytes(plan->protocol);
    const auto most = m_chunkBytes > 0 ? m_chunkBytes : usual;
    // All chunks go in as many loops, so that GPUs agree.
    const MscclPieces pieces{chunk,
                             PipelineItems::CountPieces(chunk, most),
                             m_switchBytes,
                             m_switchDepth};
    const auto blocks = plan->gpus[call.index].size();
    auto progress = std::make_shared<MscclProgress>(blocks, 0);
    ChunkPipelines pipelines;
    for (uint32_t block = 0; block < blocks; ++block)
    {
        pipelines.push_back(
            std::make_unique<MscclPipeline>(plan, call.index, block, pieces, progress));
    }
    return pipelines;
}

} // namespace ns3
