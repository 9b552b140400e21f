/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-selector.h"

#include "ns3/ecmp-hash.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3
{

namespace
{

/// @brief One value after another, from a start of its own.
class RoundRobin : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the start follows from
     */
    RoundRobin(uint32_t values, uint64_t salt)
        : m_values(values),
          m_next(EcmpMix(salt) % values)
    {
    }

    uint16_t Choose() override
    {
        const auto chosen = static_cast<uint16_t>(m_next);
        m_next = m_next + 1 == m_values ? 0 : m_next + 1;
        return chosen;
    }

  private:
    uint32_t m_values; //!< number of values
    uint64_t m_next;   //!< the next one
};

/// @brief Any value, whatever has become of packets (oblivious spraying).
class Oblivious : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the draws follow from
     */
    Oblivious(uint32_t values, uint64_t salt)
        : m_values(values),
          m_salt(salt)
    {
    }

    uint16_t Choose() override
    {
        return static_cast<uint16_t>(EcmpMix(m_salt ^ EcmpMix(++m_draws)) % m_values);
    }

  private:
    uint32_t m_values;   //!< number of values
    uint64_t m_salt;     //!< what the draws follow from
    uint64_t m_draws{0}; //!< draws so far
};

/// Time for which the ring of Reps stays frozen after a loss (htsim, buffer_reps.cpp and
/// uec_mp.cpp).
constexpr int64_t FROZEN_MS = 10;

/// Packets that explore afterwards (likewise).
constexpr uint32_t EXPLORE = 16;

/**
 * @brief REPS: entropy values that have met no congestion are used again, others are drawn anew.
 *
 * T. Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure
 * Mitigation", arXiv 2407.21625: the values of packets that came back unmarked stand in a ring of
 * 8, from which the oldest one that is fresh is taken; each serves once. If none is fresh, a random
 * value explores. When packets get lost, the ring is frozen for a time: its values are used over
 * and over, since the paths that they name have worked, and nothing explores paths that may be cut.
 */
class Reps : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the draws follow from
     */
    Reps(uint32_t values, uint64_t salt);

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

Reps::Reps(uint32_t values, uint64_t salt)
    : m_values(values),
      m_salt(salt)
{
}

uint16_t
Reps::Draw()
{
    return static_cast<uint16_t>(EcmpMix(m_salt ^ EcmpMix(++m_draws)) % m_values);
}

uint16_t
Reps::Choose()
{
    if (m_explore > 0)
    {
        --m_explore;
        return Draw();
    }
    if (m_frozenUntil >= 0)
    {
        const Place& place = m_ring[m_frozenHead];
        if (!place.isFilled)
        {
            return Draw();
        }
        m_frozenHead = (m_frozenHead + 1) % SIZE;
        m_frozenHead = m_ring[m_frozenHead].isFilled ? m_frozenHead : 0;
        return place.entropy;
    }
    if (m_fresh == 0)
    {
        return Draw();
    }
    Place& oldest = m_ring[(m_head + SIZE - m_fresh) % SIZE];
    oldest.isFresh = false;
    --m_fresh;
    return oldest.entropy;
}

void
Reps::Note(uint16_t entropy, Verdict verdict, int64_t now)
{
    if (m_frozenUntil >= 0 && now > m_frozenUntil)
    {
        m_frozenUntil = -1;
        m_ring = {};
        m_head = m_fresh = m_frozenHead = 0;
        m_explore = EXPLORE;
    }
    if (verdict == GOOD)
    {
        Recycle(entropy);
    }
    else if (verdict == LOST && m_frozenUntil < 0 && m_explore == 0)
    {
        m_frozenUntil = now + MilliSeconds(FROZEN_MS).GetTimeStep();
        m_frozenHead = 0;
    }
}

void
Reps::Recycle(uint16_t entropy)
{
    Place& place = m_ring[m_head];
    m_fresh += place.isFresh ? 0 : 1;
    place = {entropy, true, true};
    m_head = (m_head + 1) % SIZE;
}

} // namespace

std::unique_ptr<RdmaPathSelector>
RdmaPathSelector::Create(Kind kind, uint32_t values, uint64_t salt)
{
    if (kind == REPS)
    {
        return std::make_unique<Reps>(values, salt);
    }
    if (kind == OBLIVIOUS)
    {
        return std::make_unique<Oblivious>(values, salt);
    }
    return std::make_unique<RoundRobin>(values, salt);
}

} // namespace ns3
