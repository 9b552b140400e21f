/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DUE_QUEUE_H
#define DUE_QUEUE_H

#include "ns3/assert.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A priority queue of items with a due time, which may change while an item is queued.
 *
 * A binary heap in which every item knows its place, so that it can be moved or taken out in
 * logarithmic time without a search. Items due at one time leave in the order of their id.
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
        return m_items.size() == 1;
    }

    /**
     * @return the item that is due first; there must be one
     */
    Item& Top() const
    {
        NS_ASSERT(!IsEmpty());
        return *m_items[1];
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
            m_items.push_back(nullptr);
            item.place = static_cast<uint32_t>(m_items.size() - 1);
        }
        item.due = due;
        Settle(item, item.place);
    }

    /**
     * Take an item out.
     *
     * @param item the item, queued
     */
    void Remove(Item& item)
    {
        NS_ASSERT(item.place != 0);
        Item& last = *m_items.back();
        m_items.pop_back();
        if (&last != &item)
        {
            Settle(last, item.place);
        }
        item.place = 0;
    }

  private:
    /**
     * @param a an item
     * @param b an item
     * @return whether a is to leave before b
     */
    static bool IsBefore(const Item& a, const Item& b)
    {
        return a.due < b.due || (a.due == b.due && a.id < b.id);
    }

    /**
     * Put an item where it belongs, starting from a place that is free.
     *
     * @param item the item
     * @param place index of the free place
     */
    void Settle(Item& item, std::size_t place)
    {
        // Up towards the root, then down: at most one of the two moves anything.
        for (; place > 1 && IsBefore(item, *m_items[place / 2]); place /= 2)
        {
            Put(*m_items[place / 2], place);
        }
        for (std::size_t child = 2 * place; child < m_items.size(); child = 2 * place)
        {
            if (child + 1 < m_items.size() && IsBefore(*m_items[child + 1], *m_items[child]))
            {
                child++;
            }
            if (!IsBefore(*m_items[child], item))
            {
                break;
            }
            Put(*m_items[child], place);
            place = child;
        }
        Put(item, place);
    }

    /**
     * @param item an item
     * @param place where it is put
     */
    void Put(Item& item, std::size_t place)
    {
        m_items[place] = &item;
        item.place = static_cast<uint32_t>(place);
    }

    std::vector<Item*> m_items{nullptr}; //!< the heap; index 0 is not used
};

} // namespace ns3

#endif /* DUE_QUEUE_H */
