/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "log-gops-host.h"

#include "collective-signature.h"
#include "message-envelope.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LogGopsHost");

NS_OBJECT_ENSURE_REGISTERED(LogGopsHost);

namespace
{

/**
 * @param kind kind of an op
 * @return place in the order in which ops are queued that are freed at once
 */
int
GetOrder(OpKind kind)
{
    return kind == OpKind::SEND ? 0 : kind == OpKind::RECV ? 1 : 2;
}

/**
 * @param workload the job
 * @param rank a rank whose program needs CPUs and NICs
 * @param op a SEND or RECV of it
 * @return the rank at the other end; WorkloadOp::ANY_PEER of a RECV from any rank
 */
uint32_t
FindResourcePeer(const Workload& workload, uint32_t rank, const WorkloadOp& op)
{
    const auto id = workload.GetCommunicatorSlots(rank)[op.communicator];
    return op.peer == WorkloadOp::ANY_PEER ? op.peer
                                           : workload.GetCommunicators()[id].ranks[op.peer];
}

/**
 * @param workload the job; must outlive the record
 * @param rank a rank whose program needs CPUs and NICs
 * @param op an op of it that has started and not finished
 * @return what the rank waits for in it, and for whom
 */
WaitRecord
DescribeResourceWait(const Workload& workload, uint32_t rank, const WorkloadOp& op)
{
    const auto& program = workload.GetProgram(rank);
    const bool isCompute = op.kind == OpKind::COMPUTE;
    WaitRecord
        wait{rank, program.GetName(op), program.GetOrigin(op), "compute", {}, isCompute, &workload};
    if (isCompute)
    {
        return wait;
    }
    wait.what = (op.kind == OpKind::SEND ? "send of " : "receive of ") + std::to_string(op.amount) +
                " bytes with " +
                (op.tag == WorkloadOp::ANY_TAG ? "any tag" : "tag " + std::to_string(op.tag));
    if (op.peer == WorkloadOp::ANY_PEER)
    {
        wait.what += " from any rank";
    }
    else
    {
        wait.waitsFor = {FindResourcePeer(workload, rank, op)};
    }
    return wait;
}

} // namespace

TypeId
LogGopsHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LogGopsHost")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<LogGopsHost>()
            .AddAttribute("MatchSizes",
                          "A message must be as long as its receive says. If not, receives take "
                          "messages of any size, as in LogGOPSim.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LogGopsHost::m_matchSizes),
                          MakeBooleanChecker());
    return tid;
}

LogGopsHost::LogGopsHost()
{
    NS_LOG_FUNCTION(this);
}

LogGopsHost::~LogGopsHost()
{
    NS_LOG_FUNCTION(this);
}

void
LogGopsHost::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Close();
    m_transport = nullptr;
    m_model = nullptr;
    m_costs = nullptr;
    Object::DoDispose();
}

void
LogGopsHost::Setup(std::shared_ptr<const Workload> workload,
                   uint32_t rank,
                   Ptr<MessageTransport> transport,
                   ComputeTime& computeTime,
                   StartedCallback started,
                   FinishedCallback finished,
                   FaultCallback fault)
{
    NS_LOG_FUNCTION(this << rank);
    m_workload = std::move(workload);
    m_program = &m_workload->GetProgram(rank);
    m_rank = rank;
    m_transport = transport;
    m_model = DynamicCast<LogGopsMessageTransport>(transport);
    m_costs = m_model ? m_model->GetCosts() : Ptr<const LogGopsCosts>(CreateObject<LogGopsCosts>());
    m_computeTime = &computeTime;
    m_started = started;
    m_finished = finished;
    m_fault = fault;
    m_transport->SetCallbacks(MakeCallback(&LogGopsHost::MessageArrived, this),
                              MakeCallback(&LogGopsHost::MessageSent, this));
}

void
LogGopsHost::Begin()
{
    const auto nOps = static_cast<OpIndex>(m_program->GetOps().size());
    m_unfinished = nOps;
    m_waiting.resize(nOps);
    m_times.assign(nOps, Simulator::Now());
    for (OpIndex op = 0; op < nOps; ++op)
    {
        m_waiting[op] = m_program->GetPredecessorCount(op);
        if (m_waiting[op] == 0)
        {
            m_freed.push_back(op);
        }
    }
    QueueFreed();
}

void
LogGopsHost::Close()
{
    m_isClosed = true;
}

bool
LogGopsHost::IsDone() const
{
    return m_unfinished == 0;
}

uint64_t
LogGopsHost::GetReceivedBytes() const
{
    return m_receivedBytes;
}

const WorkloadOp&
LogGopsHost::GetOp(OpIndex op) const
{
    return m_program->GetOps()[op];
}

