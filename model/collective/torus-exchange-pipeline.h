/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_EXCHANGE_PIPELINE_H
#define TORUS_EXCHANGE_PIPELINE_H

#include "collective-algorithm.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A part of each block of an all-to-all, by one dimension of a torus after another.
 *
 * In each dimension a member hands every other one of its row all that it holds for members that
 * have the place of that one, whoever it is from. After the last dimension each has its own.
 *
 * In a ring of an even number of members two paths to the opposite one are as short: half of what
 * is for it goes to either neighbour, which passes it on, so that both directions of the links
 * carry as much. All pipelines begin with their next dimension together.
 */
class TorusExchangePipeline : public ChunkPipeline
{
  public:
    /**
     * @param call an all-to-all without splits, of members that fill rows of a torus
     * @param part the pipeline's part of each block, of as many as there are dimensions; with its
     *             number the pipeline's dimensions begin
     * @param barrier is for all of these pipelines
     */
    TorusExchangePipeline(const CollectiveCall& call, uint32_t part, const StageBarrier& barrier);

    bool IsBlocked() const override;
    bool Next(CollectiveStep& step) override;

  private:
    /// Source and destination of a block.
    using Route = std::pair<uint32_t, uint32_t>;

    /**
     * @return whether neighbours pass on what goes to the opposite member of a row of the present
     *         dimension: its rows are rings of links of an even number of members, four or more,
     *         which no link shortens
     */
    bool HasRelays() const;

    /**
     * Send to each other member of the row what goes straight to it, and to the neighbours what
     * they pass on.
     *
     * @param step where to add the transfers
     */
    void SendOn(CollectiveStep& step) const;

    /**
     * Pass on to opposite members what neighbours have sent for them.
     *
     * @param step where to add the transfers
     */
    void PassOn(CollectiveStep& step) const;

    /**
     * @param distance a distance, below the length of a row of the present dimension
     * @return place so far after the member's own, from the end of the row on to its beginning
     */
    uint32_t GetPlaceAfter(uint32_t distance) const;

    /**
     * @param holder a member
     * @param place a place in its row of the present dimension
     * @return blocks that it holds for members that have that place, in the order of the message
     */
    std::vector<Route> ListBlocks(uint32_t holder, uint32_t place) const;

    /**
     * @param members members
     * @param dimension a dimension
     * @return all members of their rows
     */
    std::vector<uint32_t> Widen(const std::vector<uint32_t>& members, uint32_t dimension) const;

    /**
     * @param route a block that the member holds
     * @return where it has the pipeline's part of it
     */
    BufferPart GetHeld(const Route& route) const;

    /**
     * @param route a block that the member receives
     * @return where it puts the pipeline's part of it
     */
    BufferPart GetReceived(const Route& route) const;

    /**
     * @param route a block
     * @return the pipeline's part of it in memory that has room for all blocks of the call
     */
    BufferPart GetScratch(const Route& route) const;

    CollectiveCall m_call;         //!< the collective
    const TorusGrid& m_grid;       //!< how the members stand
    std::vector<uint32_t> m_order; //!< dimensions, in the order of the pipeline
    StageBarrier m_barrier;        //!< a stage is a dimension
    std::size_t m_level{0};        //!< the present one
    bool m_isSent{false};          //!< in it, all but what is passed on has been sent
};

} // namespace ns3

#endif /* TORUS_EXCHANGE_PIPELINE_H */
