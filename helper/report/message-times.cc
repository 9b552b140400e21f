/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-times.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Bins of an octave.
constexpr int32_t BINS = 128;

/// Number of the bin of what is not above 0.
constexpr int32_t ZERO = INT32_MIN;

/**
 * @param value any value
 * @return number of its bin
 */
int32_t
FindBin(double value)
{
    if (value <= 0)
    {
        return ZERO;
    }
    int octave = 0;
    // frexp() gives 0.5 to 1, which is an octave.
    const double mantissa = std::frexp(value, &octave);
    // Bins of equal width within an octave: a value is off by less than 1 / BINS of itself.
    return octave * BINS + static_cast<int32_t>((2 * mantissa - 1) * BINS);
}

/**
 * @param bin number of a bin
 * @return the value in its middle
 */
double
GetMiddle(int32_t bin)
{
    if (bin == ZERO)
    {
        return 0;
    }
    // Rounded down, as values below a half have negative bins.
    const auto octave = static_cast<int>(std::floor(static_cast<double>(bin) / BINS));
    const double within = bin - octave * BINS + 0.5;
    return std::ldexp(0.5 + 0.5 * within / BINS, octave);
}

} // namespace

void
QuantileHistogram::Add(double value, uint64_t times)
{
    m_count += times;
    m_bins[FindBin(value)] += times;
    m_sum += std::max(value, 0.0) * static_cast<double>(times);
    m_max = std::max(m_max, value);
}

double
QuantileHistogram::GetQuantile(double share) const
{
    // The first bin up to which the share of the values has been seen.
    const double wanted = share * static_cast<double>(m_count);
    uint64_t seen = 0;
    for (const auto& [bin, count] : m_bins)
    {
        seen += count;
        if (static_cast<double>(seen) >= wanted)
        {
            // The middle of the last bin may be above the largest value.
            return std::min(GetMiddle(bin), m_max);
        }
    }
    return m_max;
}

double
QuantileHistogram::GetMean() const
{
    return m_count > 0 ? m_sum / static_cast<double>(m_count) : 0;
}

double
QuantileHistogram::GetMax() const
{
    return m_max;
}

void
MessageTimes::Add(uint64_t size, Time taken, Time ideal, uint64_t times)
{
    count += times;
    bytes += times * size;
    time.Add(static_cast<double>(taken.GetPicoSeconds()) / 1000, times);
    // Messages within a node have an ideal time of 0, and no slowdown.
    if (ideal.IsStrictlyPositive())
    {
        slowdown.Add(static_cast<double>(taken.GetTimeStep()) /
                         static_cast<double>(ideal.GetTimeStep()),
                     times);
    }
}

} // namespace ns3
