/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_FEEDBACK_SCHEDULE_H
#define FLUID_FEEDBACK_SCHEDULE_H

#include "fluid-flow.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The flows of a FluidNetwork that get feedback, and which of them get it in a step.
 *
 * A flow gets it in every step, or it is deferred: it gets it at a later step, when its limit may
 * change, and is not touched in between, as memory is what a step of many flows costs.
 */
class FluidFeedbackSchedule
{
  public:
    /// A flow is deferred by so many steps at most.
    static constexpr uint32_t MOST = 63;

    /**
     * @param flow a flow that gets feedback in every step from now on
     */
    void Add(FluidFlow& flow);

    /**
     * @param flow a flow that gets no feedback any more, if it does
     */
    void Remove(FluidFlow& flow);

    /**
     * @param flow a flow that gets feedback in every step
     * @param step number of the step in which it gets it next, at most MOST from now
     */
    void Defer(FluidFlow& flow, uint64_t step);

    /**
     * @param flow a flow that is deferred, and gets feedback in every step from now on
     */
    void Resume(FluidFlow& flow);

    /**
     * @param step number of a step
     * @return flows that were deferred to it; valid until the next call
     */
    const std::vector<FluidFlow*>& FindDue(uint64_t step);

    /**
     * @return flows that get feedback in every step
     */
    const std::vector<FluidFlow*>& GetFlows() const
    {
        return m_flows;
    }

    /**
     * @return whether nobody gets feedback, now or later
     */
    bool IsEmpty() const
    {
        return m_flows.empty() && m_nDeferred == 0;
    }

  private:
    /// A flow and the step that it was deferred to, which may be another one by then.
    using Bucket = std::vector<FluidFlow*>;

    std::vector<FluidFlow*> m_flows;         //!< FluidFlow::stepping is the index
    std::array<Bucket, MOST + 1> m_deferred; //!< by number of the step, modulo the size
    uint32_t m_nDeferred{0};                 //!< flows that are deferred
    std::vector<FluidFlow*> m_due;           //!< what FindDue() has found
};

} // namespace ns3

#endif /* FLUID_FEEDBACK_SCHEDULE_H */
