/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_FLOW_H
#define FLUID_FLOW_H

#include "ns3/ecmp-hash.h"
#include "ns3/rdma-telemetry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param key what is drawn
 * @param number which draw of it
 * @return a number above 0 and up to 1, as if drawn evenly for each, whoever asks first
 */
inline double
FluidDraw(uint64_t key, uint64_t number)
{
    // The bits that a double holds.
    constexpr int bits = 53;
    const uint64_t mixed = EcmpMix(EcmpMix(key) ^ number) >> (64 - bits);
    return std::ldexp(static_cast<double>(mixed) + 1, -bits);
}

/**
 * @ingroup workload-replay
 * @brief A link that a flow takes, and what of the flow is there.
 *
 * The hops of a flow stand in the order of travel. Where it is spread over several links they form
 * a graph of nodes, which the flow numbers from 0, its host, on: all hops that lead to a node stand
 * before those that leave it.
 */
struct FluidHop
{
    uint32_t link{0};   //!< direction of a link, see FluidNetwork
    uint32_t from{0};   //!< the flow's number of the node that the link leaves
    uint32_t to{0};     //!< the flow's number of the node that it leads to
    double fraction{1}; //!< part of what comes to that node that takes the link
    double share{1};    //!< part of all of the flow that does, if no queue changes
    int64_t behind{0};  //!< time steps from when a packet has left it until its sender hears of it

    // The rest is the network's own. Rates are bytes per time step.
    double in{0};      //!< rate at which the flow comes to the link
    double out{0};     //!< rate at which it leaves it
    double backlog{0}; //!< bytes that wait there
    double passed{0};  //!< bytes that have left it since the flow was notified last
    double marks{0};   //!< FluidService::markTime at that time
    int64_t since{0};  //!< time step at which these were true
    uint32_t place{0}; //!< index among those that use the link

    /**
     * @param now time step up to which what waits and has left is to be true
     */
    void Advance(int64_t now)
    {
        const auto steps = static_cast<double>(now - since);
        backlog = std::max(0.0, backlog + (in - out) * steps);
        passed += out * steps;
        since = now;
    }
};

/**
 * @ingroup workload-replay
 * @brief How a flow gets on, on its way. Rates are bytes on the wire per time step.
 */
struct FluidProgress
{
    double queueing{0}; //!< time steps that bytes which it sends now will wait
    double least{0};    //!< the same, if no link on the way is paused until then
    double waiting{0};  //!< bytes of it that wait
    double arriving{0}; //!< rate at which it comes to where it goes
    double step{0};     //!< time steps until congestion is looked at again
    bool isHeld{false}; //!< a link of its path is busy
    /// Rate at which it can send without a queue growing at links that are busy.
    double free{std::numeric_limits<double>::infinity()};
};

/**
 * @ingroup workload-replay
 * @brief What a flow has met since it was notified last.
 */
struct FluidFeedback
{
    int64_t now{0};                          //!< time step
    double passed{0};                        //!< time steps since then
    double sent{0};                          //!< bytes on the wire that it has sent since
    double arrived{0};                       //!< of these and earlier ones, those that have come
    double marked{0};                        //!< part that was marked since then, in the mean
    const RdmaTelemetry* telemetry{nullptr}; //!< of the ports of its path; null = of none
};

/**
 * @ingroup workload-replay
 * @brief When packets of a flow leave a port that it shares, see FluidPorts::FindLeads().
 */
struct FluidTurn
{
    double lead{0};      //!< bytes that it has to send still when its last packet leaves
    bool isAhead{false}; //!< two of its packets have left before any of others
    int64_t earliest{0}; //!< time step before which what it sends cannot have left
    uint64_t begun{0};   //!< how often flows had begun before it did
};

/**
 * @ingroup workload-replay
 * @brief What sends through a FluidNetwork: a stream of bytes over links.
 *
 * Rates are bytes on the wire per time step of the simulator.
 */
class FluidFlow
{
  public:
    /// What GetNextChange() says of a limit that nothing changes.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// Bytes that count as none, well below one and above what is rounded of a message of 2^50.
    static constexpr double NO_BYTES = 1e-3;

    /// Time steps after which nobody waits any more, well below what an int64_t holds.
    static constexpr double MOST_STEPS = 9e15;

    virtual ~FluidFlow() = default;

    /**
     * @param now time step up to which what it has sent is to be true
     */
    void Advance(int64_t now)
    {
        const double sent = rate * static_cast<double>(now - since);
        since = now;
        left -= sent;
        observed += sent;
        all += sent;
    }

    /**
     * Have it send what it has not sent at all so far.
     *
     * @param now time step
     * @param bytes what it sends, bytes on the wire
     * @param surplus bytes of what it has sent before that are left, or below 0 of this that are
     *                sent already
     */
    void Load(int64_t now, double bytes, double surplus)
    {
        left = std::max(bytes + surplus, NO_BYTES);
        const double steps = limit > 0 ? bytes / limit : 0;
        turn.earliest = now + static_cast<int64_t>(std::min(steps, MOST_STEPS));
    }

