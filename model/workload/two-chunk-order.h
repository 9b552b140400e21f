/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TWO_CHUNK_ORDER_H
#define TWO_CHUNK_ORDER_H

#include "pipeline-pass.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes the passes of a stage with two model chunks, through which microbatches go in their
 *        order, in steps that bidirectional and folded schedules have in common.
 *
 * The near chunk is the one whose microbatches enter the pipeline at this stage or closer to it.
 * Passes that compute gradients of weights wait in one queue. With n stages that microbatches cross
 * until their first backward pass may begin, and q of them before this one (DeepSeek-AI, DualPipe,
 * dualpipe.py and dualpipev.py, step(), whose steps are numbered from 1 to 8):
 * - warm-up, steps 1 to 3: 2 (n - q - 1) x F0, (q + 1) x (F0 F1), (n - q - 1) x (B1 W F1);
 * - cool-down, steps 6 to 8: (q + 1) x (B1 B0), (n - q - 1) x (W B0), and the weights that are
 *   left.
 *
 * The steps between make the schedules differ.
 */
class TwoChunkOrder
{
  public:
    /// Which chunk.
    enum Chunk : uint8_t
    {
        NEAR, //!< index 0 of the authors' phases
        FAR   //!< index 1
    };

    /**
     * @param n see above, at least 1
     * @param q see above, below n
     * @param nearChunk number of the near chunk; the far one is the other of 0 and 1
     * @param first first microbatch of the chunks 0 and 1
     */
    TwoChunkOrder(uint32_t n, uint32_t q, uint32_t nearChunk, std::array<uint32_t, 2> first);

    /**
     * Append steps 1 to 3.
     */
    void WarmUp();

    /**
     * Append a forward pass.
     *
     * @param chunk which chunk
     * @param together see PipelinePass
     */
    void Forward(Chunk chunk, bool together = false);

    /**
     * Append a backward pass, whole.
     *
     * @param chunk which chunk
     * @param together see PipelinePass
     */
    void Backward(Chunk chunk, bool together = false);

    /**
     * Append the first part of a split backward pass; the second one queues.
     *
     * @param chunk which chunk
     */
    void BackwardInput(Chunk chunk);

    /**
     * Append the oldest pass in the queue.
     */
    void BackwardWeight();

    /**
     * Append steps 6 to 8.
     *
     * @param nWhole how many of the 2 (q + 1) backward passes of step 6, from the first on, are not
     *        split
     */
    void CoolDown(uint32_t nWhole);

    /**
     * @return the passes
     */
    std::vector<PipelinePass> Take();

  private:
    /**
     * @param chunk which chunk
     * @return its number
     */
    uint32_t GetNumber(Chunk chunk) const;

    uint32_t m_n;                           //!< stages that microbatches cross at first
    uint32_t m_q;                           //!< those before this one
    uint32_t m_nearChunk;                   //!< number of the near chunk
    std::array<uint32_t, 2> m_nextForward;  //!< next microbatch to go forward by chunk
    std::array<uint32_t, 2> m_nextBackward; //!< next one to go back
    std::deque<PipelinePass> m_weights;     //!< second parts of split passes
    std::vector<PipelinePass> m_passes;     //!< the passes
};

} // namespace ns3

#endif /* TWO_CHUNK_ORDER_H */
