/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-sizes.h"

#include "ns3/assert.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// The distributions that have names, by name.
const std::map<std::string, std::vector<FlowSizes::Point>> NAMED{
    {"web-search",
     {{0, 0},
      {10e3, 0.15},
      {20e3, 0.2},
      {30e3, 0.3},
      {50e3, 0.4},
      {80e3, 0.53},
      {200e3, 0.6},
      {1e6, 0.7},
      {2e6, 0.8},
      {5e6, 0.9},
      {10e6, 0.97},
      {30e6, 1}}},
    {"data-mining",
     {{0, 0},
      {180, 0.1},
      {216, 0.2},
      {560, 0.3},
      {900, 0.4},
      {1100, 0.5},
      {1870, 0.6},
      {3160, 0.7},
      {10e3, 0.8},
      {400e3, 0.9},
      {3.16e6, 0.95},
      {100e6, 0.98},
      {1e9, 1}}},
    {"storage",
     {{0, 0},
      {4e3, 0.2293},
      {8e3, 0.6921},
      {16e3, 0.8061},
      {32e3, 0.9047},
      {64e3, 0.9353},
      {128e3, 0.9677},
      {256e3, 0.9753},
      {2e6, 1}}},
};

/**
 * @param text a file of points
 * @return its points as they stand there
 */
std::vector<FlowSizes::Point>
ReadPoints(const WorkloadText& text)
{
    std::vector<FlowSizes::Point> points;
    for (const auto& line : text.GetLines())
    {
        const auto words = text.SplitWords(line);
        if (words.size() != 2)
        {
            throw WorkloadError(text.Locate(line, 0), "BYTES SHARE", Quoted(line.text));
        }
        points.push_back({ParseNonNegative(words[0], "a number of bytes"),
                          ParseNonNegative(words[1], "a share")});
        const auto& point = points.back();
        if (points.size() == 1 && point.share != 0)
        {
            throw WorkloadError(words[1].where, "0, the share of the first line", words[1].text);
        }
        if (points.size() > 1)
        {
            const auto& before = points[points.size() - 2];
            if (point.bytes < before.bytes || point.share <= before.share)
            {
                throw WorkloadError(words[0].where,
                                    "more bytes and a larger share than in the line before",
                                    Quoted(line.text));
            }
        }
    }
    return points;
}

/**
 * @param file a file of points
 * @return its points, shares from 0 to 1
 */
std::vector<FlowSizes::Point>
ReadDistribution(const std::string& file)
{
    const WorkloadText text(file, {ForeignFile::FLOW_SIZES});
    auto points = ReadPoints(text);
    const double total = points.back().share;
    if (points.size() < 2 || (total != 1 && total != 100))
    {
        throw WorkloadError(text.Locate(text.GetLines().back(), 0),
                            "shares that end with 1 or 100",
                            Quoted(text.GetLines().back().text));
    }
    for (auto& point : points)
    {
        // Shares may be fractions or per cent.
        point.share /= total;
    }
    return points;
}

} // namespace

FlowSizes::FlowSizes(std::vector<Point> points)
    : m_points(std::move(points))
{
    NS_ASSERT_MSG(m_points.size() > 1, "a distribution has a beginning and an end");
}

FlowSizes
FlowSizes::Parse(const TextField& value)
{
    const auto named = NAMED.find(value.text);
    if (named != NAMED.end())
    {
        return FlowSizes(named->second);
    }
    // What begins with a digit is a size, not a file.
    if (!value.text.empty() && value.text.find_first_not_of("0123456789") != 0)
    {
        const auto bytes = static_cast<double>(ParseBytes(value, 1));
        // Both points at one size: every share gives it.
        return FlowSizes({{bytes, 0}, {bytes, 1}});
    }
    std::error_code error;
    if (!std::filesystem::exists(value.text, error))
    {
        std::vector<std::string> names;
        names.reserve(NAMED.size());
        for (const auto& [name, points] : NAMED)
        {
            names.push_back(name);
        }
        throw WorkloadError(value.where,
                            "sizes of flows: " + JoinWords(names) +
                                ", a size such as 64KiB, or a file",
                            Quoted(value.text),
                            NearestName(value.text, names));
    }
    return FlowSizes(ReadDistribution(value.text));
}

double
FlowSizes::GetMean() const
{
    double mean = 0;
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        // Sizes are spread evenly between two points.
        mean += (m_points[i].share - m_points[i - 1].share) *
                (m_points[i].bytes + m_points[i - 1].bytes) / 2;
    }
    return mean;
}

uint64_t
FlowSizes::Get(double share) const
{
    // The first and the last point are not searched, so that there is one on either side.
    const auto above =
        std::lower_bound(m_points.begin() + 1,
                         m_points.end() - 1,
                         share,
                         [](const Point& point, double value) { return point.share < value; });
    const auto& [lowBytes, lowShare] = *(above - 1);
    // Shares rise strictly, see ReadPoints(), so that this divides by no 0.
    const double slope = (above->bytes - lowBytes) / (above->share - lowShare);
    // The first point of many distributions is 0, but a flow has a byte at least.
    return std::max<uint64_t>(1, std::llround(lowBytes + slope * (share - lowShare)));
}

} // namespace ns3
