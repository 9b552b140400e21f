/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMMUNICATOR_REUSE_H
#define COMMUNICATOR_REUSE_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/port-isolation.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class CollectiveRun;
class CommunicatorReuse;

/**
 * @ingroup workload-replay
 * @brief What came, or comes, of a collective that had its ports to itself, for all others that
 * begin in the same way.
 */
struct CollectiveOutcome
{
    std::vector<uint32_t> ranks;           //!< members, of whose ports the counters are
    std::vector<std::optional<Time>> ends; //!< by member: when it was done, since the first began;
                                           //!< none = not yet
    std::vector<uint64_t> received;        //!< by member: payload received, bytes
    std::shared_ptr<PortIsolation::Counters> counters; //!< what ports have carried
    std::optional<Time> length; //!< until no packet was under way, likewise; none = not yet
    std::vector<CommunicatorReuse*> followers; //!< those who have no packets for it
    bool isUnfit{false}; //!< members that were done have begun the next call before others were, so
                         //!< that packets of both meet: it is to be simulated each time
};

/**
 * @ingroup workload-replay
 * @brief One communicator's collectives, each simulated or known from an equal one.
 *
 * A collective in which every member waits for all others shows nothing to the outside before its
 * last member has begun. So members that begin while nothing moves in their ports (PortIsolation)
 * are held back. When all have begun, it is known how far apart they did, and what comes of it is
 * looked up:
 *
 * - It is known: the members end when it says, without packets.
 * - An equal collective is under way elsewhere: they end as its members do.
 * - It is not known: the packets are simulated from the first member's begin on, in the past if
 *   need be (CatchUpSimulatorImpl), and others learn what comes of it.
 *
 * As soon as anything else uses the ports in between, the packets are made up for likewise, also
 * those of members that have ended already. The results are those of simulating all packets.
 */
class CommunicatorReuse
{
  public:
    /**
     * @brief What the communicators of a process have in common: it knows what came of collectives,
     *        counts them, and goes back in time.
     */
    class Host
    {
      public:
        virtual ~Host() = default;

        /// How collectives are treated.
        enum Treatment
        {
            SIMULATED,   //!< its packets were simulated
            REUSED,      //!< it was known from another one
            RESIMULATED, //!< of these: its packets were simulated after all
            NOTHING      //!< not counted
        };

        /**
         * @param communicator id of a communicator of which a collective is over that had no
         *        packets
         * @param since when it began
         * @param outcome what came of it
         */
        virtual void AddCounters(uint32_t communicator,
                                 Time since,
                                 const CollectiveOutcome& outcome) = 0;

        /**
         * @param ranks members of a communicator, of which a collective begins
         * @return whether somebody listens to their messages, or to the ports, and would miss what
         *         is spared
         */
        virtual bool IsObserved(const PortIsolation::Ranks& ranks) = 0;

        /**
         * @param treatment how a collective was treated
         */
        virtual void Count(Treatment treatment) = 0;

        /// @return watches what else moves in ports
        virtual PortIsolation& GetIsolation() const = 0;

        /**
         * @param key what an outcome depends on
         * @return the outcome; null = there is none yet
         */
        virtual std::shared_ptr<CollectiveOutcome>& GetOutcome(const std::string& key) = 0;

        /**
         * @param key what an outcome was taken to depend on, which is not true
         */
        virtual void Forget(const std::string& key) = 0;

        /**
         * Do something in the past, and simulate what comes of it up to the present.
         *
         * @param since when, not after the present
         * @param begin what to do
         */
        virtual void CatchUp(Time since, const std::function<void()>& begin) const = 0;

        /**
         * @param event runs when all else that is due at the present time has run
         */
        virtual void ScheduleLast(Ptr<EventImpl> event) const = 0;
    };

    /**
     * @param host knows what came of other collectives
     * @param communicator id of the communicator
     * @param ranks its members
     * @param shape what a collective of it depends on beside the call; empty = nothing is reused
     */
    CommunicatorReuse(Host& host,
                      uint32_t communicator,
                      std::vector<uint32_t> ranks,
                      std::string shape);
    ~CommunicatorReuse();

    CommunicatorReuse(const CommunicatorReuse&) = delete;
    CommunicatorReuse& operator=(const CommunicatorReuse&) = delete;

    /// A member that begins a collective.
    struct Entry
    {
        uint32_t member;    //!< its index
        uint32_t sequence;  //!< number of the collective
        std::string call;   //!< the call, in words; empty = it is to be simulated
        CollectiveRun* run; //!< its part, which will be started or skipped; must live as long
        bool isFirst;       //!< the rank has begun nothing else at this very time
    };

    /**
     * A member begins a collective.
     *
     * @param entry the member
     * @return whether it is held back; else it is to be started now
     */
    bool Begin(const Entry& entry);

