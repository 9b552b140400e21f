/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_LINK_H
#define FLUID_LINK_H

#include "fluid-arrivals.h"
#include "fluid-flow.h"

#include "ns3/assert.h"
#include "ns3/port-counters.h"
#include "ns3/rdma-packet.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A buffer that the queues of a switch or host share.
 */
struct FluidBuffer
{
    /// Bytes that what one link brings may hold, by what all links hold.
    using Threshold = std::function<double(double)>;

    Threshold threshold;    //!< what holds more is held back
    double resumeOffset{0}; //!< how far below it a link may send again, bytes
    double stored{0};       //!< scratch: bytes that all links hold
    bool isFull{false};     //!< one link may hold too much, or did and is still held back
};

/**
 * @ingroup workload-replay
 * @brief What a link has brought that waits where it leads to, by which it is held back.
 */
struct FluidPause
{
    double held{0};    //!< bytes of it that wait there
    double brings{0};  //!< rate at which more comes to them
    double drained{0}; //!< rate at which they leave
    double paused{0};  //!< time steps in which it would have been paused for that
};

/**
 * @ingroup workload-replay
 * @brief What packets find at a link, at its last two looks and between.
 */
struct FluidTelemetry
{
    /// What one finds.
    struct Reading
    {
        int64_t at{0};    //!< time step at which it leaves
        double served{0}; //!< bytes that have left
        double queue{0};  //!< bytes that wait
    };

    /**
     * @param reading of a look; one of the same time step as the last one is left out
     */
    void Note(const Reading& reading)
    {
        if (looked.at < reading.at)
        {
            before = std::exchange(looked, reading);
        }
    }

    /**
     * @param at time step, up to that of the last look
     * @return what a packet has found that left then, or at the look before the last one if that is
     *         later
     */
    Reading Read(int64_t at) const
    {
        if (at <= before.at)
        {
            return before;
        }
        // Both have changed evenly between two looks.
        const double part =
            static_cast<double>(at - before.at) / static_cast<double>(looked.at - before.at);
        return {at,
                before.served + (looked.served - before.served) * part,
                before.queue + (looked.queue - before.queue) * part};
    }

    Reading looked; //!< of the last look
    Reading before; //!< of the one before it
};

/**
 * @ingroup workload-replay
 * @brief What leaves a busy link in a step.
 */
struct FluidService
{
    int64_t at{0};     //!< time step at which the step has begun
    double steps{1};   //!< time steps until the next one, as it was said then
    double entry{0};   //!< time step by which what has left at the beginning had come
    double next{0};    //!< time step by which what will have left at the end has come
    double leaving{0}; //!< rate at which its flows leave it, the sum of FluidHop::out
    double pace{0};    //!< what the link carries, in the mean of the last steps
    double held{0};    //!< bytes that wait of them, the sum of FluidHop::backlog, after the queue
    FluidArrivals arrivals; //!< what has come since it is busy
    double markTime{0};     //!< time steps so far, each counted by the part marked in it
};

/**
 * @ingroup workload-replay
 * @brief What is sent into a link by the host or switch that has its port.
 */
struct FluidSource
{
    uint32_t flows{0};       //!< flows of FluidLink::uses that begin here
    bool isRequested{false}; //!< it is to be shared out among them, see FluidPorts::Request()
    int64_t controlUntil{0}; //!< time step at which messages without payload have left
};

/**
 * @ingroup workload-replay
 * @brief A link of a FluidNetwork in one direction: its queue, and who uses it.
 *
 * Rates are bytes on the wire per time step of the simulator, queues are bytes.
 *
 * What comes first leaves first (FluidArrivals). A flow whose rate is constant and that ends here
 * may be deferred: what waits of it is what has come since the entry, whenever it is asked for.
 */
struct FluidLink
{
    /// Rates that differ by less, as a share, are the same: sums of rates are rounded.
    static constexpr double ROUNDING = 1e-9;

    /// Bytes that count as none.
    static constexpr double NO_BYTES = FluidFlow::NO_BYTES;

    /// Part that is marked of what leaves a queue, by its bytes.
    using Marking = std::function<double(double)>;

    /// Marks that never gather.
    static constexpr double NO_MARKS = std::numeric_limits<double>::infinity();

    /// The port of a host that forwards nothing.
    static constexpr uint32_t NO_BUFFER = UINT32_MAX;

    /// What it is like.
    struct Settings
    {
        double capacity{0};         //!< what it carries, above 0
        uint64_t bitRate{0};        //!< the same rate for telemetry, bit/s
        uint32_t buffer{NO_BUFFER}; //!< where its queue is; NO_BUFFER = nothing is forwarded there
        /// Time steps until a pause that its far end asks for is felt there, 0 with credits.
        double reaction{0};
        /// Bytes of a full packet on the wire, for which a full buffer has room or not; 0 = any
        /// bytes fit.
        double packet{0};
        Marking marking;                 //!< null = nothing is marked
        PortCounters* counters{nullptr}; //!< what its port counts, see Count(); not null
    };

    /// What the port has counted of messages that have come whole.
    struct Counted
    {
        double packets{0}; //!< their packets
        double frames{0};  //!< bytes of their frames
        double gap{0};     //!< bytes between them, see RdmaLinkLayer
        /// Bytes that a full packet takes on the wire, of which marks are counted.
        double fullPacket{std::numeric_limits<double>::infinity()};

        /// @return bytes that they took on the wire
        double GetWireBytes() const
        {
            return frames + packets * gap;
        }
    };

