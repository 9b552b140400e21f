/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_RUN_H
#define SYMBOLIC_RUN_H

#include "collective-algorithm.h"
#include "collective-checker.h"
#include "symbolic-memory.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Runs the plans of all members of a collective once on symbolic data, without a network or
 *        a clock.
 *
 * A step is over when all that it receives has come and all that it sends has gone: into a slot of
 * the receiver, or on through it where the receive has been posted.
 */
class SymbolicRun
{
  public:
    /**
     * @param algorithm the algorithm
     * @param calls the call of each member
     * @param slots room of a connection
     * @param isReversed whether of several that may go on the last one does, instead of the first
     */
    SymbolicRun(const CollectiveAlgorithm& algorithm,
                const std::vector<CollectiveCall>& calls,
                const CollectiveSlots& slots,
                bool isReversed);

    /**
     * @return sets of members
     */
    SymbolicSums& GetSums();

    /**
     * @param member a member
     * @return the memory that its sends read
     */
    SymbolicMemory& GetInput(uint32_t member);

    /**
     * @param member a member
     * @return the memory that its receives write to: of all-to-all and shift one of its own
     */
    SymbolicMemory& GetOutput(uint32_t member);

    /**
     * @param member a member
     * @return of whom it has heard, in a barrier
     */
    uint32_t GetKnown(uint32_t member) const;

    /**
     * @param member a member
     * @return what it has sent and received
     */
    const CollectiveTraffic& GetTraffic(uint32_t member) const;

    /**
     * Remember which step writes to a place last; to be called before Run().
     *
     * @param member whose memory, see GetOutput()
     * @param place the place
     */
    void Watch(uint32_t member, uint64_t place);

    /**
     * @return the step that wrote there last, in words; empty = none has
     */
    const std::string& GetWriter() const;

    /**
     * Run all pipelines of all members to their end.
     *
     * @param mostMessages messages after which it stops, if they are so many
     * @return what is wrong before it; none = nothing
     */
    std::optional<CollectiveFault> Run(uint64_t mostMessages);

    /**
     * @return whether all transfers so far have said where their bytes stand
     */
    bool HasPlaces() const;

    /**
     * @return messages that have been sent
     */
    uint64_t CountMessages() const;

  private:
    /// Source, destination and pipeline there.
    using Route = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// Source, destination and channel.
    using Connection = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// A message.
    struct Message
    {
        SymbolicPieces pieces;              //!< what it carries
        uint32_t known{SymbolicSums::NONE}; //!< of whom its sender has heard, in a barrier
        uint64_t bytes{0};                  //!< its length
        uint32_t sender{0};                 //!< who sends it
        uint32_t pipeline{0};               //!< in which pipeline
        uint64_t step{0};                   //!< in which step of that
        uint32_t channel{0};                //!< of which channel
        uint64_t slots{0};                  //!< that it is in at the receiver
        bool hasLeft{false};                //!< its sender need not wait any longer
    };

    /// What a receiver of a connection has room for.
    struct Room
    {
        uint64_t used{0};                                               //!< slots in use
        std::deque<std::pair<Route, std::shared_ptr<Message>>> waiting; //!< what there is none for
    };

    /// Messages from one pipeline to another one.
    struct Traffic
    {
        std::deque<std::shared_ptr<Message>> messages; //!< under way
        uint64_t posted{0};                            //!< receives that wait for them
    };

    /// How far a pipeline has come.
    struct Progress
    {
        std::unique_ptr<ChunkPipeline> steps;       //!< makes its steps; null = it is over
        CollectiveStep awaited;                     //!< receives of the step under way
        std::size_t received{0};                    //!< how many of them are complete
        std::vector<std::shared_ptr<Message>> sent; //!< sends of it that are not known to have left
        uint64_t count{0};                          //!< steps begun
        uint32_t channel{0};                        //!< its channel
        uint32_t peer{0};                           //!< number of the pipelines that it talks to
    };

    /// Contributions to the sum that a switch makes.
    struct SwitchSum
    {
        std::vector<std::deque<std::shared_ptr<Message>>> given; //!< by who contributes
    };

    /**
     * Take a pipeline as far as it goes without waiting.
     *
     * @param member its member
     * @param pipeline its number
     */
    void Advance(uint32_t member, uint32_t pipeline);

    /**
     * Begin the next step of a pipeline.
     *
     * @param member its member
     * @param pipeline its number
     * @return false if there is none, or it has to wait for another pipeline
     */
    bool BeginStep(uint32_t member, uint32_t pipeline);

    /**
     * @param member whose transfer it is
     * @param pipeline of which pipeline
     * @param transfer the transfer
     * @param length places of the memory that is meant
     * @return where its bytes stand; empty = they are none, or stand where they must not, which is
     *         a fault
     */
    std::vector<BufferPart> FindParts(uint32_t member,
                                      uint32_t pipeline,
                                      const CollectiveTransfer& transfer,
                                      uint64_t length);

    /**
     * @param call the call of a member
     * @param transfer a transfer of it
     * @return whether its bytes can be followed; if not, no others are from now on
     */
    bool HasPlace(const CollectiveCall& call, const CollectiveTransfer& transfer);

