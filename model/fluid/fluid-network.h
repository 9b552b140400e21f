/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_NETWORK_H
#define FLUID_NETWORK_H

#include "fluid-feedback-schedule.h"
#include "fluid-flow.h"
#include "fluid-link.h"
#include "fluid-ports.h"

#include "ns3/due-queue.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Links that carry flows as a fluid: rates and queues are numbers, and there are no packets.
 *
 * A flow sends at the rate that its limit (line rate, congestion control, window) and the port of
 * its host allow; flows of one port share it max-min fairly, as queue pairs do in round robin, and
 * end packet by packet (FluidPorts::FindLeads()). A link that gets more than it carries has a
 * queue, which grows until either the flows slow down or its buffer is full. A full link takes in
 * no more than it sends, in max-min fair shares of the links that lead to it, as priority flow
 * control has it: these are held back in all that they carry, so that their own queues grow, or
 * hosts send less.
 *
 * Where no link is overloaded, rates change with the flows that begin and end alone, and a flow
 * costs one event. What is congested is looked at in steps: queues grow and shrink, flows learn of
 * delays, marks and telemetry, and limits follow. A flow takes part while a queue stands on its
 * way, and for some steps more if its limit still changes.
 *
 * What comes to a queue first leaves it first (FluidArrivals). What is left out: packets. Bytes of
 * flows that come together leave together, in the shares in which they have come.
 */
class FluidNetwork
{
  public:
    /**
     * @param links all links, by number, of which flows of others may use some, but never one that
     *              a flow of this uses; must outlive this
     * @param step time between two looks at what is congested, above 0
     */
    FluidNetwork(std::vector<FluidLink>& links, Time step);

    ~FluidNetwork();

    FluidNetwork(const FluidNetwork&) = delete;
    FluidNetwork& operator=(const FluidNetwork&) = delete;

    /**
     * @param buffer what links that bring too much of it are held back by
     * @return number of the buffer, from 0 on
     */
    uint32_t AddBuffer(FluidBuffer buffer)
    {
        return m_ports.AddBuffer(std::move(buffer));
    }

    /**
     * Have a flow send, which did not, or send something else than it did.
     *
     * @param flow the flow, with its hops
     * @param bytes what it has to send, above 0
     */
    void Start(FluidFlow& flow, double bytes);

    /**
     * Have a flow send no more, whatever it has to send.
     *
     * @param flow the flow
     */
    void Stop(FluidFlow& flow);

    /**
     * Have a flow leave its path, to Take() another one, which may be of another network.
     *
     * @param flow the flow
     * @return bytes of it that wait on the path, by hop; empty = its links do not know of it
     */
    std::vector<double> Leave(FluidFlow& flow);

    /**
     * Have a flow take a path from now on.
     *
     * @param flow the flow, which has none or has left it
     * @param hops the path
     * @param nodes nodes that it joins
     * @param waiting bytes of it that wait, as Leave() gives them: they go on from as many hops on
     *                the new path
     */
    void Take(FluidFlow& flow,
              std::vector<FluidHop> hops,
              uint32_t nodes,
              const std::vector<double>& waiting);

    /**
     * Let a link go down, or come up. Flows that use it learn of it.
     *
     * @param number number of the link
     * @param isUp whether it carries anything from now on
     */
    void SetLinkUp(uint32_t number, bool isUp);

    /**
     * @param flow a flow with hops, which hears in the next step if it is deferred
     * @return how it gets on now
     */
    FluidProgress GetProgress(FluidFlow& flow);

    /**
     * @return whether nothing is congested, and flows have recovered from what was, so that those
     *         which begin now do as in a new network
     */
    bool IsAtRest() const
    {
        return m_nextStep.IsExpired() && m_busy.empty();
    }

    /**
     * @return what divides the links
     */
    const FluidPorts& GetPorts() const
    {
        return m_ports;
    }

  private:
    /**
     * Let the links of a flow know of it.
     *
     * @param flow the flow
     */
    void Attach(FluidFlow& flow);

    /**
     * Let the links of a flow forget it. Nothing of it is there.
     *
     * @param flow the flow
     */
    void Detach(FluidFlow& flow);

    /**
     * @param flow a flow that is attached
     * @param rate its rate from now on
     * @param now time step
     */
    void SetRate(FluidFlow& flow, double rate, int64_t now);

    /**
     * Have the links of a flow get what those before them let through: all, or what leaves their
     * queues.
     *
     * @param flow the flow
     * @param now time step
     */
    void Propagate(FluidFlow& flow, int64_t now);

    /**
     * Have those who use a link take steps.
     *
     * @param link the link
     * @param now time step
     */
    void MakeBusy(FluidLink& link, int64_t now);

    /**
     * @param flow a flow that is to take steps
     */
    void AddStepping(FluidFlow& flow);

    /**
     * Share out all ports that are to be among the flows that begin there, by the limits that they
     * have.
     *
     * @param now time step
     */
    void RefillAll(int64_t now);

    /**
     * Have Update() run at a time, or earlier.
     *
     * @param due the time, time step
     */
    void RequestUpdate(int64_t due);

    /// End what has been sent, and share out the ports of those who have begun or ended.
    void Update();

    /**
     * @param flow a flow that has sent all of its message, or nearly
     * @param now time step
     */
    void Finish(FluidFlow& flow, int64_t now);

    /// Look at what is congested.
    void Step();

    /**
     * Find what leaves links that have just become busy, when all rates are known.
     *
     * @param now time step
     */
    void ServeFresh(int64_t now);

    /**
     * Find what leaves busy links in the next step, and which are busy no longer.
     *
     * @param now time step
     */
    void ServeQueues(int64_t now);

    /**
     * Notify the flows that take steps of what they have met, and ask for their ports.
     *
     * @param now time step
     */
    void NotifyFlows(int64_t now);

    /**
     * Let flows go that were notified, and have nothing to be looked at, or not for some steps.
     *
     * @param now time step
     */
    void ReleaseSettled(int64_t now);

    int64_t m_step;                             //!< time steps between two looks
    std::vector<FluidLink>& m_links;            //!< by number
    FluidFeedbackSchedule m_schedule;           //!< flows that take steps
    std::vector<uint32_t> m_busy;               //!< links that are busy
    std::vector<uint32_t> m_fresh;              //!< of these, those that have just become so
    double m_busyFrom{1 + FluidLink::ROUNDING}; //!< share of what it carries that makes a link busy
    FluidPorts m_ports;                         //!< divides what links carry
    DueQueue<FluidFlow> m_due;                  //!< active flows that move
    std::vector<double> m_arriving;             //!< scratch: by a flow's number of a node
    uint64_t m_nBegun{0};                       //!< how often flows have begun
    EventId m_update;                           //!< next Update()
    EventId m_nextStep;                         //!< next Step()
};

} // namespace ns3

#endif /* FLUID_NETWORK_H */
