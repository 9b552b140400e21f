/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_GRID_H
#define TORUS_GRID_H

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The members of a communicator as they stand in a torus or a mesh: in rows along its
 * dimensions, each of which is a ring of links, or in a mesh a chain.
 */
class TorusGrid
{
  public:
    /**
     * @param sizes lengths of the dimensions of the torus; rank r stands at r % sizes[0] in the
     *              first one, at r / sizes[0] % sizes[1] in the next one, and so on
     * @param wraps by dimension: rows are closed, not those of a mesh
     * @param rates by dimension: rate of its links, as a multiple of any
     * @param ranks ranks of the members
     * @return how they stand; null = they are not the members of whole rows, or of rows of two
     *         neighbours, or in a mesh of several, in each dimension in which they differ, or there
     *         is but one
     */
    static std::unique_ptr<const TorusGrid> Make(const std::vector<uint32_t>& sizes,
                                                 const std::vector<bool>& wraps,
                                                 const std::vector<uint32_t>& rates,
                                                 const std::vector<uint32_t>& ranks);

    /**
     * @return length of a row in each dimension in which members differ, at least 2
     */
    const std::vector<uint32_t>& GetSizes() const
    {
        return m_sizes;
    }

    /**
     * @param dimension a dimension of GetSizes()
     * @return rings that its rows have: 2 = data may go round either way over links of its own, 1 =
     *         rows of two and chains, whose only ring uses both directions of the links
     */
    uint32_t CountWays(uint32_t dimension) const;

    /**
     * @param dimension a dimension of GetSizes()
     * @return rate of its links, as a multiple of what those of others are multiples of
     */
    uint32_t GetRate(uint32_t dimension) const
    {
        return m_rates[dimension];
    }

    /**
     * @param member index of a member
     * @param dimension a dimension of GetSizes()
     * @return its place in the row, counted from 0
     */
    uint32_t GetPlace(uint32_t member, uint32_t dimension) const;

    /**
     * @param member index of a member
     * @param dimension a dimension of GetSizes()
     * @param place a place in the row
     * @return index of the member there that is in the same row
     */
    uint32_t GetInRow(uint32_t member, uint32_t dimension, uint32_t place) const;

    /**
     * Order the members so that each is a neighbour of the next one, and the last one of the first:
     * the reflected Gray code if some dimension is even, which comes last, or if there is but one;
     * the modular Gray code of equal odd dimensions (D. Knuth, The Art of Computer Programming,
     * volume 4A, section 7.2.1.1). Only of different odd dimensions, and in meshes, the last one is
     * further from the first.
     *
     * @return the members in that order
     */
    std::vector<uint32_t> GetRing() const;

    /**
     * @return whether in the order of GetRing() the last member is a neighbour of the first one
     */
    bool HasClosedRing() const;

  private:
    /**
     * @param places place of a member in each dimension
     * @return number of the cell
     */
    uint32_t GetCell(const std::vector<uint32_t>& places) const;

    std::vector<uint32_t> m_sizes;   //!< lengths of rows
    std::vector<bool> m_areClosed;   //!< by dimension: rows are rings
    std::vector<uint32_t> m_rates;   //!< by dimension: rate of its links
    std::vector<uint32_t> m_cells;   //!< cell of each member: its places as one number
    std::vector<uint32_t> m_members; //!< member by cell
};

} // namespace ns3

#endif /* TORUS_GRID_H */
