/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_MESSENGER_H
#define RANK_MESSENGER_H

#include "collective-flow.h"
#include "message-context.h"
#include "message-matcher.h"
#include "point-to-point-flow.h"
#include "rank-placement.h"
#include "replay-records.h"

#include "ns3/collective-algorithm.h"
#include "ns3/event-id.h"
#include "ns3/message-transport.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A collective that has begun on a rank.
 */
struct OpenedCollective
{
    std::size_t track;     //!< the track that it runs on, see OpScheduler
    const WorkloadOp& op;  //!< the op; must outlive it
    CollectiveCall call;   //!< the call
    uint32_t sequence;     //!< its number in the communicator, counted from 0
    uint32_t communicator; //!< id of the communicator in the workload
    const uint32_t* ranks; //!< ranks of its members, by index; must outlive it
};

/**
 * @ingroup workload-replay
 * @brief Speaks for one rank: turns its ops into messages and receives, and checks what comes in.
 *
 * A collective is identified by its communicator and its number there. What its members must agree
 * about travels with each of its messages, so that a rank finds contradictions without looking at
 * another one.
 */
class RankMessenger
{
  public:
    /// Whom it speaks for.
    class Owner
    {
      public:
        virtual ~Owner() = default;

        /**
         * A receive is complete, possibly within the call that posts it.
         *
         * @param track the track that it was for
         * @param pipeline the pipeline of the track's collective, if it runs one
         * @param message the message
         */
        virtual void MessageReceived(std::size_t track,
                                     uint32_t pipeline,
                                     const Message& message) = 0;

        /**
         * A message is sent.
         *
         * @param track the track that it was for
         */
        virtual void MessageSent(std::size_t track) = 0;

        /**
         * Two ranks contradict each other.
         *
         * @param message one line that names both
         */
        virtual void Fail(const std::string& message) = 0;
    };

    /**
     * @param workload the job
     * @param rank the rank
     * @param transport moves its messages
     * @param placement where the ranks stand; null = all in one place
     * @param owner whom to notify; must outlive this object
     */
    void Setup(std::shared_ptr<const Workload> workload,
               uint32_t rank,
               Ptr<MessageTransport> transport,
               std::shared_ptr<const RankPlacement> placement,
               Owner& owner);

    /// Report nothing more. What the rank still sends is sent.
    void Close();

    /**
     * @param op a collective of the rank
     * @return the call as this rank makes it
     */
    CollectiveCall MakeCall(const WorkloadOp& op) const;

    /**
     * Begin a collective.
     *
     * @param track the track that it runs on
     * @param op the op
     * @return the collective; none if it contradicts other members
     */
    std::optional<OpenedCollective> OpenCollective(std::size_t track, const WorkloadOp& op);

    /**
     * Notify another member that this one receives from it from now on. Once is enough.
     *
     * @param collective the collective
     * @param member index of the other member
     */
    void Expect(const OpenedCollective& collective, uint32_t member);

    /**
     * Start a transfer of a collective; of one that is received after Expect().
     *
     * @param collective the collective
     * @param pipeline number of the pipeline of the transfer
     * @param steps the pipeline
     * @param transfer the transfer
     * @param wireBytes bytes of its message: its payload and what the protocol adds, the same for
     *                  both members
     */
    void StartTransfer(const OpenedCollective& collective,
                       uint32_t pipeline,
                       const ChunkPipeline& steps,
                       const CollectiveTransfer& transfer,
                       uint64_t wireBytes);

    /**
     * End a collective.
     *
     * @param collective the collective
     * @return false if other members sent more than this one received, which is a contradiction
     */
    bool CloseCollective(const OpenedCollective& collective);

    /**
     * Have messages of a collective go that was closed without any.
     *
     * @param collective the collective
     * @param received payload that was taken for received, bytes
     */
    void Reopen(const OpenedCollective& collective, uint64_t received);

    /**
     * Start a point-to-point message or its receive, when its kernel has been launched.
     *
     * @param track the track of the op
     * @param op a SEND or RECV
     */
    void StartPointToPoint(std::size_t track, const WorkloadOp& op);

    /**
     * @param op an op that has begun and not finished
     * @param sequence number of the collective, if it is one
     * @return what it waits for, and for whom
     */
    WaitRecord DescribeWait(const WorkloadOp& op, uint32_t sequence) const;

    /**
     * @param op a SEND or RECV
     * @return the other rank
     */
    uint32_t GetPeer(const WorkloadOp& op) const;

    /**
     * @param op an op that communicates
     * @return id of its communicator in the workload
     */
    uint32_t GetCommunicatorId(const WorkloadOp& op) const;

    /**
     * @param op an op that communicates
     * @return its communicator
     */
    const Communicator& GetCommunicator(const WorkloadOp& op) const;

    /**
     * @param op an op that communicates
     * @return whether it goes beyond the server: the members of a collective do not all stand in
     *         one, or the peer of a message stands in another
     */
    bool UsesNetwork(const WorkloadOp& op) const;

