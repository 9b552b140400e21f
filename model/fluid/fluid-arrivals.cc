/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-arrivals.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
FluidArrivals::Begin(int64_t now, double rate)
{
    // Most flows begin and end, and share their port with another one in between.
    constexpr std::size_t few = 4;
    Clear();
    m_changes.reserve(few);
    m_changes.push_back({static_cast<double>(now), 0, rate});
}

void
FluidArrivals::Change(int64_t now, double rate)
{
    const auto at = static_cast<double>(now);
    Moment& last = m_changes.back();
    NS_ASSERT_MSG(at >= last.at, "changes come in the order of time");
    if (at == last.at && m_changes.size() - m_first > 1)
    {
        last.rate = rate;
    }
    else if (rate != last.rate)
    {
        m_changes.push_back({at, last.bytes + last.rate * (at - last.at), rate});
    }
}

void
FluidArrivals::Insert(double from, int64_t now, double bytes)
{
    const auto to = static_cast<double>(now);
    NS_ASSERT_MSG(from < to, "it has come in some time");
    const double rate = bytes / (to - from);
    const double rest = m_changes.back().rate;
    std::size_t place = Find(from);
    const Moment before{from, GetBytes(from), m_changes[place].rate};
    place += m_changes[place].at <= from ? 1 : 0;
    m_changes.insert(m_changes.begin() + static_cast<std::ptrdiff_t>(place), before);
    for (std::size_t i = place; i < m_changes.size(); ++i)
    {
        m_changes[i].bytes += rate * (m_changes[i].at - from);
        m_changes[i].rate += rate;
    }
    m_changes.push_back({to, GetBytes(to), rest});
}

double
FluidArrivals::GetSince(double from, double to) const
{
    return GetBytes(to) - GetBytes(from);
}

double
FluidArrivals::FindEntry(double to, double bytes) const
{
    if (bytes <= 0)
    {
        return to; // whatever sums have lost in rounding
    }
    const double left = GetBytes(to) - bytes;
    // What leaves goes on from where it was when it was asked last: mostly a change or two.
    std::size_t i = m_first;
    while (i + 1 < m_changes.size() && m_changes[i + 1].bytes <= left)
    {
        ++i;
    }
    const Moment& change = m_changes[i];
    const double at = change.rate > 0 ? change.at + (left - change.bytes) / change.rate : change.at;
    return std::min(at, to);
}

double
FluidArrivals::GetLargestRate(double from) const
{
    double largest = 0;
    for (std::size_t i = Find(from); i < m_changes.size(); ++i)
    {
        largest = std::max(largest, m_changes[i].rate);
    }
    return largest;
}

void
FluidArrivals::Forget(double before)
{
    m_first = std::max(m_first, Find(before));
    // Moved now and then, each as often as others in the mean.
    constexpr std::size_t least = 16;
    if (m_first > least && m_first > m_changes.size() / 2)
    {
        m_changes.erase(m_changes.begin(),
                        m_changes.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }
}

void
FluidArrivals::Remove(const FluidArrivals& flow)
{
    for (std::size_t i = m_first; i < m_changes.size(); ++i)
    {
        Moment& change = m_changes[i];
        change.bytes -= flow.GetBytes(change.at);
        change.rate -= flow.m_changes[flow.Find(change.at)].rate;
    }
}

double
FluidArrivals::GetBytes(double at) const
{
    const Moment& change = m_changes[Find(at)];
    return change.bytes + change.rate * (at - change.at);
}

std::size_t
FluidArrivals::Find(double at) const
{
    std::size_t i = m_first;
    if (m_changes.back().at <= at)
    {
        return m_changes.size() - 1;
    }
    while (i + 1 < m_changes.size() && m_changes[i + 1].at <= at)
    {
        ++i;
    }
    return i;
}

} // namespace ns3
