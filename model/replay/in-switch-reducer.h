/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IN_SWITCH_REDUCER_H
#define IN_SWITCH_REDUCER_H

#include "collective-signature.h"
#include "message-context.h"
#include "rank-placement.h"
#include "replay-records.h"

#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/workload.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an NVSwitch does in the collectives of its server: adds up and sends on.
 *
 * It runs no program: each message says what is to be done with it, see SwitchTag. Like the switch
 * in hardware, it knows the groups that have been set up, namely which members of a communicator
 * stand in its server, and nothing of what they are about to do.
 *
 * What it receives and sends are messages of its own transport; it has an address among the ranks'
 * transports, see RankPlacement.
 */
class InSwitchReducer : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    InSwitchReducer();
    ~InSwitchReducer() override;

    /// Called when members contradict each other; the switch does nothing more afterwards.
    using FaultCallback = Callback<void, const ReplayFault&>;

    /**
     * @param workload the job
     * @param placement where the ranks stand
     * @param address address of this switch among the transports
     * @param transport moves its messages
     */
    void Setup(std::shared_ptr<const Workload> workload,
               std::shared_ptr<const RankPlacement> placement,
               uint32_t address,
               Ptr<MessageTransport> transport);

    /**
     * @param callback what to do when members contradict each other; unset = abort the simulation
     */
    void SetFaultCallback(FaultCallback callback);

    /**
     * Tell what keeps sums from being complete, for reports.
     *
     * @param context context of a collective
     * @return ranks whose contributions are awaited in it, ascending, each once
     */
    std::vector<uint32_t> GetAwaited(uint64_t context) const;

    /**
     * @return collectives in which a contribution waits for others
     */
    std::size_t CountPendingReductions() const;

  protected:
    void DoDispose() override;

  private:
    /// The members of a communicator that stand in the server of this switch.
    struct Group
    {
        const std::vector<uint32_t>& all;     //!< ranks of the communicator
        const std::vector<uint32_t>& members; //!< by rail: indices among them
        uint32_t rail;                        //!< rail of the member that was asked for
    };

    /// The sums of one lane of a collective, one after another.
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

    /**
     * A message has come in.
     *
     * @param message the message
     */
    void MessageArrived(const Message& message);

    /**
     * A message of this switch is sent.
     *
     * @param cookie cookie of the message
     */
    void MessageSent(uint64_t cookie);

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
    std::shared_ptr<const Workload> m_workload;               //!< the job
    std::shared_ptr<const RankPlacement> m_placement;         //!< where the ranks stand
    uint32_t m_address{0};                                    //!< address of this switch
    Ptr<MessageTransport> m_transport;                        //!< moves messages
    FaultCallback m_fault;                                    //!< called for contradictions
    bool m_failed{false};                                     //!< nothing more is done
    std::unordered_map<uint64_t, PendingReduction> m_pending; //!< by context; never iterated
    std::unordered_map<uint32_t, Time> m_freeAt; //!< by rank: when its contributions are added
};

} // namespace ns3

#endif /* IN_SWITCH_REDUCER_H */
