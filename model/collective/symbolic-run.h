/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_RUN_H
#define SYMBOLIC_RUN_H

#include "collective-algorithm.h"
#include "collective-fault.h"
#include "symbolic-buffers.h"
#include "symbolic-connections.h"
#include "symbolic-switches.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
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
     * @return what all members hold: what they bring, before Run(), and what they end with
     */
    SymbolicBuffers& GetBuffers();

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
    /// How far a pipeline has come.
    struct Progress
    {
        std::unique_ptr<ChunkPipeline> steps; //!< makes its steps; null = it is over
        CollectiveStep awaited;               //!< receives of the step under way
        std::size_t received{0};              //!< how many of them are complete
        std::vector<std::shared_ptr<SymbolicMessage>>
            sent;            //!< sends of it that are not known to have left
        uint64_t count{0};   //!< steps begun
        uint32_t channel{0}; //!< its channel
        uint32_t peer{0};    //!< number of the pipelines that it talks to
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
     * @param member the sender
     * @param pipeline of which pipeline
     * @param transfer the transfer
     * @return its message, which carries what stands in the memory now
     */
    std::shared_ptr<SymbolicMessage> MakeMessage(uint32_t member,
                                                 uint32_t pipeline,
                                                 const CollectiveTransfer& transfer);

    /**
     * @param pipeline of which pipeline
     * @param outcome what comes of a contribution to the sum of a switch
     */
    void DeliverSum(uint32_t pipeline, const SymbolicSwitches::Outcome& outcome);

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
     * @param transfer a receive
     * @return where its message comes from
     */
    SymbolicConnections::Route GetRoute(uint32_t member,
                                        uint32_t pipeline,
                                        const CollectiveTransfer& transfer) const;

    /**
     * @param route where it goes
     * @param message a message
     */
    void Deliver(const SymbolicConnections::Route& route,
                 const std::shared_ptr<SymbolicMessage>& message);

    /**
     * @param ready who may go on
     */
    void Resume(const SymbolicConnections::Pipelines& ready);

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
     * Note a fault, if it is the first one.
     *
     * @param pipeline in which pipeline of the member at fault: the step is the one that it is in
     * @param fault the fault, without its step; none = nothing is noted
     */
    void Fail(uint32_t pipeline, std::optional<CollectiveFault> fault);

    std::vector<CollectiveCall> m_calls;           //!< by member
    bool m_isReversed;                             //!< whether the last one that may goes on
    bool m_hasPlaces{true};                        //!< whether transfers say where bytes stand
    SymbolicBuffers m_buffers;                     //!< what members hold
    std::vector<uint32_t> m_known;                 //!< of whom each has heard, in a barrier
    std::vector<CollectiveTraffic> m_traffic;      //!< by member
    std::vector<std::vector<Progress>> m_progress; //!< by member and pipeline
    std::vector<std::set<uint32_t>> m_blocked; //!< by member: pipelines that wait for others of it
    SymbolicConnections m_connections;         //!< messages under way
    SymbolicSwitches m_switches;               //!< sums that switches make
    std::deque<std::pair<uint32_t, uint32_t>> m_ready; //!< members and pipelines that may go on
    uint64_t m_count{0};                               //!< messages sent
    std::optional<CollectiveFault> m_fault;            //!< the first one
};

} // namespace ns3

#endif /* SYMBOLIC_RUN_H */
