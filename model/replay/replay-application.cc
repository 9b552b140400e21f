/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-application.h"

#include "replay-forecast.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
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
                          MakeDoubleAccessor(&ReplayApplication::m_computeScale),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddAttribute("ComputeJitter",
                          "Standard deviation of the time of a compute op as a share of its mean, "
                          "which stays what it is without jitter. Each execution draws a "
                          "log-normal factor. 0 = no variation, and nothing is drawn.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ReplayApplication::m_computeJitter),
                          MakeDoubleChecker<double>(0, 100))
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
    : m_jitter(CreateObject<LogNormalRandomVariable>())
{
    NS_LOG_FUNCTION(this);
}

ReplayApplication::~ReplayApplication()
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
    m_rank = rank;
    m_algorithms = algorithms;
    m_tracks.resize(m_program->GetStreams().size());
    m_scheduler.Setup(*m_program);
    m_messenger.Setup(m_workload,
                      rank,
                      transport,
                      std::move(placement),
                      MakeCallback(&ReplayApplication::MessageReceived, this),
                      MakeCallback(&ReplayApplication::MessageSent, this),
                      MakeCallback(&ReplayApplication::Fail, this));
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
    m_jitter->SetStream(stream);
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
    return m_iterations * CountExpectedBytes(*m_program, m_messenger, *m_algorithms);
}

uint64_t
ReplayApplication::GetReceivedBytes() const
{
    return m_messenger.GetReceivedBytes();
}

uint64_t
ReplayApplication::GetExpectedMessages(CollectiveMessageCount& counts) const
{
    return m_iterations * CountExpectedMessages(*m_program, m_messenger, *m_algorithms, counts);
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
    std::vector<WaitRecord> waits;
    for (std::size_t track = 0; track < m_tracks.size() && !IsFinished(); ++track)
    {
        if (m_scheduler.IsBusy(track))
        {
            const auto& op = GetCurrentOp(track);
            waits.push_back(m_messenger.DescribeWait(op, m_tracks[track].sequence));
        }
    }
    return waits;
}

void
ReplayApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    StopApplication();
    m_algorithms = nullptr;
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
    for (auto& track : m_tracks)
    {
        track.timer.Cancel();
        track.run.reset();
    }
}

void
ReplayApplication::StartIteration()
{
    NS_LOG_INFO("rank " << m_rank << " begins iteration " << m_iteration);
    m_scheduler.Begin();
    m_account.Begin(Simulator::Now());
    if (m_scheduler.IsDone())
    {
        FinishIteration();
        return;
    }
    StartReadyOps();
}

void
ReplayApplication::FinishIteration()
{
    auto record = m_account.End(Simulator::Now());
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
    if (m_starting)
    {
        return;
    }
    m_starting = true;
    while (!m_failed)
    {
        const auto track = m_scheduler.TakeReady();
        if (!track)
        {
            break;
        }
        m_tracks.resize(std::max(m_tracks.size(), *track + 1));
        StartOp(*track);
    }
    m_starting = false;
}

void
ReplayApplication::StartOp(std::size_t track)
{
    auto& state = m_tracks[track];
    const auto& op = GetCurrentOp(track);
    NS_LOG_LOGIC("rank " << m_rank << " starts " << m_program->GetName(op));
    state.start = Simulator::Now();
    if (!GetStream(track).compute && !GetStream(track).host)
    {
        m_account.StartCommunication(state.start);
    }
    switch (op.kind)
    {
    case OpKind::COMPUTE:
        StartCompute(track, op);
        break;
    case OpKind::COLLECTIVE:
        StartCollective(track, op);
        break;
    case OpKind::SEND:
    case OpKind::RECV:
        m_messenger.StartPointToPoint(track, op);
        break;
    }
}

uint64_t
ReplayApplication::DrawComputeTime(const WorkloadOp& op)
{
    double factor = m_computeScale;
    if (m_computeJitter > 0)
    {
        // A log-normal variable of mean 1: mu = -sigma^2 / 2, sigma^2 = ln(1 + deviation^2).
        const double sigma2 = std::log1p(m_computeJitter * m_computeJitter);
        factor *= m_jitter->GetValue(-sigma2 / 2, std::sqrt(sigma2));
    }
    if (factor == 1)
    {
        return op.amount;
    }
    const double picoseconds = std::round(static_cast<double>(op.amount) * factor);
    NS_ABORT_MSG_IF(picoseconds >= static_cast<double>(std::numeric_limits<int64_t>::max()),
                    m_messenger.Locate(m_rank, op.origin) << " computes for " << picoseconds * 1e-12
                                                          << " s, more than ns3::Time can count");
    return static_cast<uint64_t>(picoseconds);
}

