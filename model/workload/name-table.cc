/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "name-table.h"

#include <functional>

namespace ns3
{

namespace
{

/// A place that holds no name.
constexpr uint32_t FREE = UINT32_MAX;

} // namespace

uint32_t
NameTable::Add(std::string_view name)
{
    // At most half full, so that a search is short and always finds a free place.
    if (2 * m_ends.size() >= m_slots.size())
    {
        Grow();
    }
    auto& slot = m_slots[FindSlot(name)];
    if (slot == FREE)
    {
        slot = static_cast<uint32_t>(m_ends.size());
        m_text += name;
        m_ends.push_back(m_text.size());
    }
    return slot;
}

std::string
NameTable::Get(uint32_t index) const
{
    return std::string(View(index));
}

void
NameTable::Seal()
{
    // Only Add() needs the places; from here on names are read by their index.
    m_slots = {};
    m_text.shrink_to_fit();
    m_ends.shrink_to_fit();
}

std::string_view
NameTable::View(uint32_t index) const
{
    const uint64_t begin = index == 0 ? 0 : m_ends[index - 1];
    return std::string_view(m_text).substr(begin, m_ends[index] - begin);
}

std::size_t
NameTable::FindSlot(std::string_view name) const
{
    // The size is a power of 2.
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = std::hash<std::string_view>()(name) & mask;
    while (m_slots[slot] != FREE && View(m_slots[slot]) != name)
    {
        slot = (slot + 1) & mask;
    }
    return slot;
}

void
NameTable::Grow()
{
    const std::size_t size = m_slots.empty() ? 16 : 2 * m_slots.size();
    // The place of a name depends on the size, so that all are placed anew.
    m_slots.assign(size, FREE);
    for (uint32_t index = 0; index < m_ends.size(); ++index)
    {
        m_slots[FindSlot(View(index))] = index;
    }
}

} // namespace ns3