    /**
     * @return time step at which it will have sent all, if its rate stays as it is and is above 0,
     *         and left is true of since
     */
    int64_t FindEnd() const
    {
        const double last = std::ceil(std::max(0.0, left - NO_BYTES) / rate);
        const double end = std::ceil(std::max(0.0, left - turn.lead - NO_BYTES) / rate);
        // A message of less than a packet has a lead of less than that.
        const double least = std::min(last, static_cast<double>(turn.earliest - since));
        return since + static_cast<int64_t>(std::min(std::max(end, least), MOST_STEPS));
    }

    /**
     * @return bytes that have come to where it goes since it was notified, its hops being true of
     * now
     */
    double GetArrived() const
    {
        double arrived = 0;
        for (const auto& hop : hops)
        {
            arrived += hop.to == hops.back().to ? hop.passed : 0;
        }
        return arrived;
    }

    /**
     * Forget what it has been notified of.
     *
     * @param now time step
     */
    void Notified(int64_t now)
    {
        observed = 0;
        notifiedAt = now;
        for (auto& hop : hops)
        {
            hop.Advance(now);
            hop.passed = 0;
        }
    }

    /**
     * @param now time step, of which progress is true
     * @return rate that it could send at if it had the port of its host for itself
     */
    virtual double GetLimit(int64_t now) = 0;

    /**
     * What it had to send has left.
     *
     * @param now time step
     * @param queueing time steps that the last of it will wait on its way at least
     * @return bytes that it has to send next; 0 = nothing
     */
    virtual double Emptied(int64_t now, double queueing) = 0;

    /**
     * Take note of what it has met. Called every step as long as its path is congested, also when
     * it has sent all and some of it waits, or its limit changes.
     *
     * @param feedback what it has met
     */
    virtual void Observe(const FluidFeedback& feedback) = 0;

    /**
     * A link of its path has gone down: what is there, or has not come so far, is lost.
     *
     * @param now time step
     * @param hop which of its hops it is; what waits there is known still
     */
    virtual void Lose(int64_t now, uint32_t hop) = 0;

    /// Links or routes have changed, so that it may have a path again, or another one.
    virtual void UpdatePath() = 0;

    /**
     * @return whether its limit stays as it is, as long as its path is not congested
     */
    virtual bool IsAtRest() const = 0;

    /**
     * @return whether its limit changes slowly as long as its path is not congested, so that it
     * need not hear of each step
     */
    virtual bool IsPatient() const = 0;

    /**
     * @param now time step, at which it has heard of all so far
     * @return until when its limit stays as it is unless GetMarksLeft() have gathered; now = it may
     *         change at any time
     */
    virtual int64_t GetNextChange(int64_t now) const = 0;

    /**
     * @param arriving rate at which it comes to where it goes, above 0
     * @return time steps, each counted by the part that is marked in it, after which it is notified
     */
    virtual double GetMarksLeft(double arriving) const = 0;

    /**
     * @return whether it asks for telemetry
     */
    virtual bool WantsTelemetry() const = 0;

    std::vector<FluidHop> hops; //!< set before it sends; the first is the port of its host
    uint32_t nodes{0};          //!< nodes that they join, the host included

    // The rest is the network's own. What is asked to share out a port stands together.
    bool isActive{false};          //!< it has something to send
    double limit{0};               //!< what GetLimit() has said last
    double rate{0};                //!< rate at which it sends
    double left{0};                //!< bytes that it has to send
    FluidTurn turn;                //!< when its packets leave its port
    FluidProgress progress;        //!< how it got on when it was looked at
    double all{0};                 //!< bytes that it has ever sent
    double observed{0};            //!< bytes sent since it was notified last
    int64_t notifiedAt{0};         //!< time step at which it was notified, or began
    int64_t since{0};              //!< time step at which left, all and observed were true
    int64_t due{0};                //!< when it will have sent all, see DueQueue
    uint32_t id{0};                //!< its own; of those that end together the lowest goes first
    uint32_t place{0};             //!< see DueQueue
    int64_t changedAt{0};          //!< time step at which its rate changed last
    uint32_t stepping{UINT32_MAX}; //!< see FluidFeedbackSchedule; UINT32_MAX = it is in no step
    uint64_t deferredTo{0};        //!< step in which it gets feedback next; 0 = it is not deferred
    bool isIndifferent{false};     //!< it is deferred, and nothing that it hears changes its limit
    uint32_t steady{0};            //!< steps in which its limit has not changed
    bool isAttached{false};        //!< its links know of it: something of it may be there
};

} // namespace ns3

#endif /* FLUID_FLOW_H */
