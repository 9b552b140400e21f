/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_REUSE_H
#define COLLECTIVE_REUSE_H

#include "communicator-reuse.h"
#include "rank-placement.h"

#include "ns3/collective-algorithm.h"
#include "ns3/message-transport.h"
#include "ns3/object.h"
#include "ns3/port-isolation.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"
#include "ns3/workload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class CollectiveRun;

/**
 * @ingroup workload-replay
 * @brief Collectives that had their ports to themselves, simulated once and reused exactly.
 *
 * It serves the ranks of a process that simulates the whole fabric, on CatchUpSimulatorImpl; else
 * nothing is reused. It only saves work: what it knows of the ranks, none of them acts on. For how,
 * see CommunicatorReuse. An outcome serves all communicators of the same shape, which is what their
 * ports are like and where their members stand in them, and all calls of the same kind, bytes, way
 * and gaps between their members' beginnings.
 */
class CollectiveReuse : public Object, public CommunicatorReuse::Host
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// What moves messages; null = another process has it.
    using Transports = std::vector<Ptr<MessageTransport>>;

    /**
     * @param call a collective
     * @return whether it ends for all members by the last one's beginning and what that brings:
     *         else a member may end before others begin, or members differ in what they call
     */
    static bool CanReuse(const CollectiveCall& call);

    CollectiveReuse();
    ~CollectiveReuse() override;

    /**
     * @param workload the job
     * @param placement where its ranks stand; null = all in one place
     * @param isolation watches what else moves in their ports
     */
    void Setup(std::shared_ptr<const Workload> workload,
               std::shared_ptr<const RankPlacement> placement,
               Ptr<PortIsolation> isolation);

    /**
     * Have collectives simulated each time whose messages somebody listens to, see
     * MessageTransport::HasListeners(). To be called before the first collective.
     *
     * @param ranks what moves the messages of each rank
     * @param switches what moves those of switches that take part in collectives
     */
    void SetTransports(const Transports& ranks, const Transports& switches);

    /**
     * A member begins a collective.
     *
     * @param communicator id of the communicator
     * @param run its part, which will be started or skipped unless Close() is called before
     * @return whether that will happen; else it is to be started now
     */
    bool Begin(uint32_t communicator, CollectiveRun& run);

    /**
     * A member has ended a collective.
     *
     * @param communicator id of the communicator
     * @param run its part
     * @param takeBack takes its part back, if it was skipped and is started after all
     */
    void End(uint32_t communicator,
             std::unique_ptr<CollectiveRun> run,
             const CommunicatorReuse::TakeBack& takeBack);

    /**
     * A member is about to send a message beside collectives.
     *
     * @param communicator id of the communicator
     */
    void Interrupt(uint32_t communicator);

    /**
     * A rank is about to start something of one of its communicators.
     *
     * @param rank the rank
     * @param communicator id of the communicator
     */
    void StartBeside(uint32_t rank, uint32_t communicator);

    /**
     * A member does nothing more.
     *
     * @param communicator id of the communicator
     */
    void Close(uint32_t communicator);

    /**
     * @param treatment a treatment
     * @return collectives treated like that so far
     */
    uint64_t GetN(Treatment treatment) const
    {
        return m_counts[treatment];
    }

    /**
     * @return collectives that were simulated as somebody listens to their messages or ports
     */
    uint64_t GetNObserved() const
    {
        return m_observed;
    }

    /**
     * TracedCallback signature for messages that would have been sent.
     *
     * @param [in] communicator id of their communicator
     * @param [in] messages the messages
     */
    typedef void (*SkippedTracedCallback)(uint32_t communicator,
                                          const PortIsolation::MessageGroup& messages);

    void AddCounters(uint32_t communicator, Time since, const CollectiveOutcome& outcome) override;
    bool IsObserved(const PortIsolation::Ranks& ranks) override;
    void Count(Treatment treatment) override;
    PortIsolation& GetIsolation() const override;
    std::shared_ptr<CollectiveOutcome>& GetOutcome(const std::string& key) override;
    void Forget(const std::string& key) override;
    void CatchUp(Time since, const std::function<void()>& begin) const override;
    void ScheduleLast(Ptr<EventImpl> event) const override;

  protected:
    void DoDispose() override;

  private:
    /**
     * @param id id of a communicator
     * @return the communicator
     */
    CommunicatorReuse& Find(uint32_t id);

    /**
     * A rank begins something.
     *
     * @param rank the rank
     * @return whether it has begun nothing else at this very time
     */
    bool NoteBegin(uint32_t rank);

    /**
     * @param id id of a communicator
     * @return stands for what its collectives depend on beside the call; empty = they cannot be
     *         reused
     */
    std::string FindShape(uint32_t id);

    std::shared_ptr<const Workload> m_workload;       //!< the job
    std::shared_ptr<const RankPlacement> m_placement; //!< where ranks stand; null = in one place
    Ptr<PortIsolation> m_isolation;                   //!< watches what moves in ports
    Transports m_ranks;                               //!< what moves messages of ranks
    Transports m_switches;  //!< what moves those of switches that take part
    uint64_t m_observed{0}; //!< collectives that somebody listens to
    std::vector<std::unique_ptr<CommunicatorReuse>> m_communicators; //!< by id; null = not yet
    std::unordered_map<uint32_t, Time> m_begunAt; //!< by rank: when it has begun something
    /// By key; never walked.
    std::unordered_map<std::string, std::shared_ptr<CollectiveOutcome>> m_outcomes;
    std::unordered_map<std::string, std::size_t> m_shapes; //!< their numbers
    std::array<uint64_t, NOTHING + 1> m_counts{};          //!< by treatment
    /// Messages would have been sent.
    TracedCallback<uint32_t, const PortIsolation::MessageGroup&> m_skippedTrace;
};

} // namespace ns3

#endif /* COLLECTIVE_REUSE_H */
