/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_CONNECTIONS_H
#define SYMBOLIC_CONNECTIONS_H

#include "collective-fault.h"
#include "symbolic-memory.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param pipeline a pipeline
 * @param step a step of it
 * @return it in words
 */
std::string DescribeSymbolicStep(uint32_t pipeline, uint64_t step);

/**
 * @ingroup workload-replay
 * @brief A message that carries symbolic data.
 */
struct SymbolicMessage
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

    /**
     * @return who sends it, in words
     */
    std::string DescribeSender() const;
};

/**
 * @ingroup workload-replay
 * @brief Messages under way between the pipelines of a SymbolicRun, and the room for them.
 *
 * Its functions return which pipelines may go on then, in the order in which they should be tried.
 */
class SymbolicConnections
{
  public:
    /// Source, destination and pipeline there.
    using Route = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// Members and pipelines of theirs.
    using Pipelines = std::vector<std::pair<uint32_t, uint32_t>>;

    /// As a source, stands for the switches of the network.
    static constexpr uint32_t NETWORK = UINT32_MAX;

    /// Sender of the sums of NVSwitches: each member has one for what it is sent.
    static constexpr uint32_t SUM = UINT32_MAX - 1;

    /**
     * @param size number of members
     * @param slots room of a connection
     */
    SymbolicConnections(uint32_t size, const CollectiveSlots& slots);

    /**
     * @return room of a connection
     */
    const CollectiveSlots& GetSlots() const;

    /**
     * Have a pipeline go on when a message has come for it.
     *
     * @param member its member
     * @param pipeline the pipeline
     * @param peer number of the pipelines that it talks to
     */
    void Listen(uint32_t member, uint32_t pipeline, uint32_t peer);

    /**
     * @param route where it goes, to a member
     * @param message a message
     * @return who may go on
     */
    Pipelines Deliver(const Route& route, const std::shared_ptr<SymbolicMessage>& message);

    /**
     * Note a receive that waits for its message.
     *
     * @param route from where to where
     * @return who may go on
     */
    Pipelines Post(const Route& route);

    /**
     * Complete a receive that has been posted.
     *
     * @param route from where to where
     * @return the next message, which is no longer under way; null = it is not there yet
     */
    std::shared_ptr<SymbolicMessage> Take(const Route& route);

    /**
     * @return what is wrong with messages that nobody has received; none = there are none
     */
    std::optional<CollectiveFault> FindLeft() const;

  private:
    /// Source, destination and channel.
    using Connection = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// What a receiver of a connection has room for.
    struct Room
    {
        uint64_t used{0}; //!< slots in use
        std::list<std::pair<Route, std::shared_ptr<SymbolicMessage>>>
            waiting; //!< what there is none for
    };

    /// Messages from one pipeline to another one.
    struct Traffic
    {
        std::list<std::shared_ptr<SymbolicMessage>> messages; //!< under way
        uint64_t posted{0};                                   //!< receives that wait for them
    };

    /**
     * Let go of the senders of messages whose receives are posted.
     *
     * @param route from where to where
     * @return who may go on
     */
    Pipelines Release(const Route& route);

    /**
     * Have a message take slots, if there are enough.
     *
     * @param room the room of its connection
     * @param message the message
     * @return whether there were
     */
    bool TakeSlots(Room& room, SymbolicMessage& message) const;

    CollectiveSlots m_slots;                                            //!< room of a connection
    std::vector<std::map<uint32_t, std::vector<uint32_t>>> m_listeners; //!< pipelines of a member
                                                                        //!< by the peers' number
    std::map<Route, Traffic> m_messages;                                //!< by where they go
    std::map<Connection, Room> m_rooms;                                 //!< by connection
};

} // namespace ns3

#endif /* SYMBOLIC_CONNECTIONS_H */
