/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-picture.h"

#include "svg-text.h"
#include "text-table.h"
#include "topology-drawing.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Height of the title, pixels.
constexpr double HEADER = 70;

/// Height of a line of the legend, pixels.
constexpr double LEGEND_LINE = 22;

/// Most kinds of lines in the legend.
constexpr std::size_t MAX_LEGEND = 12;

/// Colours of lines, by rate from the lowest.
constexpr std::array<const char*, 6> COLORS{"#5b6b80",
                                            "#2f6fbf",
                                            "#8a4fb5",
                                            "#c4473f",
                                            "#c98a1b",
                                            "#1c9aa0"};

/// Colour of NVLink.
constexpr const char* NVLINK_COLOR = "#4f9a4f";

/// What lines that look alike have in common: NVLink, rate in bit/s, count.
using Style = std::tuple<bool, uint64_t, uint32_t>;

/**
 * @ingroup workload-replay
 * @brief How a kind of box looks.
 */
struct BoxLook
{
    const char* name;   //!< what it stands for
    const char* fill;   //!< colour inside
    const char* stroke; //!< colour of the border
};

/// How boxes look, by kind.
constexpr std::array<BoxLook, 4> LOOKS{{{"host", "#dbe7fb", "#4a74c9"},
                                        {"server", "#dbe7fb", "#4a74c9"},
                                        {"switch", "#fdebc8", "#c98a1b"},
                                        {"NVSwitch", "#d5edd3", "#4f9a4f"}}};

/**
 * @param count a number
 * @param noun what it counts, one of it
 * @return both
 */
std::string
Count(std::size_t count, const std::string& noun)
{
    return std::to_string(count) + " " + noun + (count == 1 ? "" : noun.back() == 'h' ? "es" : "s");
}

/**
 * @param os where to
 * @param x left end
 * @param y middle of the line
 * @param text what the sign before it means
 */
void
PaintLegendText(std::ostream& os, double x, double y, const std::string& text)
{
    os << "<text x=\"" << FormatPixels(x) << "\" y=\"" << FormatPixels(y + 4)
       << "\" font-size=\"12\">" << text << "</text>\n";
}

/**
 * @ingroup workload-replay
 * @brief Writes a drawing.
 */
class Painter
{
  public:
    /**
     * Sort the lines by how they look.
     *
     * @param os where to
     * @param graph the topology
     */
    Painter(std::ostream& os, const TopologyGraph& graph);

    /// Write all of it.
    void Paint();

  private:
    /// Write the title and how many there are of what.
    void PaintTitle();

    /// Write the lines, those that look alike together.
    void PaintLines();

    /// Write boxes and texts.
    void PaintBoxes();

    /**
     * Write what fits into a box.
     *
     * @param box the box
     */
    void PaintLabel(const TopologyDrawing::Box& box);

    /**
     * Write what lines and boxes mean.
     *
     * @param os where to; the upper left corner is that of the legend
     * @return its height, not scaled, pixels
     */
    double PaintLegend(std::ostream& os) const;

    /**
     * Paint the part of the legend that explains lines.
     *
     * @param os where to
     * @param place takes a length and returns where that much room is; may begin another line
     * @param y height of the line that it is in
     */
    void PaintLegendLines(std::ostream& os,
                          const std::function<double(double)>& place,
                          const double& y) const;

    /**
     * @param style how lines look
     * @return the attributes that make them so
     */
    std::string Stroke(const Style& style) const;

    std::ostream& m_os;                              //!< where to
    const TopologyGraph& m_graph;                    //!< the topology
    TopologyDrawing m_drawing;                       //!< where things are
    std::map<Style, std::vector<uint32_t>> m_styles; //!< lines by how they look
    std::map<uint64_t, std::size_t> m_colors;        //!< position in COLORS by rate
    double m_scale{1};    //!< size of title and legend; larger in a wide picture
    double m_thinnest{0}; //!< least rate of a line, bit/s
};

Painter::Painter(std::ostream& os, const TopologyGraph& graph)
    : m_os(os),
      m_graph(graph),
      m_drawing(graph)
{
    m_scale = std::max(1.0, m_drawing.width / 1300);
    for (uint32_t i = 0; i < m_drawing.lines.size(); ++i)
    {
        const auto& line = m_drawing.lines[i];
        m_styles[{line.nvlink, line.rate, line.count}].push_back(i);
        const auto total = static_cast<double>(line.rate) * line.count;
        m_thinnest = i == 0 ? total : std::min(m_thinnest, total);
    }
    for (const auto& [style, lines] : m_styles)
    {
        if (!std::get<0>(style))
        {
            m_colors.emplace(std::get<1>(style), m_colors.size() % COLORS.size());
        }
    }
}

