/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-run.h"

#include "networked-job.h"

#include "ns3/simulator.h"

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

CollectiveBenchRun::CollectiveBenchRun(const CollectiveBenchOptions& options,
                                       const CollectiveBenchCluster& cluster,
                                       uint64_t bytes)
    : m_options(options),
      m_bytes(bytes),
      m_job(std::make_unique<NetworkedJob>(options,
                                           cluster.graph,
                                           MakeCollectiveWorkload(options, cluster, bytes),
                                           options.iterations))
{
}

CollectiveBenchRun::~CollectiveBenchRun()
{
    Simulator::Destroy();
}

FabricDescription
CollectiveBenchRun::Describe() const
{
    return m_job->fabric->Describe();
}

std::vector<std::string>
CollectiveBenchRun::Run()
{
    Simulator::Run();
    return m_job->FindReasons();
}

CollectiveTiming
CollectiveBenchRun::GetTiming() const
{
    const auto picoseconds =
        static_cast<double>(m_job->statistics->GetTotalTime().GetPicoSeconds());
    auto timing = MakeCollectiveTiming(m_options.kind,
                                       m_options.ranks,
                                       m_bytes,
                                       picoseconds * 1e-6 / m_options.iterations);
    timing.algorithm = m_job->statistics->GetCollectives().begin()->first.algorithm;
    return timing;
}

} // namespace ns3
