/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_NETWORK_H
#define IDEAL_NETWORK_H

#include "due-queue.h"
#include "flat-table.h"
#include "max-min-share.h"
#include "message-transport.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class CatchUpSimulatorImpl;

/**
 * @ingroup workload-replay
 * @brief The way from one rank to another in an IdealNetwork.
 */
struct IdealPath
{
    uint32_t sendPort{0};    //!< port through which the sender's bytes leave
    uint32_t receivePort{0}; //!< port through which they reach the receiver
    Time delay;              //!< from the last bit's departure to its arrival; may be 0
};

/**
 * @ingroup workload-replay
 * @brief What an IdealNetwork calls of a rank.
 */
class IdealEndpoint
{
  public:
    virtual ~IdealEndpoint() = default;

    /**
     * A message has arrived.
     *
     * @param message the message
     */
    virtual void HandleArrival(const Message& message) = 0;

    /**
     * A message of the rank is sent.
     *
     * @param cookie its cookie
     */
    virtual void HandleSent(uint64_t cookie) = 0;

    /**
     * @return whether it may be notified of several parts of a message at once; here they are
     * carried one by one
     */
    virtual bool TakesParts() const
    {
        return false;
    }

    /**
     * Parts of a message have arrived.
     *
     * @param parts the first of them, with the bytes of all
     * @param count how many
     */
    virtual void HandlePartsArrived(const Message& parts [[maybe_unused]],
                                    uint64_t count [[maybe_unused]])
    {
    }
};

/**
 * @ingroup workload-replay
 * @brief Hears of all messages of an IdealNetwork.
 */
class IdealMessageObserver
{
  public:
    virtual ~IdealMessageObserver() = default;

    /**
     * A message is about to be sent.
     *
     * @param sendPort port of its sender
     * @param receivePort port of its receiver
     * @param message the message
     */
    virtual void Begin(uint32_t sendPort, uint32_t receivePort, const Message& message) = 0;

    /**
     * Parts of a message are about to be carried together, if nobody has reserved their ports, and
     * until then nobody can.
     *
     * @param sendPort port of their sender
     * @param receivePort port of their receiver
     * @param message the message
     * @return whether they are; if so, Arrive() is to follow, once
     */
    virtual bool BeginTrain(uint32_t sendPort, uint32_t receivePort, const Message& message) = 0;

    /**
     * A message has arrived, and the receiver is about to be notified.
     *
     * @param sendPort port of its sender
     * @param receivePort port of its receiver
     * @param message the message
     */
    virtual void Arrive(uint32_t sendPort, uint32_t receivePort, const Message& message) = 0;
};

/**
 * @ingroup workload-replay
 * @brief A network with a perfect core, without packets.
 *
 * Messages share the sending side of their sender's port and the receiving side of their
 * receiver's port, max-min fairly and without overhead, and then take the delay of their path.
 * Messages of one connection follow each other; different connections share. A message is sent when
 * its last byte has left the sender's port, and arrives the path's delay later. It is the reference
 * a real network is judged against.
 *
 * Rates are fluid. A moment that falls between two steps of the simulator's clock is reported at
 * the later one, but a message that was waiting starts at the true moment, so that roundings do
 * not add up on a busy connection. A share is the exact n-th part of a rate that is a whole number
 * of bits per second for every n up to 16; other shares are rounded down to 1 / 720720 bit/s.
 *
 * The core holds nothing: what a busy receiver does not take, its sender does not send. So it
 * bounds what a real network can do where the ports of senders and receivers are busy alike, as in
 * rings and in an all-to-all of ranks with one port each; a switch that buffers may be faster where
 * they are not, as where ranks alternate between NVLink and NIC.
 *
 * Messages that are handed over in parts are carried in trains while their ports are theirs alone:
 * the parts follow from the pace and the rate, so that none of them needs an event. A train ends
 * when another message comes to one of its ports, or the next one to its connection. What its parts
 * have done until then is worked out as if each had gone by itself, to the time step.
 *
 * It knows all ranks. Of several processes each has one of its own, so that in it messages can only
 * go between ranks of one process.
 */
class IdealNetwork : public Object
{
  public:
    /// Upcall that finds the path from a source rank to a destination rank.
    using PathFinder = Callback<IdealPath, uint32_t, uint32_t>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IdealNetwork();
    ~IdealNetwork() override;

    /**
     * Add a full-duplex port.
     *
     * @param rate rate of each direction, more than 0 and less than 25.5 Tbit/s
     * @return index of the port, counted from 0
     */
    uint32_t AddPort(DataRate rate);

