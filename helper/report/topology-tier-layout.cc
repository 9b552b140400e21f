/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-tier-layout.h"

#include "ns3/topology-graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Height of a box, pixels.
constexpr double BOX_HEIGHT = 24;

/// Space around the boxes of a server, pixels.
constexpr double PADDING = 6;

/// Space at the left and right, pixels; tiers are named in it.
constexpr double MARGIN = 90;

/**
 * @param drawing boxes and lines
 * @return by box: the boxes it has lines to
 */
std::vector<std::vector<uint32_t>>
ListPeers(const TopologyDrawing& drawing)
{
    std::vector<std::vector<uint32_t>> peers(drawing.boxes.size());
    for (const auto& line : drawing.lines)
    {
        peers[line.a].push_back(line.b);
        peers[line.b].push_back(line.a);
    }
    return peers;
}

/**
 * @param box a box
 * @return whether it stands among the hosts
 */
bool
IsGround(const TopologyDrawing::Box& box)
{
    return box.hosts > 0 ||
           (box.kind == TopologyDrawing::NVSWITCH && box.server != TopologyGraph::NO_SERVER);
}

/**
 * Put boxes in a row.
 *
 * @param drawing the drawing
 * @param row the boxes
 * @param left where the row begins
 * @param y its middle
 * @param width width of a box
 * @param gap space between two of them
 * @return where the row ends
 */
double
PlaceRow(TopologyDrawing& drawing,
         const std::vector<uint32_t>& row,
         double left,
         double y,
         double width,
         double gap)
{
    for (const auto index : row)
    {
        auto& box = drawing.boxes[index];
        box.x = left + width / 2;
        box.y = y;
        box.width = width;
        box.height = BOX_HEIGHT;
        left += width + gap;
    }
    return left - gap;
}

/**
 * Put the hosts and NVSwitches side by side, by server.
 *
 * @param drawing the drawing
 * @param y middle of the hosts
 * @return where they end
 */
double
PlaceGround(TopologyDrawing& drawing, double y)
{
    // Hosts in no server follow each other by rank, as if they were in one, but have no frame.
    std::map<uint32_t, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> servers;
    uint32_t nHosts = 0;
    for (uint32_t i = 0; i < drawing.boxes.size(); ++i)
    {
        const auto& box = drawing.boxes[i];
        if (IsGround(box))
        {
            auto& server = servers[box.kind == TopologyDrawing::SERVER ? i : box.server];
            (box.hosts > 0 ? server.first : server.second).push_back(i);
            nHosts += box.hosts > 0 ? 1 : 0;
        }
    }
    const bool shared = drawing.boxes.front().kind == TopologyDrawing::SERVER;
    const double most = shared ? 66 : nHosts > 64 ? 17 : nHosts > 16 ? 26 : 44;
    const double width = std::max(2.0, std::min(most, 2600.0 / nHosts));
    const double gap = width > 30 ? 4 : width > 8 ? 2 : 0.5;
    double left = MARGIN;
    for (const auto& [server, rows] : servers)
    {
        const auto end = std::max(left + width, PlaceRow(drawing, rows.first, left, y, width, gap));
        const auto n = static_cast<double>(rows.second.size());
        if (n > 0)
        {
            PlaceRow(drawing, rows.second, left, y + 48, (end - left + gap) / n - gap, gap);
        }
        if (!shared && server != TopologyGraph::NO_SERVER)
        {
            const double top = y - BOX_HEIGHT / 2 - PADDING;
            const double height = (n > 0 ? 48 : 0) + BOX_HEIGHT + 2 * PADDING;
            drawing.frames.push_back({left - PADDING, top, end - left + 2 * PADDING, height});
            drawing.texts.push_back({left, top + height + 13, "server " + std::to_string(server)});
        }
        left = end + (shared ? gap : 3 * PADDING);
    }
    return left;
}

/**
 * Move what is on the ground to the middle.
 *
 * @param drawing the drawing
 * @param shift how far to the right, pixels
 */
void
ShiftGround(TopologyDrawing& drawing, double shift)
{
    for (auto& box : drawing.boxes)
    {
        box.x += shift;
    }
    for (auto& frame : drawing.frames)
    {
        frame.x += shift;
    }
    for (auto& text : drawing.texts)
    {
        text.x += shift;
    }
}

/**
 * Put the switches of a tier in a row.
 *
 * @param drawing the drawing
 * @param tier the switches
 * @param lower by box: what it is linked to below
 * @param y middle of the row
 */
