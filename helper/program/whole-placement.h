/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WHOLE_PLACEMENT_H
#define WHOLE_PLACEMENT_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// First and last rank of a group.
using RankSpan = std::pair<uint32_t, uint32_t>;

/**
 * @ingroup workload-replay
 * @brief Find hosts with which no group of ranks stands in several parts of a fabric.
 *
 * Ranks that groups join, and those between them, are one block. Each block gets neighbouring hosts
 * of the first part that has enough of them left, those of lower ranks first; ranks in no block
 * then get the first hosts that are left.
 *
 * @param places part of each host, any numbers
 * @param spans groups
 * @param ranks number of ranks, of which the spans are
 * @return host of each rank; empty = a block fits no part, or is left without one
 */
std::vector<uint32_t> FindWholePlacement(const std::vector<uint32_t>& places,
                                         const std::set<RankSpan>& spans,
                                         uint32_t ranks);

/**
 * @ingroup workload-replay
 * @param hosts host of each rank
 * @param most ranges to list, at least 1
 * @return them as the option placement takes them, such as 0-7+16-23; of more ranges the first
 *         ones, and three dots
 */
std::string FormatPlacement(const std::vector<uint32_t>& hosts, std::size_t most);

} // namespace ns3

#endif /* WHOLE_PLACEMENT_H */
