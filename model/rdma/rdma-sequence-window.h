/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEQUENCE_WINDOW_H
#define RDMA_SEQUENCE_WINDOW_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which sequence numbers above a base are there; grows with the distance to the highest.
 */
class RdmaSequenceWindow
{
  public:
    /**
     * @param base lowest number that is of interest
     */
    explicit RdmaSequenceWindow(uint64_t base);

    /**
     * @param number a number
     * @return whether it is there; all below the base are
     */
    bool Has(uint64_t number) const;

    /**
     * @param number a number that is there from now on
     * @return whether it was not there before
     */
    bool Add(uint64_t number);

    /**
     * @param base lowest number that is of interest from now on, not below the present base
     */
    void MoveTo(uint64_t base);

    /**
     * Move the base up to the lowest number that is not there.
     *
     * @return the base
     */
    uint64_t Advance();

    /**
     * @param first a number
     * @return which of it and the next 63 are there; bit 0 = first
     */
    uint64_t GetBits(uint64_t first) const;

    /**
     * @return number behind the highest one that is there; the base if none is
     */
    uint64_t GetEnd() const;

  private:
    /**
     * @param number a number
     * @return its place in the ring
     */
    std::size_t GetPlace(uint64_t number) const;

    /// Double the ring.
    void Grow();

    std::vector<bool> m_there; //!< ring, a power of two long, by the number's lowest bits
    uint64_t m_base;           //!< lowest number of interest
    uint64_t m_end;            //!< behind the highest number that is there
};

} // namespace ns3

#endif /* RDMA_SEQUENCE_WINDOW_H */
