/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_LAYOUT_H
#define TOPOLOGY_LAYOUT_H

#include "topology-drawing.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Give the boxes and lines of a drawing their places.
 *
 * - Hosts that are linked to hosts stand in a grid if their links are those of a torus or mesh of
 *   two or three dimensions in rank order, else on a circle.
 * - Switches that all have hosts, and links to each other, stand on a circle, the hosts around it.
 * - All others stand in tiers: hosts below, grouped by server; above them the switches by the
 *   number of links to the nearest host.
 *
 * @param drawing boxes and lines in, their places out
 */
void LayoutDrawing(TopologyDrawing& drawing);

} // namespace ns3

#endif /* TOPOLOGY_LAYOUT_H */
