/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_RINGS_H
#define LINK_RINGS_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// Neighbours of each member of a communicator, as indices; over parallel links several times.
using LinkNeighbours = std::vector<std::vector<uint32_t>>;

/**
 * @ingroup workload-replay
 * @brief Find rings through all members that follow links, and of which no two share one, where no
 * dimensions say how: in a twisted torus, or any graph.
 *
 * Paths are extended to the neighbour that has fewest left to go to (H. Warnsdorff's rule), and
 * where none is left, turned round in part (L. Pósa, "Hamiltonian circuits in random graphs",
 * Discrete Mathematics 14, 1976). It is begun anew from other members until there are as many rings
 * as the links of a member allow, or a bound of work is reached, about 0.1 s. The same graph gives
 * the same rings.
 *
 * @param neighbours by member
 * @return members in the order of each ring, most rings that were found; none = no ring was found,
 *         or there are fewer than three members
 */
std::vector<std::vector<uint32_t>> FindLinkRings(const LinkNeighbours& neighbours);

} // namespace ns3

#endif /* LINK_RINGS_H */
