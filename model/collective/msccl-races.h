/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_RACES_H
#define MSCCL_RACES_H

#include "msccl-plan.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Finds steps of a plan that read or write what others write, without an order between them.
 *
 * Each thread block has a clock that counts its steps, and knows how far those of others were when
 * it last waited for them (vector clocks). What a block does for a thread block of another GPU is
 * timed by that one's clock, as its message or request brings it.
 */
class MscclRaces
{
  public:
    /// How far a thread block knows all of them to be, by their numbers.
    using Clock = std::shared_ptr<const std::vector<uint32_t>>;

    /// A step that is made.
    struct Event
    {
        uint32_t actor{0};                 //!< number of the thread block that it is of
        Clock clock;                       //!< what that knows
        const std::string* where{nullptr}; //!< place of the step
    };

    /**
     * @param plan the plan; must outlive this
     */
    explicit MscclRaces(const MscclPlan& plan);

    /**
     * @param gpu a GPU
     * @param block a block of it
     * @param step its next step; all that it waits for has been made
     * @param message what the message brings that it receives; null if there is none
     * @return the step as it is made
     */
    Event Begin(uint32_t gpu, uint32_t block, uint32_t step, const Clock& message);

    /**
     * @param event a step
     * @param gpu whose memory it reads
     * @param place where, first chunk; buffers that share memory are one
     * @param count number of chunks
     * @throws WorkloadError if another one writes there, and neither waits for the other
     */
    void Read(const Event& event, uint32_t gpu, const MscclPlace& place, uint32_t count);

    /**
     * @param event a step
     * @param gpu whose memory it writes to
     * @param place where, first chunk; buffers that share memory are one
     * @param count number of chunks
     * @throws WorkloadError if another one reads or writes there, and neither waits for the other
     */
    void Write(const Event& event, uint32_t gpu, const MscclPlace& place, uint32_t count);

  private:
    /// A step that has read or written a chunk.
    struct Access
    {
        uint32_t actor{0};                 //!< number of its thread block
        uint32_t time{0};                  //!< by the clock of that; 0 = there is none
        const std::string* where{nullptr}; //!< place of the step
    };

    /// What has become of a chunk.
    struct Chunk
    {
        Access written;           //!< who wrote it last
        std::vector<Access> read; //!< who has read it since then, the last time of each
    };

    /// Steps of a block.
    struct Block
    {
        uint32_t actor{0};              //!< number of its thread block, if it is one
        std::vector<uint32_t> clock;    //!< what that knows; empty if it works for others
        std::map<uint32_t, Clock> kept; //!< by step that others wait for: what it knew, once made
    };

    /**
     * @param gpu a GPU
     * @param place a chunk
     * @return what has become of it
     */
    Chunk& Find(uint32_t gpu, const MscclPlace& place);

    /**
     * @param event a step
     * @param access an earlier one that concerns the same chunk
     * @param place that chunk
     * @throws WorkloadError if there is no order between them
     */
    void Check(const Event& event, const Access& access, const MscclPlace& place) const;

    const MscclPlan& m_plan;                  //!< the plan
    std::vector<uint32_t> m_first;            //!< number of the first thread block, by GPU
    uint32_t m_actors{0};                     //!< thread blocks of all GPUs
    std::vector<std::vector<Block>> m_blocks; //!< by GPU and block
    std::vector<std::array<std::vector<Chunk>, 3>> m_chunks; //!< by GPU, buffer and place
};

} // namespace ns3

#endif /* MSCCL_RACES_H */
