/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_PORTS_H
#define FLUID_PORTS_H

#include "fluid-link.h"
#include "fluid-share.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Divides what links carry among those who would use more of it: ports of hosts among their
 *        flows, and full buffers among the links that lead to them.
 */
class FluidPorts
{
  public:
    /**
     * @param links all links, by number; must outlive this
     */
    explicit FluidPorts(std::vector<FluidLink>& links);

    /**
     * @param buffer what links that bring too much of it are held back by
     * @return its number, from 0 on
     */
    uint32_t AddBuffer(FluidBuffer buffer);

    /**
     * @param source number of a link where flows begin, which is to be shared out anew
     */
    void Request(uint32_t source);

    /**
     * @return whether a port is to be shared out anew
     */
    bool IsRequested() const
    {
        return !m_requests.empty();
    }

    /**
     * @return ports that were asked for since this was called last, in that order
     */
    std::vector<uint32_t> TakeRequests();

    /**
     * Note at the port of a flow's host what the flow could send at and sends at, so that the port
     * is shared out without a look at each of its flows.
     *
     * @param flow a flow that is attached
     */
    void Note(const FluidFlow& flow);

    /**
     * Share out ports, all by what is forwarded there now, and find by how much flows end before
     * those of a fluid would.
     *
     * @param sources numbers of links where flows begin
     * @param now time step
     * @return flows whose rates change, and their new rates, those that become slower first, so
     *         that no link seems overloaded in between; valid until the next call. They are named
     *         by flow, as flows that are resumed change places in FluidLink::uses
     */
    const std::vector<std::pair<FluidFlow*, double>>& ShareOut(const std::vector<uint32_t>& sources,
                                                               int64_t now);

    /**
     * Have those that share a port with a flow that has ended send what is left of it, or so much
     * less if it has sent more than it had.
     *
     * @param flow the flow, which is attached
     */
    void LeaveLead(const FluidFlow& flow);

    /**
     * Look at how full the buffers are.
     *
     * @param busy links that have a queue
     * @return those of them whose buffer holds so much that links may have to be held back; valid
     *         until the next call
     */
    const std::vector<uint32_t>& FindFull(const std::vector<uint32_t>& busy);

    /**
     * Senders feel a pause after the round trip of a link, and what they send goes through several
     * switches: where buffers are full it does not do to look once in the round trip of a path.
     *
     * @param step time steps between two looks while no buffer is full
     * @return time steps until the next look
     */
    int64_t GetStep(int64_t step) const
    {
        return m_full.empty() ? step : std::max<int64_t>(1, step / 2);
    }

    /**
     * @param link a link
     * @return whether it has a queue whose buffer was full at the last look
     */
    bool IsFull(const FluidLink& link) const
    {
        return link.HasQueue() && m_buffers[link.settings.buffer].isFull;
    }

    /**
     * Have links carry less that hold more than their part of a buffer, and ask for those of them
     * where flows begin. What FindFull() has found has no deferred flows.
     *
     * @param now time step
     * @param step time steps until this is done again
     * @return links with a queue that carry less and are not busy
     */
    std::vector<uint32_t> HoldBack(int64_t now, double step);

    /**
     * Look whether links that are held back wait for each other, so that nothing moves any more and
     * further steps would change nothing.
     *
     * @param busy numbers of the links that are busy after a step
     * @param flows flows that have got feedback in it
     * @return whether they have for so many steps that nothing will move
     */
    bool LookWhetherStill(const std::vector<uint32_t>& busy, const std::vector<FluidFlow*>& flows);

    /**
     * @return whether nothing moves any more, by the last look
     */
    bool StandsStill() const;

    /**
     * @return active flows of links that are held back, some more than once
     */
    std::vector<FluidFlow*> ListHeldFlows() const;

    /**
     * @param number number of a link
     * @return numbers of the links that are held back and for which waits what it has brought, if
     *         nothing moves any more; else empty
     */
    std::vector<uint32_t> ListAwaited(uint32_t number) const;

  private:
    /**
     * @param source number of a link where flows begin
     * @return rates of these, max-min fair by their limits, in the order of FluidLink::uses; valid
     *         until the next call
     */
    const std::vector<double>& Divide(uint32_t source);

    /**
     * Find by how much flows that share a port end before those of a fluid would.
     *
     * The port sends a packet of each in turn, in the order in which they have begun. Where shares
     * of a fluid end together, each of N flows alike ends a packet before the next one. When the
     * first has sent its last packet, a packet of each other one is missing, of which the fluid has
     * sent as much as of its own: of that (N - 1) / N are left, which is its lead. Where nothing
     * was sent before, the port has taken a second packet of the first flow when the next one
     * begins, so that it is a round ahead, and the others have waited for one packet more.
     *
     * Who ends leaves what is left to the others, see LeaveLead(): as much is left of them then as
     * rounds without it have to send.
     *
     * @param source number of a link where flows begin
     * @param rates what they get of it, as Divide() gives it
     * @param now time step
     */
    void FindLeads(uint32_t source, const std::vector<double>& rates, int64_t now);

    /**
     * Let the links that are held back carry all that they can.
     *
     * @param now time step
     */
    void LetGo(int64_t now);

    /**
     * Find which links have brought what waits for one.
     *
     * @param link the link
     */
    void Charge(const FluidLink& link);

    /**
     * Have a link carry what leaves of what it holds of a buffer, and so much more or less that it
     * holds its part of it when a step has passed. What goes elsewhere by the link is held up as
     * well, as it stands in the same queue, or in the memory of a host whose port is paused.
     *
     * @param number number of the link
     * @param buffer the buffer
     * @param now time step
     * @param step time steps until the next look
     */
    void Pause(uint32_t number, const FluidBuffer& buffer, int64_t now, double step);

    std::vector<FluidLink>& m_links;    //!< all links
    std::vector<FluidBuffer> m_buffers; //!< all buffers, by number
    /// Links that have brought what waits, with the number of the buffer.
    std::vector<std::pair<uint32_t, uint32_t>> m_inputs;
    std::vector<uint32_t> m_requests; //!< ports to be shared out
    std::vector<uint32_t> m_held;     //!< links that are held back
    uint32_t m_stillSteps{0};         //!< steps in a row after which nothing moved
    std::vector<uint32_t> m_full;     //!< busy links whose buffers are full
    FluidShare m_share;               //!< divides
    std::vector<double> m_limits;     //!< scratch: of those who share
    /// Scratch: flows of a port whose rates change, and these.
    std::vector<std::pair<FluidFlow*, double>> m_changes;
    std::vector<FluidFlow*> m_round; //!< scratch: flows that a port holds back
};

} // namespace ns3

#endif /* FLUID_PORTS_H */
