/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_MESSAGE_COUNT_H
#define COLLECTIVE_MESSAGE_COUNT_H

#include "collective-algorithm.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Counts how many messages a collective takes, by planning it.
 *
 * Calls that are alike are planned once: what one member receives stands for all members and for
 * all communicators of that size and of as many servers. So the counts are close, not exact, where
 * members receive different numbers of messages, as in a tree. They are for forecasts.
 */
class CollectiveMessageCount
{
  public:
    /**
     * @param algorithm the algorithm; it must outlive this object
     * @param call a collective of a kind that the algorithm supports
     * @return messages that a member receives
     */
    uint64_t Get(const CollectiveAlgorithm& algorithm, const CollectiveCall& call);

  private:
    /// What makes calls alike: algorithm, kind, bytes, members, servers, members of the largest.
    using Key = std::tuple<const CollectiveAlgorithm*,
                           CollectiveKind,
                           uint64_t,
                           uint32_t,
                           bool,
                           std::size_t,
                           uint32_t>;

    std::map<Key, uint64_t> m_counts; //!< messages that a member receives
};

} // namespace ns3

#endif /* COLLECTIVE_MESSAGE_COUNT_H */
