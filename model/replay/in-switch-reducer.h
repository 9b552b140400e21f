/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IN_SWITCH_REDUCER_H
#define IN_SWITCH_REDUCER_H

#include "message-context.h"
#include "switch-reducer.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an NVSwitch does in the collectives of its server: adds up and sends on.
 *
 * SwitchTag says what is to be done with a message. The groups that the switch knows are the
 * members of each communicator that stand in its server.
 */
class InSwitchReducer : public SwitchReducer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    InSwitchReducer();
    ~InSwitchReducer() override;

    std::vector<uint32_t> GetAwaited(uint64_t context) const override;
    std::size_t CountPendingReductions() const override;

  private:
    /// The members of a communicator that stand in the server of this switch.
    struct Group
    {
        const std::vector<uint32_t>& all;     //!< ranks of the communicator
        const std::vector<uint32_t>& members; //!< by rail: indices among them
        uint32_t rail;                        //!< rail of the member that was asked for
    };

    /// The sums of one pipeline of a collective, one after another.
    struct Sums
    {
        std::vector<uint64_t> contributions; //!< by rail: how many to sums that are not complete
        std::deque<uint64_t> lengths;        //!< bytes of each sum that is not complete
        uint32_t contributors{0};            //!< members that have contributed to the first one
        uint32_t origin{0};                  //!< line of the program of the member that gets them

        /**
         * Add a contribution.
         *
         * @param group the members, and the one that contributes
         * @param bytes how much
         * @return true if the first sum is complete with it; it counts no longer
         */
        bool Add(const Group& group, uint64_t bytes);
    };

    /// A collective in which something waits here.
    struct PendingReduction
    {
        CollectiveSignature signature; //!< what the first message says that it is
        std::map<uint32_t, Sums> sums; //!< by tag; each awaits something
    };

    /**
     * @param context context of a collective
     * @param rank a member of its communicator that stands in the server
     * @return the group that it is in
     */
    Group FindGroup(uint64_t context, uint32_t rank) const;

    void DoReceive(const Message& message) override;

    /**
     * @param message a contribution
     * @return how long it takes until it can be added
     */
    Time QueueContribution(const Message& message);

    /**
     * Add a contribution, and send the sum if it is complete.
     *
     * @param message the contribution
     */
    void Add(Message message);

    /**
     * Send a message on to a member.
     *
     * @param message the message as it has come in
     * @param group the members of the server
     * @param rail rail of the member to send it to
     * @param contributor rail of the member that it is from, as the receiver sees it
     */
    void SendOn(Message message, const Group& group, uint32_t rail, uint32_t contributor);

    /**
     * @param message a message that has come in
     * @return true if it contradicts what others have said, which is reported
     */
    bool Contradicts(const Message& message);

    DataRate m_reductionRate; //!< rate at which contributions of a port are added; 0 = at once
    std::unordered_map<uint64_t, PendingReduction> m_pending; //!< by context; never iterated
    std::unordered_map<uint32_t, Time> m_freeAt; //!< by rank: when its contributions are added
};

} // namespace ns3

#endif /* IN_SWITCH_REDUCER_H */
