/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_ISOLATION_H
#define PORT_ISOLATION_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says whether the messages of a communicator have their ports to themselves.
 *
 * The ports meant are those between the members and the one switch that joins them: an NVSwitch, or
 * the switch of a rail. Where nothing else moves through them, what a collective does there depends
 * on the collective alone.
 */
class PortIsolation : public Object
{
  public:
    using Ranks = std::vector<uint32_t>; //!< members of a communicator, in its order
    using Action = Callback<void>;       //!< something to do

    /**
     * @param ranks the members, two at least
     * @return what their ports are like: the same for communicators whose messages meet the same,
     *         member by member; empty = no one switch joins them all, or what it does is not the
     *         same each time
     */
    virtual std::string Describe(const Ranks& ranks) = 0;

    /**
     * @param ranks members of a communicator that Describe() knows
     * @return whether somebody listens to their ports or to those who send by them, and would miss
     *         what is spared; here nobody does
     */
    virtual bool IsObserved(const Ranks& ranks [[maybe_unused]]) const
    {
        return false;
    }

    /**
     * Ask to be notified before others use the ports.
     *
     * @param ranks members of a communicator that Describe() knows
     * @param communicator its id: what messages of it do is no interruption
     * @param interrupted called before anything else uses one of the ports, or a link changes
     * @param quiet called when the last message of the communicator under way is acknowledged
     * @return whether nothing is under way through the ports, those who send there are as if they
     *         had never sent, and no link of the fabric is down; if not, nothing will be called
     */
    virtual bool Reserve(const Ranks& ranks,
                         uint32_t communicator,
                         Action interrupted,
                         Action quiet) = 0;

    /**
     * End the notifications.
     *
     * @param ranks members that ports were reserved for
     */
    virtual void Release(const Ranks& ranks) = 0;

    /**
     * @param ranks members that ports are reserved for
     * @return whether no message of theirs is under way
     */
    virtual bool IsQuiet(const Ranks& ranks) const = 0;

    /// Messages that are alike.
    struct MessageGroup
    {
        uint32_t source{0};      //!< address of the sender
        uint32_t destination{0}; //!< address of the receiver
        uint64_t bytes{0};       //!< payload of each
        Time duration;           //!< from being handed over until the last byte has arrived
        uint64_t count{0};       //!< how many there are
    };

    /// What ports have carried, as TakeCounters() gives it.
    struct Counters
    {
        virtual ~Counters() = default;

        std::vector<MessageGroup> messages; //!< messages that have come, but for those that
                                            //!< nobody traces
        bool isSteady{true}; //!< false = packets were paused or dropped, or could have been marked,
                             //!< which is drawn, or senders have slowed down, so that it would not
                             //!< be the same another time
    };

    /**
     * @param ranks members that ports are reserved for
     * @param communicator its id
     * @param since when a collective of it has begun, since which nothing has moved
     * @return what those who send remember of earlier messages, as far as the collective depends on
     *         it: the same for those that end in the same way, if Describe() says the same
     */
    virtual std::string DescribeMemory(const Ranks& ranks [[maybe_unused]],
                                       uint32_t communicator [[maybe_unused]],
                                       Time since [[maybe_unused]])
    {
        return "";
    }

    /**
     * @param ranks members of a communicator that Describe() knows
     * @param rank one of them
     * @return whether a message from it has ended at this very time step, so that it may not yet
     *         remember all of it, and all of its messages may have ended by the end of the step
     */
    virtual bool HasJustSent(const Ranks& ranks [[maybe_unused]],
                             uint32_t rank [[maybe_unused]]) const
    {
        return false;
    }

    /**
     * @param ranks members of a communicator that Describe() knows
     * @param rank one of them
     * @return whether messages from it or to it are under way beyond this time step
     */
    virtual bool IsBusy(const Ranks& ranks [[maybe_unused]], uint32_t rank [[maybe_unused]]) const
    {
        return false;
    }

    /**
     * Begin to count; no message has come since the ports were reserved.
     *
     * @param ranks members that ports are reserved for
     */
    virtual void StartCounting(const Ranks& ranks) = 0;

    /**
     * @param ranks members for whom counting was begun
     * @return whether what was done since would be the same another time, as in Counters
     */
    virtual bool IsSteady(const Ranks& ranks) const = 0;

    /**
     * @param ranks members for whom counting was begun
     * @param communicator its id
     * @param since when the collective has begun
     * @return what their ports have carried since, and what they remember of it
     */
    virtual std::shared_ptr<Counters> TakeCounters(const Ranks& ranks,
                                                   uint32_t communicator,
                                                   Time since) const = 0;

    /**
     * Note what those who have sent remember, at least a time step after their last message.
     *
     * @param ranks members of whom the counters are
     * @param communicator its id
     * @param [in,out] counters where to note it
     */
    virtual void TakeMemory(const Ranks& ranks [[maybe_unused]],
                            uint32_t communicator [[maybe_unused]],
                            Counters& counters [[maybe_unused]]) const
    {
    }

    /**
     * Count packets that were not sent, and remember them.
     *
     * @param ranks members of a communicator with the same description as that of the counters
     * @param communicator its id
     * @param since when its collective began
     * @param counters what their ports would have carried
     */
    virtual void AddCounters(const Ranks& ranks,
                             uint32_t communicator,
                             Time since,
                             const Counters& counters) = 0;
};

} // namespace ns3

#endif /* PORT_ISOLATION_H */
