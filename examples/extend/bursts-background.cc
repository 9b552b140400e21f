/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Background traffic: every host sends to the next one, all at the same times.
 * Keys: bytes (1 MiB), period (1 ms), hosts.
 */

#include "ns3/background-kind.h"
#include "ns3/strategy-registry.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace ns3
{

/// Says when the flows of BurstsBackground begin.
class BurstsTraffic : public TrafficPattern
{
  public:
    /**
     * @param hosts the hosts
     * @param bytes size of a flow
     * @param period time between two bursts
     */
    BurstsTraffic(TrafficHosts hosts, uint64_t bytes, Time period)
        : m_hosts(std::move(hosts)),
          m_bytes(bytes),
          m_period(period)
    {
    }

    std::optional<BackgroundFlow> Next() override
    {
        const auto& hosts = m_hosts.hosts;
        const auto burst = static_cast<int64_t>(m_next / hosts.size());
        const auto sender = m_next++ % hosts.size();
        return BackgroundFlow{m_period * burst,
                              hosts[sender],
                              hosts[(sender + 1) % hosts.size()],
                              m_bytes};
    }

    int64_t AssignStreams(int64_t stream [[maybe_unused]]) override
    {
        return 0; // nothing is drawn
    }

  private:
    TrafficHosts m_hosts; //!< the hosts
    uint64_t m_bytes;     //!< size of a flow
    Time m_period;        //!< time between two bursts
    uint64_t m_next{0};   //!< number of the next flow
};

/// Background traffic in bursts.
class BurstsBackground : public BackgroundKind
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BurstsBackground")
                                .SetParent<BackgroundKind>()
                                .AddConstructor<BurstsBackground>();
        return tid;
    }

    std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                           const TopologyGraph& graph) const override
    {
        const auto hosts = FindHosts(spec, graph);
        const auto bytes = GetBytes(spec, "1MiB");
        const auto period = spec.GetTime("period", MilliSeconds(1));
        if (period.IsZero())
        {
            throw WorkloadError(spec.GetField("period"), "a period above 0");
        }
        return std::make_unique<BurstsTraffic>(hosts, bytes, period);
    }
};

NS_STRATEGY_ENSURE_REGISTERED(BurstsBackground, "bursts", "bytes, period");

} // namespace ns3
