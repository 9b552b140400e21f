/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_TRANSPORT_H
#define MESSAGE_TRANSPORT_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the sender of a message passes to its receiver: words that are carried in band, and
 * that no transport reads.
 */
using MessageAttachment = std::array<uint32_t, 7>;

/**
 * @ingroup workload-replay
 * @brief A transfer between two ranks, whole.
 */
struct Message
{
    /// Channel of messages by which ranks announce their messages to each other; nobody traces
    /// these.
    static constexpr uint32_t CONTROL_CHANNEL = UINT32_MAX;

    /// Channels from here on, but for CONTROL_CHANNEL, are those of background traffic: messages
    /// that no rank sends or receives.
    static constexpr uint32_t FIRST_BACKGROUND_CHANNEL = 1U << 31;

    /// Cookies from here on are those of background traffic.
    static constexpr uint64_t FIRST_BACKGROUND_COOKIE = 1ULL << 63;

    /**
     * @return whether it belongs to background traffic
     */
    bool IsBackground() const
    {
        return channel >= FIRST_BACKGROUND_CHANNEL && channel != CONTROL_CHANNEL;
    }

    uint32_t source{0};      //!< sending rank
    uint32_t destination{0}; //!< receiving rank, never the sending one
    uint32_t group{0};       //!< group of connections that it belongs to, part of its connection
    uint32_t channel{0};     //!< channel of the group, part of its connection
    uint64_t bytes{0};       //!< payload; 0 = the attachment alone
    uint32_t number{0};      //!< the transport's own: which message of its connection it is
    uint32_t parts{0};       //!< the transport's own: parts of that message; 0 = not counted
    Time postedAt;           //!< when the sender handed it to its transport, set by Send()
    uint64_t cookie{0};      //!< the sender's own, returned when the message is sent; not carried
    MessageAttachment attachment{}; //!< from the sender to the receiver

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.source);
        visit(record.destination);
        visit(record.group);
        visit(record.channel);
        visit(record.bytes);
        visit(record.number);
        visit(record.parts);
        visit(record.postedAt);
        visit(record.cookie);
        visit(record.attachment);
    }
};

/**
 * @ingroup workload-replay
 * @brief A message that its sender hands over in parts, as its kernel copies it.
 */
struct PacedMessage
{
    Message message;   //!< what has not been handed over, and what its parts are like
    uint64_t grain{1}; //!< bytes of each part but the last, at least 1
    Time interval;     //!< until the first part, and from each one to the next but the last

    /**
     * @return parts of grain bytes, those before the last one
     */
    uint64_t CountFullParts() const
    {
        return (message.bytes - 1) / grain;
    }
};

/**
 * @ingroup workload-replay
 * @brief What distinguishes the connections of a rank.
 *
 * A group has connections of its own, one per peer and channel, so that messages of two groups
 * never wait for each other but for the wire. Connections of a group share a traffic class.
 */
struct MessageConnection
{
    uint32_t peer;    //!< rank at the other end
    uint32_t group;   //!< the group
    uint32_t channel; //!< its channel

    /**
     * @param other another one
     * @return whether it is the same
     */
    bool operator==(const MessageConnection& other) const
    {
        return peer == other.peer && group == other.group && channel == other.channel;
    }

    /// Hash of a connection, for tables that nobody walks.
    struct Hash
    {
        /**
         * @param connection a connection
         * @return its hash
         */
        std::size_t operator()(const MessageConnection& connection) const
        {
            const uint64_t pair = static_cast<uint64_t>(connection.peer) << 32 | connection.channel;
            return pair ^ connection.group * 0x9e3779b97f4a7c15ULL;
        }
    };
};

/**
 * @ingroup workload-replay
 * @brief Moves messages of one rank to other ranks: reliable, in order per connection, which is
 *        that of a pair, group and channel.
 *
 * One object per rank, which the rank's Application holds. Helpers aggregate it to the rank's node,
 * too, for Config paths. A message arrives when its last byte has reached the receiver; it is sent
 * when the transport has its last acknowledgement or, where there are none, when it has left the
 * sender's port.
 */
