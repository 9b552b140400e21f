/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOG_GOPS_HOST_H
#define LOG_GOPS_HOST_H

#include "compute-time.h"
#include "replay-records.h"
#include "wildcard-matcher.h"

#include "ns3/callback.h"
#include "ns3/log-gops-costs.h"
#include "ns3/log-gops-message-transport.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Runs the ops of a rank whose program needs CPUs and NICs: CPUs and NICs that ops need, as
 * in LogGOPSim.
 *
 * A computation needs its CPU for its time, a message the CPU of its sender and then that of its
 * receiver for the overhead that LogGopsCosts says. Who finds a CPU or NIC busy comes again when it
 * is free. What waits for an op is queued when that op's end is known, for the time of this end.
 *
 * Over a LogGopsMessageTransport messages need NICs too, and a message is received when it arrives,
 * also before its receive is posted. Over other transports messages are those of the transport,
 * handed to it after the overhead; what its NICs do, it knows itself, and a message is received
 * when it meets its receive.
 */
class LogGopsHost : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LogGopsHost();
    ~LogGopsHost() override;

    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /// An op has started.
    using StartedCallback = Callback<void, OpIndex>;

    /// An op has finished: when it had started and, of a receive, when its message was posted.
    using FinishedCallback = Callback<void, OpIndex, Time, Time>;

    /// Two ranks contradict each other: one line that names both.
    using FaultCallback = Callback<void, const std::string&>;

    /**
     * @param workload the job
     * @param rank the rank
     * @param transport moves its messages
     * @param computeTime says how long computations take; must outlive this object
     * @param started called for each op that starts
     * @param finished called for each op that finishes
     * @param fault called for contradictions
     */
    void Setup(std::shared_ptr<const Workload> workload,
               uint32_t rank,
               Ptr<MessageTransport> transport,
               ComputeTime& computeTime,
               StartedCallback started,
               FinishedCallback finished,
               FaultCallback fault);

    /// Begin an iteration: all ops wait again.
    void Begin();

    /// Start and report nothing more.
    void Close();

    /**
     * @return true if all ops of the iteration have finished
     */
    bool IsDone() const;

    /**
     * @return what the rank waits in: its ops that have started and not finished
     */
    std::vector<WaitRecord> GetWaits() const;

    /**
     * @return payload received so far, bytes
     */
    uint64_t GetReceivedBytes() const;

  protected:
    void DoDispose() override;

  private:
    /// A message that has arrived.
    struct Arrival
    {
        Message message; //!< the message
        Time received;   //!< when the CPU has done with it; not known before it meets its receive,
                         //!< unless the network is that of the LogGOPS model
    };

    /// Value of m_waiting of an op that has started.
    static constexpr uint32_t STARTED = UINT32_MAX - 1;

    /// Value of m_waiting of an op that has finished.
    static constexpr uint32_t FINISHED = UINT32_MAX;

    /// Times at which CPUs or NICs are free, by number; absent = always been.
    using FreeTimes = std::map<uint16_t, Time>;

    /**
     * @param op an op
     * @return the op
     */
    const WorkloadOp& GetOp(OpIndex op) const;

    /**
     * An op may start now, if what it needs is free.
     *
     * @param op the op
     */
    void Try(OpIndex op);

    /**
     * @param index a SEND that starts
     */
    void StartSend(OpIndex index);

    /**
     * Hand a message over to the transport.
     *
     * @param index its SEND
     */
    void PassOn(OpIndex index);

    /**
     * @param index a RECV that is posted
     */
    void StartReceive(OpIndex index);

    /**
     * An op starts.
     *
     * @param index the op
     */
    void Start(OpIndex index);

    /**
     * The end of an op is known.
     *
     * @param index the op
     * @param end when it finishes, not before now
     */
    void EndAt(OpIndex index, Time end);

    /**
     * An op finishes.
     *
     * @param index the op
     * @param sentAt of a receive, when its message was posted
     */
    void Finish(OpIndex index, Time sentAt);

    /**
     * Satisfy an edge of each op given.
     *
     * @param ops the ops
     * @param time when the edge lets them start
     */
    void Free(WorkloadProgram::Successors ops, Time time);

    /// Queue those that wait for no other op any more: sends first, computations last.
    void QueueFreed();

    /**
     * The transport has sent a message.
     *
     * @param cookie its SEND
     */
    void MessageSent(uint64_t cookie);

    /**
     * A message has arrived.
     *
     * @param message the message
     */
    void MessageArrived(const Message& message);

    /**
     * A message has arrived by the network of the LogGOPS model: receive it if CPU and NIC are
     * free, whether or not a receive is posted.
     *
     * @param message the message
     */
    void ReceiveInModel(const Message& message);

    /**
     * A message and its receive have met: have the CPU deal with it if it is free.
     *
     * @param index the RECV
     * @param message the message
     */
    void Receive(OpIndex index, const Message& message);

    /**
     * A message and its receive have met.
     *
     * @param index the RECV
     * @param message the message
     * @return whether its size is right; if not, the job has failed
     */
    bool CheckSize(OpIndex index, const Message& message);

    /**
     * A receive is complete, or will be.
     *
     * @param index the RECV
     * @param message its message
     * @param end when it is
     */
    void Complete(OpIndex index, const Message& message, Time end);

    bool m_matchSizes{true};                    //!< a message must be as long as its receive says
    std::shared_ptr<const Workload> m_workload; //!< the job
    const WorkloadProgram* m_program{nullptr};  //!< the rank's program, held by m_workload
    uint32_t m_rank{0};                         //!< the rank
    Ptr<MessageTransport> m_transport;          //!< moves messages
    Ptr<LogGopsMessageTransport> m_model;       //!< the same, if it is that of the LogGOPS model
    Ptr<const LogGopsCosts> m_costs;            //!< what messages cost
    ComputeTime* m_computeTime{nullptr};        //!< says how long computations take
    StartedCallback m_started;                  //!< called for ops that start
    FinishedCallback m_finished;                //!< called for ops that finish
    FaultCallback m_fault;                      //!< called for contradictions
    bool m_isClosed{false};                     //!< nothing starts any more
    std::vector<uint32_t> m_waiting;            //!< by op: edges not yet satisfied, or what it is
    std::vector<Time> m_times;    //!< by op: when it may start; started: when it has started
    std::vector<OpIndex> m_freed; //!< see QueueFreed()
    std::size_t m_unfinished{0};  //!< ops of the iteration not finished
    FreeTimes m_cpus;             //!< CPUs
    FreeTimes m_sendNics;         //!< NICs as they send
    FreeTimes m_receiveNics;      //!< NICs as they receive
    std::map<uint16_t, uint64_t> m_carries; //!< by CPU: time below the time resolution, ps
    WildcardMatcher<OpIndex> m_posted;      //!< receives without a message
    WildcardMatcher<Arrival> m_arrived;     //!< messages without a receive
    uint64_t m_receivedBytes{0};            //!< payload received so far
};

} // namespace ns3

#endif /* LOG_GOPS_HOST_H */
