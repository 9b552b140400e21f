/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-meter.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <sys/resource.h>

namespace ns3
{

namespace
{

/**
 * @return processor time that this process has used, s
 */
double
GetCpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto toSeconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return toSeconds(usage.ru_utime) + toSeconds(usage.ru_stime);
}

/**
 * @return largest resident set of this process so far, bytes
 */
uint64_t
GetPeakMemory()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    constexpr uint64_t unit = 1;
#else
    constexpr uint64_t unit = 1024;
#endif
    return static_cast<uint64_t>(usage.ru_maxrss) * unit;
}

} // namespace

RunMeter::RunMeter()
    : m_start(std::chrono::steady_clock::now()),
      m_cpuStart(GetCpuSeconds())
{
}

double
RunMeter::GetElapsed() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

RunCost
RunMeter::Read() const
{
    RunCost cost;
    cost.wallSeconds = GetElapsed();
    cost.cpuSeconds = GetCpuSeconds() - m_cpuStart;
    cost.events = Simulator::GetEventCount();
    cost.peakMemory = GetPeakMemory();
    cost.seed = RngSeedManager::GetSeed();
    cost.rngRun = RngSeedManager::GetRun();
    cost.moduleVersion = WORKLOAD_REPLAY_VERSION;
    cost.ns3Version = WORKLOAD_REPLAY_NS3_VERSION;
    return cost;
}

} // namespace ns3
