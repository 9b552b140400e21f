/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-network.h"

#include "catch-up-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IdealNetwork");

NS_OBJECT_ENSURE_REGISTERED(IdealNetwork);

TypeId
IdealNetwork::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IdealNetwork")
                            .SetParent<Object>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<IdealNetwork>();
    return tid;
}

IdealNetwork::IdealNetwork()
    : m_stepsPerSecond(Seconds(1).GetTimeStep())
{
    NS_LOG_FUNCTION(this);
}

IdealNetwork::~IdealNetwork()
{
    NS_LOG_FUNCTION(this);
}

uint32_t
IdealNetwork::AddPort(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    constexpr uint64_t limit = std::numeric_limits<uint64_t>::max() / WORK_UNITS;
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0 || rate.GetBitRate() > limit,
                    "the rate of a port must be above 0 and at most " << DataRate(limit)
                                                                      << ", found " << rate);
    // Port p sends by resource 2p and receives by 2p + 1, in units of 1 / WORK_UNITS bit/s.
    m_shares.AddResource(rate.GetBitRate() * WORK_UNITS);
    m_shares.AddResource(rate.GetBitRate() * WORK_UNITS);
    m_rates.push_back(rate);
    m_hasSent.push_back(false);
    m_trains.resize(2 * m_rates.size());
    return GetNPorts() - 1;
}

void
IdealNetwork::SetPathFinder(PathFinder finder)
{
    NS_LOG_FUNCTION(this);
    m_pathFinder = finder;
}

IdealPath
IdealNetwork::FindPath(uint32_t source, uint32_t destination) const
{
    const IdealPath path = m_pathFinder(source, destination);
    NS_ABORT_MSG_IF(path.sendPort >= GetNPorts() || path.receivePort >= GetNPorts(),
                    "the path from rank " << source << " to rank " << destination
                                          << " names no port");
    return path;
}

void
IdealNetwork::NoteSending(uint32_t port)
{
    m_hasSent.at(port) = true;
}

bool
IdealNetwork::HasSent(uint32_t port) const
{
    return m_hasSent.at(port);
}

void
IdealNetwork::SetObserver(IdealMessageObserver* observer)
{
    NS_LOG_FUNCTION(this << observer);
    m_observer = observer;
    // Only with an observer does the simulation go back in time.
    m_simulator = observer ? CatchUpSimulatorImpl::Get() : nullptr;
}

void
IdealNetwork::Attach(uint32_t rank, IdealEndpoint* endpoint)
{
    NS_LOG_FUNCTION(this << rank);
    if (rank >= m_ranks.size())
    {
        m_ranks.resize(rank + 1);
    }
    m_ranks[rank].endpoint = endpoint;
}

void
IdealNetwork::Detach(uint32_t rank)
{
    NS_LOG_FUNCTION(this << rank);
    Attach(rank, nullptr);
    m_ranks[rank].connections.ForEach([this](const auto&, Connection& connection) {
        if (connection.train)
        {
            // Nobody is left who could be asked to resume the parts.
            m_trains[connection.resource[0]] = nullptr;
            m_trains[connection.resource[1]] = nullptr;
            connection.train = nullptr;
        }
    });
}

void
IdealNetwork::Start(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    NS_ABORT_MSG_IF(message.destination >= m_ranks.size() || !m_ranks[message.destination].endpoint,
                    "rank " << message.destination << " has no transport in this network");
    Connection& connection = GetConnection(message);
    if (message.bytes > 0)
    {
        NoteSending(connection.GetSendPort());
    }
    // Parts of the connection that are posted go before the message.
    // What the train has sent by now becomes ordinary messages.
    EndTrain(connection);
    if (Append(connection, message))
    {
        Begin(connection);
    }
}

