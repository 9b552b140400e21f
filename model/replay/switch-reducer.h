/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWITCH_REDUCER_H
#define SWITCH_REDUCER_H

#include "collective-signature.h"
#include "rank-placement.h"
#include "replay-records.h"

#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/message-transport.h"
#include "ns3/workload.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a switch does that takes part in collectives.
 *
 * It runs no program: each message says what is to be done with it. Like the switch in hardware, it
 * knows the groups that have been set up, and nothing of what they are about to do.
 *
 * What it receives and sends are messages of its own transport; it has an address among the ranks'
 * transports, see RankPlacement.
 */
class SwitchReducer : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SwitchReducer();
    ~SwitchReducer() override;

    /// Called for faults, such as members that contradict each other; the switch does nothing more
    /// afterwards.
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
     * @param callback what to do about faults; unset = abort the simulation
     */
    void SetFaultCallback(FaultCallback callback);

    /**
     * Describe what keeps sums from being complete, for reports.
     *
     * @param context context of a collective
     * @return ranks whose contributions are awaited in it, ascending, each once
     */
    virtual std::vector<uint32_t> GetAwaited(uint64_t context) const = 0;

    /**
     * @return collectives in which a contribution waits for others
     */
    virtual std::size_t CountPendingReductions() const = 0;

  protected:
    void DoDispose() override;

    /**
     * @return the job
     */
    const Workload& GetWorkload() const;

    /**
     * @return where the ranks stand
     */
    const RankPlacement& GetPlacement() const;

    /**
     * @return address of this switch
     */
    uint32_t GetAddress() const;

    /**
     * @return whether there was a fault, so that nothing more is done
     */
    bool HasFailed() const;

    /**
     * @param message a message of this switch to be sent
     */
    void Send(const Message& message);

    /**
     * Check what a member says of a collective. If it contradicts others, that is reported.
     *
     * @param context context of the collective
     * @param signature what the member says
     * @param other what another member has said
     * @return true if they agree
     */
    bool Agree(uint64_t context,
               const CollectiveSignature& signature,
               const CollectiveSignature& other);

    /**
     * Report a fault, and do nothing more.
     *
     * @param rank the rank that has found it, as far as others can see
     * @param text one line
     */
    void Fail(uint32_t rank, const std::string& text);

  private:
    /**
     * A message has come in. Not called after a fault.
     *
     * @param message the message
     */
    virtual void DoReceive(const Message& message) = 0;

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

    std::shared_ptr<const Workload> m_workload;       //!< the job
    std::shared_ptr<const RankPlacement> m_placement; //!< where the ranks stand
    uint32_t m_address{0};                            //!< address of this switch
    Ptr<MessageTransport> m_transport;                //!< moves messages
    FaultCallback m_fault;                            //!< called for faults
    bool m_failed{false};                             //!< nothing more is done
};

} // namespace ns3

#endif /* SWITCH_REDUCER_H */
