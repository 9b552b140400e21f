/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEND_GATE_H
#define RDMA_SEND_GATE_H

#include "rdma-egress-queues.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which priorities of a port may send: those that flow control does not hold back, in the
 * port's slot.
 */
class RdmaSendGate
{
  public:
    /// @return priorities that may send
    RdmaEgressQueues::Mask GetAllowed() const
    {
        return m_allowed;
    }

    /**
     * @param priority a priority
     * @return whether it may send
     */
    bool IsAllowed(uint8_t priority) const
    {
        return m_allowed >> priority & 1U;
    }

    /**
     * @param priority a priority
     * @return whether what is to leave with that priority is to be dropped
     */
    bool IsDropping(uint8_t priority) const
    {
        return m_dropped >> priority & 1U;
    }

    /// @return whether flow control holds some priority back
    bool IsHolding() const
    {
        return m_held != 0;
    }

    /**
     * @param held priorities that flow control holds back
     */
    void SetHeld(RdmaEgressQueues::Mask held)
    {
        m_held = held;
        Update();
    }

    /**
     * @param isOpen whether the port is in its slot
     */
    void SetOpen(bool isOpen)
    {
        m_isOpen = isOpen;
        Update();
    }

    /**
     * @param dropped priorities whose packets are to be dropped
     */
    void SetDropped(RdmaEgressQueues::Mask dropped)
    {
        m_dropped = dropped;
    }

  private:
    /// Find which priorities may send.
    void Update()
    {
        m_allowed = m_isOpen ? static_cast<RdmaEgressQueues::Mask>(~m_held) : 0;
    }

    RdmaEgressQueues::Mask m_allowed{RdmaEgressQueues::ALL}; //!< priorities that may send
    RdmaEgressQueues::Mask m_held{0};                        //!< those that flow control holds back
    RdmaEgressQueues::Mask m_dropped{0};                     //!< those whose packets are dropped
    bool m_isOpen{true};                                     //!< the port is in its slot
};

} // namespace ns3

#endif /* RDMA_SEND_GATE_H */
