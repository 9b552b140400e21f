/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-slot-flow-control.h"

#include "rdma-link-end.h"
#include "rdma-port-transmitter.h"

#include "ns3/simulator.h"

namespace ns3
{

RdmaSlotFlowControl::RdmaSlotFlowControl(const RdmaLinkEnd& end,
                                         RdmaPortTransmitter& transmitter,
                                         const RdmaSlot& slot)
    : m_end(end),
      m_transmitter(transmitter),
      m_slot(slot)
{
}

void
RdmaSlotFlowControl::Follow()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const bool isOpen = m_slot.IsOpen(now);
    if (isOpen != m_isOpen)
    {
        m_transmitter.SetOpen(isOpen);
        m_isOpen = isOpen;
    }
    if (!m_awaitsChange)
    {
        m_awaitsChange = true;
        Simulator::ScheduleWithContext(m_end.context,
                                       TimeStep(m_slot.GetStepsToChange(now)),
                                       &RdmaSlotFlowControl::Change,
                                       this);
    }
}

void
RdmaSlotFlowControl::Change()
{
    m_awaitsChange = false;
    // A port without work sleeps: it looks when something comes.
    if (m_transmitter.GetTurns().HasPacket(RdmaEgressQueues::ALL))
    {
        Follow();
        m_transmitter.Resume();
    }
}

} // namespace ns3
