/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_TURNS_H
#define FLUID_TURNS_H

#include "fluid-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The flows of a FluidNetwork that take steps, and whose turn it is in each.
 *
 * Those that are held back by a busy link, or are not patient, are told in every step. The others
 * wait for their turn; there may be a hundred times as many, and they are not looked at until then.
 */
class FluidTurns
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
     * @param flow a flow that takes steps, on whose way a link has become busy
     */
    void Hold(const FluidFlow& flow)
    {
        m_all[flow.stepping].isHeld = true;
    }

    /**
     * Choose who is told in a step.
     *
     * @param step number of the step
     */
    void Choose(uint64_t step);

    /**
     * @return flows that are told in this step
     */
    const std::vector<FluidFlow*>& GetChosen() const
    {
        return m_chosen;
    }

    /**
     * @return of these, those that were held back
     */
    const std::vector<FluidFlow*>& GetHeld() const
    {
        return m_held;
    }

    /**
     * @param flow a flow that has been told, with the progress of now
     */
    void Told(const FluidFlow& flow)
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
    /// A flow that takes steps, with what says whether it is its turn.
    struct Entry
    {
        FluidFlow* flow; //!< the flow
        uint32_t turn;   //!< which of the turns of those who are patient is its own
        bool isPatient;  //!< it need not hear of each step, unless it is held back
        bool isHeld;     //!< a link on its way is busy
    };

    std::vector<Entry> m_all;         //!< FluidFlow::stepping is the index
    std::vector<FluidFlow*> m_chosen; //!< those that are told
    std::vector<FluidFlow*> m_held;   //!< of these, those that were held back
};

} // namespace ns3

#endif /* FLUID_TURNS_H */
