/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LATTICE_SEARCH_H
#define LATTICE_SEARCH_H

#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/// A point of a lattice: whole numbers of steps from an origin, by dimension.
using LatticePoint = std::vector<int>;

/**
 * @ingroup workload-replay
 * @brief Find where a function on a bounded lattice is small, without derivatives.
 *
 * Compass search with pattern moves (R. Hooke and T. A. Jeeves, "Direct search", J. ACM 8, 1961):
 * one dimension after the other is tried up and down; a round that has found something better is
 * repeated in the same direction; otherwise the step is halved, down to 1. On a lattice, searches
 * of similar functions meet the same points, whose values need to be worked out but once.
 *
 * @param bounds least and most of each dimension
 * @param start where to begin, within the bounds
 * @param step first step, at least 1
 * @param evaluate gives the function at a point. The second argument is the best value so far: if
 *        the function is above it, any value above it will do.
 * @return the best point met
 */
LatticePoint SearchLattice(
    const std::vector<std::pair<int, int>>& bounds,
    LatticePoint start,
    int step,
    const std::function<double(const LatticePoint& point, double best)>& evaluate);

} // namespace ns3

#endif /* LATTICE_SEARCH_H */
