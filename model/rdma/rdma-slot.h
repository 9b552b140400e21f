/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SLOT_H
#define RDMA_SLOT_H

#include <cstdint>

namespace ns3
{

struct SlotCycle;

/**
 * @ingroup workload-replay
 * @brief The part of a cycle in which a port may send: one slot, after its dark time.
 */
class RdmaSlot
{
  public:
    /**
     * @param cycle the cycle
     * @param slot the slot, below the cycle's count
     */
    RdmaSlot(const SlotCycle& cycle, uint32_t slot);

    /**
     * @param now time step
     * @return whether the port may send
     */
    bool IsOpen(int64_t now) const
    {
        const int64_t phase = now % m_round;
        return phase >= m_opensAt && phase < m_closesAt;
    }

    /**
     * @param now time step
     * @return time steps until the port may send when it may not now, or the other way round
     */
    int64_t GetStepsToChange(int64_t now) const
    {
        const int64_t phase = now % m_round;
        const int64_t next = IsOpen(now) ? m_closesAt : m_opensAt;
        return next > phase ? next - phase : next + m_round - phase;
    }

  private:
    int64_t m_round;    //!< length of the cycle, time steps
    int64_t m_opensAt;  //!< when the port may send, time steps from the start of a round
    int64_t m_closesAt; //!< from when on it may not, likewise
};

} // namespace ns3

#endif /* RDMA_SLOT_H */
