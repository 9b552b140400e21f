/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WILDCARD_MATCHER_H
#define WILDCARD_MATCHER_H

#include "ns3/workload-program.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages or receives that wait for each other, where either may match any tag and a
 *        receive any source.
 *
 * @tparam Item what waits
 */
template <typename Item>
class WildcardMatcher
{
  public:
    /**
     * @param source source of a message, or that of a receive: may be ANY_PEER
     * @param tag its tag; may be ANY_TAG
     * @param item what is to wait, behind all others
     */
    void Add(uint32_t source, uint64_t tag, Item item)
    {
        m_queues[{source, tag}].push_back({m_next++, std::move(item)});
    }

    /**
     * @param source source of a message, or that of a receive
     * @param tag its tag
     * @return the first one that matches, to be looked at at once; null = none does
     */
    const Item* Find(uint32_t source, uint64_t tag) const
    {
        const auto found = FindQueue(source, tag);
        return found == m_queues.end() ? nullptr : &found->second.front().second;
    }

    /**
     * @param source source of a message, or that of a receive
     * @param tag its tag
     * @return the first one that matches, which waits no longer
     */
    std::optional<Item> Take(uint32_t source, uint64_t tag)
    {
        const auto found = FindQueue(source, tag);
        if (found == m_queues.end())
        {
            return std::nullopt;
        }
        // The queue is this object's, so it may be changed.
        auto& queue = m_queues.at(found->first);
        Item item = std::move(queue.front().second);
        queue.pop_front();
        if (queue.empty())
        {
            m_queues.erase(found);
        }
        return item;
    }

  private:
    using Key = std::pair<uint32_t, uint64_t>;                      //!< source and tag
    using Queue = std::deque<std::pair<uint64_t, Item>>;            //!< what waits, by its number
    using Iterator = typename std::map<Key, Queue>::const_iterator; //!< place of a queue

    /**
     * @param a a source or tag
     * @param b another one
     * @param any what matches all of them
     * @return whether they match
     */
    static bool Matches(uint64_t a, uint64_t b, uint64_t any)
    {
        return a == b || a == any || b == any;
    }

    /**
     * @param source source of a message, or that of a receive
     * @param tag its tag
     * @return the queue whose first item is the first one that matches; end() = none does
     */
    Iterator FindQueue(uint32_t source, uint64_t tag) const
    {
        constexpr auto anyPeer = WorkloadOp::ANY_PEER;
        constexpr auto anyTag = WorkloadOp::ANY_TAG;
        auto best = m_queues.end();
        const auto consider = [this, &best](Iterator queue) {
            if (queue != m_queues.end() &&
                (best == m_queues.end() ||
                 queue->second.front().first < best->second.front().first))
            {
                best = queue;
            }
        };
        // Only these four queues can match; of their first items the one that came first is taken.
        if (source != anyPeer && tag != anyTag)
        {
            for (const auto& key :
                 {Key{source, tag}, Key{source, anyTag}, Key{anyPeer, tag}, Key{anyPeer, anyTag}})
            {
                consider(m_queues.find(key));
            }
            return best;
        }
        for (auto queue = m_queues.begin(); queue != m_queues.end(); ++queue)
        {
            if (Matches(queue->first.first, source, anyPeer) &&
                Matches(queue->first.second, tag, anyTag))
            {
                consider(queue);
            }
        }
        return best;
    }

    std::map<Key, Queue> m_queues; //!< by source and tag; none is empty
    uint64_t m_next{0};            //!< number of the next item
};

} // namespace ns3

#endif /* WILDCARD_MATCHER_H */
