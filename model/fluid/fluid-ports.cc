/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-ports.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace ns3
{

FluidPorts::FluidPorts(std::vector<FluidLink>& links)
    : m_links(links)
{
}

void
FluidPorts::Request(uint32_t source)
{
    m_isRequested.resize(m_links.size());
    if (!m_isRequested[source])
    {
        m_isRequested[source] = true;
        m_requests.push_back(source);
    }
}

std::vector<uint32_t>
FluidPorts::TakeRequests()
{
    for (const auto source : m_requests)
    {
        m_isRequested[source] = false;
    }
    return std::exchange(m_requests, {});
}

const std::vector<double>&
FluidPorts::Divide(uint32_t source)
{
    m_limits.clear();
    for (const auto& use : m_links[source].uses)
    {
        m_limits.push_back(use.IsOwn() && use.flow->isActive ? use.flow->limit : 0);
    }
    return m_share.Divide(m_links[source].GetOwnPart(), m_limits);
}

std::vector<uint32_t>
FluidPorts::HoldBack(const std::vector<uint32_t>& busy, int64_t now)
{
    // What full links take in goes by what they have carried themselves since the last step.
    std::vector<std::pair<const FluidLink*, double>> full;
    for (const auto number : busy)
    {
        if (m_links[number].isFull)
        {
            full.emplace_back(&m_links[number], m_links[number].carries);
        }
    }
    for (const auto number : m_held)
    {
        FluidLink& link = m_links[number];
        link.Advance(now);
        link.carries = link.settings.capacity;
        if (link.nOwn > 0)
        {
            Request(number);
        }
    }
    m_held.clear();
    for (const auto& [link, takes] : full)
    {
        HoldBackFrom(*link, takes, now);
    }
    std::vector<uint32_t> queues;
    std::copy_if(m_held.begin(), m_held.end(), std::back_inserter(queues), [this](uint32_t number) {
        return m_links[number].HasQueue() && !m_links[number].isBusy;
    });
    return queues;
}

void
FluidPorts::HoldBackFrom(const FluidLink& full, double takes, int64_t now)
{
    // Part of what each link carries that comes here: it does not change when the link is held
    // back.
    std::map<uint32_t, double> inputs;
    for (const auto& use : full.uses)
    {
        // Flows that begin there have their part by GetOwnPart().
        takes -= use.IsOwn() ? use.flow->rate : 0;
        const auto& hops = use.flow->hops;
        for (uint32_t i = 0; i < use.hop; ++i)
        {
            if (hops[i].to == use.GetHop().from)
            {
                inputs[hops[i].link] += hops[i].out * use.GetHop().fraction;
            }
        }
    }
    std::vector<double> parts;
    m_limits.clear();
    for (const auto& [number, rate] : inputs)
    {
        const FluidLink& input = m_links[number];
        const double out = input.isBusy ? input.leaving : input.load;
        parts.push_back(out > 0 ? std::min(1.0, rate / out) : 0);
        m_limits.push_back(input.GetDemand() * parts.back());
    }
    const auto& taken = m_share.Divide(std::max(0.0, takes), m_limits);
    std::size_t i = 0;
    for (const auto& [number, rate] : inputs)
    {
        FluidLink& input = m_links[number];
        if (taken[i] < m_limits[i] * (1 - FluidLink::ROUNDING))
        {
            input.Advance(now);
            input.carries = std::min(input.carries, taken[i] / parts[i]);
            m_held.push_back(number);
            if (input.nOwn > 0)
            {
                Request(number);
            }
        }
        ++i;
    }
}

} // namespace ns3
