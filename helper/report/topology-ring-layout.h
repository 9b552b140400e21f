/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_RING_LAYOUT_H
#define TOPOLOGY_RING_LAYOUT_H

#include "topology-drawing.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Put hosts that are linked to hosts in a grid or on a circle.
 *
 * How many links lead from a host to the next one tells how long the rows of a torus or mesh are,
 * if the ranks go along the rows; the same of rows tells how many planes there are. Planes stand
 * one behind the other. Without such an order the hosts stand on a circle. NVSwitches stand beside
 * the middle of their hosts, other switches in the middle of the circle, or below the grid.
 *
 * @param drawing boxes and lines in, their places out
 */
void LayoutHosts(TopologyDrawing& drawing);

/**
 * @ingroup workload-replay
 * @brief Put switches on a circle, their hosts around it, and the NVSwitches of those outside.
 *
 * @param drawing boxes and lines in, their places out
 */
void LayoutSwitchRing(TopologyDrawing& drawing);

} // namespace ns3

#endif /* TOPOLOGY_RING_LAYOUT_H */
