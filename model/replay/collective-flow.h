/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FLOW_H
#define COLLECTIVE_FLOW_H

#include "ns3/flat-table.h"
#include "ns3/message-transport.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Flow control of a rank's collectives: how far it runs ahead of members that are late.
 *
 * As with point-to-point messages (PointToPointFlow), the receiver of a connection in NCCL owns a
 * buffer of NCCL_STEPS slots, which its kernel empties. A member whose kernel has not begun empties
 * none, so that those that send to it get as far as its slots. Once it has begun, its slots are
 * emptied as fast as they fill, or the data goes to their destination at once.
 *
 * A member that posts the first receive of a collective from another one sends it a message without
 * payload, on a connection of its own. Until then messages of the collective take slots of their
 * connection, and what there are no slots for waits, with what comes behind it. Members begin the
 * collectives of a communicator in one order, so that who has begun one has begun all before it.
 *
 * NVSwitches have no buffers: what goes through them waits for all members anyway.
 */
class CollectiveFlow : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollectiveFlow();
    ~CollectiveFlow() override;

    /**
     * @param rank the rank
     * @param transport moves the messages
     */
    void Setup(uint32_t rank, Ptr<MessageTransport> transport);

    /**
     * Notify another member that this one receives from it from now on, if it does not know.
     *
     * @param peer the other one's rank
     * @param context context of the collective
     */
    void Expect(uint32_t peer, uint64_t context);

    /**
     * Send a message, now or as soon as there is room for it.
     *
     * @param message the message
     */
    void Send(const Message& message);

    /**
     * Take in what has come from another rank's CollectiveFlow.
     *
     * @param message a message, a part of one, or what Expect() sends
     * @return the message, if it has come whole with that
     */
    std::optional<Message> Arrive(const Message& message);

    /**
     * @param message what has come
     * @return whether it is what Expect() sends
     */
    static bool IsAnnouncement(const Message& message);

    /**
     * @param context context of a collective
     * @return ranks that messages of the collective wait for, ascending
     */
    std::vector<uint32_t> GetAwaited(uint64_t context) const;

  protected:
    void DoDispose() override;

  private:
    /// Bits of MessageEnvelope::kind, see CollectiveSignature::KIND_BITS.
    enum Flag : uint32_t
    {
        CLEAR_TO_SEND = 1U << 30, //!< it is what Expect() sends
        MORE = 1U << 31           //!< another part of the same message follows
    };

    /// A connection on which messages take slots.
    struct Channel
    {
        std::map<uint32_t, uint64_t> used; //!< slots in use, by the collective's number
        std::deque<Message> waiting;       //!< what has not gone, in order

        /// @return whether nothing waits and no slot is in use
        bool IsEmpty() const
        {
            return used.empty() && waiting.empty();
        }
    };

    /// Another member of a communicator.
    struct Peer
    {
        uint32_t clear{0};                    //!< it has begun the collectives below this number
        uint32_t announced{0};                //!< it knows that this rank has begun those below
        std::map<uint32_t, Channel> channels; //!< that messages have taken slots on
    };

    /**
     * @param rank another rank
     * @param communicator a communicator of both
     * @return the member
     */
    Peer& FindPeer(uint32_t rank, uint32_t communicator);

    /**
     * Send what there is room for.
     *
     * @param peer the receiver
     * @param channel a connection to it
     */
    void Fill(const Peer& peer, Channel& channel);

    /**
     * @param kind MessageEnvelope::kind of a message
     * @return what a slot of its connection holds, bytes
     */
    uint64_t GetSlotBytes(uint32_t kind) const;

    uint32_t m_rank{0};                //!< the rank
    uint32_t m_slots;                  //!< slots of a connection; 0 = sends wait for nothing
    uint64_t m_slotBytes;              //!< what a slot holds, bytes
    uint64_t m_exchangeSlotBytes;      //!< the same in collectives that NCCL makes of sends
    Ptr<MessageTransport> m_transport; //!< moves the messages
    std::deque<Peer> m_peers;          //!< those that messages have gone to or come from
    /// The same by rank and communicator; walked only to report who is awaited.
    FlatTable<uint64_t, Peer, std::hash<uint64_t>> m_peerTable;
    /// Source and channel, and context and tag, of messages of which a part has come: its bytes.
    std::map<std::pair<uint64_t, std::pair<uint64_t, uint32_t>>, uint64_t> m_parts;
};

} // namespace ns3

#endif /* COLLECTIVE_FLOW_H */
