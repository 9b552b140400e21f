/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-estimates.h"

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

} // namespace ns3
