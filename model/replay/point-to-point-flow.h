/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef POINT_TO_POINT_FLOW_H
#define POINT_TO_POINT_FLOW_H

#include "ns3/event-id.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Flow control of a rank's point-to-point messages: how far sends run ahead of receives.
 *
 * In NCCL the receiver of a connection owns a buffer of NCCL_STEPS slots. It announces each slot
 * that may be written to with a small write to the sender (clear to send: ncclIbPostFifo() of
 * src/transport/net_ib/p2p.cc), and the sender writes to no other (ncclIbIsend()). The receiver
 * announces slots as soon as its host has queued the receive, and again as its kernel empties them
 * (recvProxyProgress() of src/transport/net.cc).
 *
 * Hosts run ahead of their GPUs. So the slots of a connection count as announced here from the
 * beginning, and as emptied when the receive of what lies in them is posted: the receiver then
 * sends a message without payload to the sender, on a connection of its own. A message whose
 * receive is posted goes whole, since its slots are emptied as fast as they fill. One whose receive
 * is not goes as far as there are slots; the rest waits, and so do those posted after it, but for
 * those that are announced.
 *
 * Where it is known how fast the sender's kernel is, it hands a message over in parts, each when it
 * has been copied: a slot, or a 64th of a long message. A transport that can report what becomes of
 * them takes the parts ahead of their time (MessageTransport::TakeParts()).
 *
 * Announcements are carried in band, like everything else that ranks know of each other.
 */
class PointToPointFlow : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PointToPointFlow();
    ~PointToPointFlow() override;

    /// Cookie of messages that nobody waits to be sent.
    static constexpr uint64_t NO_COOKIE = Message::FIRST_BACKGROUND_COOKIE - 1;

    /**
     * @param transport moves the messages
     */
    void SetTransport(Ptr<MessageTransport> transport);

    /**
     * @return time from the start of a send or receive op to the start of its kernel
     */
    Time GetLatency() const;

    /**
     * Send a message, now or as soon as there is room for it.
     *
     * @param message the message
     * @param rate rate at which the sender's kernel copies it, bytes per second; 0 = it takes no
     *             time. Messages of one connection are copied one after another.
     */
    void Send(const Message& message, double rate = 0);

    /**
     * Notify the sender of a message that its receive is posted.
     *
     * @param message source: this rank; destination: the other one; and the communicator, context
     *        and tag of the message to receive
     */
    void Announce(Message message);

    /**
     * Take in what has come from another rank's PointToPointFlow.
     *
     * @param message the message, a part of one, or an announcement
     * @return the message, if it has come whole with that
     */
    std::optional<Message> Arrive(const Message& message);

  protected:
    void DoDispose() override;

  private:
    /// MessageEnvelope::kind of a point-to-point message.
    enum Kind : uint32_t
    {
        DATA,         //!< a message, or a part of one
        CLEAR_TO_SEND //!< the receive of a message is posted
    };

    /// A message whose receive is not known to be posted.
    struct Pending
    {
        Message message;     //!< the message
        uint64_t sent{0};    //!< bytes of it that have gone
        uint64_t slots{0};   //!< slots of the receiver that these are in
        bool isWhole{false}; //!< it has gone whole
        double rate{0};      //!< see Send()
    };

    /// A message, or a part of one, that the sender's kernel copies.
    struct Copy
    {
        Message message; //!< what has not been copied
        double rate;     //!< see Send()
        uint64_t grain;  //!< bytes that are copied and sent at once
        Time interval;   //!< the time that a part of grain bytes takes

        /// @return the time that the next part takes
        Time GetInterval() const;
    };

    /// The sending end of a connection.
    struct Link
    {
        uint64_t used{0};                       //!< slots of the receiver that are in use
        std::list<Pending> pending;             //!< in the order in which they were posted
        std::map<uint32_t, uint32_t> announced; //!< by tag: receives posted ahead of their message
        std::deque<Copy> copies;                //!< what is copied, one after another
        EventId copied;                         //!< when the next part of it has been copied
    };

    /**
     * The receive of a message is posted.
     *
     * @param announcement what says so
     */
    void Clear(const Message& announcement);

    /**
     * Send what there is room for.
     *
     * @param link sending end of a connection
     */
    void Fill(Link& link);

    /**
     * Send the next part of a message.
     *
     * @param link sending end of its connection
     * @param pending the message
     * @param bytes how many bytes at most
     */
    void SendPart(Link& link, Pending& pending, uint64_t bytes);

    /**
     * Have the sender's kernel copy a message or a part of one, and send it.
     *
     * @param link sending end of its connection
     * @param message what to send
     * @param rate see Send()
     */
    void StartCopy(Link& link, const Message& message, double rate);

    /**
     * Wait until the next part has been copied, or, if the transport takes all parts but the last,
     * until that one has.
     *
     * @param link sending end of a connection that has something to copy
     */
    void Continue(Link& link);

    /**
     * Hand over one by one what the transport had taken.
     *
     * @param link sending end of its connection
     * @param bytes bytes of parts to be handed over before the last one
     * @param delay until the first of them has been copied
     */
    void Resume(Link& link, uint64_t bytes, Time delay);

    /**
     * A part has been copied: send it.
     *
     * @param link sending end of its connection
     */
    void Copied(Link* link);

    /// Forget what is being copied.
    void Stop();

    /// Source, and context and tag of a message.
    using Key = std::pair<uint32_t, std::pair<uint64_t, uint32_t>>;

    Time m_latency;                    //!< from the start of an op to that of its kernel
    uint32_t m_slots;                  //!< slots of a connection; 0 = sends wait for nothing
    uint64_t m_slotBytes;              //!< what a slot holds, bytes
    Ptr<MessageTransport> m_transport; //!< moves the messages
    /// Sending ends of connections; walked only to stop them all.
    std::unordered_map<MessageConnection, Link, MessageConnection::Hash> m_links;
    std::map<Key, Message> m_parts; //!< messages of which a part has come, with what has come
};

} // namespace ns3

#endif /* POINT_TO_POINT_FLOW_H */