    /**
     * @param member the sender
     * @param pipeline of which pipeline
     * @param transfer the transfer
     */
    void Send(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * Do as an NVSwitch does: add up what all members of a server have sent.
     *
     * @param message what one contributes
     * @param peer the member that gets the sum
     */
    void AddInServer(const std::shared_ptr<Message>& message, uint32_t peer);

    /**
     * Do as a tree of network switches does: add up what the heads of all servers have sent, and
     * send it to all of them.
     *
     * @param message what one contributes
     */
    void AddInNetwork(const std::shared_ptr<Message>& message);

    /**
     * @param sum contributions, one of each at least
     * @return the sum of the first of each, which are gone then; null if they do not fit each
     *         other, which is a fault
     */
    std::shared_ptr<Message> AddUp(SwitchSum& sum);

    /**
     * @param member the receiver
     * @param pipeline of which pipeline
     * @param transfer the transfer
     * @return false if its message is not there yet
     */
    bool Receive(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * @param member the receiver
     * @param pipeline of which pipeline
     * @param transfer the transfer
     * @param message what has come
     */
    void Store(uint32_t member,
               uint32_t pipeline,
               const CollectiveTransfer& transfer,
               const Message& message);

    /**
     * @param member the receiver
     * @param pipeline of which pipeline
     * @param transfer a receive
     * @return where its message comes from
     */
    Route GetRoute(uint32_t member, uint32_t pipeline, const CollectiveTransfer& transfer) const;

    /**
     * @param route where it goes
     * @param message a message
     */
    void Deliver(const Route& route, const std::shared_ptr<Message>& message);

    /**
     * Let go of the senders of messages whose receives are posted.
     *
     * @param route from where to where
     */
    void Release(const Route& route);

    /**
     * Have a message take slots, if there are enough.
     *
     * @param room the room of its connection
     * @param message the message
     * @return whether there were
     */
    bool TakeSlots(Room& room, Message& message) const;

    /**
     * @return what is wrong when nobody can go on; none = all have come to their end
     */
    std::optional<CollectiveFault> FindOpen() const;

    /**
     * @param member a member
     * @param pipeline a pipeline of it that cannot go on
     * @return what it waits for, and whether nobody else is to blame for it
     */
    std::pair<CollectiveFault, bool> DescribeWait(uint32_t member, uint32_t pipeline) const;

    /**
     * @param member a member
     * @param pipeline a pipeline of it
     * @return number of the step that it is in, counted from 0
     */
    uint64_t GetStep(uint32_t member, uint32_t pipeline) const;

    /**
     * @param pipeline a pipeline
     * @param step a step of it
     * @return it in words
     */
    static std::string DescribeStep(uint32_t pipeline, uint64_t step);

    /**
     * @param message a message
     * @return who sends it, in words
     */
    static std::string DescribeSender(const Message& message);

    /**
     * Note a fault, if it is the first one.
     *
     * @param member who is at fault
     * @param pipeline in which pipeline
     * @param part which bytes
     * @param expected what should be
     * @param found what is
     */
    void Fail(uint32_t member,
              uint32_t pipeline,
              const BufferPart& part,
              const std::string& expected,
              const std::string& found);

    /// Stands for the switches of the network.
    static constexpr uint32_t NETWORK = UINT32_MAX;

    std::vector<CollectiveCall> m_calls;           //!< by member
    CollectiveSlots m_slots;                       //!< room of a connection
    bool m_isReversed;                             //!< whether the last one that may goes on
    bool m_isApart;                                //!< whether receives have memory of their own
    bool m_hasPlaces{true};                        //!< whether transfers say where bytes stand
    SymbolicSums m_sums;                           //!< sets of members
    std::vector<SymbolicMemory> m_inputs;          //!< by member
    std::vector<SymbolicMemory> m_outputs;         //!< by member, if apart
    std::vector<uint32_t> m_known;                 //!< of whom each has heard, in a barrier
    std::vector<CollectiveTraffic> m_traffic;      //!< by member
    std::vector<std::vector<Progress>> m_progress; //!< by member and pipeline
    std::vector<std::map<uint32_t, std::vector<uint32_t>>> m_listeners; //!< pipelines of a member
                                                                        //!< by the peers' number
    std::vector<std::set<uint32_t>> m_blocked; //!< by member: pipelines that wait for others of it
    std::map<Route, Traffic> m_messages;       //!< by where they go
    std::map<Connection, Room> m_rooms;        //!< by connection
    std::map<Route, SwitchSum> m_switchSums;   //!< by server, receiver and pipeline
    std::map<uint32_t, std::set<uint32_t>> m_heads;    //!< who speaks to the network, by pipeline
    std::deque<std::pair<uint32_t, uint32_t>> m_ready; //!< members and pipelines that may go on
    uint64_t m_count{0};                               //!< messages sent
    std::optional<std::pair<uint32_t, uint64_t>> m_watched; //!< a member and a place of it
    std::string m_writer;                                   //!< the step that wrote there last
    std::optional<CollectiveFault> m_fault;                 //!< the first one
};

} // namespace ns3

#endif /* SYMBOLIC_RUN_H */
