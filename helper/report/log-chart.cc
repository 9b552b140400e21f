/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "log-chart.h"

#include "svg-text.h"
#include "text-table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

namespace
{

/// Width of the picture, pixels.
constexpr double WIDTH = 760;

/// Left edge of the panels, pixels.
constexpr double LEFT = 80;

/// Right edge of the panels, pixels.
constexpr double RIGHT = 730;

/// Upper edge of the first panel, pixels.
constexpr double TOP = 100;

/// Height of a panel, pixels.
constexpr double HEIGHT = 260;

/// From the lower edge of a panel to the upper one of the next, pixels.
constexpr double GAP = 70;

/// Most sizes that are named at the axis; more would overlap.
constexpr int MAX_SIZES = 12;

/// How a curve looks.
struct CurveLook
{
    const char* color;  //!< of line and points
    const char* dashes; //!< attribute of the line
    const char* fill;   //!< of points
};

/// How curves look: others, references.
constexpr std::array<CurveLook, 2> LOOKS{
    {{"#2f6fbf", "", "#2f6fbf"}, {"#c4473f", " stroke-dasharray=\"6 4\"", "#ffffff"}}};

/**
 * @param exponent a power of two
 * @return the size in words, such as 64 KiB
 */
std::string
FormatSize(int exponent)
{
    constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return std::to_string(1 << exponent % 10) + " " +
           units.at(static_cast<std::size_t>(exponent) / 10);
}

/**
 * @param x1 where a line begins
 * @param y1 where it begins
 * @param x2 where it ends
 * @param y2 where it ends
 * @return a piece of a path
 */
std::string
Line(double x1, double y1, double x2, double y2)
{
    return "M" + FormatPixels(x1) + " " + FormatPixels(y1) + "L" + FormatPixels(x2) + " " +
           FormatPixels(y2);
}

/**
 * @param x where it stands
 * @param y its base line
 * @param attributes size, anchor and the like
 * @param text any text
 * @return a text element
 */
std::string
Text(double x, double y, const std::string& attributes, const std::string& text)
{
    return "<text x=\"" + FormatPixels(x) + "\" y=\"" + FormatPixels(y) + "\" " + attributes + ">" +
           EscapeXml(text) + "</text>\n";
}

/**
 * @param point a point
 * @return whether logarithmic axes have a place for it
 */
bool
IsVisible(const LogChart::Point& point)
{
    return point.first > 0 && point.second > 0;
}

} // namespace

void
LogChart::Range::Include(double exponent)
{
    // A logarithm of a power may be off by a rounding error, which must not add a whole power.
    constexpr double tolerance = 1e-9;
    const int below = static_cast<int>(std::floor(exponent + tolerance));
    const int above = static_cast<int>(std::ceil(exponent - tolerance));
    low = isSet ? std::min(low, below) : below;
    high = isSet ? std::max(high, above) : above;
    isSet = true;
}

double
LogChart::Range::GetShare(double exponent) const
{
    return (exponent - low) / std::max(1, high - low);
}

LogChart::LogChart(const std::string& title, const std::string& subtitle)
    : m_title(title),
      m_subtitle(subtitle)
{
}

void
LogChart::AddPanel(const std::string& title, const std::vector<Curve>& curves)
{
    Panel panel{title, curves, Range()};
    for (const auto& curve : curves)
    {
        for (const auto& point : curve.points)
        {
            if (IsVisible(point))
            {
                m_sizes.Include(std::log2(point.first));
                panel.values.Include(std::log10(point.second));
            }
        }
    }
    m_panels.push_back(panel);
}

double
LogChart::GetX(double bytes) const
{
    return LEFT + (RIGHT - LEFT) * m_sizes.GetShare(std::log2(bytes));
}

double
LogChart::GetTop(std::size_t panel) const
{
    return TOP + static_cast<double>(panel) * (HEIGHT + GAP);
}

double
LogChart::GetY(std::size_t panel, double value) const
{
    return GetTop(panel) + HEIGHT * (1 - m_panels[panel].values.GetShare(std::log10(value)));
}

