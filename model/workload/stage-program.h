/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_PROGRAM_H
#define STAGE_PROGRAM_H

#include "pipeline-schedule.h"
#include "workload-program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Names what an item leaves behind, so that other items can wait for it.
 *
 * Numbers of one direction of one microbatch through one chunk are its own, and none of them is
 * produced twice; a lasting number belongs to the whole iteration of the stage, and stands for what
 * produced it last.
 */
struct StageResult
{
    uint32_t number{0};  //!< number that the reader chose; 0 = none
    bool lasting{false}; //!< true: later passes of the stage may wait for it, too
};

/**
 * @ingroup workload-replay
 * @brief A computation or a collective of a stage, as a reader found it.
 *
 * What follows an item in its pass waits for it, unless it produces a named result, for which wait
 * those only that consume it, or does not block at all. Nobody in the passes waits for a result
 * that is never consumed. What follows all passes waits for everything.
 */
struct StageItem
{
    WorkloadOp op;    //!< COMPUTE or COLLECTIVE, whose communicator is its slot in ParallelGroups;
                      //!< stream, name, splits and microbatch are set later
    std::string name; //!< name in the file
    std::shared_ptr<const AllToAllSplits> splits; //!< ALL_TO_ALL: null = in equal parts
    bool blocking{true};  //!< COLLECTIVE: what follows waits for it, unless it produces something
    StageResult produces; //!< COLLECTIVE: what those that wait for it consume
    StageResult consumes; //!< what it waits for besides the items before it
    uint64_t updatePs{0}; //!< COLLECTIVE: picoseconds of local work after it

    /**
     * An item that is empty is left out, and what follows waits for what it consumes. All members
     * of a group must leave out the same: one that puts nothing into an all-to-all with splits
     * takes part all the same, since others have something to put in.
     *
     * @return whether there is nothing to do
     */
    bool IsEmpty() const
    {
        return op.amount == 0 && !splits;
    }
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
    StageItems backward; //!< backward pass, in the order of its execution; if it is split, items of
                         //!< the phases BACKWARD_WEIGHT and GRAD_SYNC are the part that can wait
};

/**
 * @ingroup workload-replay
 * @brief What one stage does in an iteration, before it is put in the order of a schedule.
 */
struct StageWork
{
    std::string file; //!< file that origins are lines of
    /// Passes by [chunk][microbatch]; equal microbatches share one.
    std::vector<std::vector<std::shared_ptr<const StagePass>>> passes;
    StageItems after;         //!< once, after the last pass
    uint64_t messageBytes{0}; //!< bytes of one activation or gradient between stages
};

/**
 * @ingroup workload-replay
 * @brief A message between two stages that hold neighbouring parts of the model.
 */
struct StageMessage
{
    bool isSend{false};     //!< sent or received by this stage
    bool forward{true};     //!< activations; false: gradients
    uint32_t microbatch{0}; //!< microbatch
    uint32_t stage{0};      //!< this stage
    uint32_t peer{0};       //!< the stage at the other end
    uint32_t part{0};       //!< part of the model that it goes to
    uint64_t bytes{0};      //!< its size
    uint32_t origin{0};     //!< line of the file; 0 = none

    /**
     * @return send-forward, recv-backward and so on
     */
    std::string GetName() const;
};

/**
 * @ingroup workload-replay
 * @brief Writes the program of one stage, op by op.
 *
 * Communicator slots of the program are the numbers of the dimensions, see ParallelGroups::AddTo().
 * Streams: compute; one per dimension with collectives; for pipeline messages one per direction of
 * data, of transfer and of the pipeline, so that the two neighbours of a stage are independent. The
 * message into a pass and the one out of the pass before it carry the same tag, so that programs of
 * different readers understand each other; no other message between two stages has it.
 */
class StageProgramWriter
{
  public:
    /// Index of an op in the program.
    using OpIndex = WorkloadProgram::OpIndex;

    /**
     * @param file the file that origins are lines of
     * @param shape shape of the pipeline
     */
    StageProgramWriter(const std::string& file, const PipelineShape& shape);

    /**
     * Append an item, and the local work after it; it waits for all that is awaited.
     *
     * @param item the item, its amount above 0
     * @param microbatch its microbatch; -1 = none
     * @return the last op of the item
     */
    OpIndex AddItem(const StageItem& item, int32_t microbatch);

    /**
     * Append a message that waits for nothing but the messages before it in its stream.
     *
     * @param message the message
     * @param name its name
     * @return its op
     */
    OpIndex AddMessage(const StageMessage& message, const std::string& name);

    /**
     * @param op an op that is to wait for all that is awaited
     */
    void Await(OpIndex op);

    /**
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Build();

    std::vector<OpIndex> awaited; //!< what the next op waits for

  private:
    /**
     * @param name name of a stream
     * @param dimension dimension of its traffic
     * @return the stream
     */
    uint16_t GetStream(const std::string& name, Dimension dimension);

    PipelineShape m_shape;                     //!< shape of the pipeline
    WorkloadProgramBuilder m_builder;          //!< the program
    uint16_t m_compute;                        //!< stream of computations
    std::map<std::string, uint16_t> m_streams; //!< other streams by name
};

/**
 * @ingroup workload-replay
 * @brief Put the work of a stage in the order of a schedule and lower it to a program.
 *
 * A pass waits for its message from the stage that holds the part of the model before it; its own
 * message leaves when the pass is over and holds up nothing. Of a split backward pass the part with
 * the gradients of the input has the messages. Passes that run together wait for all their messages
 * and send theirs when all are over, as DualPipe does (DeepSeek, dualpipe.py,
 * _forward_backward_chunk); in between, each waits for itself alone, and the accelerator turns to
 * the next one whenever a pass has issued a collective that it waits for.
 *
 * @param work what the stage does
 * @param schedule the order of passes
 * @param shape shape of the pipeline; the work has its microbatches and the schedule's chunks
 * @param stage the stage
 * @return the program, the same for all ranks of the stage
 */
std::shared_ptr<const WorkloadProgram> LowerStage(const StageWork& work,
                                                  const PipelineSchedule& schedule,
                                                  const PipelineShape& shape,
                                                  uint32_t stage);

} // namespace ns3

#endif /* STAGE_PROGRAM_H */
