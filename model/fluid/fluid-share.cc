/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-share.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

const std::vector<double>&
FluidShare::Divide(double capacity, const std::vector<double>& limits)
{
    const auto count = static_cast<uint32_t>(limits.size());
    // There is enough for all, most of the time.
    if (std::accumulate(limits.begin(), limits.end(), 0.0) <= capacity)
    {
        return limits;
    }
    m_parts.assign(count, 0);
    m_order.resize(count);
    std::iota(m_order.begin(), m_order.end(), 0);
    // Users with one limit keep their order, so that all machines find the same.
    std::stable_sort(m_order.begin(), m_order.end(), [&limits](uint32_t a, uint32_t b) {
        return limits[a] < limits[b];
    });
    for (uint32_t i = 0; i < count; ++i)
    {
        double& part = m_parts[m_order[i]];
        // Max-min fair: who wants less than an equal part leaves the rest to those behind.
        part = std::min(limits[m_order[i]], capacity / (count - i));
        capacity = std::max(0.0, capacity - part);
    }
    return m_parts;
}

} // namespace ns3
