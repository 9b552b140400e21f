/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-algorithm.h"

#include "channel-tuning.h"
#include "collective-costs.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("StepLatency",
                          "Time from the start of a step to that of each of its messages, at the "
                          "sender: what a step costs beside the wire. 0 = nothing.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveAlgorithm::m_stepLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LaunchLatency",
                          "Time from the call of a collective to the start of its first steps: "
                          "what a call costs beside the wire. 0 = nothing.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveAlgorithm::m_launchLatency),
                          MakeTimeChecker(Time(0)));
    return tid;
}

uint32_t
CollectiveCall::GetMemberAfter(uint64_t distance) const
{
    return static_cast<uint32_t>((index + distance) % size);
}

uint32_t
CollectiveCall::GetPosition() const
{
    return placement ? placement->GetPlace(index).position : index;
}

uint32_t
CollectiveCall::GetMemberAt(uint64_t position) const
{
    const auto place = static_cast<uint32_t>(position % size);
    return placement ? placement->GetOrder()[place] : place;
}

bool
CollectiveCall::IsNetwork(const CollectiveTransfer& transfer) const
{
    return transfer.UsesNetworkSwitch() ||
           (placement &&
            placement->GetPlace(transfer.peer).server != placement->GetPlace(index).server);
}

CollectiveCall
CollectiveCall::GetShared(uint64_t message) const
{
    auto shared = *this;
    shared.index = 0;
    if (splits)
    {
        shared.splits = nullptr;
        shared.bytes = message * size;
    }
    return shared;
}

CollectiveAlgorithm::CollectiveAlgorithm(const std::string& name,
                                         const std::set<CollectiveKind>& kinds)
    : m_name(name),
      m_kinds(kinds)
{
    NS_LOG_FUNCTION(this << name);
}

CollectiveAlgorithm::~CollectiveAlgorithm()
{
    NS_LOG_FUNCTION(this);
}

const std::string&
CollectiveAlgorithm::GetName() const
{
    return m_name;
}

bool
CollectiveAlgorithm::Supports(CollectiveKind kind) const
{
    return m_kinds.count(kind) > 0;
}

bool
CollectiveAlgorithm::LeavesUnsupported(const CollectiveCall& call [[maybe_unused]]) const
{
    return false;
}

bool
CollectiveAlgorithm::RunsKernels() const
{
    return true;
}

std::string
CollectiveAlgorithm::FindUnsupportedReason(const CollectiveCall& call [[maybe_unused]]) const
{
    return "";
}

std::vector<CollectiveProtocol>
CollectiveAlgorithm::GetProtocols() const
{
    return GetCollectiveProtocols();
}

CollectiveAlgorithm::Switches
CollectiveAlgorithm::GetSwitches() const
{
    return Switches::NONE;
}

bool
CollectiveAlgorithm::Suits(const CollectiveCall& call) const
{
    return FindUnsupportedReason(call).empty();
}

ChunkPipelines
CollectiveAlgorithm::Plan(const CollectiveCall& call) const
{
    NS_LOG_FUNCTION(this << m_name << ToString(call.kind) << call.bytes << call.index << call.size);
    if (call.size == 1)
    {
        return {};
    }
    const auto reason = FindUnsupportedReason(call);
    NS_ABORT_MSG_UNLESS(reason.empty(),
                        m_name << " cannot do this " << ToString(call.kind) << ": " << reason
                               << "; choose another algorithm, or see "
                                  "ReplayHelper::InstallSwitches for NVSwitches");
    // With splits a member that has nothing to send may have something to receive.
    const bool isEmpty = call.bytes == 0 && !call.splits && call.kind != CollectiveKind::BARRIER;
    auto pipelines = isEmpty ? ChunkPipelines() : DoPlan(call);
    if (std::count(pipelines.begin(), pipelines.end(), nullptr) > 0)
    {
        throw WorkloadError({GetInstanceTypeId().GetName()},
                            "pipelines from DoPlan()",
                            "a null pointer among them");
    }
    return pipelines;
}

uint64_t
CollectiveAlgorithm::GetReceivedBytes(const CollectiveCall& call) const
{
    return call.size == 1 ? 0 : CountReceivedBytes(call);
}

uint64_t
CollectiveAlgorithm::CountReceivedBytes(const CollectiveCall& call) const
{
    if (call.splits)
    {
        // The own block is copied in the memory of the member and crosses no link.
        const auto& blocks = call.splits->receive;
        return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0}) - blocks[call.index];
    }
    uint64_t bytes = 0;
    CollectiveStep step;
    // Goes through all steps of the member; algorithms of many steps have a formula instead.
    for (const auto& pipeline : Plan(call))
    {
        while (pipeline->Next(step))
        {
            for (const auto& transfer : step)
            {
                bytes += transfer.IsSend() ? 0 : transfer.bytes;
            }
        }
    }
    return bytes;
}

std::optional<uint32_t>
CollectiveAlgorithm::CountMultiprocessors(const CollectiveCall& /* call */) const
{
    return std::nullopt;
}

uint32_t
CollectiveAlgorithm::GetChannels(const CollectiveCall& /* call */) const
{
    return 1;
}

std::string
CollectiveAlgorithm::GetAllAtOnceOption(const CollectiveCall& call [[maybe_unused]]) const
{
    return "";
}

std::string
CollectiveAlgorithm::DescribeLayout(const CollectiveCall& call [[maybe_unused]]) const
{
    return "";
}

double
CollectiveAlgorithm::GetUsedShare(const CollectiveCall& /* call */) const
{
    return 1;
}

ChannelBundle
CollectiveAlgorithm::GetBundle(const CollectiveCall& /* call */) const
{
    // An empty bundle adds neither copies nor posts of a proxy to the latency of a message.
    return {};
}

std::optional<double>
CollectiveAlgorithm::Estimate(const CollectiveCall& /* call */,
                              CollectiveProtocol /* protocol */,
                              const CollectiveCosts& /* costs */) const
{
    // Without an estimate an algorithm is chosen by its name or by the kind of the collective,
    // never because it is the fastest.
    return std::nullopt;
}

CollectiveLatencies::Entry
CollectiveAlgorithm::GetLatencies(CollectiveProtocol protocol,
                                  const CollectiveLayout& layout [[maybe_unused]],
                                  const CollectiveCosts& costs) const
{
    return costs.GetLatencies(m_name, protocol);
}

CollectiveTerms
CollectiveAlgorithm::GetTerms(CollectiveProtocol protocol,
                              const CollectiveLayout& layout,
                              const CollectiveCosts& costs) const
{
    const auto latencies = GetLatencies(protocol, layout, costs);
    return costs.MakeTerms(costs.GetMessageLatencies(latencies), protocol);
}

Time
CollectiveAlgorithm::GetStepLatency() const
{
    return m_stepLatency;
}

Time
CollectiveAlgorithm::GetLaunchLatency() const
{
    return m_launchLatency;
}

uint32_t
CollectiveAlgorithm::CountNetworkChannels(const CollectiveCall& call) const
{
    if (!call.placement)
    {
        return 1;
    }
    if (const auto* found = call.placement->GetChannels())
    {
        return std::min(found->CountRings(),
                        ChannelTuning::CountChannels(call, ChannelTuning::RING));
    }
    // Between servers one channel for each rail, so that all NICs carry traffic. In one server each
    // member has one link to the NVSwitch, which more channels would share.
    return call.placement->GetServers().size() == 1 ? 1 : call.placement->GetLargestServer();
}

} // namespace ns3
