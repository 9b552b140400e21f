/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_PROGRAM_H
#define STAGE_PROGRAM_H

#include "pipeline-schedule.h"
#include "workload-program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A computation or a collective of a stage, as a reader found it.
 */
struct StageItem
{
    std::string name;                //!< name in the file
    OpKind kind{OpKind::COMPUTE};    //!< COMPUTE or COLLECTIVE
    OpPhase phase{OpPhase::FORWARD}; //!< part of the iteration
    uint64_t amount{0};              //!< picoseconds or bytes; 0 = the item is left out
    CollectiveKind collective{CollectiveKind::ALL_REDUCE}; //!< COLLECTIVE: which one
    Dimension dimension{Dimension::TP};                    //!< COLLECTIVE: in which group
    std::shared_ptr<const AllToAllSplits> splits;          //!< ALL_TO_ALL: null = in equal parts
    bool blocking{true};  //!< COLLECTIVE: items of the same pass wait for it
    uint32_t overlap{0};  //!< COLLECTIVE, blocking: so many items after it do not wait; 0 = all do
    uint64_t updatePs{0}; //!< COLLECTIVE: picoseconds of local work after it
    uint32_t origin{0};   //!< line of the file
    int32_t layer{-1};    //!< layer; -1 = none
};

/// Items in the order of their execution.
using StageItems = std::vector<StageItem>;

/**
 * @ingroup workload-replay
 * @brief What a stage does for one microbatch in one model chunk.
 */
struct StagePass
{
    StageItems forward;  //!< forward pass
    StageItems backward; //!< backward pass, in the order of its execution
};

/**
 * @ingroup workload-replay
 * @brief What one stage does in an iteration, before it is put in the order of a schedule.
 */
struct StageWork
{
    std::string file;  //!< file that origins are lines of
    StageItems before; //!< once, before the first microbatch
    /// Passes by [chunk][microbatch]; equal microbatches share one.
    std::vector<std::vector<std::shared_ptr<const StagePass>>> passes;
    StageItems after;         //!< once, after the last backward pass
    uint64_t messageBytes{0}; //!< bytes of one activation or gradient between stages
};

/**
 * @ingroup workload-replay
 * @brief Put the work of a stage in the order of a schedule and lower it to a program.
 *
 * Communicator slots of the program are the numbers of the dimensions, see
 * ParallelGroups::AddTo(). Streams: compute; one per dimension with collectives; for pipeline
 * messages one per direction of data and of transfer. A pass waits for its message from the
 * neighbouring stage; its own message leaves when the pass is over and holds up nothing.
 *
 * @param work what the stage does
 * @param schedule the order of passes
 * @param shape shape of the pipeline; as many chunks and microbatches as the work has
 * @param stage the stage
 * @return the program, the same for all ranks of the stage
 */
std::shared_ptr<const WorkloadProgram> LowerStage(const StageWork& work,
                                                  const PipelineSchedule& schedule,
                                                  const PipelineShape& shape,
                                                  uint32_t stage);

} // namespace ns3

#endif /* STAGE_PROGRAM_H */
