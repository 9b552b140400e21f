/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_FEEDBACK_SCHEDULE_H
#define FLUID_FEEDBACK_SCHEDULE_H

#include "fluid-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The flows of a FluidNetwork that get feedback, and which of them get it in a step.
 *
 * Those that are held back by a busy link, or are not patient, get it in every step. The others get
 * it every PATIENCE steps; there may be a hundred times as many, and they are not touched in
 * between, as memory is what a step of many flows costs.
 */
class FluidFeedbackSchedule
{
  public:
    /// Flows that are not held back hear of it each so many steps if they are patient.
    static constexpr uint32_t PATIENCE = 8;

    /**
     * @param flow a flow, with its hops and its progress, that is to take steps and does not yet
     */
    void Add(FluidFlow& flow);

    /**
     * @param flow a flow that takes no steps any more, if it does
     */
    void Remove(FluidFlow& flow);

    /**
     * @param flow a flow that takes steps, on whose path a link has become busy
     */
    void Hold(const FluidFlow& flow)
    {
        m_all[flow.stepping].isHeld = true;
    }

    /**
     * Select those that get feedback in a step.
     *
     * @param step number of the step
     */
    void Select(uint64_t step);

    /**
     * @return flows that get feedback in this step
     */
    const std::vector<FluidFlow*>& GetSelected() const
    {
        return m_selected;
    }

    /**
     * @return of these, those that were held back
     */
    const std::vector<FluidFlow*>& GetHeld() const
    {
        return m_held;
    }

    /**
     * @param flow a selected flow, with the progress of now
     */
    void Update(const FluidFlow& flow)
    {
        m_all[flow.stepping].isHeld = flow.progress.isHeld;
    }

    /**
     * @return whether nobody takes steps
     */
    bool IsEmpty() const
    {
        return m_all.empty();
    }

  private:
    /// A flow that takes steps, with what says in which it gets feedback.
    struct Entry
    {
        FluidFlow* flow; //!< the flow
        uint32_t phase;  //!< step, modulo PATIENCE, in which it gets feedback if it is patient
        bool isPatient;  //!< it need not hear of each step, unless it is held back
        bool isHeld;     //!< a link of its path is busy
    };

    std::vector<Entry> m_all;           //!< FluidFlow::stepping is the index
    std::vector<FluidFlow*> m_selected; //!< those that get feedback in this step
    std::vector<FluidFlow*> m_held;     //!< of these, those that were held back
};

} // namespace ns3

#endif /* FLUID_FEEDBACK_SCHEDULE_H */
