/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-estimates.h"

#include <cmath>

namespace ns3
{

std::optional<double>
EstimateNvls(const CollectiveCall& call, CollectiveProtocol protocol, const CollectiveCosts& costs)
{
    const auto layout = CollectiveLayout::Of(call);
    if (protocol != CollectiveProtocol::SIMPLE || layout.servers > 1 || call.size <= 2 ||
        costs.GetNvlsShare() == 0)
    {
        return std::nullopt;
    }
    const double size = call.size;
    const double rate = costs.GetBusRate(layout) * costs.GetNvlsShare() * 7 / 8;
    // What a ring would have to carry.
    const double bytes = call.kind == CollectiveKind::ALL_REDUCE
                             ? static_cast<double>(call.bytes) * 2 * (size - 1) / size
                             : static_cast<double>(call.bytes);
    const double factor = call.kind == CollectiveKind::ALL_REDUCE ? 2 : (size - 1) / size;
    const auto latencies = costs.GetLatencies("nvls", protocol, layout);
    return latencies.base.GetSeconds() + bytes / (rate * factor);
}

std::optional<double>
EstimatePat(const CollectiveCall& call, CollectiveProtocol protocol, const CollectiveCosts& costs)
{
    const auto layout = CollectiveLayout::Of(call);
    if (protocol != CollectiveProtocol::SIMPLE || layout.servers != call.size || call.size == 1)
    {
        return std::nullopt;
    }
    const auto latencies = costs.GetLatencies("pat", protocol, layout);
    const double latency =
        latencies.base.GetSeconds() +
        std::floor(std::log2(layout.servers)) * latencies.network.GetSeconds() / 3.5 +
        2.8e-6 * call.size;
    return latency + static_cast<double>(call.bytes) / (0.75 * 0.5 * costs.GetBusRate(layout));
}

} // namespace ns3