std::string
Painter::Stroke(const Style& style) const
{
    const auto& [nvlink, rate, count] = style;
    const double total = static_cast<double>(rate) * count;
    const double width = std::min(5.0, 0.9 + 0.5 * std::log2(total / m_thinnest));
    const auto n = m_drawing.lines.size();
    const double opacity = n > 3000 ? 0.2 : n > 600 ? 0.4 : 0.75;
    return std::string("stroke=\"") + (nvlink ? NVLINK_COLOR : COLORS.at(m_colors.at(rate))) +
           "\" stroke-width=\"" + FormatFixed(width, 2) + "\" stroke-opacity=\"" +
           FormatFixed(opacity, 2) + "\"";
}

void
Painter::PaintTitle()
{
    std::size_t switches = 0;
    std::size_t nvswitches = 0;
    std::set<uint32_t> servers;
    for (uint32_t i = 0; i < m_graph.GetNNodes(); ++i)
    {
        const auto& node = m_graph.GetNode(i);
        switches += node.kind == TopologyGraph::SWITCH ? 1 : 0;
        nvswitches += node.kind == TopologyGraph::NVSWITCH ? 1 : 0;
        if (node.kind == TopologyGraph::HOST && node.server != TopologyGraph::NO_SERVER)
        {
            servers.insert(node.server);
        }
    }
    m_os << "<g transform=\"scale(" << FormatFixed(m_scale, 2)
         << ")\">\n<text x=\"24\" y=\"32\" font-size=\"20\" font-weight=\"bold\">"
         << EscapeXml(m_graph.GetName()) << "</text>\n<text x=\"24\" y=\"52\" font-size=\"13\">"
         << Count(m_graph.GetHosts().size(), "host")
         << (servers.empty() ? "" : " in " + Count(servers.size(), "server")) << ", "
         << Count(switches, "switch") << ", " << Count(nvswitches, "NVSwitch") << ", "
         << Count(m_graph.GetNLinks(), "link") << "</text>\n</g>\n";
}

void
Painter::PaintLines()
{
    for (const auto& [style, lines] : m_styles)
    {
        m_os << "<path fill=\"none\" " << Stroke(style) << " d=\"";
        for (const auto i : lines)
        {
            const auto& line = m_drawing.lines[i];
            const auto& a = m_drawing.boxes[line.a];
            const auto& b = m_drawing.boxes[line.b];
            m_os << "M" << FormatPixels(a.x) << " " << FormatPixels(a.y);
            if (line.isCurved)
            {
                m_os << "Q" << FormatPixels(line.bendX) << " " << FormatPixels(line.bendY) << " "
                     << FormatPixels(b.x) << " " << FormatPixels(b.y);
            }
            else
            {
                m_os << "L" << FormatPixels(b.x) << " " << FormatPixels(b.y);
            }
        }
        m_os << "\"/>\n";
    }
}

void
Painter::PaintLabel(const TopologyDrawing::Box& box)
{
    const double fontSize = box.width < 24 ? 8 : 10;
    const auto fits = [&](const std::string& text) {
        return 0.62 * fontSize * static_cast<double>(text.size()) <= box.width - 2;
    };
    const auto lastLetter = box.name.find_last_not_of("0123456789");
    auto label = box.name;
    if (!fits(label))
    {
        label = lastLetter == std::string::npos ? "" : box.name.substr(lastLetter + 1);
    }
    // Where most labels do not fit, the few short ones would look like a mistake.
    if (!label.empty() && fits(label) && box.width >= 14)
    {
        m_os << "<text x=\"" << FormatPixels(box.x) << "\" y=\""
             << FormatPixels(box.y + 0.35 * fontSize) << "\" font-size=\"" << FormatPixels(fontSize)
             << "\" text-anchor=\"middle\">" << EscapeXml(label) << "</text>\n";
    }
}

