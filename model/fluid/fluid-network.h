/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_NETWORK_H
#define FLUID_NETWORK_H

#include "fluid-flow.h"
#include "fluid-share.h"

#include "ns3/due-queue.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Links that carry flows as a fluid: rates and queues are numbers, and there are no packets.
 *
 * A flow sends at the rate that its limit (line rate, congestion control, window) and the port of
 * its host allow; flows of one port share it max-min fairly, as queue pairs that take turns do. A
 * link that gets more than it carries has a queue, which grows until either the flows slow down or
 * its buffer is full. A full link takes in no more than it sends, in max-min fair shares of the
 * links that lead to it, as priority flow control has it: these are held back in all that they
 * carry, so that their own queues grow, or hosts send less.
 *
 * Where no link is overloaded, rates change with the flows that begin and end alone, and a flow
 * costs one event. What is congested is looked at in steps: queues grow and shrink, flows learn of
 * delays, marks and telemetry, and limits follow. A flow takes part while a queue stands on its
 * way, and for some steps more if its limit still changes.
 *
 * What is left out: a queue has no order, so that what leaves it has the mixture of what comes in,
 * and bytes wait for as long as the queue of the moment takes.
 */
class FluidNetwork
{
  public:
    /**
     * @param step time between two looks at what is congested, above 0
     */
    explicit FluidNetwork(Time step);

    ~FluidNetwork();

    FluidNetwork(const FluidNetwork&) = delete;
    FluidNetwork& operator=(const FluidNetwork&) = delete;

    /// Bytes that may wait, by the number of links that bring them; what is full holds them back.
    using Room = std::function<double(uint32_t)>;

    /// Part that is marked of what leaves a queue, by its bytes.
    using Marking = std::function<double(double)>;

    /// A link in one direction.
    struct LinkSettings
    {
        double capacity{0};   //!< bytes per time step, above 0
        bool isSource{false}; //!< port of a host: what cannot be sent waits in the host's memory
        uint64_t bitRate{0};  //!< rate for telemetry, bit/s
        Room room;            //!< of its buffer; null = that of a source
        Marking marking;      //!< null = nothing is marked
    };

    /**
     * @param settings a link
     * @return its number, from 0 on
     */
    uint32_t AddLink(const LinkSettings& settings);

    /**
     * Have a flow send, which did not.
     *
     * @param flow the flow, with its hops
     * @param bytes what it has to send, above 0
     */
    void Start(FluidFlow& flow, double bytes);

    /**
     * @param flow a flow with hops
     * @return time steps that its bytes wait on their way now
     */
    double GetQueueing(const FluidFlow& flow) const;

    /**
     * @param link number of a link
     * @return bytes that wait
     */
    double GetQueue(uint32_t link) const;

    /**
     * @param link number of a link
     * @return most bytes that have waited
     */
    double GetMaxQueue(uint32_t link) const
    {
        return m_links[link].maxQueue;
    }

    /**
     * @param link number of a link
     * @return part of what leaves it now that is marked
     */
    double GetMarkedPart(uint32_t link) const;

    /**
     * @param link number of a link
     * @param packetBytes bytes of a full packet on the wire
     * @return packets that were marked since this was called last
     */
    uint64_t TakeMarks(uint32_t link, double packetBytes);

    /// Stop, as at the end of a simulation.
    void Stop();

  private:
    /// One that uses a link.
    struct Use
    {
        FluidFlow* flow; //!< the flow
        uint32_t hop;    //!< which of its hops it is
    };

    /// A link, its queue and who uses it.
    struct Link
    {
        LinkSettings settings; //!< what it is like
        double carries{0};     //!< its capacity, or what full links behind it leave of that
        double load{0};        //!< what comes in, bytes per time step
        double leaving{0};     //!< what leaves a busy link, bytes per time step
        double queue{0};       //!< bytes that wait
        double room{0};        //!< bytes that may wait
        double maxQueue{0};    //!< the most that have waited
        double served{0};      //!< bytes that have left, for telemetry
        double marked{0};      //!< bytes of them that were marked
        uint64_t toldMarks{0}; //!< packets of these that TakeMarks() has told of
        int64_t since{0};      //!< time step at which queue and served were true
        bool isBusy{false};    //!< it has a queue, or gets more than it carries
        bool isListed{false};  //!< it is among m_busy
        bool isFull{false};    //!< its queue is as long as may be
        std::vector<Use> uses; //!< flows that are attached
    };