void
LogGopsHost::Try(OpIndex index)
{
    if (m_isClosed)
    {
        return;
    }
    const auto& op = GetOp(index);
    const Time now = Simulator::Now();
    if (op.kind == OpKind::RECV)
    {
        StartReceive(index);
        return;
    }
    const bool needsNic = op.kind == OpKind::SEND && m_model;
    const Time free = needsNic ? std::max(m_cpus[op.cpu], m_sendNics[op.nic]) : m_cpus[op.cpu];
    if (free > now)
    {
        Simulator::Schedule(free - now, &LogGopsHost::Try, this, index);
        return;
    }
    if (op.kind == OpKind::SEND)
    {
        StartSend(index);
        return;
    }
    Start(index);
    // What the time resolution cuts off is added to the CPU's next op, so that no time is lost.
    auto& carry = m_carries[op.cpu];
    carry += m_computeTime->Draw(*m_program, op);
    const Time duration = PicoSeconds(carry);
    carry -= static_cast<uint64_t>(duration.GetPicoSeconds());
    const Time end = now + duration;
    m_cpus[op.cpu] = end;
    EndAt(index, end);
    QueueFreed();
}

void
LogGopsHost::StartSend(OpIndex index)
{
    const auto& op = GetOp(index);
    const Time now = Simulator::Now();
    const Time end = now + m_costs->GetCpuTime(op.amount);
    m_cpus[op.cpu] = end;
    if (m_model)
    {
        // The gap of LogGOPS: g + (bytes - 1) G until the NIC may send again.
        m_sendNics[op.nic] = now + m_costs->GetNicTime(op.amount);
    }
    Start(index);
    if (m_model || end == now)
    {
        PassOn(index);
    }
    else
    {
        // Other transports get the message when the CPU's overhead is over.
        Simulator::Schedule(end - now, &LogGopsHost::PassOn, this, index);
    }
    // Other sends end when the transport says so, see MessageSent().
    if (m_costs->IsEager(op.amount))
    {
        EndAt(index, end);
    }
    QueueFreed();
}

void
LogGopsHost::PassOn(OpIndex index)
{
    const auto& op = GetOp(index);
    Message message;
    message.source = m_rank;
    message.destination = FindResourcePeer(*m_workload, m_rank, op);
    message.group = m_workload->GetCommunicatorSlots(m_rank)[op.communicator];
    message.channel = op.nic;
    message.bytes = op.amount;
    message.cookie = index;
    // There are no collectives to distinguish, so that the context has room for the tag.
    MessageEnvelope{op.tag, 0, op.cpu, op.amount, op.origin}.AttachTo(message);
    m_transport->Send(message);
}

void
LogGopsHost::StartReceive(OpIndex index)
{
    const auto& op = GetOp(index);
    Start(index);
    const auto peer = FindResourcePeer(*m_workload, m_rank, op);
    // A message may have come before its receive, in MPI's unexpected queue.
    const auto arrival = m_arrived.Take(peer, op.tag);
    if (!arrival)
    {
        m_posted.Add(peer, op.tag, index);
    }
    else if (!m_model)
    {
        Receive(index, arrival->message);
    }
    else
    {
        // The CPU has dealt with the message on arrival, so the receive costs nothing more.
        Complete(index, arrival->message, std::max(Simulator::Now(), arrival->received));
    }
    QueueFreed();
}

void
LogGopsHost::MessageArrived(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.bytes);
    if (m_isClosed)
    {
        return;
    }
    if (m_model)
    {
        ReceiveInModel(message);
        return;
    }
    const auto tag = MessageEnvelope::Of(message).context;
    const auto index = m_posted.Take(message.source, tag);
    if (index)
    {
        Receive(*index, message);
        QueueFreed();
        return;
    }
    // The CPU deals with it when its receive is posted: until then the time is not known.
    m_arrived.Add(message.source, tag, {message, Time()});
}

void
LogGopsHost::ReceiveInModel(const Message& message)
{
    if (m_isClosed)
    {
        return;
    }
    const Time now = Simulator::Now();
    const auto envelope = MessageEnvelope::Of(message);
    const auto tag = envelope.context;
    const auto* receive = m_posted.Find(message.source, tag);
    // No receive says where, so it is where the sender has it.
    const auto number = receive ? GetOp(*receive).cpu : static_cast<uint16_t>(envelope.kind);
    auto& cpu = m_cpus[number];
    auto& nic =
        m_receiveNics[receive ? GetOp(*receive).nic : static_cast<uint16_t>(message.channel)];
    const Time free = std::max(cpu, nic);
    if (free > now)
    {
        // LogGOPSim queues the message again for the time at which CPU and NIC are free.
        Simulator::Schedule(free - now, &LogGopsHost::ReceiveInModel, this, message);
        return;
    }
    cpu = now + m_costs->GetReceiveTime(message.bytes);
    // Sending and receiving have a NIC each: the link is full duplex.
    nic = now + m_costs->GetNicTime(message.bytes);
    if (!receive)
    {
        m_arrived.Add(message.source, tag, {message, cpu});
        return;
    }
    Complete(*m_posted.Take(message.source, tag), message, cpu);
    QueueFreed();
}

