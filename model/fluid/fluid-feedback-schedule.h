/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_FEEDBACK_SCHEDULE_H
#define FLUID_FEEDBACK_SCHEDULE_H

#include "fluid-flow.h"
#include "fluid-link.h"

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
    /**
     * @param links all links, by number; must outlive this object
     * @param step time steps between two looks at what is congested
     */
    FluidFeedbackSchedule(std::vector<FluidLink>& links, int64_t step);

    /**
     * @param flow a flow that gets feedback in every step from now on
     */
    void Add(FluidFlow& flow);

    /**
     * @param flow a flow that gets no feedback any more, if it does, and is not deferred
     */
    void Remove(FluidFlow& flow);

    /**
     * Give a flow feedback in every step again. Whatever else happens to a flow comes after this.
     *
     * @param flow a flow, deferred or not
     */
    void Resume(FluidFlow& flow);

    /**
     * Give all flows of a link that are deferred feedback in every step again.
     *
     * @param link the link
     */
    void ResumeAll(FluidLink& link);

    /**
     * Find what waits of a flow at each step again. It hears of it no earlier for that.
     *
     * @param flow a flow, deferred or not
     */
    void Track(FluidFlow& flow);

    /**
     * Have a flow wait for a later step, if it need not hear of the next.
     *
     * @param flow a flow that gets feedback in every step, with all true of now
     * @param now time step
     * @param isFull whether the buffer of its last link is full, so that what waits is asked for
     */
    void DeferIfPossible(FluidFlow& flow, int64_t now, bool isFull);

    /**
     * Select the flows that get feedback in a step: those that get it in every step, were deferred
     * to this one, or have been marked enough.
     *
     * @param now time step
     * @param busy numbers of the links that are busy
     */
    void Select(int64_t now, const std::vector<uint32_t>& busy);

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
     * @return whether nobody gets feedback, now or later
     */
    bool IsEmpty() const
    {
        return m_flows.empty() && m_nDeferred == 0;
    }

  private:
    /// A flow is deferred by so many steps at most.
    static constexpr uint32_t MOST = 63;

    /**
     * @param flow a flow that gets feedback in every step
     * @param now time step, of which all of it is true
     * @return step in which it has to hear of something next; 0 = in every step
     */
    uint64_t FindNextFeedback(const FluidFlow& flow, int64_t now) const;

    /**
     * Give flows feedback again that were deferred to this step, or have been marked enough.
     *
     * @param step number of the step
     * @param busy numbers of the links that are busy
     */
    void ResumeDue(uint64_t step, const std::vector<uint32_t>& busy);

    /// Flows that were deferred to a step; some of them were resumed since, or deferred to another.
    using Bucket = std::vector<FluidFlow*>;

    std::vector<FluidLink>& m_links;         //!< all links
    int64_t m_step;                          //!< time steps between two looks
    std::vector<FluidFlow*> m_flows;         //!< FluidFlow::stepping is the index
    std::array<Bucket, MOST + 1> m_deferred; //!< by number of the step, modulo the size
    uint32_t m_nDeferred{0};                 //!< flows that are deferred
    std::vector<FluidFlow*> m_selected;      //!< those that get feedback in this step
    std::vector<FluidFlow*> m_held;          //!< of these, those that were held back
};

} // namespace ns3

#endif /* FLUID_FEEDBACK_SCHEDULE_H */
