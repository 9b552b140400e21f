/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_APPLICATION_H
#define REPLAY_APPLICATION_H

#include "collective-plans.h"
#include "collective-reuse.h"
#include "collective-run.h"
#include "compute-time.h"
#include "log-gops-host.h"
#include "rank-accelerator.h"
#include "rank-messenger.h"
#include "replay-records.h"
#include "replay-tracks.h"
#include "time-account.h"

#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/collective-message-count.h"
#include "ns3/collective-selection.h"
#include "ns3/message-transport.h"
#include "ns3/traced-callback.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <vector>

/**
 * @ingroup workload-replay
 * @brief Stands after AssignStreams() of an application, which overrides that of Application from
 *        ns-3.42 on; the header tested for came with that release.
 */
#if __has_include("ns3/application-helper.h")
#define WORKLOAD_REPLAY_ASSIGN_STREAMS_OVERRIDE override
#else
#define WORKLOAD_REPLAY_ASSIGN_STREAMS_OVERRIDE
#endif

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Runs the program of one rank: streams, dependencies, collectives and messages.
 *
 * The application acts on its own program and on the messages that reach it, on nothing else, so
 * that ranks may run in different processes. An op starts when its stream lets it (StreamOrder) and
 * all its edges are satisfied; different streams overlap.
 *
 * Where the attributes Multiprocessors, ServerShare and NetworkShare say so, computations are
 * slower while communication of the rank runs beside them (ComputeClock): collectives, and messages
 * between two ranks, each from its start on its stream, which is when its kernel occupies the
 * accelerator, to its end, waiting for other ranks included. Work of the host neither slows nor is
 * slowed, and programs that need CPUs and NICs know no accelerator.
 */
