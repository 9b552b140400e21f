/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-turns.h"

namespace ns3
{

void
FluidTurns::Add(FluidFlow& flow)
{
    flow.stepping = static_cast<uint32_t>(m_all.size());
    // Those of a port have the same turn, so that the port is shared out once for all.
    const uint32_t turn = flow.hops.front().link / 2 % PATIENCE;
    m_all.push_back({&flow, turn, flow.IsPatient(), flow.progress.isHeld});
}

void
FluidTurns::Remove(FluidFlow& flow)
{
    if (flow.stepping != UINT32_MAX)
    {
        m_all.back().flow->stepping = flow.stepping;
        m_all[flow.stepping] = m_all.back();
        m_all.pop_back();
        flow.stepping = UINT32_MAX;
    }
}

void
FluidTurns::Choose(uint64_t step)
{
    m_chosen.clear();
    m_held.clear();
    const auto turn = static_cast<uint32_t>(step % PATIENCE);
    for (const auto& entry : m_all)
    {
        if (entry.isHeld)
        {
            m_held.push_back(entry.flow);
        }
        if (entry.isHeld || !entry.isPatient || entry.turn == turn)
        {
            m_chosen.push_back(entry.flow);
        }
    }
}

} // namespace ns3
