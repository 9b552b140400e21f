/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_LINK_H
#define FLUID_LINK_H

#include "fluid-flow.h"

#include "ns3/port-counters.h"

#include <cstdint>
#include <functional>
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

    Threshold threshold; //!< what holds more is held back
    double stored{0};    //!< scratch: bytes that all links hold
};

/**
 * @ingroup workload-replay
 * @brief A link of a FluidNetwork in one direction: its queue, and who uses it.
 *
 * Rates are bytes on the wire per time step of the simulator, queues are bytes.
 */
struct FluidLink
{
    /// Rates that differ by less, as a share, are the same: sums of rates are rounded.
    static constexpr double ROUNDING = 1e-9;

    /// Bytes that count as none, well below one and above what is rounded of a message of 2^50.
    static constexpr double NO_BYTES = 1e-3;

    /// Part that is marked of what leaves a queue, by its bytes.
    using Marking = std::function<double(double)>;

    /// The port of a host that forwards nothing.
    static constexpr uint32_t NO_BUFFER = UINT32_MAX;

    /// What it is like.
    struct Settings
    {
        double capacity{0};         //!< what it carries, above 0
        uint64_t bitRate{0};        //!< the same rate for telemetry, bit/s
        uint32_t buffer{NO_BUFFER}; //!< where its queue is; NO_BUFFER = nothing is forwarded there
        Marking marking;            //!< null = nothing is marked
    };

    /// A flow that is attached.
    struct Use
    {
        FluidFlow* flow; //!< the flow
        uint32_t hop;    //!< which of its hops it is

        /// @return whether the flow begins at the link
        bool IsOwn() const
        {
            return hop == 0;
        }

        /// @return the hop
        FluidHop& GetHop() const
        {
            return flow->hops[hop];
        }
    };

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
     * @param now time step, not before the last one
     * @return part of what leaves it then that is marked
     */
    double GetMarkedPart(int64_t now) const;

    /**
     * Count what has gone over the link of a message, which may be a part of a packet.
     *
     * @param messagePackets packets
     * @param frameBytes bytes of their frames
     * @param fullPacket bytes that a full packet takes on the wire, of which marks are counted
     * @return what has come to whole packets, bytes and marks since this was called last
     */
    PortCounters Count(double messagePackets, double frameBytes, double fullPacket);

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
     * What has been forwarded goes before what waits in the memory of the host or switch, as
     * RdmaPortTransmitter asks the queue pairs for packets when its own queue is empty.
     *
     * @return what is left for flows that begin here
     */
    double GetOwnPart() const;

    Settings settings;     //!< what it is like
    double carries{0};     //!< its capacity, or what full links behind it leave of that
    double load{0};        //!< what comes in
    double leaving{0};     //!< what leaves it while it is busy
    double queue{0};       //!< bytes that wait
    double maxQueue{0};    //!< the most that have waited
    double served{0};      //!< bytes that have left
    double marked{0};      //!< bytes of them that were marked
    double packets{0};     //!< packets of messages that have left whole
    double frames{0};      //!< bytes of their frames
    PortCounters reported; //!< what Count() has reported
    int64_t since{0};      //!< time step at which queue, served and marked were true
    bool isBusy{false};    //!< it has a queue, or gets more than it carries
    bool isListed{false};  //!< the network has it among those that are busy
    bool isDown{false};    //!< what leaves it is lost
    double held{0};        //!< bytes of what it has brought that wait where it leads to
    double brings{0};      //!< rate at which more comes to them
    double drained{0};     //!< rate at which they leave
    bool isPaused{false};  //!< these are more than its part of the buffer
    double paused{0};      //!< time steps in which it would have been paused for that
    std::vector<Use> uses; //!< flows that are attached
    uint32_t nOwn{0};      //!< how many of them begin here
};

} // namespace ns3

#endif /* FLUID_LINK_H */
