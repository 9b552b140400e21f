/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reps-selector.h"

#include "ns3/ecmp-hash.h"
#include "ns3/nstime.h"

namespace ns3
{

namespace
{

/// Time for which the ring stays frozen after a loss, and packets that explore afterwards (htsim,
/// buffer_reps.cpp and uec_mp.cpp).
/// @{
constexpr int64_t FROZEN_MS = 10;
constexpr uint32_t EXPLORE = 16;
/// @}

} // namespace

RdmaRepsSelector::RdmaRepsSelector(uint32_t values, uint64_t salt)
    : m_values(values),
      m_salt(salt)
{
}

uint16_t
RdmaRepsSelector::Draw()
{
    return static_cast<uint16_t>(EcmpMix(m_salt ^ EcmpMix(++m_draws)) % m_values);
}

uint16_t
RdmaRepsSelector::Choose()
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
RdmaRepsSelector::Note(uint16_t entropy, Verdict verdict, int64_t now)
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
RdmaRepsSelector::Recycle(uint16_t entropy)
{
    Place& place = m_ring[m_head];
    m_fresh += place.isFresh ? 0 : 1;
    place = {entropy, true, true};
    m_head = (m_head + 1) % SIZE;
}

} // namespace ns3
