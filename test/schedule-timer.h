/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_TIMER_H
#define SCHEDULE_TIMER_H

#include "ns3/pipeline-schedule.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Times the orders of a schedule by itself, without programs and simulator.
 *
 * A pass starts when its stage is free and what it needs is there: forward the same microbatch in
 * the part of the model before, backward the one in the part after, or at the end of the model its
 * own forward pass. Passes that run together start and end together.
 */
class ScheduleTimer
{
  public:
    /// How long passes through a chunk take, in any unit.
    struct Costs
    {
        uint64_t forward{1}; //!< forward pass
        uint64_t input{1};   //!< gradients of the input
        uint64_t weight{1};  //!< gradients of the weights
        uint64_t pair{3};    //!< forward and whole backward pass together
        uint64_t latency{0}; //!< from stage to stage
    };

    /**
     * @param schedule a schedule
     * @param shape shape of its pipeline
     * @param costs how long passes take
     */
    ScheduleTimer(const PipelineSchedule& schedule, const PipelineShape& shape, const Costs& costs);

    /**
     * @return when the last pass ends; 0 = some passes wait for each other
     */
    uint64_t Run();

  private:
    /// A pass at its place in the model: forward, part, microbatch.
    using Key = std::tuple<bool, uint32_t, uint32_t>;

    /// When a pass ended, and where.
    struct End
    {
        uint64_t time;  //!< when
        uint32_t stage; //!< where
    };

    /**
     * Run the next pass of a stage, or the next ones if they run together.
     *
     * @param stage a stage
     * @return whether it could run
     */
    bool Step(uint32_t stage);

    /**
     * @param stage a stage
     * @param pass a pass of it
     * @param [in,out] start when it starts at the earliest
     * @return whether what it needs has run
     */
    bool IsReady(uint32_t stage, const PipelinePass& pass, uint64_t& start) const;

    const PipelineSchedule& m_schedule;              //!< the schedule
    PipelineShape m_shape;                           //!< shape of its pipeline
    Costs m_costs;                                   //!< how long passes take
    std::vector<std::vector<PipelinePass>> m_passes; //!< passes by stage
    std::vector<std::size_t> m_next;                 //!< next one by stage
    std::vector<uint64_t> m_free;                    //!< when the stage is free
    std::map<Key, End> m_ends;                       //!< passes that ran, no gradients of weights
};

} // namespace ns3

#endif /* SCHEDULE_TIMER_H */
