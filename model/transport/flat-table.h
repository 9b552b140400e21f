/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLAT_TABLE_H
#define FLAT_TABLE_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Finds items by key with one look at memory: a hash table whose keys stand side by side,
 *        without lists.
 *
 * Every rank of a large job has a table of its own, which is out of the cache when its next message
 * comes. Items are only added. One that is not at its place stands behind it (linear probing).
 *
 * @tparam Key what an item is found by
 * @tparam Item the item, owned by somebody else
 * @tparam Hash hash of a key; need not be mixed
 */
template <typename Key, typename Item, typename Hash>
class FlatTable
{
  public:
    /**
     * @param key a key
     * @return where the address of its item stands, to be written at once if it is null: there was
     *         none. Valid until the next call
     */
    Item*& operator[](const Key& key)
    {
        if (2 * (m_used + 1) > m_slots.size())
        {
            Grow();
        }
        Slot& slot = Find(key);
        if (!slot.item)
        {
            slot.key = key;
            ++m_used;
        }
        return slot.item;
    }

    /**
     * @param action called with each item, in an order that depends on the keys
     */
    template <typename Action>
    void ForEach(Action action) const
    {
        for (const Slot& slot : m_slots)
        {
            if (slot.item)
            {
                action(slot.key, *slot.item);
            }
        }
    }

    /// Forget all items.
    void Clear()
    {
        m_slots.clear();
        m_used = 0;
    }

  private:
    /// A place for an item.
    struct Slot
    {
        Key key;             //!< its key
        Item* item{nullptr}; //!< the item; null = none
    };

    /// Slots of the smallest table, a power of 2.
    static constexpr std::size_t LEAST_SLOTS = 8;

    /**
     * @param key a key; there are slots that are free
     * @return the slot that has it, or else the one to put it
     */
    Slot& Find(const Key& key)
    {
        const std::size_t mask = m_slots.size() - 1;
        // Fibonacci hashing (D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
        const uint64_t mixed = static_cast<uint64_t>(Hash()(key)) * 0x9e3779b97f4a7c15ULL;
        std::size_t index = (mixed >> 32) & mask;
        while (m_slots[index].item && !(m_slots[index].key == key))
        {
            index = (index + 1) & mask;
        }
        return m_slots[index];
    }

    /// Double the number of slots.
    void Grow()
    {
        const auto slots =
            std::exchange(m_slots,
                          std::vector<Slot>(m_slots.empty() ? LEAST_SLOTS : 2 * m_slots.size()));
        for (const Slot& slot : slots)
        {
            if (slot.item)
            {
                Find(slot.key) = slot;
            }
        }
    }

    std::vector<Slot> m_slots; //!< as many as a power of 2, at least half of them free
    std::size_t m_used{0};     //!< slots with an item
};

} // namespace ns3

#endif /* FLAT_TABLE_H */
