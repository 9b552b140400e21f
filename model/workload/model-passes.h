/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_PASSES_H
#define MODEL_PASSES_H

#include "model-steps.h"
#include "operator-times.h"
#include "stage-program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where the times of operators come from.
 */
struct ModelTimes
{
    Accelerator accelerator;                       //!< for operators that nobody has measured
    std::shared_ptr<const OperatorTimes> measured; //!< those that somebody has; null = none

    /**
     * @param step a step
     * @param phase FORWARD, BACKWARD_INPUT or BACKWARD_WEIGHT
     * @return its time, ps
     */
    uint64_t GetTime(const ModelStep& step, OpPhase phase) const;

    /**
     * @param step a step
     * @param phase FORWARD, BACKWARD_INPUT or BACKWARD_WEIGHT
     * @param pieces pieces that it is cut into
     * @return time of one piece, ps, without the cast before the first one
     */
    uint64_t GetPieceTime(const ModelStep& step, OpPhase phase, uint32_t pieces) const;

    /**
     * @param step a step
     * @param phase FORWARD, BACKWARD_INPUT or BACKWARD_WEIGHT
     * @return time in which what it works on is cast to fp8, ps; 0 if it is measured
     */
    uint64_t GetCastTime(const ModelStep& step, OpPhase phase) const;

    /**
     * @param step a step
     * @param phase FORWARD, BACKWARD_INPUT or BACKWARD_WEIGHT
     * @return time that the host takes to launch it, ps; 0 if it is measured
     */
    uint64_t GetLaunchTime(const ModelStep& step, OpPhase phase) const;
};

/**
 * @ingroup workload-replay
 * @brief Writes the passes of a model through a rank: computations, and collectives beside them.
 *
 * As Megatron-Core overlaps them (tensor_parallel/layers.py,
 * LinearWithGradAccumulationAndAsyncCommunication): what is gathered again for the gradient of
 * weights comes while the gradient of the input is computed, and that gradient is reduced while the
 * one of the weights is computed; in PyTorch after both. With overlapTensor,
 * linear layers work on what has arrived of their input while the rest is on its way, from rank to
 * rank, and send on what they have of their output (Transformer Engine, userbuffers, ring
 * exchange). Computations that nothing comes between are one item.
 */
class ModelPassWriter
{
  public:
    /**
     * @param job the job; must outlive this
     * @param times times of operators; must outlive this
     * @param [out] items receives what is written
     */
    ModelPassWriter(const ModelJob& job, const ModelTimes& times, StageItems& items);

    /**
     * @param steps steps to run forward
     * @param layer their layer; -1 = none
     */
    void AddForward(const ModelSteps& steps, int32_t layer);

    /**
     * @param steps steps to run backward, in forward order
     * @param layer their layer; -1 = none
     */
    void AddBackward(const ModelSteps& steps, int32_t layer);

    /**
     * @param item a collective that others do not wait for, or wait for by the result it produces
     */
    void AddCollective(StageItem item);

    /**
     * @param result what the steps to come wait for
     */
    void Consume(StageResult result);

    /// Write what is still pending.
    void Flush();

  private:
    /// Computations that are one item.
    struct Pending
    {
        uint64_t time{0};   //!< ps
        uint64_t launch{0}; //!< time that the host takes to launch them, ps
        std::string name;   //!< names of the first and the last operator
        std::string first;  //!< name of the first one
    };

    /**
     * @param step a step
     * @param phase which of its computations
     */
    void AddCompute(const ModelStep& step, OpPhase phase);

    /**
     * Compute after what is pending.
     *
     * @param name what is computed
     * @param phase its part of the iteration
     * @param time how long it takes, ps; 0 = it is nothing
     * @param launch time that the host takes to launch it, ps
     */
    void Append(const std::string& name, OpPhase phase, uint64_t time, uint64_t launch);

    /**
     * Cast what a step works on, before the first of its pieces; with fp8 alone.
     *
     * @param step a step
     * @param phase which of its computations
     */
    void AddCast(const ModelStep& step, OpPhase phase);

    /**
     * @param pending computations to write, if there are any
     * @param phase their part of the iteration
     */
    void Write(Pending& pending, OpPhase phase);

