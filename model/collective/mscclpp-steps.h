/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_STEPS_H
#define MSCCLPP_STEPS_H

#include "mscclpp-order.h"
#include "mscclpp-program.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes the steps of a plan that operations of MSCCL++ consist of: one operation at a time,
 *        that of a thread block.
 *
 * What a thread block does to memory of other GPUs is done there by blocks for it alone, behind the
 * thread blocks: their own ones make no step for it.
 */
class MscclppSteps
{
  public:
    using Ref = MscclppStepRef; //!< a step

    /// What an operation in a pipeline deals with at a time.
    struct Piece
    {
        uint32_t number{0}; //!< which piece of its chunks
        uint32_t count{1};  //!< of how many
        uint64_t bytes{0};  //!< its length; 0 = that of all its chunks
    };

    /**
     * @param program what a file says; must outlive this
     * @param chunk length of a chunk of it, bytes; 0 = not known
     * @param parts parts that each chunk is cut into
     */
    MscclppSteps(const MscclppProgram& program, uint64_t chunk, uint32_t parts);

    /**
     * @param gpu a GPU
     * @param block a thread block of it, whose operations follow
     */
    void SetBlock(uint32_t gpu, uint32_t block);

    /**
     * @param op the operation at hand; must outlive this
     * @param piece the piece of its chunks that it deals with
     */
    void SetOp(const MscclppOp& op, const Piece& piece);

    /**
     * @return the GPU at hand
     */
    uint32_t GetGpu() const;

    /**
     * @return the plan so far
     */
    MscclPlan& GetPlan();

    /**
     * @param chunks chunks of the operation at hand
     * @return those parts of them that it deals with
     */
    MscclppOp::Chunks Cut(const MscclppOp::Chunks& chunks) const;

    /**
     * @param step what to add to the thread block at hand
     * @return the step
     */
    Ref Add(MscclStep step);

    /**
     * @return the last step of the thread block at hand, one that does nothing if it has none
     */
    Ref GetLast();

    /**
     * Send a message of the thread block at hand.
     *
     * @param peer to whom
     * @param source the chunks that it carries; null = none, it is a signal or a request
     * @param destination where they go
     * @return the step that receives it
     */
    Ref Send(uint32_t peer, const MscclppOp::Chunks* source, const MscclPlace& destination);

    /**
     * Read chunks of another GPU.
     *
     * @param source the chunks
     * @param destination where they go to, or are added to
     * @param reduces whether they are added
     * @return the step that receives them
     */
    Ref Fetch(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces);

    /**
     * Copy or add up chunks of the GPU at hand.
     *
     * @param source the chunks
     * @param destination where they go to, or are added to
     * @param reduces whether they are added
     * @return the step
     */
    Ref Copy(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces);

    /**
     * Have an NVSwitch send chunks of the thread block at hand to all GPUs of a group.
     *
     * @param group the GPUs
     * @param source the chunks; null = none, it is a request
     * @param destination where they go
     * @return the steps that receive them, in the order of the group
     */
    std::vector<Ref> Multicast(const std::vector<uint32_t>& group,
                               const MscclppOp::Chunks* source,
                               const MscclPlace& destination);

    /**
     * Have an NVSwitch add up chunks of a group of GPUs.
     *
     * @param group the GPUs
     * @param source the chunks, which are at the same place of each
     * @param destination where the sum goes to at the GPU at hand
     * @param isMulticast whether it goes on to the same place of the others, piece by piece
     * @return the steps that receive it there, in the order of the group; none if it does not
     */
    std::vector<Ref> Sum(const std::vector<uint32_t>& group,
                         const MscclppOp::Chunks& source,
                         const MscclPlace& destination,
                         bool isMulticast);

  private:
    /// Some of the blocks that are made: which GPU has it, for whom, for which block of that.
    using BlockKey = std::tuple<char, uint32_t, uint32_t, uint32_t>;

    /**
     * @param gpu a GPU
     * @param block a block of it
     * @param step what to add there
     * @return the step
     */
    Ref Add(uint32_t gpu, uint32_t block, MscclStep step);

    /**
     * @param role L = receives what is put, A = answers requests, R = receives answers
     * @param gpu whose block it is
     * @param peer whose thread block at hand it serves
     * @return a block for that, of which there is one
     */
    uint32_t FindBlock(char role, uint32_t gpu, uint32_t peer);

    /**
     * @param source chunks that a message carries; null = none
     * @param destination where they go
     * @return a step that receives them from the GPU at hand
     */
    MscclStep MakeReceive(const MscclppOp::Chunks* source, const MscclPlace& destination) const;

    /**
     * @param group GPUs for which an NVSwitch adds or multicasts
     * @return its number in the plan
     */
    uint32_t FindGroup(const std::vector<uint32_t>& group);

    /**
     * @param group GPUs
     * @param source chunks that they receive from an NVSwitch; null = none
     * @param destination where they go
     * @param isPaced whether they are the sum of what the GPUs send there, see MscclStep::isPaced
     * @return the steps that receive them
     */
    std::vector<Ref> ReceiveAll(const std::vector<uint32_t>& group,
                                const MscclppOp::Chunks* source,
                                const MscclPlace& destination,
                                bool isPaced);

    MscclPlan m_plan;                      //!< what was made so far
    uint64_t m_chunk;                      //!< length of a chunk of the file, bytes; 0 = not known
    uint32_t m_parts;                      //!< parts that each chunk is cut into
    uint32_t m_tags{0};                    //!< most thread blocks of a GPU
    uint32_t m_gpu{0};                     //!< the GPU at hand
    uint32_t m_block{0};                   //!< its thread block
    const MscclppOp* m_op{nullptr};        //!< the operation of that
    Piece m_piece;                         //!< what it deals with
    std::map<BlockKey, uint32_t> m_blocks; //!< blocks made beside those of operations
};

} // namespace ns3

#endif /* MSCCLPP_STEPS_H */
