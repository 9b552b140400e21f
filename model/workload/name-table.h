/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NAME_TABLE_H
#define NAME_TABLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Names, each kept once and known by its index.
 *
 * Graphs of millions of ops name each of them: a name costs its characters and 8 bytes, and 16
 * bytes at most more until Seal().
 */
class NameTable
{
  public:
    /**
     * @param name a name
     * @return its index; the same for the same name
     */
    uint32_t Add(std::string_view name);

    /**
     * @param index index of a name
     * @return the name
     */
    std::string Get(uint32_t index) const;

    /// Give back what only Add() needs; it is not to be called again.
    void Seal();

  private:
    /**
     * @param index index of a name
     * @return the name
     */
    std::string_view View(uint32_t index) const;

    /**
     * @param name a name
     * @return where it stands in m_slots, or the free place where it would stand
     */
    std::size_t FindSlot(std::string_view name) const;

    /// Double the places of m_slots.
    void Grow();

    std::string m_text;           //!< all names, one after another
    std::vector<uint64_t> m_ends; //!< by index: where the name ends in the text
    /// Indices of names by hash, with linear probing; UINT32_MAX = free.
    std::vector<uint32_t> m_slots;
};

} // namespace ns3

#endif /* NAME_TABLE_H */