bool
IdealNetwork::TakeParts(const PacedMessage& message, const MessageTransport::ResumeCallback& resume)
{
    const IdealEndpoint* endpoint = m_ranks.at(message.message.destination).endpoint;
    // Connections that start in this very time step have not joined their ports yet.
    if (!endpoint || !endpoint->TakesParts() || !m_starting.empty() || message.interval.IsZero() ||
        (m_simulator && m_simulator->IsBehind()))
    {
        return false;
    }
    Connection& connection = GetConnection(message.message);
    // A train needs a constant share: both ports to itself.
    const uint64_t share = m_shares.GetShareAlone(connection);
    if (share == 0 || m_trains[connection.resource[0]] || m_trains[connection.resource[1]] ||
        (m_observer && !m_observer->BeginTrain(connection.GetSendPort(),
                                               connection.GetReceivePort(),
                                               message.message)))
    {
        return false;
    }
    NoteSending(connection.GetSendPort());
    connection.train = std::make_unique<Train>(Train{message.message,
                                                     Simulator::Now().GetTimeStep(),
                                                     message.interval.GetTimeStep(),
                                                     message.CountFullParts(),
                                                     share,
                                                     GetProgress(connection, share),
                                                     resume});
    connection.train->part.bytes = message.grain;
    m_trains[connection.resource[0]] = &connection;
    m_trains[connection.resource[1]] = &connection;
    return true;
}

void
IdealNetwork::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_update.Cancel();
    m_pathFinder = PathFinder();
    m_ranks.clear();
    Object::DoDispose();
}

IdealNetwork::Connection&
IdealNetwork::GetConnection(const Message& message)
{
    Connection*& entry = m_ranks.at(message.source)
                             .connections[{message.destination, message.group, message.channel}];
    if (!entry)
    {
        const IdealPath path = FindPath(message.source, message.destination);
        m_connections.emplace_back();
        entry = &m_connections.back();
        entry->id = static_cast<uint32_t>(m_connections.size() - 1);
        // Sending and receiving are resources of their own: links are full duplex.
        entry->resource[0] = 2 * path.sendPort;
        entry->resource[1] = 2 * path.receivePort + 1;
        entry->delay = path.delay;
    }
    return *entry;
}

bool
IdealNetwork::Append(Connection& connection, const Message& message)
{
    Transfer* transfer = NewTransfer(connection, message);
    const bool isFirst = !connection.first;
    // Messages of a connection move one after another.
    (isFirst ? connection.first : connection.last->next) = transfer;
    connection.last = transfer;
    return isFirst;
}

IdealNetwork::Transfer*
IdealNetwork::NewTransfer(Connection& connection, const Message& message)
{
    if (m_observer)
    {
        m_observer->Begin(connection.GetSendPort(), connection.GetReceivePort(), message);
    }
    Transfer* transfer = m_freeTransfers;
    if (transfer)
    {
        // Transfers are used again: jobs send many millions of messages.
        m_freeTransfers = transfer->next;
    }
    else
    {
        m_transfers.push_back(Create<Transfer>(this));
        transfer = PeekPointer(m_transfers.back());
    }
    transfer->connection = &connection;
    transfer->message = message;
    transfer->next = nullptr;
    return transfer;
}

IdealNetwork::Work
IdealNetwork::GetWork(const Message& message) const
{
    // Bits, scaled so that work divided by a share is time steps.
    return static_cast<Work>(message.bytes) * 8 * WORK_UNITS * m_stepsPerSecond;
}

void
IdealNetwork::Begin(Connection& connection)
{
    connection.since = Simulator::Now().GetTimeStep();
    connection.work = GetWork(connection.first->message);
    if (connection.work > 0)
    {
        // Before it joins: what is left of the trains takes its share of the ports.
        EndTrainsBeside(connection);
    }
    if (connection.work > 0 && m_shares.JoinAlone(connection))
    {
        SetDue(connection);
        RequestUpdate(m_due.GetFirstDue());
    }
    else
    {
        // Shares change: all that begin at this time join together in Update().
        m_starting.push_back(&connection);
        RequestUpdate(connection.since);
    }
}

std::pair<int64_t, IdealNetwork::Work>
IdealNetwork::Progress::Send(int64_t postedAt, Work work, uint64_t share)
{
    // A message that has waited makes use of what was left of the last time step, as in
    // FinishDone().
    const bool waits = postedAt < end;
    const int64_t begin = waits ? end : postedAt;
    const Work seen = work + (waits ? surplus : 0);
    // Rounded up: a message is complete at a time step.
    const auto steps = static_cast<int64_t>((seen + share - 1) / share);
    end = begin + steps;
    // At most 0: what the port could have sent in the rest of that step.
    surplus = seen - static_cast<Work>(share) * steps;
    return {begin, seen};
}

