/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SLOT_PLAN_H
#define SLOT_PLAN_H

#include "pipeline-pass.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Plans the passes of a folded pipeline from a pattern that repeats every six time slots.
 *
 * Each pass takes one slot, and each stage has one pass a slot. A microbatch has six at each stage:
 * forward through the chunks 0 and 1, backward through 1 and 0, and twice gradients of weights,
 * which fill slots that are free. The plan is the pattern, made shorter at its ends without more
 * activations than the pattern keeps, which is what the authors call repeating, squeezing and
 * reordering (Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024;
 * zero-bubble-pipeline-parallelism, scheduler/zbv_greedy.py, whose orders it gives).
 */
class SlotPlan
{
  public:
    /// Slots of microbatch 0 at a stage: F0, F1, B1, B0.
    using Pattern = std::array<uint32_t, 4>;

    /**
     * @param pattern the pattern by stage; no two of its slots at a stage are equal modulo 6
     * @param microbatches microbatches, at least 1
     */
    SlotPlan(const std::vector<Pattern>& pattern, uint32_t microbatches);

    /**
     * @return the passes by stage, in their order
     */
    std::vector<std::vector<PipelinePass>> Plan();

  private:
    /// What a pass does. Those before WEIGHT depend on the one before at their stage.
    enum Type : std::size_t
    {
        FORWARD_0,  //!< forward through chunk 0
        FORWARD_1,  //!< forward through chunk 1
        BACKWARD_1, //!< gradients of the input of chunk 1
        BACKWARD_0, //!< gradients of the input of chunk 0
        WEIGHT,     //!< gradients of the weights of either chunk, those that have waited longest
        N_TYPES     //!< number of types
    };

    /// A pass in its slot, in the order in which passes are looked at.
    struct Entry
    {
        uint32_t slot;       //!< its slot
        std::size_t stage;   //!< its stage
        std::size_t type;    //!< what it does
        uint32_t microbatch; //!< its microbatch; WEIGHT: its number
    };

    /// Passes of a stage.
    struct Stage
    {
        std::array<std::vector<uint32_t>, N_TYPES> slots; //!< slots by type and microbatch
        std::vector<std::size_t> types;                   //!< types by slot; N_TYPES = free
    };

    /**
     * Move passes before the first and after the last full slots of the pattern to earlier free
     * slots.
     *
     * @param withWeights true: gradients of weights have slots of their own; false: they take those
     *        that are free, and passes at the beginning stay
     */
    void Shorten(bool withWeights);

    /**
     * @param entry a pass
     * @param peak the most activations that a stage may keep
     */
    void MoveForward(const Entry& entry, uint32_t peak);

    /**
     * @param stage a stage
     * @param type what a pass of it does
     * @param microbatch its microbatch
     * @return the first slot that the passes allow which it needs
     */
    uint32_t GetEarliest(std::size_t stage, std::size_t type, uint32_t microbatch) const;

    /**
     * Run all passes in the order of their slots, each as early as those allow which it needs.
     */
    void Squeeze();

    /**
     * Give gradients of weights the first slots that are free, and passes that have none.
     */
    void PlaceWeights();

    /**
     * Take the slots of gradients of weights away.
     */
    void RemoveWeights();

    /**
     * @return all passes that have slots, in the order of these
     */
    std::vector<Entry> List() const;

    /**
     * @param stage a stage; where gradients of weights have no slots they take those that are free
     * @return the most activations alive at once
     */
    static uint32_t CountActivations(const Stage& stage);

    /**
     * @param stage a stage whose gradients of weights have slots
     * @return its passes; of those slots chunk 1 gets the first ones it can use
     */
    static std::vector<PipelinePass> GetPasses(const Stage& stage);

    uint32_t m_microbatches;     //!< microbatches
    std::vector<Stage> m_stages; //!< passes by stage
};

} // namespace ns3

#endif /* SLOT_PLAN_H */