void
Painter::PaintBoxes()
{
    for (const auto& box : m_drawing.boxes)
    {
        const auto& look = LOOKS.at(box.kind);
        m_os << "<rect x=\"" << FormatPixels(box.x - box.width / 2) << "\" y=\""
             << FormatPixels(box.y - box.height / 2) << "\" width=\"" << FormatPixels(box.width)
             << "\" height=\"" << FormatPixels(box.height) << "\" rx=\"" << (box.width > 12 ? 3 : 0)
             << "\" fill=\"" << look.fill << "\" stroke=\"" << look.stroke << "\"><title>"
             << EscapeXml(box.name)
             << (box.kind == TopologyDrawing::SERVER ? ": " + Count(box.hosts, "host") : "")
             << "</title></rect>\n";
        PaintLabel(box);
    }
    for (const auto& text : m_drawing.texts)
    {
        m_os << "<text x=\"" << FormatPixels(text.x) << "\" y=\"" << FormatPixels(text.y)
             << "\" font-size=\"11\" fill=\"#5b6b80\">" << EscapeXml(text.text) << "</text>\n";
    }
}

double
Painter::PaintLegend(std::ostream& os) const
{
    const double width = m_drawing.width / m_scale;
    double y = LEGEND_LINE / 2;
    double x = 24;
    const auto place = [&](double length) {
        if (x > 24 && x + length > width - 24)
        {
            x = 24;
            y += LEGEND_LINE;
        }
        const double left = x;
        x += length;
        return left;
    };
    std::array<bool, LOOKS.size()> isThere{};
    for (const auto& box : m_drawing.boxes)
    {
        isThere.at(box.kind) = true;
    }
    for (std::size_t kind = 0; kind < LOOKS.size(); ++kind)
    {
        if (isThere.at(kind))
        {
            const double left = place(110);
            os << "<rect x=\"" << FormatPixels(left) << "\" y=\"" << FormatPixels(y - 7)
               << "\" width=\"22\" height=\"14\" rx=\"3\" fill=\"" << LOOKS.at(kind).fill
               << "\" stroke=\"" << LOOKS.at(kind).stroke << "\"/>\n";
            PaintLegendText(os, left + 28, y, LOOKS.at(kind).name);
        }
    }
    PaintLegendLines(os, place, y);
    return y + LEGEND_LINE;
}

void
Painter::PaintLegendLines(std::ostream& os,
                          const std::function<double(double)>& place,
                          const double& y) const
{
    std::size_t shown = 0;
    for (const auto& [style, lines] : m_styles)
    {
        const auto& [nvlink, rate, count] = style;
        if (shown++ == MAX_LEGEND)
        {
            break;
        }
        const auto text = FormatRate(DataRate(rate)) +
                          (count > 1 ? " x" + std::to_string(count) : "") +
                          (nvlink ? " NVLink" : "") + " (" + Count(lines.size(), "line") + ")";
        const double left = place(70 + 7 * static_cast<double>(text.size()));
        os << "<path fill=\"none\" " << Stroke(style) << " d=\"M" << FormatPixels(left) << " "
           << FormatPixels(y) << "L" << FormatPixels(left + 34) << " " << FormatPixels(y)
           << "\"/>\n";
        PaintLegendText(os, left + 40, y, text);
    }
}

void
Painter::Paint()
{
    std::ostringstream legend;
    const double legendHeight = PaintLegend(legend) * m_scale;
    const double header = HEADER * m_scale;
    const double height = header + m_drawing.height + legendHeight;
    const auto width = FormatPixels(m_drawing.width);
    m_os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\""
         << width << "\" height=\"" << FormatPixels(height) << "\" viewBox=\"0 0 " << width << " "
         << FormatPixels(height)
         << "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#263238\">\n"
         << "<rect width=\"" << width << "\" height=\"" << FormatPixels(height)
         << "\" fill=\"#ffffff\"/>\n";
    PaintTitle();
    m_os << "<g transform=\"translate(0 " << FormatPixels(header) << ")\">\n";
    for (const auto& frame : m_drawing.frames)
    {
        m_os << "<rect x=\"" << FormatPixels(frame.x) << "\" y=\"" << FormatPixels(frame.y)
             << "\" width=\"" << FormatPixels(frame.width) << "\" height=\""
             << FormatPixels(frame.height) << "\" rx=\"5\" fill=\"#f4f6f9\" stroke=\"#c5cad3\"/>\n";
    }
    PaintLines();
    PaintBoxes();
    m_os << "</g>\n<g transform=\"translate(0 " << FormatPixels(header + m_drawing.height)
         << ") scale(" << FormatFixed(m_scale, 2) << ")\">\n"
         << legend.str() << "</g>\n</svg>\n";
}

} // namespace

void
WriteTopologyPicture(std::ostream& os, const TopologyGraph& graph)
{
    Painter(os, graph).Paint();
}

} // namespace ns3