    /// Takes what a member has ended without packets, with the payload that it has received, bytes,
    /// so that it can be started after all; nobody is to be notified when that ends.
    using TakeBack = std::function<void(std::unique_ptr<CollectiveRun>, uint64_t)>;

    /**
     * A member has ended a collective.
     *
     * @param member its index
     * @param run its part
     * @param takeBack takes its part back if it was skipped and is started after all
     */
    void End(uint32_t member, std::unique_ptr<CollectiveRun> run, const TakeBack& takeBack);

    /// Something else uses the ports from now on.
    void Interrupt();

    /**
     * A member is about to start something beside the collective. What it has begun at this very
     * time goes first: queue pairs send in the order in which they are given messages.
     *
     * @param rank the member's rank
     */
    void GoBefore(uint32_t rank);

    /**
     * More is known of an outcome that this one follows, or has followed.
     *
     * @param outcome the outcome
     */
    void Follow(const std::shared_ptr<CollectiveOutcome>& outcome);

    /// A member has gone: nothing is held back or skipped any more, nor will be.
    void Close();

  private:
    /// What the packets of the call under way do.
    enum State
    {
        RESTING,   //!< there is no call
        GATHERING, //!< members have begun and are held back
        LEADING,   //!< they move, and others are notified
        FOLLOWING, //!< there are none: members end as an outcome says
        ORDINARY   //!< they move
    };

    /// A member that has begun.
    struct Part
    {
        CollectiveRun* run{nullptr};            //!< its part; null = it has not begun
        Time begin;                             //!< when
        bool hasEnd{false};                     //!< FOLLOWING: its end is known
        EventId end;                            //!< FOLLOWING: its end
        std::unique_ptr<CollectiveRun> skipped; //!< its part, when it has ended; null = it has not
        TakeBack takeBack;                      //!< takes that back
    };

    /**
     * Hold back a member, or let it and those of its call go.
     *
     * @param entry the member
     * @return whether it is held back
     */
    bool Hold(const Entry& entry);

    /**
     * @return whether nothing else moves in the ports; this will be notified when it does
     */
    bool Reserve();

    /// Have FinishTimeStep() called.
    void RequestLast();

    /// All that is due at the present time has run.
    void FinishTimeStep();

    /// Look again at members that began before the call under way was over.
    void TakeEarly();

    /// Nothing of it is held back or skipped any more.
    void GoNow();

    /// It takes long until all members have begun.
    void GiveUp();

    /// All members have begun.
    void Decide();

    /**
     * Start what is held back, each at its time.
     *
     * @param state what its packets do
     */
    void Simulate(State state);

    /**
     * @return whether all members have ended all calls that one has begun
     */
    bool IsOver() const;

    /// No message is under way.
    void Quiet();

    /// A call that leads is over.
    void Conclude();

    /// Those who have sent for it remember all of it.
    void FinishConclusion();

    /// Nobody learns of a call that leads what comes of it.
    void ForgetOutcome();

    /// Have those who follow look at the outcome.
    void NotifyFollowers();

    /**
     * @param offset a time since the call began, which has not passed
     * @return time from now until then
     */
    Time GetDelay(Time offset) const;

    /**
     * A member ends as the outcome says.
     *
     * @param member its index
     */
    void Skip(uint32_t member);

    /// A call that followed is over.
    void Settle();

    /// Something else moves in the ports of a call that leads.
    void StopLeading();

    /**
     * End the notifications of what a call follows.
     *
     * @return what it has followed
     */
    std::shared_ptr<CollectiveOutcome> LeaveOutcome();

    /// Something else moves in the ports of a call that follows, or of the one that leads.
    void StopFollowing();

    Host& m_host;                  //!< knows other outcomes
    uint32_t m_communicator;       //!< id
    std::vector<uint32_t> m_ranks; //!< members
    std::string m_shape;           //!< empty = nothing is reused
    State m_state{RESTING};        //!< see State
    uint64_t m_calls{0};           //!< calls that some member has begun, those in m_early left out
    uint64_t m_ended{0};           //!< ends of members
    std::string m_call;            //!< the call under way
    Time m_since;                  //!< when its first member has begun
    uint32_t m_begun{0};           //!< GATHERING: members that have begun
    uint32_t m_skipped{0};         //!< FOLLOWING: members that have ended
    std::vector<Part> m_parts;     //!< by member
    std::vector<Entry> m_early;    //!< they have begun at this time, see TakeEarly()
    Ptr<EventImpl> m_last;         //!< FinishTimeStep(); null = it is not asked for
    EventId m_limit;               //!< GATHERING: GiveUp()
    EventId m_settling;            //!< FOLLOWING: Settle()
    bool m_isConcluding{false};    //!< a call that has led is over, see FinishConclusion()
    std::shared_ptr<CollectiveOutcome> m_outcome; //!< what comes of the call; null = not known
    std::string
        m_key; //!< what the outcome is known by, of a call that leads or has just led; else empty
};

} // namespace ns3

#endif /* COMMUNICATOR_REUSE_H */
