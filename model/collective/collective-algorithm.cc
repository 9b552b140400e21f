/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-algorithm.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

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
                          MakeTimeChecker(Time(0)))
            .AddAttribute("NetworkChannels",
                          "Channels of rings and chains, and half of those of double trees, "
                          "through servers of several members, where the attribute Channels is 0. "
                          "0 = one for each member of the largest server, which suits a NIC for "
                          "each member. With fewer NICs the channels take these in turn.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveAlgorithm::m_networkChannels),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
CollectiveTransfer::IsSend() const
{
    return action == SEND || action == SWITCH_REDUCE || action == SWITCH_MULTICAST;
}

bool
CollectiveTransfer::UsesSwitch() const
{
    return action == SWITCH_REDUCE || action == SWITCH_MULTICAST || action == SWITCH_RECV;
}

CollectiveAlgorithm::CollectiveAlgorithm()
{
    NS_LOG_FUNCTION(this);
}

CollectiveAlgorithm::~CollectiveAlgorithm()
{
    NS_LOG_FUNCTION(this);
}

std::optional<double>
CollectiveAlgorithm::Estimate(const CollectiveCall& /* call */,
                              CollectiveProtocol /* protocol */,
                              const CollectiveCosts& /* costs */) const
{
    return std::nullopt;
}

std::string
CollectiveAlgorithm::FindObstacle(const CollectiveCall& call [[maybe_unused]]) const
{
    return "";
}

bool
CollectiveAlgorithm::Suits(const CollectiveCall& call) const
{
    return FindObstacle(call).empty();
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
    if (!call.placement || call.placement->GetServers().size() == 1)
    {
        return 1;
    }
    const auto largest = call.placement->GetLargestServer();
    return m_networkChannels > 0 && largest > 1 ? m_networkChannels : largest;
}

BufferPart
BufferPart::Cut(uint64_t count, uint64_t index) const
{
    NS_ASSERT_MSG(index < count, "part " << index << " of " << count);
    const uint64_t length = bytes / count;
    const uint64_t rest = bytes % count;
    return {offset + length * index + std::min(index, rest), length + (index < rest ? 1 : 0)};
}

} // namespace ns3