void
LogChart::WriteGrid(std::ostream& os, std::size_t panel) const
{
    const double top = GetTop(panel);
    const double bottom = top + HEIGHT;
    const Range& values = m_panels[panel].values;
    const int lastDecade = std::max(values.high, values.low + 1);
    std::string minor;
    std::string major;
    std::string labels;
    for (int decade = values.low; decade <= lastDecade; ++decade)
    {
        const double value = std::pow(10, decade);
        const double y = GetY(panel, value);
        major += Line(LEFT, y, RIGHT, y);
        labels += Text(LEFT - 8,
                       y + 4,
                       "font-size=\"11\" text-anchor=\"end\"",
                       FormatFixed(value, std::max(0, -decade)));
        for (int digit = 2; digit < 10 && decade < lastDecade; ++digit)
        {
            const double between = GetY(panel, digit * value);
            minor += Line(LEFT, between, RIGHT, between);
        }
    }
    const int lastSize = std::max(m_sizes.high, m_sizes.low + 1);
    const int step = 1 + (lastSize - m_sizes.low) / MAX_SIZES;
    for (int size = m_sizes.low; size <= lastSize; size += step)
    {
        const double x = GetX(std::exp2(size));
        major += Line(x, top, x, bottom);
        labels += Text(x, bottom + 18, "font-size=\"11\" text-anchor=\"middle\"", FormatSize(size));
    }
    os << "<path fill=\"none\" stroke=\"#eceff3\" d=\"" << minor
       << "\"/>\n<path fill=\"none\" stroke=\"#c5cad3\" d=\"" << major << "\"/>\n"
       << labels;
}

void
LogChart::WriteLegend(std::ostream& os, std::size_t panel) const
{
    const double y = GetTop(panel) - 12;
    os << Text(LEFT, y, "font-size=\"13\" font-weight=\"bold\"", m_panels[panel].title);
    double x = LEFT + 220;
    for (const auto& curve : m_panels[panel].curves)
    {
        const auto& look = LOOKS.at(curve.isReference ? 1 : 0);
        os << "<path fill=\"none\" stroke=\"" << look.color << "\" stroke-width=\"2\""
           << look.dashes << " d=\"" << Line(x, y - 4, x + 34, y - 4) << "\"/>\n"
           << Text(x + 40, y, "font-size=\"12\"", curve.name);
        x += 70 + 7 * static_cast<double>(curve.name.size());
    }
}

void
LogChart::WriteCurve(std::ostream& os, std::size_t panel, const Curve& curve) const
{
    const auto& look = LOOKS.at(curve.isReference ? 1 : 0);
    std::string line;
    std::string circles;
    for (const auto& point : curve.points)
    {
        if (!IsVisible(point))
        {
            continue;
        }
        const auto x = FormatPixels(GetX(point.first));
        const auto y = FormatPixels(GetY(panel, point.second));
        line += (line.empty() ? "M" : "L") + x + " " + y;
        circles += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + look.fill +
                   "\" stroke=\"" + look.color + "\"><title>" + FormatFixed(point.first, 0) +
                   " bytes: " + FormatFixed(point.second, 3) + "</title></circle>\n";
    }
    os << "<path fill=\"none\" stroke=\"" << look.color << "\" stroke-width=\"2\"" << look.dashes
       << " d=\"" << line << "\"/>\n"
       << circles;
}

void
LogChart::Write(std::ostream& os) const
{
    const auto width = FormatPixels(WIDTH);
    const auto height = FormatPixels(GetTop(m_panels.size()) - GAP + 50);
    os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\""
       << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << " " << height
       << "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#263238\">\n<rect width=\""
       << width << "\" height=\"" << height << "\" fill=\"#ffffff\"/>\n"
       << Text(24, 32, "font-size=\"20\" font-weight=\"bold\"", m_title)
       << Text(24, 52, "font-size=\"13\"", m_subtitle);
    for (std::size_t panel = 0; panel < m_panels.size(); ++panel)
    {
        WriteGrid(os, panel);
        WriteLegend(os, panel);
        for (const auto& curve : m_panels[panel].curves)
        {
            WriteCurve(os, panel, curve);
        }
    }
    os << "</svg>\n";
}

} // namespace ns3
