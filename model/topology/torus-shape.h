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
 * @brief The dimensions in which ranks stand: rank r at r % sizes[0] in the first one, at
 * r / sizes[0] % sizes[1] in the next one, and so on.
 */
struct TorusShape
{
    /// Rate of the fastest dimension: a multiple of 1 to 8, so that common ratios are exact.
    static constexpr uint32_t FASTEST = 840;

    std::vector<uint32_t> sizes; //!< lengths of the dimensions, each at least 2; none = there are
                                 //!< no dimensions
    std::vector<uint32_t> rates; //!< by dimension: rate of its slowest link, in parts of that of
                                 //!< the fastest dimension, which has FASTEST
    std::vector<bool> wraps;     //!< by dimension: its rows are closed, as in a torus, not a mesh
};

/**
 * @ingroup workload-replay
 * @brief Find the dimensions of a torus or a mesh, whoever has made it: a topology of that name, a
 * ring, a file; or take those that the fabric says (TopologyGraph::SetDimensions()).
 *
 * They are found where each rank has one link to each neighbour in each dimension, or its own
 * switch has (see FindRankLinks()), and there is nothing else; in a dimension all rows are closed,
 * or none is. Those that the fabric says count whatever its links are: of rows that links do not
 * join, packets find their path. They are closed unless links join their members one after the
 * other, but not the last one to the first.
 *
 * @param graph a fabric
 * @return its dimensions
 */
TorusShape FindTorusShape(const TopologyGraph& graph);

} // namespace ns3

#endif /* TORUS_SHAPE_H */