    /**
     * @param op an op that communicates
     * @return where the ranks of its communicator stand; null = it is not known
     */
    const CollectivePlacement* FindPlacement(const WorkloadOp& op) const;

    /**
     * @return messages that have come and that no receive was posted for
     */
    uint64_t CountUnreceived() const
    {
        return m_matcher.CountUnreceived();
    }

    /**
     * @return payload received so far, bytes
     */
    uint64_t GetReceivedBytes() const;

    /**
     * @param bytes payload that has come without messages
     */
    void NoteReceived(uint64_t bytes)
    {
        m_receivedBytes += bytes;
    }

    /**
     * @param rank a rank
     * @param line a line of the rank's program
     * @return "rank R (FILE:LINE)"
     */
    std::string Locate(uint32_t rank, uint32_t line) const;

  private:
    /**
     * @param collective a collective
     * @param channel channel of the transfer
     * @param transfer the transfer
     * @return address of whom it goes to or comes from: another rank or a switch
     */
    uint32_t FindPeer(const OpenedCollective& collective,
                      uint32_t channel,
                      const CollectiveTransfer& transfer) const;

    /**
     * @param op a SEND or RECV
     * @return its message, or what announces that it is received, without bytes
     */
    Message MakePointToPoint(const WorkloadOp& op) const;

    /**
     * @param op a SEND
     * @return rate at which its kernel copies the message, bytes per second; 0 = not known
     */
    double GetCopyRate(const WorkloadOp& op) const;

    /**
     * @param track the track of the op
     * @param op a SEND or RECV whose kernel has been launched
     */
    void RunPointToPoint(std::size_t track, const WorkloadOp* op);

    /**
     * @param op a collective
     * @param sequence its number
     * @return ranks whose messages it awaits, ascending
     */
    std::vector<uint32_t> GetAwaited(const WorkloadOp& op, uint32_t sequence) const;

    /**
     * @param message a message that has come in
     * @return where the program of the rank that it is from sends it, see Locate()
     */
    std::string LocateContributor(const Message& message) const;

    /**
     * @param source source of a message
     * @return true if it is a rank, false if it is a switch
     */
    bool IsRank(uint32_t source) const;

    /**
     * @param context context of a message to this rank
     * @param source its source
     * @param tag its tag
     * @return the rank that it is from, if it comes by a switch too
     */
    uint32_t FindContributor(uint64_t context, uint32_t source, uint32_t tag) const;

    /**
     * @param op an op that communicates
     * @param sequence number of a collective, or MessageContext::POINT_TO_POINT
     * @return the context of its messages
     */
    uint64_t GetContext(const WorkloadOp& op, uint32_t sequence) const;

    /**
     * A message has reached the rank.
     *
     * @param message the message
     */
    void MessageArrived(const Message& message);

    /**
     * @param message a message of a collective that has arrived
     * @return what is wrong with what it says of the collective; empty = nothing
     */
    std::string FindContradiction(const Message& message);

    /**
     * Two ranks contradict each other.
     *
     * @param message one line that names both
     */
    void Fail(const std::string& message);

    /**
     * @param context context of a message that has arrived
     * @return true if it belongs to a collective that the rank has completed
     */
    bool IsCompleted(uint64_t context);

    /**
     * The transport has sent a message.
     *
     * @param cookie cookie of the message: the track
     */
    void MessageSent(uint64_t cookie);

    /**
     * Post a receive.
     *
     * @param context context of the message
     * @param source the sending rank
     * @param tag tag of the message
     * @param receive the receive
     */
    void Post(uint64_t context,
              uint32_t source,
              uint32_t tag,
              const MessageMatcher::Receive& receive);

    /**
     * A posted receive and a message have met.
     *
     * @param match the two
     */
    void Complete(const MessageMatcher::Match& match);

    std::shared_ptr<const Workload> m_workload;       //!< the job
    uint32_t m_rank{0};                               //!< the rank
    Ptr<MessageTransport> m_transport;                //!< moves messages
    std::shared_ptr<const RankPlacement> m_placement; //!< where the ranks stand; null = one place
    bool m_isClosed{false};                           //!< nothing is reported any more
    Owner* m_owner{nullptr};                          //!< whom to notify
    std::vector<uint32_t> m_sequences;                //!< by slot: collectives begun so far
    std::vector<uint32_t> m_indices;                  //!< by slot: the rank's index in it
    uint64_t m_receivedBytes{0};                      //!< payload received so far
    MessageMatcher m_matcher;                         //!< pairs messages with receives
    Ptr<PointToPointFlow> m_flow;                     //!< carries point-to-point messages
    Ptr<CollectiveFlow> m_collectiveFlow;             //!< carries messages of collectives
    std::vector<EventId> m_launches; //!< by track: launch of a point-to-point message
};

} // namespace ns3

#endif /* RANK_MESSENGER_H */
