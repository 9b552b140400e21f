/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-application.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ReplayApplication");

NS_OBJECT_ENSURE_REGISTERED(ReplayApplication);

TypeId
ReplayApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ReplayApplication")
            .SetParent<Application>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<ReplayApplication>()
            .AddAttribute("Iterations",
                          "How often the rank runs its program.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&ReplayApplication::m_iterations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ComputeScale",
                          "Factor of the time of every compute op; above 1 on a straggler.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&ReplayApplication::SetComputeScale,
                                             &ReplayApplication::GetComputeScale),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddAttribute("ComputeJitter",
                          "Standard deviation of the time of a compute op as a share of its mean, "
                          "which stays what it is without jitter. Each execution draws a "
                          "log-normal factor. 0 = no variation, and nothing is drawn.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ReplayApplication::SetComputeJitter,
                                             &ReplayApplication::GetComputeJitter),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("Multiprocessors",
                          "Streaming multiprocessors of the accelerator, of which kernels of "
                          "communication take one for each of their channels from computations "
                          "beside them; 0 = none, as for measured times. ServerShare and "
                          "NetworkShare count for kernels whose channels are not known.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ReplayApplication::SetMultiprocessors,
                                               &ReplayApplication::GetMultiprocessors),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ServerShare",
                          "Share of the accelerator that kernels of communication within a server "
                          "take from computations beside them; 0 = none, as for measured times. "
                          "Calculon has 0.15 (systems/h100_80g_nvl8.json, processor_usage).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ReplayApplication::SetShare<ComputeClock::SERVER>,
                                             &ReplayApplication::GetShare<ComputeClock::SERVER>),
                          MakeDoubleChecker<double>(0, ComputeClock::MAX_SHARE))
            .AddAttribute("NetworkShare",
                          "The same of communication that goes beyond the server; the larger share "
                          "counts when both run. Calculon has 0.02.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ReplayApplication::SetShare<ComputeClock::NETWORK>,
                                             &ReplayApplication::GetShare<ComputeClock::NETWORK>),
                          MakeDoubleChecker<double>(0, ComputeClock::MAX_SHARE))
            .AddAttribute("Transport",
                          "What moves the messages of the rank, for Config paths.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ReplayApplication::m_transport),
                          MakePointerChecker<MessageTransport>())
            .AddAttribute("Reuse",
                          "What knows the collectives of all ranks that are reused, for Config "
                          "paths; null = none are.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ReplayApplication::m_reuse),
                          MakePointerChecker<CollectiveReuse>())
            .AddTraceSource("OpFinished",
                            "An op has finished.",
                            MakeTraceSourceAccessor(&ReplayApplication::m_opTrace),
                            "ns3::ReplayApplication::OpTracedCallback")
            .AddTraceSource("CollectiveFinished",
                            "A collective has finished on this rank.",
                            MakeTraceSourceAccessor(&ReplayApplication::m_collectiveTrace),
                            "ns3::ReplayApplication::CollectiveTracedCallback")
            .AddTraceSource("IterationFinished",
                            "All ops of an iteration have finished.",
                            MakeTraceSourceAccessor(&ReplayApplication::m_iterationTrace),
                            "ns3::ReplayApplication::IterationTracedCallback");
    return tid;
}

ReplayApplication::ReplayApplication()
    : m_finishCollective(MakeCallback(&ReplayApplication::FinishCollective, this))
{
    NS_LOG_FUNCTION(this);
}

void
ReplayApplication::Setup(std::shared_ptr<const Workload> workload,
                         uint32_t rank,
                         Ptr<MessageTransport> transport,
                         Ptr<const CollectiveSelection> algorithms,
                         std::shared_ptr<const RankPlacement> placement)
{
    NS_LOG_FUNCTION(this << rank);
    m_workload = std::move(workload);
    m_program = &m_workload->GetProgram(rank);
    m_account.Setup(*m_program);
    m_rank = rank;
    m_transport = transport;
    m_plans.SetSelection(algorithms);
    // A LogGopsHost has rules of its own: scheduler, clock and messenger stay unused.
    if (m_program->UsesResources())
    {
        m_logGopsHost = CreateObject<LogGopsHost>();
        m_logGopsHost->Setup(m_workload,
                             rank,
                             transport,
                             m_computeTime,
                             MakeCallback(&OpAccount::Start, &m_account),
                             MakeCallback(&ReplayApplication::ResourceOpFinished, this),
                             MakeCallback(&ReplayApplication::Fail, this));
        return;
    }
    m_accelerator.GetClock().SetCallback(MakeCallback(&ReplayApplication::FinishOp, this));
    m_tracks.Setup(*m_program);
    m_messenger.Setup(m_workload, rank, transport, std::move(placement), *this);
}

