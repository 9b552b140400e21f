/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_ORDER_H
#define MSCCLPP_ORDER_H

#include "msccl-plan.h"
#include "mscclpp-program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A step that was made of an operation of MSCCL++.
 */
struct MscclppStepRef
{
    uint32_t gpu{0};              //!< its GPU
    uint32_t block{0};            //!< its block
    uint32_t step{0};             //!< its place there
    uint32_t owner{0};            //!< thread block whose operation it is of
    const MscclppOp* op{nullptr}; //!< that operation
};

/**
 * @ingroup workload-replay
 * @brief What orders the steps of an execution plan of MSCCL++: signals and waits, semaphores,
 *        barriers, packets, and operations that name others.
 *
 * They are noted while steps are made, and become dependencies when all of them are there.
 */
class MscclppOrder
{
  public:
    /// GPU, type of channel, peer and number of the channel: as who waits sees it.
    using ChannelKey = std::tuple<uint32_t, std::string, uint32_t, uint32_t>;

    /**
     * @param plan the plan
     * @param step a step of it
     * @param other a step of the same GPU that must be over first
     */
    static void Depend(MscclPlan& plan, const MscclppStepRef& step, const MscclppStepRef& other);

    /**
     * @param channel a channel
     * @param step where the GPU that waits receives a signal
     */
    void Signal(const ChannelKey& channel, const MscclppStepRef& step);

    /**
     * @param channel a channel
     * @param step a step that waits for the next signal
     */
    void Wait(const ChannelKey& channel, const MscclppStepRef& step);

    /**
     * @param semaphore a semaphore of the step's GPU
     * @param step a step
     * @param isTaken whether it takes the semaphore, instead of giving it
     */
    void UseSemaphore(uint32_t semaphore, const MscclppStepRef& step, bool isTaken);

    /**
     * @param come a step in which a thread block comes to the barrier of its operation
     * @param go the one in which it has waited for the others
     */
    void Meet(const MscclppStepRef& come, const MscclppStepRef& go);

    /**
     * @param step a step that writes packets
     * @param chunks what it writes
     */
    void Pack(const MscclppStepRef& step, const MscclppOp::Chunks& chunks);

    /**
     * @param step a step that waits for packets
     * @param chunks what they are
     */
    void Unpack(const MscclppStepRef& step, const MscclppOp::Chunks& chunks);

    /**
     * @param step a step of an operation that names others which must be over
     */
    void Follow(const MscclppStepRef& step);

    /**
     * @param step the last step of an operation, or the last one before it if it has none
     */
    void End(const MscclppStepRef& step);

    /**
     * Have steps depend on what was not yet known when they were made.
     *
     * @param program what the file says
     * @param [in,out] plan the plan
     * @throws WorkloadError naming an operation whose counterpart is missing
     */
    void Connect(const MscclppProgram& program, MscclPlan& plan) const;

  private:
    /// Steps that belong together, each list in the order of what they count.
    struct Pairs
    {
        std::vector<MscclppStepRef> given; //!< signals, or what gives a semaphore
        std::vector<MscclppStepRef> taken; //!< waits, or what takes it
    };

    /// A GPU, and the number of something there.
    using Numbered = std::pair<uint32_t, uint32_t>;

    /**
     * Have each step that takes depend on the one that gives.
     *
     * @param pairs what is given and taken
     * @param before what was given before the plan begins
     * @param [in,out] plan the plan
     */
    static void ConnectPairs(const Pairs& pairs, std::size_t before, MscclPlan& plan);

    /**
     * Have each wait depend on its signal.
     *
     * @param [in,out] plan the plan
     */
    void ConnectSignals(MscclPlan& plan) const;

    /**
     * Have each block wait at barriers for the others.
     *
     * @param [in,out] plan the plan
     */
    void ConnectBarriers(MscclPlan& plan) const;

    /**
     * Have who reads packets wait for who writes them.
     *
     * @param [in,out] plan the plan
     */
    void ConnectPackets(MscclPlan& plan) const;

    /**
     * Have operations that name others wait for these.
     *
     * @param [in,out] plan the plan
     */
    void ConnectOperations(MscclPlan& plan) const;

    std::map<ChannelKey, Pairs> m_signals;                    //!< signals and waits
    std::map<Numbered, Pairs> m_semaphores;                   //!< what gives and takes semaphores
    std::map<Numbered, std::map<uint32_t, Pairs>> m_barriers; //!< barriers, by thread block
    std::map<std::tuple<uint32_t, MscclPlace::Buffer, uint32_t>, std::vector<MscclppStepRef>>
        m_packets; //!< who writes packets, by GPU and chunk
    std::vector<std::pair<MscclppStepRef, MscclppOp::Chunks>> m_unpacked; //!< who reads them
    std::vector<MscclppStepRef> m_after;                    //!< who waits for other operations
    std::map<Numbered, std::vector<MscclppStepRef>> m_ends; //!< ends of operations, by block
};

} // namespace ns3

#endif /* MSCCLPP_ORDER_H */