    /// A flow that is attached.
    struct Use
    {
        FluidFlow* flow;        //!< the flow
        FluidHop* at;           //!< the hop: found here, it is not looked up by the flow
        uint32_t hop;           //!< which of the flow's hops it is
        double marks{NO_MARKS}; //!< FluidService::markTime that ends its deferral
        double limit{0};        //!< FluidFlow::limit of one that begins here and is active
        double rate{0};         //!< of a flow that begins here, its FluidFlow::rate
        bool isInRound{false};  //!< it begins here, and the port holds it back, see FluidPorts

        /// What has come of it since the link is busy; empty = always at the rate of now.
        FluidArrivals arrivals;

        /**
         * @param start time step, not before what came first of all that waits
         * @param end time step, not before it
         * @return bytes that come between, if the flow goes on as now
         */
        double GetSince(double start, double end) const
        {
            return arrivals.IsEmpty() ? at->in * (end - start) : arrivals.GetSince(start, end);
        }

        /// @return whether the flow begins at the link
        bool IsOwn() const
        {
            return hop == 0;
        }

        /// @return the hop
        FluidHop& GetHop() const
        {
            return *at;
        }
    };

    /**
     * @param its what it is like
     */
    explicit FluidLink(const Settings& its)
        : settings(its),
          carries(its.capacity) // less while the link is paused
    {
        NS_ASSERT_MSG(its.capacity > 0, "a link carries something");
        service.arrivals.Begin(0, 0);
    }

    /**
     * @return whether something can wait there; else it waits in the memory of its host
     */
    bool HasQueue() const
    {
        return settings.buffer != NO_BUFFER;
    }

    /**
     * @param now time step up to which what waits and has left is to be true
     */
    void Advance(int64_t now);

    /**
     * @param now time step, not before the last one
     * @return bytes that wait then
     */
    double GetQueue(int64_t now) const;

    /**
     * @param now time step, not before the last one
     * @return time steps that what comes in waits
     */
    double GetDelay(int64_t now) const;

    /**
     * @param hop hop of a flow that is to be attached
     * @param flow the flow
     */
    void Attach(FluidFlow& flow, uint32_t hop);

    /**
     * @param place index in uses of a flow that is not deferred, and forgotten from now on
     */
    void Detach(uint32_t place);

    /**
     * Find no more what waits of a flow, and leaves, in each step. Its hop is true of the last
     * Serve().
     *
     * @param place index in uses of a flow that is not deferred
     */
    void Defer(uint32_t place);

    /**
     * Find what waits of a flow, and leaves, in each step again.
     *
     * @param place index in uses of a flow that is deferred; its hop becomes true of the last step
     */
    void Resume(uint32_t place);

    /// Find what waits of all flows in each step again.
    void ResumeAll();

    /**
     * @param busyFrom share of what it carries that makes it busy when it comes in
     * @return whether it has a queue, or gets more than it carries
     */
    bool IsOverloaded(double busyFrom) const
    {
        return !isDown && (std::max(queue, service.held) > NO_BYTES || load > carries * busyFrom);
    }

    /**
     * @param now time step
     * @return bytes of frames that have gone over the link of messages that have not come whole,
     *         and are not counted yet
     */
    double GetUncountedBytes(int64_t now) const;

    /**
     * Have the port count what has gone over the link of a message, which may be a part of a
     * packet: whole packets, bytes and marks. Nothing else counts there but what is lost.
     *
     * @param messagePackets packets
     * @param frameBytes bytes of their frames
     */
    void Count(double messagePackets, double frameBytes);

    /**
     * Find what waits.
     *
     * @param now time step
     */
    void UpdateQueue(int64_t now);

    /**
     * Find what leaves it until the next step, and whether it is busy still.
     *
     * @param now time step
     * @param step time steps until then
     * @param busyFrom share of what it carries that makes it busy when it comes in
     */
    void Serve(int64_t now, double step, double busyFrom);

    /**
     * Have a flow come in at another rate from now on.
     *
     * @param hop the flow's hop at this link; the flow is not deferred
     * @param in the rate
     * @param now time step
     */
    void ChangeInput(FluidHop& hop, double in, int64_t now);

    /**
     * Be busy from now on: what comes waits, or might.
     *
     * @param now time step
     */
    void BeginQueue(int64_t now);

    /**
     * Take what has waited elsewhere of a flow, which comes by the link from now on.
     *
     * @param hop the flow's hop at this link, which is busy
     * @param bytes bytes that wait here now
     * @param now time step
     */
    void Take(FluidHop& hop, double bytes, int64_t now);

    /**
     * Forget a flow, and what waits of it.
     *
     * @param hop the flow's hop at this link; the flow is not deferred
     * @param now time step
     */
    void Drop(FluidHop& hop, int64_t now);

    Settings settings;     //!< what it is like
    double carries{0};     //!< its capacity, or what full links behind it leave of that
    double load{0};        //!< what comes in
    double queue{0};       //!< bytes that wait: what has come less what it could carry
    double served{0};      //!< bytes that have left
    double marked{0};      //!< bytes of them that were marked
    Counted counted;       //!< messages that have come whole
    int64_t since{0};      //!< time step at which queue, served and marked were true
    bool isBusy{false};    //!< it has a queue, or gets more than it carries
    bool isListed{false};  //!< the network has it among those that are busy
    bool isDown{false};    //!< what leaves it is lost
    FluidPause pause;      //!< what it has brought that waits where it leads to
    std::vector<Use> uses; //!< flows that are attached, those that are deferred behind the others
    uint32_t nServed{0};   //!< how many of them are not deferred
    FluidSource source;    //!< what begins here
    FluidService service;  //!< what leaves it in a step while it is busy
    FluidTelemetry telemetry; //!< what packets find that leave it
};

} // namespace ns3

#endif /* FLUID_LINK_H */