void
ReplayApplication::SetReuse(Ptr<CollectiveReuse> reuse)
{
    NS_LOG_FUNCTION(this << reuse);
    m_reuse = reuse;
}

void
ReplayApplication::SetFaultCallback(FaultCallback callback)
{
    m_fault = callback;
}

int64_t
ReplayApplication::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_computeTime.SetStream(stream);
    return 1;
}

uint32_t
ReplayApplication::GetRank() const
{
    return m_rank;
}

bool
ReplayApplication::IsFinished() const
{
    return m_iteration == m_iterations;
}

uint64_t
ReplayApplication::GetExpectedBytes() const
{
    return m_iterations * m_plans.CountExpectedBytes(*m_program);
}

ReceivedData
ReplayApplication::GetReceived() const
{
    ReceivedData received;
    received.bytes =
        m_logGopsHost ? m_logGopsHost->GetReceivedBytes() : m_messenger.GetReceivedBytes();
    received.unclaimed = m_messenger.CountUnreceived();
    return received;
}

uint64_t
ReplayApplication::GetExpectedMessages(CollectiveMessageCount& counts) const
{
    return m_iterations * m_plans.CountExpectedMessages(*m_program, counts);
}

uint64_t
ReplayApplication::GetExpectedOps() const
{
    return static_cast<uint64_t>(m_program->GetOps().size()) * m_iterations;
}

uint64_t
ReplayApplication::GetFinishedOps() const
{
    return m_finishedOps;
}

std::vector<WaitRecord>
ReplayApplication::GetWaits() const
{
    if (m_logGopsHost && !IsFinished())
    {
        return m_logGopsHost->GetWaits();
    }
    std::vector<WaitRecord> waits;
    if (!IsFinished())
    {
        for (const auto track : m_tracks.GetBusy())
        {
            waits.push_back(
                m_messenger.DescribeWait(m_tracks.GetOp(track), m_tracks.GetSequence(track)));
        }
    }
    return waits;
}

void
ReplayApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    StopApplication();
    m_logGopsHost = nullptr;
    m_transport = nullptr;
    m_reuse = nullptr;
    m_plans.SetSelection(nullptr);
    m_fault = FaultCallback();
    Application::DoDispose();
}

void
ReplayApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_workload, "ReplayApplication::Setup() was not called");
    StartIteration();
}

void
ReplayApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_messenger.Close();
    if (m_logGopsHost)
    {
        m_logGopsHost->Close();
    }
    m_accelerator.GetClock().Close();
    m_tracks.Close([this](const CollectiveRun& run) {
        if (m_reuse)
        {
            // Its part goes with it: nothing of the communicator may be held back or skipped then.
            m_reuse->Close(m_messenger.GetCommunicatorId(run.GetCollective().op));
        }
    });
}

void
ReplayApplication::StartIteration()
{
    NS_LOG_INFO("rank " << m_rank << " begins iteration " << m_iteration);
    m_account.Begin();
    auto& scheduler = m_tracks.GetScheduler();
    m_logGopsHost ? m_logGopsHost->Begin() : scheduler.Begin();
    if (m_logGopsHost ? m_logGopsHost->IsDone() : scheduler.IsDone())
    {
        FinishIteration();
        return;
    }
    StartReadyOps();
}

void
ReplayApplication::FinishIteration()
{
    auto record = m_account.End();
    record.rank = m_rank;
    record.iteration = m_iteration++;
    m_iterationTrace(record);
    if (!IsFinished())
    {
        StartIteration();
    }
}

void
ReplayApplication::StartReadyOps()
{
    // Called from within the loop below by an op that ends at once: the loop goes on with what that
    // releases.
    if (m_starting)
    {
        return;
    }
    m_starting = true;
    while (!m_failed)
    {
        const auto track = m_tracks.TakeReady();
        if (!track)
        {
            break;
        }
        StartOp(*track);
    }
    m_starting = false;
}

void
ReplayApplication::StartOp(std::size_t track)
{
    auto& state = m_tracks.Get(track);
    const auto& op = m_tracks.GetOp(track);
    NS_LOG_LOGIC("rank " << m_rank << " starts " << m_program->GetName(op));
    state.start = Simulator::Now();
    m_account.Start(m_tracks.GetScheduler().GetCurrent(track));
    switch (op.kind)
    {
    case OpKind::COMPUTE:
        m_accelerator.GetClock().Start(track,
                                       m_computeTime.Draw(*m_program, op),
                                       !m_program->GetStreams()[op.stream].host);
        break;
    case OpKind::COLLECTIVE:
        StartCollective(track, op);
        break;
    case OpKind::SEND:
    case OpKind::RECV:
        if (m_reuse)
        {
            // A reservation lets messages of its own communicator pass, so that this one has to be
            // told of.
            m_reuse->Interrupt(m_messenger.GetCommunicatorId(op));
            m_reuse->StartBeside(m_rank, m_messenger.GetCommunicatorId(op));
        }
        state.taken = m_accelerator.StartMessage(*m_program, op);
        m_messenger.StartPointToPoint(track, op);
        break;
    }
}