    /**
     * @param step the step
     * @param transfer one of its transfers
     * @param forward direction
     * @return a call of it
     */
    StageItem MakeCall(const ModelStep& step, const ModelTransfer& transfer, bool forward) const;

    /**
     * Write the calls of a transfer; what follows waits for them.
     *
     * @param step the step
     * @param transfer one of its transfers
     * @param forward direction
     */
    void AddTransfer(const ModelStep& step, const ModelTransfer& transfer, bool forward);

    /**
     * Write a step that works on what has come while the rest is on its way from rank to rank.
     *
     * @param step the step
     * @param phase which of its computations
     * @param call one shift of the ring
     * @param shifts number of shifts; the step is cut into one piece more
     */
    void AddFromRing(const ModelStep& step, OpPhase phase, StageItem call, uint32_t shifts);

    /**
     * Write a step that sends on each piece of its output while it computes the next one.
     *
     * @param step the step
     * @param call one shift of the ring
     * @param shifts number of shifts; the step is cut into one piece more
     */
    void AddToRing(const ModelStep& step, StageItem call, uint32_t shifts);

    /**
     * @param step a step
     * @param phase which of its computations
     * @param piece which piece of it
     * @param pieces pieces of it
     */
    void AddPiece(const ModelStep& step, OpPhase phase, uint32_t piece, uint32_t pieces);

    /**
     * @param step a step
     * @return true if userbuffers move what it communicates with tensor parallel ranks
     */
    bool IsOverlapped(const ModelStep& step) const;

    /**
     * @param step a step
     * @param transfers its transfers, before or after it
     * @param forward direction
     * @return the one that the step is overlapped with piece by piece; null = none
     */
    const ModelTransfer* FindOverlapped(const ModelStep& step,
                                        const std::vector<ModelTransfer>& transfers,
                                        bool forward) const;

    /**
     * @param transfer a gathering or a scattering of tensor parallel ranks
     * @param forward direction
     * @return bytes of one shift in its place
     */
    uint64_t GetShiftBytes(const ModelTransfer& transfer, bool forward) const;

    /**
     * Selective recomputation: run the steps of a module again, before their backward steps.
     *
     * @param steps the steps of a layer
     * @param last the last one of a module; nothing is done if it does not run again
     */
    void AddModuleAgain(const ModelSteps& steps, ModelSteps::const_reverse_iterator last);

    /**
     * Run steps again before their backward steps, as the policy of FSDP2's users has it: all but
     * attention and every second matrix multiplication, whose output is kept (TorchTitan,
     * activation checkpointing "selective op", parallelize_llama.py).
     *
     * @param steps the steps of a layer
     */
    void AddAgain(const ModelSteps& steps);

    /**
     * @param step a step to run forward
     */
    void AddForwardStep(const ModelStep& step);

    /**
     * @param step a step to run backward
     */
    void AddBackwardStep(const ModelStep& step);

    /**
     * Gather the input of a step once more, if it is not kept.
     *
     * @param step the step
     * @return what the gradient of the weights waits for; number 0 = nothing
     */
    StageResult AddRegathering(const ModelStep& step);

    /**
     * Write the gradients of a step's input and weights, and what it communicates beside them.
     *
     * @param step the step
     * @param gathered what the gradient of the weights waits for
     */
    void AddInputGradient(const ModelStep& step, StageResult gathered);

    /**
     * Write what a step communicates of the gradient of its input, and beside it the gradient of
     * its weights.
     *
     * @param step the step
     * @param gathered what the gradient of the weights waits for
     */
    void AddReduction(const ModelStep& step, StageResult gathered);

    /**
     * @param item an item, which takes over what is to be consumed, and the layer
     */
    void Push(StageItem item);

    const ModelJob& m_job;              //!< the job
    const ModelTimes& m_times;          //!< times of operators
    StageItems& m_items;                //!< what is written
    int32_t m_layer{-1};                //!< layer of what comes next
    uint32_t m_results{0};              //!< numbers given to results
    std::vector<StageResult> m_consume; //!< what the next item waits for, unless it computes
                                        //!< gradients of weights
    Pending m_forward;                  //!< forward computations to be written
    Pending m_input;                    //!< gradients of inputs to be written
    Pending m_weight; //!< gradients of weights to be written, after those of inputs
};

} // namespace ns3

#endif /* MODEL_PASSES_H */
