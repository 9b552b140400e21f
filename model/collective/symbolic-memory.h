/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_MEMORY_H
#define SYMBOLIC_MEMORY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Sets of members whose data was added up, each known by a number.
 *
 * Equal sets have equal numbers, and sums of the same two sets are worked out once.
 */
class SymbolicSums
{
  public:
    /// The set without members: what nobody has written.
    static constexpr uint32_t NONE = 0;

    /**
     * @param size number of members
     */
    explicit SymbolicSums(uint32_t size);

    /**
     * @param member a member
     * @return the set of it alone
     */
    uint32_t Only(uint32_t member) const;

    /**
     * @return the set of all members
     */
    uint32_t All();

    /**
     * @param a a set
     * @param b another one
     * @return both together; none if a member is in both
     */
    std::optional<uint32_t> Add(uint32_t a, uint32_t b);

    /**
     * @param a a set
     * @param b another one
     * @return both together, whoever is in both
     */
    uint32_t Unite(uint32_t a, uint32_t b);

    /**
     * @param set a set
     * @param member what a member is called: "rank", of which the plural has an s
     * @return such as "rank 3", "ranks 0, 2 to 5" or "all ranks"; empty for NONE
     */
    std::string Describe(uint32_t set, const std::string& member) const;

  private:
    /**
     * @param members the members of a set
     * @return its number
     */
    uint32_t Find(std::vector<bool> members);

    uint32_t m_size;                                 //!< number of members
    std::vector<std::vector<bool>> m_sets;           //!< members of each set
    std::map<std::vector<bool>, uint32_t> m_numbers; //!< the number of each set
    std::map<std::pair<uint32_t, uint32_t>, std::optional<uint32_t>> m_added; //!< what Add() found
};

/**
 * @ingroup workload-replay
 * @brief What some places of a memory hold: the sum over some members of what these brought.
 */
struct SymbolicPiece
{
    uint64_t length{0};               //!< how many places: bytes, or chunks
    uint64_t origin{0};               //!< where the first of them stood when it was brought
    uint32_t sum{SymbolicSums::NONE}; //!< whose, see SymbolicSums; NONE = never written
};

/// What a part of a memory, or a message, holds.
using SymbolicPieces = std::vector<SymbolicPiece>;

/**
 * @ingroup workload-replay
 * Add one part of a memory to another one of the same length.
 *
 * @param a what one holds
 * @param b what the other one holds
 * @param sums the sets that are meant
 * @param [out] bad the pieces that must not be added, if there are any: they stood at different
 *              places, or a member is in both of them
 * @return the sum; none if there are such pieces
 */
std::optional<SymbolicPieces> AddSymbolicPieces(const SymbolicPieces& a,
                                                const SymbolicPieces& b,
                                                SymbolicSums& sums,
                                                std::pair<SymbolicPiece, SymbolicPiece>& bad);

/**
 * @ingroup workload-replay
 * @brief Memory of a member that holds symbols in place of numbers.
 *
 * Neighbours that came together are kept together, so that it takes as much room as there are
 * pieces, however long they are.
 */
class SymbolicMemory
{
  public:
    /**
     * @param place where to
     * @param pieces what is written there, one after another
     */
    void Write(uint64_t place, const SymbolicPieces& pieces);

    /**
     * @param place where it begins
     * @param length how many places
     * @return what stands there; pieces that were never written are there too
     */
    SymbolicPieces Read(uint64_t place, uint64_t length) const;

  private:
    /**
     * Have a piece begin at a place, if one reaches across it.
     *
     * @param place the place
     */
    void Split(uint64_t place);

    std::map<uint64_t, SymbolicPiece> m_pieces; //!< by where they begin; none overlap
};

} // namespace ns3

#endif /* SYMBOLIC_MEMORY_H */
