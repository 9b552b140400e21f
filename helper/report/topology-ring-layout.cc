/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-ring-layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Half a turn.
const double PI = std::acos(-1.0);

/// Space around the picture, pixels.
constexpr double MARGIN = 40;

/// How far the control point of a bent line is from its middle, pixels.
constexpr double BEND = 50;

/// A direction, or a place, pixels.
using Point = std::pair<double, double>;

/**
 * @ingroup workload-replay
 * @brief Size of a torus or mesh.
 */
struct GridShape
{
    uint32_t columns{0}; //!< boxes in a row; 0 = it is no grid
    uint32_t rows{0};    //!< rows in a plane
    uint32_t planes{0};  //!< planes
};

/**
 * @param drawing boxes and lines
 * @return number of boxes with hosts; they come first
 */
uint32_t
CountHostBoxes(const TopologyDrawing& drawing)
{
    return static_cast<uint32_t>(std::count_if(drawing.boxes.begin(),
                                               drawing.boxes.end(),
                                               [](const auto& box) { return box.hosts > 0; }));
}

/**
 * @param drawing boxes and lines
 * @return the grid that the boxes with hosts form
 */
GridShape
FindGrid(const TopologyDrawing& drawing)
{
    const auto n = CountHostBoxes(drawing);
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const auto& line : drawing.lines)
    {
        if (line.b < n)
        {
            pairs.emplace(line.a, line.b);
        }
    }
    std::map<uint32_t, uint32_t> steps;
    for (const auto& [a, b] : pairs)
    {
        ++steps[b - a];
    }
    // All but the last box of a row are linked to the next one.
    const auto nRows = n - std::min(n, steps[1]);
    if (nRows < 2 || n % nRows != 0 || n == nRows)
    {
        return {};
    }
    GridShape shape;
    shape.columns = n / nRows;
    // All but the last row of a plane are linked to the next one.
    const auto inLastRows = n - std::min(n, steps[shape.columns]);
    shape.planes = std::max(1U, inLastRows / shape.columns);
    shape.rows = nRows / shape.planes;
    const bool isWhole = inLastRows % shape.columns == 0 && nRows % shape.planes == 0;
    return isWhole && shape.rows > 1 ? shape : GridShape();
}

/**
 * @param count number of boxes on a circle
 * @param pitch space of each along it, pixels
 * @return radius of the circle, pixels
 */
double
GetRadius(std::size_t count, double pitch)
{
    return std::max(130.0, pitch * static_cast<double>(count) / (2 * PI));
}

/**
 * @param i position on the circle, counted from 0 at the top, clockwise
 * @param count number of positions
 * @return the direction from the middle
 */
Point
GetDirection(double i, std::size_t count)
{
    const double angle = 2 * PI * i / static_cast<double>(count) - PI / 2;
    return {std::cos(angle), std::sin(angle)};
}

/**
 * Place a box.
 *
 * @param box the box
 * @param x its middle
 * @param y its middle
 * @param width its width
 */
void
Place(TopologyDrawing::Box& box, double x, double y, double width)
{
    box.x = x;
    box.y = y;
    box.width = width;
    box.height = 22;
}

/**
 * @param drawing the drawing, some boxes of which are placed
 * @param index a box
 * @param placed the boxes before this one are placed
 * @return middle of the placed boxes that it is linked to
 */
Point
FindMiddle(const TopologyDrawing& drawing, uint32_t index, uint32_t placed)
{
    Point sum{0, 0};
    double count = 0;
    for (const auto& line : drawing.lines)
    {
        if ((line.a == index && line.b < placed) || (line.b == index && line.a < placed))
        {
            const auto& peer = drawing.boxes[line.a == index ? line.b : line.a];
            sum.first += peer.x;
            sum.second += peer.y;
            ++count;
        }
    }
    return count > 0 ? Point{sum.first / count, sum.second / count} : sum;
}

/**
 * Move all boxes into the picture, and find its size.
 *
 * @param drawing the drawing
 */
void
FitBoxes(TopologyDrawing& drawing)
{
    Point low{1e9, 1e9};
    Point high{-1e9, -1e9};
    for (const auto& box : drawing.boxes)
    {
        low = {std::min(low.first, box.x - box.width / 2),
               std::min(low.second, box.y - box.height / 2)};
        high = {std::max(high.first, box.x + box.width / 2),
                std::max(high.second, box.y + box.height / 2)};
    }
    drawing.width = std::max(760.0, high.first - low.first + 2 * MARGIN);
    drawing.height = high.second - low.second + 2 * MARGIN;
    const double shiftX = (drawing.width - low.first - high.first) / 2;
    const double shiftY = MARGIN - low.second;
    for (auto& box : drawing.boxes)
    {
        box.x += shiftX;
        box.y += shiftY;
    }
    for (auto& line : drawing.lines)
    {
        line.bendX += shiftX;
        line.bendY += shiftY;
    }
}

/**
 * Place the boxes with hosts in a grid, one plane behind the other.
 *
 * @param drawing the drawing
 * @param shape the grid
 */