class MessageTransport : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    MessageTransport();
    ~MessageTransport() override;

    /// Upcall when the last byte of a message has reached this rank.
    using ArrivalCallback = Callback<void, const Message&>;

    /// Upcall when a message of this rank is sent; the argument is the message's cookie.
    using SentCallback = Callback<void, uint64_t>;

    /**
     * Without a call, and of a null callback, sinks of Arrived and Delivered alone are notified.
     *
     * @param arrival called for each message that has arrived whole, but for background traffic
     * @param sent called for each message that is sent, likewise
     *
     * Neither is called from within Send().
     */
    void SetCallbacks(ArrivalCallback arrival, SentCallback sent);

    /**
     * Let background traffic use the transport besides the rank.
     *
     * @param sent called for each of its messages that is sent; never from within Send()
     */
    void SetBackgroundCallback(SentCallback sent);

    /**
     * Send a message; returns at once.
     *
     * @param message source must be this rank, destination another one
     */
    void Send(Message message);

    /// Upcall: bytes of parts that must be handed over one by one after all, and when the first is
    /// due, from now on.
    using ResumeCallback = std::function<void(uint64_t, Time)>;

    /**
     * Take all parts of a message but the last, ahead of their time, if they can be carried
     * together and nobody could see a difference: not while Posted of this rank or Arrived of the
     * other one is listened to.
     *
     * @param message the message, whose first part is due after its interval; with more than one
     * @param resume called if parts must be handed over after all, from within another message's
     *               Send()
     * @return whether they are taken. The last part is to be handed over at its own time.
     */
    bool TakeParts(const PacedMessage& message, const ResumeCallback& resume);

    /**
     * @return name of the kind in reports and options: tcp, ideal, ...
     */
    virtual std::string GetKind() const = 0;

    /// Traffic class of each group, 0 to 7; absent = as other attributes say. Shared by all ranks.
    using TrafficClasses = std::shared_ptr<const std::vector<std::optional<uint8_t>>>;

    /**
     * Give the connections of some groups a traffic class of their own. Kinds that have no classes
     * abort.
     *
     * @param classes the class of each group that messages may name; to be given before the
     *                first message
     */
    virtual void SetTrafficClasses(TrafficClasses classes);

    /**
     * Reports how far messages under way have come, for those who watch a long run.
     *
     * @return payload that this rank has sent and that is acknowledged, also of messages that are
     *         not yet sent whole, bytes; 0 of kinds that do not report it
     */
    virtual uint64_t GetAcknowledgedBytes() const;

    /**
     * @param rank a rank
     * @return whether messages from here come from that rank, and messages to it come here; here
     *         true, as a kind need not know
     */
    virtual bool Serves(uint32_t rank) const;

    /**
     * @return whether somebody listens to single messages, by Posted or Arrived here or of what
     *         moves them, and would miss those that are spared
     */
    virtual bool HasListeners() const;

    /**
     * TracedCallback signature for messages posted and arrived.
     *
     * @param [in] message the message
     */
    typedef void (*MessageTracedCallback)(const Message& message);

    /**
     * TracedCallback signature for messages that are reported together.
     *
     * @param [in] messages the first one of them, with the bytes of all
     * @param [in] count how many
     */
    typedef void (*MessagesTracedCallback)(const Message& messages, uint64_t count);

  protected:
    void DoDispose() override;

    /**
     * Move a message. postedAt is set.
     *
     * @param message the message
     */
    virtual void DoSend(const Message& message) = 0;

    /**
     * Take parts ahead of their time, see TakeParts(). Unless a kind does, all are handed over one
     * by one.
     *
     * @param message the message
     * @param resume called if parts must be handed over after all
     * @return whether they are taken
     */
    virtual bool DoTakeParts(const PacedMessage& message, const ResumeCallback& resume);

    /**
     * @return whether somebody wants to know of each message that is handed over here
     */
    bool IsPostedTraced() const
    {
        return !m_postedTrace.IsEmpty();
    }

    /**
     * @return whether somebody wants to know of each message when it arrives here
     */
    bool IsArrivedTraced() const
    {
        return !m_arrivedTrace.IsEmpty() || !m_carriedTrace.IsEmpty();
    }

    /**
     * To be called by the kind on the receiving rank's object when the last byte is there.
     *
     * @param message the message as sent; cookie is not looked at
     */
    void NotifyArrival(const Message& message);

    /**
     * To be called by the kind on the receiving rank's object for parts that were taken ahead of
     * their time, before the last one arrives.
     *
     * @param parts the first one of them, with the bytes of all
     * @param count how many
     */
    void NotifyPartsArrived(const Message& parts, uint64_t count);

    /**
     * To be called by the kind on the sending rank's object.
     *
     * @param cookie cookie of the message that is sent
     */
    void NotifySent(uint64_t cookie);

  private:
    ArrivalCallback m_arrival;                     //!< upcall for arrivals
    SentCallback m_sent;                           //!< upcall for messages sent
    SentCallback m_backgroundSent;                 //!< the same of background traffic
    TracedCallback<const Message&> m_postedTrace;  //!< a message was handed over by the rank
    TracedCallback<const Message&> m_arrivedTrace; //!< a message has arrived at the rank
    TracedCallback<const Message&> m_carriedTrace; //!< likewise, for who knows what is reused
    TracedCallback<const Message&, uint64_t> m_deliveredTrace; //!< messages have arrived
};

} // namespace ns3

#endif /* MESSAGE_TRANSPORT_H */