IdealNetwork::Progress
IdealNetwork::GetProgress(const Connection& connection, uint64_t share) const
{
    if (!connection.first)
    {
        return {Simulator::Now().GetTimeStep(), 0};
    }
    // What moves and what waits goes before the parts.
    Progress progress{connection.since, 0};
    progress.Send(connection.since, connection.work, share);
    for (const Transfer* waiting = connection.first->next; waiting; waiting = waiting->next)
    {
        progress.Send(waiting->message.postedAt.GetTimeStep(), GetWork(waiting->message), share);
    }
    return progress;
}

void
IdealNetwork::EndTrain(Connection& connection)
{
    if (!connection.train)
    {
        return;
    }
    const auto train = std::move(connection.train);
    m_trains[connection.resource[0]] = nullptr;
    m_trains[connection.resource[1]] = nullptr;
    const int64_t now = Simulator::Now().GetTimeStep();
    int64_t postedAt = train->since + train->interval;
    uint64_t left = train->parts;
    // A part that is due in this very time step is posted before what ends the train.
    for (; left > 0 && postedAt <= now; --left, postedAt += train->interval)
    {
        PostPart(connection, *train, postedAt);
    }
    // The train gives up its own entry (BeginTrain()) after its parts have theirs: the ports are
    // never quiet in between.
    if (m_observer)
    {
        m_observer->Arrive(connection.GetSendPort(), connection.GetReceivePort(), train->part);
    }
    if (left > 0)
    {
        train->resume(left * train->part.bytes, TimeStep(postedAt - now));
    }
}

void
IdealNetwork::PostPart(Connection& connection, Train& train, int64_t postedAt)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const auto [begin, seen] = train.progress.Send(postedAt, GetWork(train.part), train.share);
    const int64_t arrival = train.progress.end + connection.delay.GetTimeStep();
    Message part = train.part;
    part.postedAt = TimeStep(postedAt);
    if (arrival < now)
    {
        // The receiver is notified with the next part, which none of it overtakes.
        if (connection.nArrived++ == 0)
        {
            connection.arrived = part;
            connection.arrived.bytes = 0;
        }
        connection.arrived.bytes += part.bytes;
    }
    else if (train.progress.end < now)
    {
        Transfer* transfer = NewTransfer(connection, part);
        Simulator::Schedule(TimeStep(arrival - now), Ptr<EventImpl>(transfer));
    }
    else if (Append(connection, part))
    {
        // It moves since its beginning, which may lie in the past; SetDue() goes by that.
        // Time step from which on its work counts.
        connection.since = begin;
        connection.work = seen;
        m_shares.JoinAlone(connection);
        SetDue(connection);
        RequestUpdate(connection.due);
    }
}

void
IdealNetwork::EndTrainsBeside(const Connection& connection)
{
    for (const auto resource : connection.resource)
    {
        if (m_trains[resource])
        {
            EndTrain(*m_trains[resource]);
        }
    }
}

void
IdealNetwork::RequestUpdate(int64_t due)
{
    if (!m_update.IsExpired())
    {
        if (m_updateDue <= due)
        {
            return;
        }
        // An earlier update does what the later one would have done.
        m_update.Cancel();
    }
    m_updateDue = due;
    const Time delay = TimeStep(due) - Simulator::Now();
    m_update = m_simulator
                   ? m_simulator->ScheduleAfterwards(delay, MakeEvent(&IdealNetwork::Update, this))
                   : Simulator::Schedule(delay, &IdealNetwork::Update, this);
}

void
IdealNetwork::FinishDue(int64_t now)
{
    while (!m_due.IsEmpty() && m_due.GetFirstDue() <= now)
    {
        Connection& connection = m_due.Top();
        BringUpToDate(connection, now);
        FinishDone(connection, now);
        if (connection.first)
        {
            SetDue(connection);
        }
        else
        {
            m_due.Remove(connection);
            m_shares.Leave(connection);
        }
    }
    m_departed = nullptr;
}

void
IdealNetwork::JoinStarting(int64_t now)
{
    std::size_t left = 0;
    for (Connection* connection : m_starting)
    {
        if (connection->since > now)
        {
            // Begins later than this update, which an earlier event has caused.
            m_starting[left++] = connection;
            RequestUpdate(connection->since);
            continue;
        }
        FinishDone(*connection, now);
        m_departed = nullptr;
        if (connection->first)
        {
            EndTrainsBeside(*connection);
            m_shares.Join(*connection);
        }
    }
    m_starting.resize(left);
}

