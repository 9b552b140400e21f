/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-run.h"

namespace ns3
{

BackgroundRun::BackgroundRun(std::vector<BackgroundRequest> requests,
                             const NetworkedJob& job,
                             uint32_t communicator,
                             const TopologyGraph& graph,
                             int64_t stream)
    : m_traffic(job.fabric->GetHosts(), job.fabric->GetTransports(), communicator),
      m_statistics(graph)
{
    m_statistics.ConnectTransports(job.fabric->GetTransports());
    for (auto& request : requests)
    {
        if (request.isTcp && !m_tcpTraffic)
        {
            m_tcp = job.fabric->AddTcp(stream);
            m_statistics.ConnectTransports(m_tcp);
            job.statistics->ConnectTransports(m_tcp);
            m_tcpTraffic =
                std::make_unique<BackgroundTraffic>(job.fabric->GetHosts(), m_tcp, communicator);
        }
        auto& traffic = request.isTcp ? *m_tcpTraffic : m_traffic;
        traffic.Add(std::move(request.pattern), request.period);
    }
}

const std::vector<Ptr<MessageTransport>>&
BackgroundRun::GetTcpTransports() const
{
    return m_tcp;
}

BackgroundTotals
BackgroundRun::GetTotals() const
{
    auto totals = m_statistics.GetTotals();
    totals.started += CountStarted();
    return totals;
}

uint64_t
BackgroundRun::CountStarted() const
{
    return m_traffic.GetStarted() + (m_tcpTraffic ? m_tcpTraffic->GetStarted() : 0);
}

BackgroundStatistics::Flows
BackgroundRun::GetFlows() const
{
    auto flows = m_statistics.GetFlows();
    flows.started += CountStarted();
    return flows;
}

void
BackgroundRun::Add(const BackgroundStatistics::Flows& flows)
{
    m_statistics.Add(flows);
}

} // namespace ns3
