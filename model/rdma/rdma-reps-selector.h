/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPS_SELECTOR_H
#define RDMA_REPS_SELECTOR_H

#include "rdma-path-selector.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief REPS: entropy values that have met no congestion are used again, others are drawn anew.
 *
 * T. Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure
 * Mitigation", arXiv 2407.21625: the values of packets that came back unmarked stand in a ring of
 * 8, from which the oldest one that is fresh is taken; each serves once. If none is fresh, a random
 * value explores. When packets get lost, the ring is frozen for a time: its values are used over
 * and over, since the paths that they name have worked, and nothing explores paths that may be cut.
 */
class RdmaRepsSelector : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the draws follow from
     */
    RdmaRepsSelector(uint32_t values, uint64_t salt);

    uint16_t Choose() override;
    void Note(uint16_t entropy, Verdict verdict, int64_t now) override;

  private:
    /// Values that are remembered (section 3.2; repsBufferSize of htsim's buffer_reps.cpp).
    static constexpr uint32_t SIZE = 8;

    /// A value that has come back.
    struct Place
    {
        uint16_t entropy{0};  //!< the value
        bool isFresh{false};  //!< has not been used since
        bool isFilled{false}; //!< there is one
    };

    /// @return a value drawn at random
    uint16_t Draw();

    /**
     * @param entropy a value that has come back unmarked
     */
    void Recycle(uint16_t entropy);

    uint32_t m_values;              //!< number of values
    uint64_t m_salt;                //!< what the draws follow from
    uint64_t m_draws{0};            //!< draws so far
    std::array<Place, SIZE> m_ring; //!< values that have come back
    uint32_t m_head{0};             //!< place of the next one
    uint32_t m_fresh{0};            //!< fresh ones, which are the last that have come
    uint32_t m_frozenHead{0};       //!< frozen: place of the next one to use
    uint32_t m_explore{0};          //!< packets that explore whatever the ring holds
    int64_t m_frozenUntil{-1};      //!< time step; negative = it is not frozen
};

} // namespace ns3

#endif /* RDMA_REPS_SELECTOR_H */