void
PlaceGrid(TopologyDrawing& drawing, const GridShape& shape)
{
    // From a plane to the next one, pixels: no box hides another one.
    constexpr Point depth{52, -34};
    const Point cell{depth.first * shape.planes + 24, 34 - depth.second * shape.planes};
    const auto inPlane = shape.columns * shape.rows;
    const auto n = inPlane * shape.planes;
    std::vector<std::array<uint32_t, 3>> places;
    for (uint32_t i = 0; i < n; ++i)
    {
        const auto column = i % shape.columns;
        const auto row = i % inPlane / shape.columns;
        const auto plane = i / inPlane;
        places.push_back({column, row, plane});
        Place(drawing.boxes[i],
              cell.first * column + depth.first * plane,
              cell.second * row + depth.second * plane,
              40);
    }
    for (auto& line : drawing.lines)
    {
        uint32_t steps = 0;
        for (std::size_t i = 0; line.b < n && i < 3; ++i)
        {
            const auto from = places[line.a][i];
            const auto to = places[line.b][i];
            steps += from < to ? to - from : from - to;
        }
        if (steps < 2)
        {
            continue;
        }
        // What goes around a row or column passes beside the boxes between.
        const auto& a = drawing.boxes[line.a];
        const auto& b = drawing.boxes[line.b];
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        line.isCurved = true;
        line.bendX = (a.x + b.x) / 2 + BEND * (b.y - a.y) / length;
        line.bendY = (a.y + b.y) / 2 - BEND * (b.x - a.x) / length;
    }
}

/**
 * Place switches on a circle, each with its hosts outside.
 *
 * @param drawing the drawing
 * @param ring boxes of the switches, in order
 * @param hostsOf boxes of the hosts of each
 * @param radius radius of the circle
 */
void
PlaceSwitchRing(TopologyDrawing& drawing,
                const std::vector<uint32_t>& ring,
                std::map<uint32_t, std::vector<uint32_t>>& hostsOf,
                double radius)
{
    for (std::size_t i = 0; i < ring.size(); ++i)
    {
        const auto [x, y] = GetDirection(static_cast<double>(i), ring.size());
        Place(drawing.boxes[ring[i]], radius * x, radius * y, 64);
        const auto& hosts = hostsOf[ring[i]];
        const auto m = static_cast<double>(hosts.size());
        for (std::size_t j = 0; j < hosts.size(); ++j)
        {
            const double part = (static_cast<double>(j) + 0.5) / m - 0.5;
            const auto out = GetDirection(static_cast<double>(i) + 0.85 * part, ring.size());
            Place(drawing.boxes[hosts[j]],
                  (radius + 75) * out.first,
                  (radius + 75) * out.second,
                  40);
        }
    }
}

/**
 * Place NVSwitches outside the middle of their hosts.
 *
 * @param drawing the drawing
 * @param n boxes of hosts, which come first
 * @param radius distance from the middle of the picture
 */
void
PlaceNvswitches(TopologyDrawing& drawing, uint32_t n, double radius)
{
    for (uint32_t i = n; i < drawing.boxes.size(); ++i)
    {
        if (drawing.boxes[i].kind == TopologyDrawing::NVSWITCH)
        {
            const auto [x, y] = FindMiddle(drawing, i, n);
            const double scale = radius / std::max(1.0, std::hypot(x, y));
            Place(drawing.boxes[i], scale * x, scale * y, 70);
        }
    }
}

} // namespace

void
LayoutHosts(TopologyDrawing& drawing)
{
    const auto n = CountHostBoxes(drawing);
    const auto shape = FindGrid(drawing);
    if (shape.columns > 0)
    {
        PlaceGrid(drawing, shape);
    }
    const double radius = GetRadius(n, 56);
    for (uint32_t i = 0; i < n && shape.columns == 0; ++i)
    {
        const auto [x, y] = GetDirection(i, n);
        Place(drawing.boxes[i], radius * x, radius * y, 44);
    }
    for (uint32_t i = n; i < drawing.boxes.size(); ++i)
    {
        auto [x, y] = FindMiddle(drawing, i, n);
        if (shape.columns > 0)
        {
            y += 32;
        }
        else if (std::hypot(x, y) < 0.05 * radius && i > n)
        {
            // Switches of all hosts would stand on top of each other.
            const auto direction = GetDirection(i - n, drawing.boxes.size() - n);
            x = 0.4 * radius * direction.first;
            y = 0.4 * radius * direction.second;
        }
        Place(drawing.boxes[i], x, y, 70);
    }
    FitBoxes(drawing);
}

void
LayoutSwitchRing(TopologyDrawing& drawing)
{
    const auto n = CountHostBoxes(drawing);
    std::map<uint32_t, std::vector<uint32_t>> hostsOf;
    std::vector<bool> isTaken(n);
    std::vector<uint32_t> ring;
    for (uint32_t i = n; i < drawing.boxes.size(); ++i)
    {
        if (drawing.boxes[i].kind == TopologyDrawing::SWITCH)
        {
            ring.push_back(i);
        }
    }
    std::size_t most = 1;
    for (const auto& line : drawing.lines)
    {
        if (line.a < n && !isTaken[line.a] && drawing.boxes[line.b].kind == TopologyDrawing::SWITCH)
        {
            isTaken[line.a] = true;
            hostsOf[line.b].push_back(line.a);
            most = std::max(most, hostsOf[line.b].size());
        }
    }
    constexpr double hostPitch = 50;
    const double radius =
        GetRadius(ring.size(), std::max(80.0, hostPitch * 0.7 * static_cast<double>(most)));
    PlaceSwitchRing(drawing, ring, hostsOf, radius);
    PlaceNvswitches(drawing, n, radius + 135);
    FitBoxes(drawing);
}

} // namespace ns3