void
ReplayApplication::StartCollective(std::size_t track, const WorkloadOp& op)
{
    const auto collective = m_messenger.OpenCollective(track, op);
    if (!collective)
    {
        return;
    }
    auto& state = m_tracks.Get(track);
    state.sequence = collective->sequence;
    state.run = std::make_unique<CollectiveRun>(*collective,
                                                m_plans.Find(op, collective->call),
                                                m_messenger,
                                                m_finishCollective);
    state.taken =
        m_accelerator.StartCollective(*m_program, op, state.run->GetPlan(), collective->call);
    const auto communicator = m_messenger.GetCommunicatorId(op);
    if (m_reuse)
    {
        // Held back: the run is started or skipped when it is known what the others do.
        if (m_reuse->Begin(communicator, *state.run))
        {
            return;
        }
        m_reuse->StartBeside(m_rank, communicator);
    }
    state.run->Start();
}

void
ReplayApplication::FinishCollective(std::size_t track)
{
    const auto* const run = m_tracks.FindRun(track);
    const auto& collective = run->GetCollective();
    if (!m_messenger.CloseCollective(collective))
    {
        return;
    }
    if (m_tracks.ErasePast(track))
    {
        // Its op has ended before its packets were simulated: nobody is notified twice.
        return;
    }
    auto& state = m_tracks.Get(track);
    const auto& plan = run->GetPlan();
    const auto communicator = m_messenger.GetCommunicatorId(collective.op);
    m_collectiveTrace({m_rank,
                       communicator,
                       collective.sequence,
                       collective.op.collective,
                       plan.GetName(),
                       plan.algorithm->GetChannels(plan.Complete(collective.call)),
                       collective.op.amount,
                       state.start,
                       Simulator::Now()});
    if (m_reuse)
    {
        // The run may have to be started after all, so that it is handed over and not destroyed: it
        // comes back with the payload that was taken for received, bytes.
        m_reuse->End(communicator, std::move(state.run), [this](auto past, uint64_t received) {
            m_messenger.Reopen(past->GetCollective(), received);
            m_tracks.AddPast(std::move(past));
        });
    }
    state.run.reset();
    FinishOp(track);
}

void
ReplayApplication::MessageReceived(std::size_t track, uint32_t pipeline, const Message& message)
{
    if (auto* const run = m_tracks.FindRun(track))
    {
        run->Received(pipeline);
        return;
    }
    m_tracks.Get(track).sentAt = message.postedAt;
    FinishOp(track);
}

void
ReplayApplication::MessageSent(std::size_t track)
{
    if (auto* const run = m_tracks.FindRun(track))
    {
        run->Sent();
        return;
    }
    FinishOp(track);
}

void
ReplayApplication::FinishOp(std::size_t track)
{
    auto& scheduler = m_tracks.GetScheduler();
    auto& state = m_tracks.Get(track);
    const auto op = scheduler.GetCurrent(track);
    m_accelerator.Stop(state.taken);
    const Time sentAt = state.sentAt;
    RecordOp(op, state.start, sentAt);
    if (scheduler.Finish(track))
    {
        // A compute stream that waits is charged to the op that has released it last.
        m_account.Release(op, sentAt);
    }
    if (scheduler.IsDone())
    {
        FinishIteration();
        return;
    }
    StartReadyOps();
}

void
ReplayApplication::RecordOp(WorkloadProgram::OpIndex op, Time start, Time sentAt)
{
    m_account.Finish(op, start, sentAt);
    m_opTrace({m_rank, m_iteration, m_program, op, start, Simulator::Now()});
    ++m_finishedOps;
}

void
ReplayApplication::ResourceOpFinished(WorkloadProgram::OpIndex op, Time start, Time sentAt)
{
    RecordOp(op, start, sentAt);
    m_account.Release(op, sentAt);
    if (m_logGopsHost->IsDone())
    {
        FinishIteration();
    }
}

void
ReplayApplication::Fail(const std::string& message)
{
    NS_LOG_FUNCTION(this << message);
    m_failed = true;
    m_messenger.Close();
    NS_ABORT_MSG_IF(m_fault.IsNull(), message);
    m_fault({m_rank, message});
}

} // namespace ns3
