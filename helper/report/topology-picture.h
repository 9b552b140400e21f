/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_PICTURE_H
#define TOPOLOGY_PICTURE_H

#include "ns3/topology-graph.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Draw a topology as a picture in SVG 1.1, which every browser shows.
 *
 * See TopologyDrawing and LayoutDrawing() for what is where. Lines are the wider the more they
 * carry, and have a colour for each rate; NVLink is green. Equal graphs give equal pictures.
 *
 * @param os where to
 * @param graph the topology; names that are not ASCII are shown with question marks
 */
void WriteTopologyPicture(std::ostream& os, const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_PICTURE_H */
