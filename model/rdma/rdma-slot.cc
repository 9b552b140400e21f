/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-slot.h"

#include "ns3/topology-graph.h"

namespace ns3
{

RdmaSlot::RdmaSlot(const SlotCycle& cycle, uint32_t slot)
    : m_round(cycle.time.GetTimeStep() * cycle.count),
      m_opensAt(cycle.time.GetTimeStep() * slot + cycle.dark.GetTimeStep()),
      m_closesAt(cycle.time.GetTimeStep() * (slot + 1))
{
}

} // namespace ns3