void
LogGopsHost::Receive(OpIndex index, const Message& message)
{
    if (m_isClosed)
    {
        return;
    }
    const Time now = Simulator::Now();
    auto& cpu = m_cpus[GetOp(index).cpu];
    if (cpu > now)
    {
        // Another op may be first at that time; then this one waits again.
        Simulator::Schedule(cpu - now, &LogGopsHost::Receive, this, index, message);
        return;
    }
    cpu = now + m_costs->GetCpuTime(message.bytes);
    Complete(index, message, cpu);
    QueueFreed();
}

bool
LogGopsHost::CheckSize(OpIndex index, const Message& message)
{
    const auto& op = GetOp(index);
    if (!m_matchSizes || op.amount == message.bytes)
    {
        return true;
    }
    // A job whose ranks contradict each other does not go on.
    m_isClosed = true;
    m_fault(LocateLine(*m_workload, m_rank, op.origin) + " expects " + std::to_string(op.amount) +
            " bytes, but " +
            LocateLine(*m_workload, message.source, MessageEnvelope::Of(message).origin) +
            " sends " + std::to_string(message.bytes) +
            " bytes; --sizes=lenient takes what is sent");
    return false;
}

void
LogGopsHost::Complete(OpIndex index, const Message& message, Time end)
{
    if (!CheckSize(index, message))
    {
        return;
    }
    m_receivedBytes += message.bytes;
    // Beyond the eager limit S a send ends only when its message is received.
    const bool isRendezvous = m_model && !m_costs->IsEager(message.bytes);
    // Sender and receiver free ops at the same time: those of the lower rank first.
    if (isRendezvous && message.source < m_rank)
    {
        m_model->NotifyReceived(message);
    }
    // Successors are queued now for the end, as LogGOPSim does: at equal times the order of
    // queueing counts.
    Free(m_program->GetFinishSuccessors(index), end);
    QueueFreed();
    Simulator::Schedule(end - Simulator::Now(),
                        &LogGopsHost::Finish,
                        this,
                        index,
                        message.postedAt);
    if (isRendezvous && message.source > m_rank)
    {
        m_model->NotifyReceived(message);
    }
}

void
LogGopsHost::MessageSent(uint64_t cookie)
{
    const auto index = static_cast<OpIndex>(cookie);
    const auto& op = GetOp(index);
    if (m_isClosed || m_costs->IsEager(op.amount))
    {
        return;
    }
    // Not before its own CPU has done with it.
    EndAt(index, std::max(Simulator::Now(), m_times[index] + m_costs->GetCpuTime(op.amount)));
    QueueFreed();
}

void
LogGopsHost::Start(OpIndex index)
{
    m_waiting[index] = STARTED;
    // From here on the time is that of the start, see m_times.
    m_times[index] = Simulator::Now();
    m_started(index);
    Free(m_program->GetStartSuccessors(index), m_times[index]);
}

void
LogGopsHost::EndAt(OpIndex index, Time end)
{
    Free(m_program->GetFinishSuccessors(index), end);
    Simulator::Schedule(end - Simulator::Now(), &LogGopsHost::Finish, this, index, Time());
}

void
LogGopsHost::Finish(OpIndex index, Time sentAt)
{
    if (m_isClosed)
    {
        return;
    }
    m_waiting[index] = FINISHED;
    --m_unfinished;
    m_finished(index, m_times[index], sentAt);
}

void
LogGopsHost::Free(WorkloadProgram::Successors ops, Time time)
{
    for (const auto op : ops)
    {
        // An op may start when the latest of its edges lets it.
        m_times[op] = std::max(m_times[op], time);
        if (--m_waiting[op] == 0)
        {
            m_freed.push_back(op);
        }
    }
}

void
LogGopsHost::QueueFreed()
{
    // Stable: ops of one kind keep the order of their edges.
    std::stable_sort(m_freed.begin(), m_freed.end(), [this](OpIndex a, OpIndex b) {
        return GetOrder(GetOp(a).kind) < GetOrder(GetOp(b).kind);
    });
    const Time now = Simulator::Now();
    for (const auto index : m_freed)
    {
        const auto& op = GetOp(index);
        Time time = std::max(m_times[index], m_cpus[op.cpu]);
        if (op.kind == OpKind::SEND && m_model)
        {
            time = std::max(time, m_sendNics[op.nic]);
        }
        // Others may take CPU or NIC in between: Try() looks again.
        Simulator::Schedule(std::max(time - now, Time(0)), &LogGopsHost::Try, this, index);
    }
    m_freed.clear();
}

std::vector<WaitRecord>
LogGopsHost::GetWaits() const
{
    std::vector<WaitRecord> waits;
    for (OpIndex index = 0; index < m_waiting.size(); ++index)
    {
        if (m_waiting[index] == STARTED)
        {
            waits.push_back(DescribeResourceWait(*m_workload, m_rank, GetOp(index)));
        }
    }
    return waits;
}

} // namespace ns3
