/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_LINKS_H
#define RANK_LINKS_H

#include "topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Neighbours of each rank, ascending; over parallel links one stands several times.
using RankLinks = std::vector<std::vector<uint32_t>>;

/**
 * @ingroup workload-replay
 * @brief Find which ranks are neighbours, in a fabric that has links from rank to rank: hosts that
 * are linked to hosts and to nothing else, or each to a switch of its own, and these to each other.
 *
 * @param graph a fabric
 * @return neighbours by rank; none = the fabric has other nodes, or links with time slots
 */
RankLinks FindRankLinks(const TopologyGraph& graph);

} // namespace ns3

#endif /* RANK_LINKS_H */