class ReplayApplication : public Application, private RankMessenger::Owner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReplayApplication();

    /// Called when ranks contradict each other; the application does nothing more afterwards.
    using FaultCallback = Callback<void, const ReplayFault&>;

    /**
     * Say what to run. To be called before the application starts.
     *
     * @param workload the job
     * @param rank the rank this application is
     * @param transport moves the messages of this rank
     * @param algorithms how collectives are carried out, the same for all ranks
     * @param placement where the ranks stand, the same for all ranks; null = all in one place
     */
    void Setup(std::shared_ptr<const Workload> workload,
               uint32_t rank,
               Ptr<MessageTransport> transport,
               Ptr<const CollectiveSelection> algorithms,
               std::shared_ptr<const RankPlacement> placement = nullptr);

    /**
     * Have collectives reused. To be called before the application starts.
     *
     * @param reuse knows the collectives of the job, the same for all ranks; null = all are
     *              simulated
     */
    void SetReuse(Ptr<CollectiveReuse> reuse);

    /**
     * @param callback what to do when ranks contradict each other; unset = abort the simulation
     */
    void SetFaultCallback(FaultCallback callback);

    /**
     * Fix the random numbers that jitter is drawn from.
     *
     * @param stream index of the first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream) WORKLOAD_REPLAY_ASSIGN_STREAMS_OVERRIDE;

    /**
     * @return the rank this application is
     */
    uint32_t GetRank() const;

    /**
     * @return true if all iterations have finished
     */
    bool IsFinished() const;

    /**
     * @return what an unfinished rank waits in, one record per op that does; empty if finished
     */
    std::vector<WaitRecord> GetWaits() const;

    /**
     * @return bytes that all iterations of the rank receive
     */
    uint64_t GetExpectedBytes() const;

    /**
     * @return what has come so far
     */
    ReceivedData GetReceived() const;

    /**
     * @param [in,out] counts counts messages of collectives; to be shared by the ranks of a job
     * @return messages that all iterations of the rank receive, as near as counts allows
     */
    uint64_t GetExpectedMessages(CollectiveMessageCount& counts) const;

    /**
     * @return ops of all iterations of the rank
     */
    uint64_t GetExpectedOps() const;

    /**
     * @return ops finished so far, in all iterations
     */
    uint64_t GetFinishedOps() const;

    /**
     * TracedCallback signature for finished ops.
     *
     * @param [in] record the op
     */
    typedef void (*OpTracedCallback)(const OpRecord& record);

    /**
     * TracedCallback signature for collectives finished on this member.
     *
     * @param [in] record the collective
     */
    typedef void (*CollectiveTracedCallback)(const CollectiveRecord& record);

    /**
     * TracedCallback signature for finished iterations.
     *
     * @param [in] record the iteration
     */
    typedef void (*IterationTracedCallback)(const IterationRecord& record);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Begin an iteration: all ops wait again.
    void StartIteration();

    /// Record the iteration, and begin the next one if there is one.
    void FinishIteration();

    /// Start what can start, until nothing can.
    void StartReadyOps();

    /**
     * @param track the track of an op that starts
     */
    void StartOp(std::size_t track);

    /**
     * An op of a program that needs CPUs and NICs has finished.
     *
     * @param op the op
     * @param start when it had started
     * @param sentAt of a receive, when its message was posted
     */
    void ResourceOpFinished(WorkloadProgram::OpIndex op, Time start, Time sentAt);

    /**
     * @param track the track; its op is a collective
     * @param op the op
     */
    void StartCollective(std::size_t track, const WorkloadOp& op);

    /**
     * The track's op has finished: start what then can start.
     *
     * @param track the track
     */
    void FinishOp(std::size_t track);

    /**
     * Record that an op has finished.
     *
     * @param op the op
     * @param start when it had started
     * @param sentAt of a receive, when its message was posted
     */
    void RecordOp(WorkloadProgram::OpIndex op, Time start, Time sentAt);

    void MessageReceived(std::size_t track, uint32_t pipeline, const Message& message) override;
    void MessageSent(std::size_t track) override;

    /**
     * The track's collective is complete: record it and finish its op.
     *
     * @param track the track
     */
    void FinishCollective(std::size_t track);

    void Fail(const std::string& message) override;

    /// @param scale factor of all compute times
    void SetComputeScale(double scale)
    {
        m_computeTime.scale = scale;
    }

    /// @return factor of all compute times
    double GetComputeScale() const
    {
        return m_computeTime.scale;
    }

    /// @param deviation standard deviation of compute times, of 1
    void SetComputeJitter(double deviation)
    {
        m_computeTime.deviation = deviation;
    }

    /// @return standard deviation of compute times, of 1
    double GetComputeJitter() const
    {
        return m_computeTime.deviation;
    }

    /// @param multiprocessors multiprocessors of the accelerator
    void SetMultiprocessors(uint32_t multiprocessors)
    {
        m_accelerator.GetClock().SetMultiprocessors(multiprocessors);
    }

    /// @return multiprocessors of the accelerator
    uint32_t GetMultiprocessors() const
    {
        return m_accelerator.GetClock().GetMultiprocessors();
    }

    /// @param share share of the accelerator that communication of that reach takes
    template <ComputeClock::Reach reach>
    void SetShare(double share)
    {
        m_accelerator.GetClock().SetShare(reach, share);
    }

    /// @return share of the accelerator that communication of that reach takes
    template <ComputeClock::Reach reach>
    double GetShare() const
    {
        return m_accelerator.GetClock().GetShare(reach);
    }

    std::shared_ptr<const Workload> m_workload; //!< the job
    const WorkloadProgram* m_program{nullptr};  //!< this rank's program, held by m_workload
    uint32_t m_rank{0};                         //!< this rank
    Ptr<MessageTransport> m_transport;          //!< moves messages, see RankMessenger
    Ptr<CollectiveReuse> m_reuse;               //!< knows collectives; null = nothing does
    FaultCallback m_fault;                      //!< called on contradictions
    uint32_t m_iterations{1};                   //!< iterations to run
    ComputeTime m_computeTime;                  //!< says how long computations take alone
    uint32_t m_iteration{0};                    //!< iteration now running; m_iterations = done
    bool m_failed{false};                       //!< a contradiction was found
    ReplayTracks m_tracks;                      //!< what it is doing, and may begin
    const CollectiveRun::DoneCallback m_finishCollective; //!< made once, as it takes allocations
    Ptr<LogGopsHost> m_logGopsHost; //!< runs the ops of a program that needs CPUs and NICs; or null
    uint64_t m_finishedOps{0};      //!< ops finished in all iterations
    RankMessenger m_messenger;      //!< speaks for the rank
    RankAccelerator m_accelerator{m_messenger}; //!< runs its computations
    CollectivePlans m_plans{m_messenger};       //!< how its collectives are carried out
    OpAccount m_account;                        //!< where the time of the iteration goes
    bool m_starting{false};                     //!< StartReadyOps() is at work
    TracedCallback<const OpRecord&> m_opTrace;  //!< an op has finished
    TracedCallback<const CollectiveRecord&> m_collectiveTrace; //!< a collective has finished
    TracedCallback<const IterationRecord&> m_iterationTrace;   //!< an iteration has finished
};

} // namespace ns3

#endif /* REPLAY_APPLICATION_H */
