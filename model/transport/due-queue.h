/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DUE_QUEUE_H
#define DUE_QUEUE_H

#include "ns3/assert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A priority queue of items with a due time, which may change while an item is queued.
 *
 * A heap in which every item knows its place, so that it can be moved or taken out in logarithmic
 * time without a search. Items due at one time leave in the order of their id. What decides stands
 * in the heap itself, with that of four items below each one side by side: large jobs have tens of
 * thousands of items, which are not in the cache.
 *
 * @tparam Item has members `int64_t due` (any unit), `uint32_t id` (unique) and
 *         `uint32_t place` (left to the queue, 0 at first: not queued)
 */
template <typename Item>
class DueQueue
{
  public:
    /**
     * @return whether no item is queued
     */
    bool IsEmpty() const
    {
        return m_entries.empty();
    }

    /**
     * @return the item that is due first; there must be one
     */
    Item& Top() const
    {
        NS_ASSERT(!IsEmpty());
        return *m_entries.front().item;
    }

    /**
     * @return when the first item is due; there must be one
     */
    int64_t GetFirstDue() const
    {
        NS_ASSERT(!IsEmpty());
        return m_entries.front().due;
    }

    /**
     * Queue an item, or move it if it is queued.
     *
     * @param item the item
     * @param due its new due time
     */
    void Set(Item& item, int64_t due)
    {
        if (item.place == 0)
        {
            m_entries.emplace_back();
            item.place = static_cast<uint32_t>(m_entries.size());
        }
        item.due = due;
        Settle({due, &item, item.id}, item.place - std::size_t{1});
    }

    /**
     * Take an item out.
     *
     * @param item the item, queued
     */
    void Remove(Item& item)
    {
        NS_ASSERT(item.place != 0);
        const Entry last = m_entries.back();
        m_entries.pop_back();
        if (last.item != &item)
        {
            Settle(last, item.place - std::size_t{1});
        }
        item.place = 0;
    }

  private:
    /// An item that is queued, and what decides when it leaves.
    struct Entry
    {
        int64_t due; //!< when it is due
        Item* item;  //!< the item
        uint32_t id; //!< its id
    };

    /// Entries below one.
    static constexpr std::size_t CHILDREN = 4;

    /**
     * @param a an entry
     * @param b an entry
     * @return whether a is to leave before b
     */
    static bool IsBefore(const Entry& a, const Entry& b)
    {
        return a.due < b.due || (a.due == b.due && a.id < b.id);
    }

    /**
     * Put an entry where it belongs, starting from a place that is free.
     *
     * @param entry the entry
     * @param index index of the free place
     */
    void Settle(const Entry& entry, std::size_t index)
    {
        // Up towards the root, then down: at most one of the two moves anything.
        while (index > 0 && IsBefore(entry, m_entries[(index - 1) / CHILDREN]))
        {
            Put(m_entries[(index - 1) / CHILDREN], index);
            index = (index - 1) / CHILDREN;
        }
        for (std::size_t child = FindFirstBelow(index);
             child < m_entries.size() && IsBefore(m_entries[child], entry);
             child = FindFirstBelow(index))
        {
            Put(m_entries[child], index);
            index = child;
        }
        Put(entry, index);
    }

    /**
     * @param index index of an entry
     * @return index of that of those below it which is to leave first; none = beyond the last entry
     */
    std::size_t FindFirstBelow(std::size_t index) const
    {
        const std::size_t begin = CHILDREN * index + 1;
        const std::size_t end = std::min(begin + CHILDREN, m_entries.size());
        std::size_t first = begin;
        for (std::size_t child = begin + 1; child < end; ++child)
        {
            first = IsBefore(m_entries[child], m_entries[first]) ? child : first;
        }
        return first;
    }

    /**
     * @param entry an entry
     * @param index where it is put
     */
    void Put(const Entry& entry, std::size_t index)
    {
        m_entries[index] = entry;
        entry.item->place = static_cast<uint32_t>(index + 1);
    }

    std::vector<Entry> m_entries; //!< the heap
};

} // namespace ns3

#endif /* DUE_QUEUE_H */