void
ReplayApplication::StartCompute(std::size_t track, const WorkloadOp& op)
{
    auto& state = m_tracks[track];
    if (GetStream(track).compute)
    {
        m_account.StartCompute(state.start);
    }
    // What the time resolution cuts off is added to the next op, so that no time is lost.
    const uint64_t picoseconds = DrawComputeTime(op) + state.carry;
    const Time duration = PicoSeconds(picoseconds);
    state.carry = picoseconds - static_cast<uint64_t>(duration.GetPicoSeconds());
    state.timer = Simulator::Schedule(duration, &ReplayApplication::ComputeDone, this, track);
}

void
ReplayApplication::ComputeDone(std::size_t track)
{
    if (GetStream(track).compute)
    {
        m_account.StopCompute(Simulator::Now());
    }
    FinishOp(track);
}

void
ReplayApplication::StartCollective(std::size_t track, const WorkloadOp& op)
{
    const auto collective = m_messenger.OpenCollective(track, op);
    if (!collective)
    {
        return;
    }
    m_tracks[track].sequence = collective->sequence;
    const auto dimension = m_messenger.GetCommunicator(op).dimension;
    auto& run = m_tracks[track].run;
    run = std::make_unique<CollectiveRun>(*collective,
                                          m_algorithms->Select(collective->call, dimension),
                                          m_messenger,
                                          MakeCallback(&ReplayApplication::FinishCollective, this));
    run->Start();
}

void
ReplayApplication::FinishCollective(std::size_t track)
{
    auto& state = m_tracks[track];
    const auto& collective = state.run->GetCollective();
    if (!m_messenger.CloseCollective(collective))
    {
        return;
    }
    const auto& plan = state.run->GetPlan();
    m_collectiveTrace({m_rank,
                       m_messenger.GetCommunicatorId(collective.op),
                       collective.sequence,
                       collective.op.collective,
                       plan.GetName(),
                       plan.algorithm->GetChannels(plan.Complete(collective.call)),
                       collective.op.amount,
                       state.start,
                       Simulator::Now()});
    state.run.reset();
    FinishOp(track);
}

void
ReplayApplication::MessageReceived(std::size_t track, uint32_t lane, const Message& message)
{
    auto& state = m_tracks[track];
    if (state.run)
    {
        state.run->Received(lane);
        return;
    }
    state.sentAt = message.postedAt;
    FinishOp(track);
}

void
ReplayApplication::MessageSent(std::size_t track)
{
    if (m_tracks[track].run)
    {
        m_tracks[track].run->Sent();
        return;
    }
    FinishOp(track);
}

void
ReplayApplication::FinishOp(std::size_t track)
{
    const auto& state = m_tracks[track];
    const auto& info = GetStream(track);
    const Time now = Simulator::Now();
    if (!info.compute && !info.host)
    {
        // A receive communicates from the moment its message was posted; before, it only waits.
        const bool receives = GetCurrentOp(track).kind == OpKind::RECV;
        const Time since = receives ? std::max(state.start, state.sentAt) : state.start;
        m_account.StopCommunication(info.dimension, state.start, since, now);
    }
    const auto op = m_scheduler.GetCurrent(track);
    m_opTrace({m_rank, m_iteration, m_program, op, state.start, now});
    ++m_finishedOps;
    const auto cause = MakeCause(track);
    if (m_scheduler.Finish(track))
    {
        m_account.Release(cause);
    }
    if (m_scheduler.IsDone())
    {
        FinishIteration();
        return;
    }
    StartReadyOps();
}

TimeAccount::Cause
ReplayApplication::MakeCause(std::size_t track) const
{
    return {m_scheduler.GetCurrent(track),
            GetStream(track).dimension,
            GetCurrentOp(track).kind == OpKind::RECV,
            m_tracks[track].sentAt,
            GetStream(track).host};
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

const WorkloadOp&
ReplayApplication::GetCurrentOp(std::size_t track) const
{
    return m_program->GetOps()[m_scheduler.GetCurrent(track)];
}

const WorkloadStream&
ReplayApplication::GetStream(std::size_t track) const
{
    return m_program->GetStreams()[GetCurrentOp(track).stream];
}

} // namespace ns3
