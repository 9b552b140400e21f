/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-feedback-schedule.h"

namespace ns3
{

void
FluidFeedbackSchedule::Add(FluidFlow& flow)
{
    flow.stepping = static_cast<uint32_t>(m_all.size());
    // Those of a port have the same phase, so that the port is shared out once for all.
    const uint32_t phase = flow.hops.front().link / 2 % PATIENCE;
    m_all.push_back({&flow, phase, flow.IsPatient(), flow.progress.isHeld});
}

void
FluidFeedbackSchedule::Remove(FluidFlow& flow)
{
    if (flow.stepping != UINT32_MAX)
    {
        m_all.back().flow->stepping = flow.stepping;
        // The last entry takes the free place, so that nothing is searched or moved.
        m_all[flow.stepping] = m_all.back();
        m_all.pop_back();
        flow.stepping = UINT32_MAX;
    }
}

void
FluidFeedbackSchedule::Select(uint64_t step)
{
    m_selected.clear();
    m_held.clear();
    const auto phase = static_cast<uint32_t>(step % PATIENCE);
    for (const auto& entry : m_all)
    {
        if (entry.isHeld)
        {
            m_held.push_back(entry.flow);
        }
        // Patient flows that no queue holds are looked at every PATIENCE steps only, spread over
        // the steps by their ports.
        if (entry.isHeld || !entry.isPatient || entry.phase == phase)
        {
            m_selected.push_back(entry.flow);
        }
    }
}

} // namespace ns3