void
PlaceTier(TopologyDrawing& drawing,
          std::vector<uint32_t> tier,
          const std::vector<std::vector<uint32_t>>& lower,
          double y)
{
    std::map<uint32_t, double> mean;
    for (const auto box : tier)
    {
        double sum = 0;
        for (const auto below : lower[box])
        {
            sum += drawing.boxes[below].x;
        }
        // Rounded, so that equal means do not differ by how they were summed up.
        mean[box] = std::round(sum / std::max<double>(1, static_cast<double>(lower[box].size())));
    }
    std::stable_sort(tier.begin(), tier.end(), [&mean](uint32_t a, uint32_t b) {
        return mean[a] < mean[b];
    });
    const auto n = static_cast<double>(tier.size());
    const double pitch = (drawing.width - 2 * MARGIN) / n;
    const double width = std::max(3.0, std::min(84.0, 0.8 * pitch));
    PlaceRow(drawing, tier, MARGIN + (pitch - width) / 2, y, width, pitch - width);
}

/**
 * Bend the lines between boxes of a tier, so that they pass above the boxes between.
 *
 * @param drawing the drawing
 */
void
BendLines(TopologyDrawing& drawing)
{
    for (auto& line : drawing.lines)
    {
        const auto& a = drawing.boxes[line.a];
        const auto& b = drawing.boxes[line.b];
        if (a.y == b.y)
        {
            line.isCurved = true;
            line.bendX = (a.x + b.x) / 2;
            line.bendY = a.y - std::min(120.0, 30 + std::abs(a.x - b.x) / 4);
        }
    }
}

/**
 * @param drawing the drawing
 * @param distance how far down everything in it goes
 */
void
MoveDown(TopologyDrawing& drawing, double distance)
{
    for (auto& box : drawing.boxes)
    {
        box.y += distance;
    }
    for (auto& frame : drawing.frames)
    {
        frame.y += distance;
    }
    for (auto& text : drawing.texts)
    {
        text.y += distance;
    }
}

} // namespace

std::vector<uint32_t>
FindTiers(const TopologyDrawing& drawing)
{
    const auto peers = ListPeers(drawing);
    std::vector<uint32_t> tiers(drawing.boxes.size(), UINT32_MAX);
    std::vector<uint32_t> queue;
    for (uint32_t i = 0; i < drawing.boxes.size(); ++i)
    {
        if (IsGround(drawing.boxes[i]))
        {
            tiers[i] = 0;
            queue.push_back(i);
        }
    }
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const auto peer : peers[queue[i]])
        {
            if (tiers[peer] == UINT32_MAX)
            {
                tiers[peer] = tiers[queue[i]] + 1;
                queue.push_back(peer);
            }
        }
    }
    std::replace(tiers.begin(), tiers.end(), UINT32_MAX, 1U);
    return tiers;
}

void
LayoutTiers(TopologyDrawing& drawing, const std::vector<uint32_t>& tiers)
{
    const auto top = *std::max_element(tiers.begin(), tiers.end());
    std::vector<std::vector<uint32_t>> rows(top + 1);
    for (uint32_t i = 0; i < tiers.size(); ++i)
    {
        rows[tiers[i]].push_back(i);
    }
    std::size_t longest = 0;
    for (std::size_t tier = 1; tier < rows.size(); ++tier)
    {
        longest = std::max(longest, rows[tier].size());
    }
    const double ground = PlaceGround(drawing, 0);
    const double crowded = 2 * MARGIN + std::min(2600.0, 30.0 * static_cast<double>(longest));
    drawing.width = std::max({760.0, ground + MARGIN - 3 * PADDING, crowded});
    ShiftGround(drawing, (drawing.width - ground - MARGIN + 3 * PADDING) / 2);
    const double step = std::max(120.0, std::min(320.0, drawing.width / 9));
    MoveDown(drawing, top * step + BOX_HEIGHT);
    drawing.height = top * step + BOX_HEIGHT + (drawing.frames.empty() ? 40 : 100);

    auto lower = ListPeers(drawing);
    for (uint32_t box = 0; box < lower.size(); ++box)
    {
        const auto isAbove = [&](uint32_t peer) { return tiers[peer] >= tiers[box]; };
        lower[box].erase(std::remove_if(lower[box].begin(), lower[box].end(), isAbove),
                         lower[box].end());
    }
    for (uint32_t tier = 1; tier <= top; ++tier)
    {
        const double y = (top - tier) * step + BOX_HEIGHT;
        PlaceTier(drawing, rows[tier], lower, y);
        drawing.texts.push_back({12, y + 4, "tier " + std::to_string(tier)});
    }
    BendLines(drawing);
}

} // namespace ns3