void
IdealNetwork::Update()
{
    NS_LOG_FUNCTION(this);
    const int64_t now = Simulator::Now().GetTimeStep();
    m_update = EventId();
    // First what frees ports, then what takes them, so that shares are computed once.
    FinishDue(now);
    JoinStarting(now);
    for (const auto& change : m_shares.Resolve())
    {
        auto& connection = static_cast<Connection&>(*change.user);
        // At the old share up to now.
        BringUpToDate(connection, now);
        connection.share = change.share;
        SetDue(connection);
    }
    if (!m_due.IsEmpty())
    {
        RequestUpdate(m_due.GetFirstDue());
    }
    // Last, as the ranks may start more messages, and those have messages of the past sent.
    auto sent = std::exchange(m_sent, {});
    for (const auto& [rank, cookie] : sent)
    {
        if (auto* const endpoint = m_ranks[rank].endpoint)
        {
            endpoint->HandleSent(cookie);
        }
    }
    if (m_sent.empty())
    {
        // Keeps its memory.
        sent.clear();
        m_sent.swap(sent);
    }
}

void
IdealNetwork::FinishDone(Connection& connection, int64_t now)
{
    while (connection.first && connection.work <= 0)
    {
        Transfer* done = connection.first;
        m_sent.emplace_back(done->message.source, done->message.cookie);
        connection.first = done->next;
        Depart(done);
        if (connection.first)
        {
            // Work below 0 is what the port could have sent since the true moment of completion,
            // which a message that was there before this clock step has made use of.
            const bool waited = connection.first->message.postedAt.GetTimeStep() < now;
            connection.work = GetWork(connection.first->message) + (waited ? connection.work : 0);
        }
    }
}

void
IdealNetwork::BringUpToDate(Connection& connection, int64_t now)
{
    // Exact integers: no rounding adds up over many updates.
    connection.work -= static_cast<Work>(connection.share) * (now - connection.since);
    connection.since = now;
}

void
IdealNetwork::SetDue(Connection& connection)
{
    const Work steps = (connection.work + connection.share - 1) / connection.share;
    m_due.Set(connection, connection.since + static_cast<int64_t>(steps));
}

void
IdealNetwork::Depart(Transfer* transfer)
{
    transfer->next = nullptr;
    // Many ranks do the same at the same time: what follows each other in the order of events is
    // one event.
    if (m_departed && m_departed->connection->delay == transfer->connection->delay)
    {
        m_departed->next = transfer;
    }
    else
    {
        Simulator::Schedule(transfer->connection->delay, Ptr<EventImpl>(transfer));
    }
    m_departed = transfer;
}

void
IdealNetwork::ArriveTogether(Transfer* first)
{
    for (Transfer* transfer = first; transfer;)
    {
        // Now, as the transfer goes back to the pool.
        Transfer* const next = transfer->next;
        Arrive(transfer);
        transfer = next;
        // The past that is caught up with does not stop.
        const bool isPast = m_simulator && m_simulator->IsBehind();
        if (transfer && !isPast && Simulator::IsFinished())
        {
            // Stopped, or nothing else is to come: as an event of its own the rest arrives if and
            // when the simulation goes on.
            Simulator::ScheduleNow(Ptr<EventImpl>(transfer));
            return;
        }
    }
}

void
IdealNetwork::Arrive(Transfer* transfer)
{
    NS_LOG_FUNCTION(this << transfer->message.source << transfer->message.destination);
    Connection* const connection = transfer->connection;
    if (m_observer)
    {
        m_observer->Arrive(connection->GetSendPort(),
                           connection->GetReceivePort(),
                           transfer->message);
    }
    if (auto* const endpoint = m_ranks[transfer->message.destination].endpoint)
    {
        if (connection->nArrived > 0)
        {
            endpoint->HandlePartsArrived(connection->arrived,
                                         std::exchange(connection->nArrived, 0));
        }
        endpoint->HandleArrival(transfer->message);
    }
    // Only here: the calls above read the message, and may take transfers from the pool.
    transfer->next = m_freeTransfers;
    m_freeTransfers = transfer;
}

} // namespace ns3