    /**
     * @return number of ports
     */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_rates.size());
    }

    /**
     * @param port a port
     * @return rate of each of its directions
     */
    DataRate GetRate(uint32_t port) const
    {
        return m_rates.at(port);
    }

    /**
     * Note that messages have been sent by a port, or would have been.
     *
     * @param port a port
     */
    void NoteSending(uint32_t port);

    /**
     * @param port a port
     * @return whether messages have been sent by it
     */
    bool HasSent(uint32_t port) const;

    /**
     * @param finder called once per connection, when it is first used
     */
    void SetPathFinder(PathFinder finder);

    /**
     * @param source a rank
     * @param destination another one
     * @return the path between them
     */
    IdealPath FindPath(uint32_t source, uint32_t destination) const;

    /**
     * @param observer is to know of all messages, of which some may be sent in the past, see
     *                 CatchUpSimulatorImpl; null = nobody is. It takes itself out when it is no
     * more
     */
    void SetObserver(IdealMessageObserver* observer);

    /**
     * Register a rank.
     *
     * @param rank the rank; ranks should be dense, as they index a table
     * @param endpoint what to call until Detach(); null = nothing
     */
    void Attach(uint32_t rank, IdealEndpoint* endpoint);

    /**
     * Forget the endpoint of a rank, and the parts that have not been posted.
     *
     * @param rank the rank
     */
    void Detach(uint32_t rank);

    /**
     * Start a message. The rank's callbacks are not called from within.
     *
     * @param message the message, with postedAt set
     */
    void Start(const Message& message);

    /**
     * Carry the parts of a message but the last as a train, if their ports are free for it.
     *
     * @param message the message
     * @param resume called if parts must be started one by one after all
     * @return whether they are carried; see MessageTransport::TakeParts()
     */
    bool TakeParts(const PacedMessage& message, const MessageTransport::ResumeCallback& resume);

  protected:
    void DoDispose() override;

  private:
    /// What is left of a message, in 1 / (WORK_UNITS * clock steps per second) of a bit; a message
    /// of 2^64 bytes fits with a clock of picoseconds.
    using Work = __int128_t;

    struct Connection;

    /// A message under way, from a pool, and the event of its arrival and of those that arrive with
    /// it.
    struct Transfer : public EventImpl
    {
        /// @param owner the network
        explicit Transfer(IdealNetwork* owner)
            : network(owner)
        {
        }

        IdealNetwork* network;           //!< the network
        Connection* connection{nullptr}; //!< its connection
        /// Next one of the connection, or of those that arrive in one event, or of the pool.
        Transfer* next{nullptr};
        Message message; //!< the message

      protected:
        void Notify() override
        {
            network->ArriveTogether(this);
        }
    };

    /// When a port has sent what it has got from a connection that has it to itself.
    struct Progress
    {
        int64_t end;  //!< the time, in clock steps, rounded up
        Work surplus; //!< at most 0: less what it could have sent since the true time

        /**
         * Send one more message.
         *
         * @param postedAt when it is posted, in clock steps
         * @param work the work to send it
         * @param share what the connection gets, more than 0
         * @return when it begins, in clock steps, and its work as seen from there
         */
        std::pair<int64_t, Work> Send(int64_t postedAt, Work work, uint64_t share);
    };

    /// Parts of a message that are carried together.
    struct Train
    {
        Message part;      //!< what each of them is like
        int64_t since;     //!< the first is posted an interval later, in clock steps
        int64_t interval;  //!< from one to the next, in clock steps
        uint64_t parts;    //!< how many
        uint64_t share;    //!< what the connection gets all the time
        Progress progress; //!< of what was posted before them
        MessageTransport::ResumeCallback resume; //!< see TakeParts()
    };

    /// Where the messages of one source, destination, group and channel wait for each other.
    /// Large jobs have tens of thousands: what each message touches stands in two lines of a cache.
    struct alignas(64) Connection : MaxMinShare::User
    {
        Work work{0};                 //!< what is left of the first transfer at the time since
        int64_t since{0};             //!< when work was last brought up to date, in clock steps
        int64_t due{0};               //!< when the first transfer leaves the port, in clock steps
        Transfer* first{nullptr};     //!< the transfer that moves; nullptr when there is none
        Transfer* last{nullptr};      //!< the newest transfer that waits, if there is a first
        Time delay;                   //!< delay of the path
        std::unique_ptr<Train> train; //!< parts that are carried together; null = none
        uint64_t nArrived{0}; //!< parts that have arrived and the receiver is to be notified of
        uint32_t id{0};       //!< in order of first use
        uint32_t place{0};    //!< see DueQueue
        Message arrived;      //!< the first part of nArrived, with the bytes of all

        /// @return port through which its bytes leave
        uint32_t GetSendPort() const
        {
            return resource[0] / 2;
        }

        /// @return port through which they reach the receiver
        uint32_t GetReceivePort() const
        {
            return resource[1] / 2;
        }
    };

    /// What the network knows of a rank.
    struct Rank
    {
        IdealEndpoint* endpoint{nullptr}; //!< what to call; null = there is no rank
        /// Connections from this rank.
        FlatTable<MessageConnection, Connection, MessageConnection::Hash> connections;
    };

    /// Share units per bit per second: the least common multiple of 1 to 16.
    static constexpr uint64_t WORK_UNITS = 720720;

    /**
     * @param message a message
     * @return the connection it belongs to, made if need be
     */
    Connection& GetConnection(const Message& message);

    /**
     * Let a message wait for its turn, but not begin.
     *
     * @param connection its connection
     * @param message the message
     * @return whether it is the first one
     */
    bool Append(Connection& connection, const Message& message);

    /**
     * A message takes up its ports from now until it arrives.
     *
     * @param connection its connection
     * @param message the message
     * @return a transfer from the pool
     */
    Transfer* NewTransfer(Connection& connection, const Message& message);

    /**
     * @param connection a connection that has its ports to itself
     * @param share what it gets
     * @return when it has sent what it has got
     */
    Progress GetProgress(const Connection& connection, uint64_t share) const;

    /**
     * End a train: from now on each of its parts that have not arrived goes by itself.
     *
     * @param connection its connection
     */
    void EndTrain(Connection& connection);

    /**
     * Have a part of a train be where it is by now: at its receiver, on its way or at its port.
     *
     * @param connection its connection
     * @param [in,out] train the train, of which the parts before have been posted
     * @param postedAt when it was posted, in clock steps, at most now
     */
    void PostPart(Connection& connection, Train& train, int64_t postedAt);

    /**
     * End the trains at the ports of a connection that is about to use them.
     *
     * @param connection the connection, without a train
     */
    void EndTrainsBeside(const Connection& connection);

    /**
     * @param message a message
     * @return the work to send it
     */
    Work GetWork(const Message& message) const;

    /**
     * Begin with the first message of a connection that was idle.
     *
     * @param connection the connection
     */
    void Begin(Connection& connection);

    /**
     * See that Update() runs at a time or earlier, but never in a past that is being caught up
     * with for what is due in the present: there it is for all messages.
     *
     * @param due the time, in clock steps
     */
    void RequestUpdate(int64_t due);

    /**
     * Finish the messages that are due, and take connections out that have no other.
     *
     * @param now time step
     */
    void FinishDue(int64_t now);

    /**
     * Have connections take part that were idle, but for those of the present where messages of the
     * past are sent.
     *
     * @param now time step
     */
    void JoinStarting(int64_t now);

    /// Bring everything up to date: completions, new messages, shares; then notify the senders.
    void Update();

    /**
     * Let the transfer that moves make way for the next if its work is done, and so on.
     *
     * @param connection the connection, its work up to date
     * @param now the time, in clock steps
     */
    void FinishDone(Connection& connection, int64_t now);

    /**
     * Account for what a connection has sent since its last update.
     *
     * @param connection the connection
     * @param now the time, in clock steps
     */
    void BringUpToDate(Connection& connection, int64_t now);

    /**
     * Queue a connection for the time when its first transfer is done, rounded up.
     *
     * @param connection the connection, up to date
     */
    void SetDue(Connection& connection);

    /**
     * Have a message arrive that has left its sender's port: by an event of its own, or by that of
     * the one before if no event comes between them.
     *
     * @param transfer the message
     */
    void Depart(Transfer* transfer);

    /**
     * Deliver messages that arrive one after another at the same time.
     *
     * @param first the first of them
     */
    void ArriveTogether(Transfer* first);

    /**
     * Deliver a message, after the parts that arrived before it.
     *
     * @param transfer the message, back to the pool afterwards
     */
    void Arrive(Transfer* transfer);

    int64_t m_stepsPerSecond;               //!< resolution of the simulator's clock
    PathFinder m_pathFinder;                //!< upcall for paths
    MaxMinShare m_shares;                   //!< resource 2p: port p sends, 2p+1: receives
    std::vector<DataRate> m_rates;          //!< of ports
    std::vector<bool> m_hasSent;            //!< whether messages have been sent by them, by port
    std::vector<Connection*> m_trains;      //!< whose train has it, by resource; null = nobody's
    std::vector<Rank> m_ranks;              //!< by rank
    std::deque<Connection> m_connections;   //!< all connections, by id
    std::vector<Ptr<Transfer>> m_transfers; //!< all transfers
    Transfer* m_freeTransfers{nullptr};     //!< transfers not in use
    std::vector<Connection*> m_starting;    //!< were idle, to be dealt with in Update()
    DueQueue<Connection> m_due;             //!< connections that move
    /// The last one to depart, while no other event has been scheduled since; null = one has.
    Transfer* m_departed{nullptr};
    std::vector<std::pair<uint32_t, uint64_t>> m_sent; //!< rank and cookie of messages now sent
    EventId m_update;                                  //!< next Update()
    int64_t m_updateDue{0};                            //!< its time, in clock steps
    IdealMessageObserver* m_observer{nullptr}; //!< knows of all messages; null = nobody does
    Ptr<CatchUpSimulatorImpl> m_simulator; //!< may have it send messages in the past; null = not
};

} // namespace ns3

#endif /* IDEAL_NETWORK_H */
