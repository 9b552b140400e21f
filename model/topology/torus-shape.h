/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_SHAPE_H
#define TORUS_SHAPE_H

#include "topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find the dimensions of a torus, whoever has made it: a topology of that name, a ring, a
 * file.
 *
 * Host r stands at r % sizes[0] in the first dimension, at r / sizes[0] % sizes[1] in the next one,
 * and so on. It has one link to each neighbour in each dimension, round about unless the dimension
 * has two hosts, and there is nothing else.
 *
 * @param graph a fabric
 * @return lengths of its dimensions, each at least 2; none = it is no torus
 */
std::vector<uint32_t> FindTorusSizes(const TopologyGraph& graph);

} // namespace ns3

#endif /* TORUS_SHAPE_H */