    /**
     * @param link a link
     * @param now time step up to which what it has served is to be true
     */
    static void Advance(Link& link, int64_t now);

    /**
     * @param flow a flow
     * @param now time step up to which what it has sent is to be true
     */
    static void Advance(FluidFlow& flow, int64_t now);

    /**
     * @param hop a hop
     * @param now time step up to which its backlog is to be true
     */
    static void Advance(FluidHop& hop, int64_t now);

    /// Let the links of a flow know of it.
    void Attach(FluidFlow& flow);

    /**
     * Let the links of a flow forget it. Nothing of it is there.
     *
     * @param flow the flow
     */
    void Detach(FluidFlow& flow);

    /**
     * @param flow a flow
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
    void MakeBusy(Link& link, int64_t now);

    /**
     * Find how much may wait at a link, by the links that those who use it come by.
     *
     * @param link a link
     */
    void FindRoom(Link& link);

    /**
     * @param flow a flow that is to take steps
     */
    void AddStepping(FluidFlow& flow);

    /**
     * @param flow a flow that takes none any more
     */
    void RemoveStepping(FluidFlow& flow);

    /**
     * Share out a port among its flows, by the limits that they have.
     *
     * @param source number of its link
     * @param now time step
     */
    void Refill(uint32_t source, int64_t now);

    /**
     * Share out all ports that are to be.
     *
     * @param now time step
     */
    void RefillAll(int64_t now);

    /**
     * @param source number of the link of a port that is to be shared out anew
     */
    void AddRefill(uint32_t source);

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
     * Find what waits at busy links, and which are full.
     *
     * @param now time step
     */
    void UpdateQueues(int64_t now);

    /**
     * Have links carry less that lead to full ones.
     *
     * @param now time step
     */
    void UpdateHolds(int64_t now);

    /**
     * Have the links that lead to a full one carry no more than it takes from each. What goes
     * elsewhere by these links is held up as well, as it stands in the same queue, or in the memory
     * of a host whose port is paused.
     *
     * @param full the full link
     * @param takes what it takes in, bytes per time step
     * @param now time step
     */
    void HoldBack(const Link& full, double takes, int64_t now);

    /**
     * @param link a link that leads to a full one
     * @return what it would carry if it was not held back
     */
    static double GetDemand(const Link& link);

    /**
     * Find what leaves a busy link until the next step, and whether it is busy still.
     *
     * @param link the link
     * @param now time step
     */
    void Serve(Link& link, int64_t now);

    /**
     * Do the same for links that have just become busy, when all rates are known.
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
     * Tell the flows that take steps what they have met.
     *
     * @param now time step
     */
    void TellFlows(int64_t now);

    /**
     * Find the rates of all flows that share a port with one that takes steps.
     *
     * @param now time step
     */
    void ShareOut(int64_t now);

    /// Let flows go that have nothing to be looked at.
    void ReleaseSettled();

    /**
     * @param flow a flow
     * @return whether a link on its way is busy
     */
    bool IsCongested(const FluidFlow& flow) const;

    int64_t m_step;                     //!< time steps between two looks
    std::vector<Link> m_links;          //!< by number
    std::vector<FluidFlow*> m_stepping; //!< flows that take steps
    std::vector<uint32_t> m_busy;       //!< links that are busy
    std::vector<uint32_t> m_fresh;      //!< of these, those that have just become so
    std::vector<uint32_t> m_held;       //!< links that are held back
    std::vector<uint32_t> m_refill;     //!< ports to be shared out
    std::vector<bool> m_isRefilled;     //!< by link: it is among them
    DueQueue<FluidFlow> m_due;          //!< active flows that move
    FluidShare m_share;                 //!< divides capacities
    std::vector<double> m_limits;       //!< scratch: of those who share
    std::vector<double> m_arriving;     //!< scratch: by a flow's number of a node
    uint32_t m_nFlows{0};               //!< flows that have ever sent
    EventId m_update;                   //!< next Update()
    int64_t m_updateDue{0};             //!< its time step
    EventId m_nextStep;                 //!< next Step()
};

} // namespace ns3

#endif /* FLUID_NETWORK_H */
