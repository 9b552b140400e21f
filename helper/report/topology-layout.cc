/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-layout.h"

#include "topology-ring-layout.h"
#include "topology-tier-layout.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param box a box
 * @return whether hosts are in it
 */
bool
HasHosts(const TopologyDrawing::Box& box)
{
    return box.hosts > 0;
}

/**
 * @param drawing boxes and lines
 * @param tiers tier of each box
 * @return whether all switches are in the lowest tier, and linked to each other
 */
bool
IsFlat(const TopologyDrawing& drawing, const std::vector<uint32_t>& tiers)
{
    const auto& boxes = drawing.boxes;
    const auto isSwitch = [&boxes](uint32_t box) {
        return boxes[box].kind == TopologyDrawing::SWITCH;
    };
    return *std::max_element(tiers.begin(), tiers.end()) == 1 &&
           std::any_of(drawing.lines.begin(), drawing.lines.end(), [&](const auto& line) {
               return isSwitch(line.a) && isSwitch(line.b);
           });
}

} // namespace

void
LayoutDrawing(TopologyDrawing& drawing)
{
    const auto& boxes = drawing.boxes;
    const bool relays =
        std::any_of(drawing.lines.begin(), drawing.lines.end(), [&boxes](const auto& line) {
            return HasHosts(boxes[line.a]) && HasHosts(boxes[line.b]);
        });
    const auto tiers = FindTiers(drawing);
    if (relays)
    {
        LayoutHosts(drawing);
    }
    else if (IsFlat(drawing, tiers))
    {
        LayoutSwitchRing(drawing);
    }
    else
    {
        LayoutTiers(drawing, tiers);
    }
}

} // namespace ns3
