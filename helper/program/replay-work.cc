/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-work.h"

#include "ns3/collective-message-count.h"

#include <algorithm>

namespace ns3
{

ReplayWork::ReplayWork(const ApplicationContainer& applications,
                       const std::vector<Ptr<MessageTransport>>& transports,
                       std::shared_ptr<const ReplayStatistics> statistics,
                       const FabricDescription& fabric)
    : m_transports(transports),
      m_statistics(std::move(statistics)),
      m_packetBytes(static_cast<uint64_t>(fabric.mtu) * fabric.maxTrain)
{
    CollectiveMessageCount counts;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        m_applications.push_back(DynamicCast<ReplayApplication>(*i));
        const auto& application = *m_applications.back();
        m_expected.ops += application.GetExpectedOps();
        m_expected.messages += application.GetExpectedMessages(counts);
        m_expected.bytes += application.GetExpectedBytes();
    }
}

double
ReplayWork::GetShare() const
{
    WorkAmount done;
    for (const auto& application : m_applications)
    {
        done.ops += application->GetFinishedOps();
    }
    done.messages = m_statistics->GetRankMessages().count;
    for (const auto& transport : m_transports)
    {
        done.bytes += transport ? transport->GetAcknowledgedBytes() : 0;
    }
    done.bytes = std::max(done.bytes, m_statistics->GetRankMessages().bytes);
    const double expected = GetCost(m_expected, m_packetBytes);
    return expected > 0 ? std::min(1.0, GetCost(done, m_packetBytes) / expected) : 1;
}

double
ReplayWork::GetCost(const WorkAmount& work, uint64_t packetBytes)
{
    constexpr double perOp = 1;
    constexpr double perMessage = 2;
    const double packets =
        packetBytes > 0 ? static_cast<double>(work.bytes) / static_cast<double>(packetBytes) : 0;
    return perOp * static_cast<double>(work.ops) + perMessage * static_cast<double>(work.messages) +
           packets;
}

} // namespace ns3
