/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-feedback-schedule.h"

#include "ns3/assert.h"

namespace ns3
{

void
FluidFeedbackSchedule::Add(FluidFlow& flow)
{
    flow.stepping = static_cast<uint32_t>(m_flows.size());
    m_flows.push_back(&flow);
}

void
FluidFeedbackSchedule::Remove(FluidFlow& flow)
{
    if (flow.stepping != UINT32_MAX)
    {
        // The last one takes the free place.
        m_flows.back()->stepping = flow.stepping;
        m_flows[flow.stepping] = m_flows.back();
        m_flows.pop_back();
        flow.stepping = UINT32_MAX;
    }
}

void
FluidFeedbackSchedule::Defer(FluidFlow& flow, uint64_t step)
{
    NS_ASSERT(step > 0 && flow.deferredTo == 0);
    Remove(flow);
    flow.deferredTo = step;
    m_deferred[step % m_deferred.size()].push_back(&flow);
    ++m_nDeferred;
}

void
FluidFeedbackSchedule::Resume(FluidFlow& flow)
{
    NS_ASSERT(flow.deferredTo != 0);
    flow.deferredTo = 0;
    --m_nDeferred;
    Add(flow);
}

const std::vector<FluidFlow*>&
FluidFeedbackSchedule::FindDue(uint64_t step)
{
    // Who was resumed early stands there still, once or several times.
    m_due.clear();
    auto& bucket = m_deferred[step % m_deferred.size()];
    for (auto* const flow : bucket)
    {
        if (flow->deferredTo == step)
        {
            m_due.push_back(flow);
        }
    }
    bucket.clear();
    return m_due;
}

} // namespace ns3
