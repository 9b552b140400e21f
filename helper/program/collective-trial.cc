/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-trial.h"

#include "network-setup.h"

#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// Bytes per second in a GB/s.
constexpr double GIGABYTE = 1e9;

} // namespace

CollectiveTiming
MakeCollectiveTiming(CollectiveKind kind, uint32_t ranks, uint64_t bytes, double microseconds)
{
    CollectiveTiming timing;
    timing.bytes = bytes;
    timing.microseconds = microseconds;
    if (microseconds > 0)
    {
        const double rate = static_cast<double>(bytes) / (microseconds * 1e-6);
        timing.algorithmBandwidth = rate / GIGABYTE;
        timing.busBandwidth = GetBusBandwidthFactor(kind, ranks) * rate / GIGABYTE;
    }
    return timing;
}

CollectiveTrial::CollectiveTrial(const CollectiveBenchOptions& options,
                                 const CollectiveSite& site,
                                 uint64_t bytes)
    : m_options(options),
      m_bytes(bytes),
      m_fabric(ReplayFabric::Create(options, site.graph))
{
    m_fabric->ScheduleFailures(options.linkFailures, site.graph);
    const auto workload = MakeCollectiveWorkload(options, site, bytes);
    ReplayHelper helper(workload);
    helper.SetAttribute("Iterations", UintegerValue(options.iterations));
    SetUpCollectives(options, site.graph, helper);
    InstallSwitches(*m_fabric, site.graph, helper);
    m_applications = helper.Install(m_fabric->GetHosts(), m_fabric->GetTransports());
    m_statistics = std::make_unique<ReplayStatistics>(workload);
    m_statistics->ConnectApplications(m_applications);
}

CollectiveTrial::~CollectiveTrial()
{
    Simulator::Destroy();
}

FabricDescription
CollectiveTrial::Describe() const
{
    return m_fabric->Describe();
}

std::vector<std::string>
CollectiveTrial::Run()
{
    Simulator::Run();
    auto reasons = ReplayHelper::DescribeWaits(m_applications);
    if (!reasons.empty())
    {
        const auto& failures = m_fabric->GetFailures();
        reasons.insert(reasons.begin(), failures.begin(), failures.end());
    }
    return reasons;
}

CollectiveTiming
CollectiveTrial::GetTiming() const
{
    const auto picoseconds = static_cast<double>(m_statistics->GetTotalTime().GetPicoSeconds());
    auto timing = MakeCollectiveTiming(m_options.kind,
                                       m_options.ranks,
                                       m_bytes,
                                       picoseconds * 1e-6 / m_options.iterations);
    timing.algorithm = m_statistics->GetCollectives().begin()->first.algorithm;
    return timing;
}

} // namespace ns3
