/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_TIER_LAYOUT_H
#define TOPOLOGY_TIER_LAYOUT_H

#include "topology-drawing.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param drawing boxes and lines
 * @return by box: lines to the nearest box with hosts; 0 for hosts and for NVSwitches of a server,
 *         1 for switches without a way to hosts
 */
std::vector<uint32_t> FindTiers(const TopologyDrawing& drawing);

/**
 * @ingroup workload-replay
 * @brief Put hosts below, grouped by server, and switches above them in tiers.
 *
 * Switches of a tier have the order of the mean place of what they are linked to below.
 *
 * @param drawing boxes and lines in, their places out
 * @param tiers tier of each box, see FindTiers()
 */
void LayoutTiers(TopologyDrawing& drawing, const std::vector<uint32_t>& tiers);

} // namespace ns3

#endif /* TOPOLOGY_TIER_LAYOUT_H */
