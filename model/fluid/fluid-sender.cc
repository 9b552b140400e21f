/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-sender.h"

#include "fluid-fabric.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-queue-pair-host.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

/// Part of the line rate from which on a queue pair sends at line rate.
constexpr double FULL_RATE = 0.999;

/// Share by which queues delay more than by what stands there if links on the way are paused.
constexpr double PAUSED = 0.01;

/**
 * @param progress how a flow gets on
 * @param missing bytes of a message of it that have not come
 * @param packetBytes bytes that count as none
 * @return time steps after which to ask again; 0 = all of it has come
 */
int64_t
FindLateness(const FluidProgress& progress, double missing, double packetBytes)
{
    // Estimates, after which it is looked again: some steps, as pauses begin and end.
    constexpr double most = 8;
    const bool isPaused = progress.queueing > progress.least * (1 + PAUSED);
    // Within a step it leaves as in the mean of the step.
    if (!isPaused || missing <= std::max(progress.arriving * progress.step, packetBytes))
    {
        return 0;
    }
    const double steps = progress.arriving > 0 ? missing / progress.arriving : progress.step;
    return static_cast<int64_t>(std::clamp(steps, progress.step, most * progress.step));
}

/**
 * @param fabric all links
 * @param hops those of a path
 * @return the first of them that is down; UINT32_MAX = none is
 */
uint32_t
FindCut(FluidFabric& fabric, const std::vector<FluidHop>& hops)
{
    const auto cut = std::find_if(hops.begin(), hops.end(), [&fabric](const FluidHop& hop) {
        return fabric.GetLink(hop.link).isDown;
    });
    return cut == hops.end() ? UINT32_MAX : cut->link;
}

} // namespace

FluidSender::FluidSender(RdmaQueuePairHost& nic,
                         uint32_t number,
                         uint32_t peer,
                         uint16_t udpSourcePort,
                         uint8_t priority,
                         FluidFabric& fabric)
    : RdmaSender(nic, number, peer, udpSourcePort, priority),
      m_fabric(fabric),
      // Marks are drawn, for each queue pair and run. Numbers of queue pairs, which depend on which
      // of them is used first, do not count.
      m_acknowledger(m_config, *m_control, m_flowHash ^ RngSeedManager::GetRun())
{
    id = fabric.MakeFlowId();
}

FluidSender::~FluidSender()
{
    m_lost.stall.Cancel();
    m_lost.timer.Cancel();
    m_lost.goBack.Cancel();
}

bool
FluidSender::CanSend() const
{
    return false;
}

RdmaPacketPtr
FluidSender::MakePacket(int64_t now [[maybe_unused]], const Turn& turn [[maybe_unused]])
{
    NS_ABORT_MSG("a fluid has no packets");
}

void
FluidSender::HandleFeedback(const RdmaPacket& packet [[maybe_unused]])
{
    NS_ABORT_MSG("a fluid has no acknowledgements");
}

bool
FluidSender::IsAtRest() const
{
    // At line rate nothing is left to recover.
    const auto second = static_cast<double>(Seconds(1).GetTimeStep());
    return limit * 8 * second >= m_lineRate * FULL_RATE;
}

bool
FluidSender::IsPatient() const
{
    // Rates that hear of congestion alone grow by timers and bytes; windows do by round trips.
    return GetWindow() == RdmaRateControl::NO_WINDOW;
}

int64_t
FluidSender::GetNextChange(int64_t now) const
{
    if (!IsPatient() || m_config.usesTelemetry || m_lost.transfer)
    {
        return now;
    }
    if (!isActive && now > m_lastArrival)
    {
        return NEVER; // all has come, and been heard of
    }
    const auto second = static_cast<double>(Seconds(1).GetTimeStep());
    const auto next = m_control->GetNextChange(Time(now), rate * 8 * second).GetTimeStep();
    // What has come before it hears of anything is not to count as come after it, nor what remains
    // of a queue when the last byte has come.
    const int64_t end = isActive ? m_heardFrom : m_lastArrival + 1;
    return end > now ? std::min(next, end) : next;
}

double
FluidSender::GetMarksLeft(double arriving) const
{
    return m_acknowledger.GetMarksLeft() * GetPacketBytes(m_config.mtu) / arriving;
}

bool
FluidSender::WantsTelemetry() const
{
    return m_config.usesTelemetry;
}

void
FluidSender::FindPath()
{
    const RdmaLinkLayer& layer = *m_config.linkLayer;
    const uint32_t frame = GetPacketBytes(m_config.mtu) - layer.gap;
    const RdmaPacketPtr probe(new RdmaPacket(RdmaPacket::DATA, frame, layer));
    probe->source = m_nic.GetAddress();
    probe->destination = m_peer;
    // Path choice hashes the same fields as for packets, so that the fluid takes their path.
    probe->flowHash = m_flowHash;
    probe->udpSourcePort = m_udpSourcePort;
    probe->priority = m_priority;
    probe->senderQp = m_number;
    FluidPath path(m_nic.GetNetwork(), *m_port, *probe);
    auto links = path.TakeHops();
    if (links.empty())
    {
        return; // it keeps the path that it had, if any, until there is one again
    }
    m_path = path;
    const TopologyGraph& graph = m_nic.GetNetwork().GetGraph();
    const uint32_t wireBytes = GetPacketBytes(m_config.mtu);
    for (uint32_t i = 0; i < links.size() && m_config.usesTelemetry; ++i)
    {
        const int64_t own = graph.GetLink(links[i].link / 2).delay.GetTimeStep();
        links[i].behind =
            own + FluidPath::GetDelayBehind(graph, links, i, wireBytes) + path.GetAckDelay();
    }
    // From now on the flow loads the links of the new path.
    m_domain = &m_fabric.GetDomain(links.front().link);
    m_fabric.Reroute(*this, std::move(links), path.GetNNodes());
    for (const auto& hop : hops)
    {
        auto& counted = m_fabric.GetLink(hop.link).counted;
        counted.fullPacket = wireBytes;
        counted.gap = layer.gap;
    }
    const auto last = graph.GetLinksOf(m_peer).front();
    const auto port = m_nic.GetNetwork().GetPort(last, m_peer);
    m_receiver = PeekPointer(port->GetNode()->GetObject<RdmaNic>());
}

void
FluidSender::Posted()
{
    if (m_failed)
    {
        return;
    }
    if (!m_path)
    {
        FindPath();
    }
    if (!m_lost.transfer && !HasPath() && !m_nic.GetNetwork().FollowsNow())
    {
        // Before anything was sent: it is lost at the first dead link.
        LoseFrom(m_sending, GetWireBytes(*m_sending), FindCut(m_fabric, hops));
    }
    if (!isActive && m_path && !m_lost.isStalled)
    {
        const bool isControl = m_sending->message.bytes == 0 && !m_lost.transfer;
        isControl ? SendControl() : Begin();
    }
    // While it does not know of a loss yet, what follows it on a whole path reports it.
    if (m_lost.transfer && HasPath())
    {
        UpdatePath();
    }
}

void
FluidSender::Begin()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now > m_lastArrival)
    {
        // The first packet waits behind what is there.
        m_heardFrom = now + m_path->GetRoundTrip() +
                      static_cast<int64_t>(m_domain->GetProgress(*this).queueing);
    }
    m_domain->Start(*this, GetWireBytes(*m_sending));
}

void
FluidSender::SendControl()
{
    const double bytes = GetWireBytes(*m_sending);
    for (const auto& hop : hops)
    {
        // What has gone over a link is what its port counts when messages have come.
        m_fabric.GetLink(hop.link).served += bytes * hop.share;
    }
    const auto second = static_cast<double>(Seconds(1).GetTimeStep());
    const auto steps = static_cast<int64_t>(std::ceil(bytes * 8 * second / m_lineRate));
    const int64_t now = Simulator::Now().GetTimeStep();
    // Those of a host leave one after another. Nobody else waits for them, as they are of some
    // tens of bytes, one for each call and peer.
    auto& portFreeAt = m_fabric.GetLink(hops.front().link).source.controlUntil;
    portFreeAt = std::max(portFreeAt, now) + steps;
    Depart(portFreeAt, m_domain->GetProgress(*this).least);
}

uint32_t
FluidSender::GetPacketBytes(uint64_t payload) const
{
    const RdmaLinkLayer& layer = *m_config.linkLayer;
    return layer.GetWireBytes(
        layer.GetDataBytes(static_cast<uint32_t>(payload), m_config.usesTelemetry));
}

double
FluidSender::GetWireBytes(const RdmaTransfer& transfer) const
{
    const uint64_t bytes = transfer.message.bytes;
    const uint64_t full = transfer.packets - 1;
    return static_cast<double>(full * GetPacketBytes(m_config.mtu) +
                               GetPacketBytes(bytes - full * m_config.mtu));
}

double
FluidSender::GetLimit(int64_t now)
{
    const auto second = static_cast<double>(Seconds(1).GetTimeStep());
    // From bit/s to bytes per time step, the unit of all rates of the fluid.
    const double rate = std::min(GetRate(now), m_lineRate) / 8 / second;
    m_acknowledger.Ask(now);
    const uint64_t window = GetWindow();
    if (window == RdmaRateControl::NO_WINDOW)
    {
        return rate;
    }
    // A window of payload takes as much more on the wire as a full packet does.
    const double wire = static_cast<double>(window) / m_config.mtu * GetPacketBytes(m_config.mtu);
    const auto roundTrip = static_cast<double>(m_path->GetRoundTrip());
    const double most = std::min(rate, wire / (roundTrip + progress.queueing));
    if (!progress.isHeld || progress.queueing > 0)
    {
        // A window per round trip, as acknowledgements let it be; queues lengthen the round trip.
        return most;
    }
    // A queue begins. Until the next look no more comes into it than the window has room for.
    // What the window holds beyond the bytes on the wire can go into the queue.
    const double room = wire - progress.arriving * roundTrip;
    const double steps = std::max(roundTrip, progress.step);
    // What passes without a queue does not count: it is acknowledged after a round trip.
    const double least = std::min(most, progress.free);
    return std::clamp(progress.arriving + room / steps, least, most);
}

double
FluidSender::Emptied(int64_t now, double queueing)
{
    Depart(now, queueing);
    return m_sending ? GetWireBytes(*m_sending) : 0;
}

void
FluidSender::Depart(int64_t departed, double queueing)
{
    // When the last byte has passed the queues that stand on the path now, if nothing is paused.
    const int64_t left = departed + static_cast<int64_t>(queueing);
    RdmaTransfer* const transfer = m_sending;
    m_sending = transfer->next;
    m_next = transfer->GetEnd();
    if (m_lost.transfer)
    {
        return; // it does not arrive
    }
    // Payload of the last packet, which may be shorter: it arrives whole, store and forward.
    const uint64_t lastPacket = transfer->message.bytes - (transfer->packets - 1) * m_config.mtu;
    const uint32_t last = GetPacketBytes(lastPacket);
    if (transfer->packets > 1)
    {
        // The packet before the last one is a full one.
        const int64_t before = left - m_path->GetFirstSteps(last);
        const int64_t delay = m_path->GetDelay(GetPacketBytes(m_config.mtu));
        m_lastArrival = std::max(m_lastArrival, before + delay);
    }
    // A packet does not overtake the one before it, be it shorter or have its queue grown shorter.
    m_lastArrival =
        std::max(m_lastArrival + m_path->GetLastSteps(last), left + m_path->GetDelay(last));
    const auto wait = TimeStep(m_lastArrival) - Simulator::Now();
    m_inFlight.push_back({transfer,
                          queueing > 0 ? all : 0,
                          Simulator::Schedule(wait, &FluidSender::Arrive, this, transfer)});
}

void
FluidSender::Arrive(RdmaTransfer* transfer)
{
    auto one = std::find_if(m_inFlight.begin(), m_inFlight.end(), [transfer](const auto& other) {
        return other.transfer == transfer;
    });
    int64_t late = 0;
    if (one->sent > 0 && isAttached)
    {
        progress = m_domain->GetProgress(*this);
        const double missing = one->sent - (all - progress.waiting);
        late = FindLateness(progress, missing, GetPacketBytes(0));
    }
    if (late > 0 && m_domain->GetPorts().StandsStill())
    {
        return; // it never comes, and to ask again would keep the simulation running
    }
    if (late > 0)
    {
        one->arrival = Simulator::Schedule(TimeStep(late), &FluidSender::Arrive, this, transfer);
        m_lastArrival = std::max(m_lastArrival, Simulator::Now().GetTimeStep() + late);
        return;
    }
    // What was sent before it has come as well. Who gets it may send more at once, also by this
    // queue pair.
    for (bool isLast = false; !isLast;)
    {
        RdmaTransfer* const first = m_inFlight.front().transfer;
        isLast = first == transfer;
        m_inFlight.front().arrival.Cancel();
        m_inFlight.erase(m_inFlight.begin());
        m_retries = 0;
        // Acknowledgements meet no queues: they have a priority of their own in the packet model.
        Simulator::Schedule(TimeStep(m_path->GetAckDelay()),
                            &FluidSender::Acknowledged,
                            this,
                            first->GetEnd());
        const auto packets = static_cast<double>(first->packets);
        // Counters of ports count frames, without preamble and gap.
        const double frames = GetWireBytes(*first) - packets * m_config.linkLayer->gap;
        for (const auto& hop : hops)
        {
            // What has come counts at all ports of the path.
            m_fabric.GetLink(hop.link).Count(packets * hop.share, frames * hop.share);
        }
        m_receiver->Deliver(first->message);
    }
}

void
FluidSender::Acknowledged(uint64_t end)
{
    Finish(end);
    m_unacknowledged = end;
}

// --------------------------------------------------------------------------------- recovery
// Where a link goes down: what is lost, when the sender hears of it, and what it sends again.

bool
FluidSender::HasPath() const
{
    return m_path && std::none_of(hops.begin(), hops.end(), [this](const FluidHop& hop) {
               return m_fabric.GetLink(hop.link).isDown;
           });
}

void
FluidSender::Lose(int64_t now, uint32_t hop)
{
    if (m_lost.transfer || m_failed)
    {
        return;
    }
    Advance(now);
    // What waits before the link or at it comes to nothing. All of it has been sent last.
    double bytes = 0;
    for (uint32_t i = 0; i <= hop; ++i)
    {
        hops[i].Advance(now);
        bytes += hops[i].backlog;
    }
    const double sent = isActive ? std::max(0.0, GetWireBytes(*m_sending) - left) : 0;
    const auto& graph = m_nic.GetNetwork().GetGraph();
    const int64_t behind =
        FluidPath::GetDelayBehind(graph, hops, hop, GetPacketBytes(m_config.mtu));
    // Messages that have left arrive if their last packet has passed the link.
    const auto first =
        std::find_if(m_inFlight.begin(), m_inFlight.end(), [now, behind](const auto& one) {
            return static_cast<int64_t>(one.arrival.GetTs()) - behind > now;
        });
    if (first == m_inFlight.end() && sent <= 0 && m_nic.GetNetwork().FollowsNow())
    {
        return; // nothing has left, and what does takes another path
    }
    // Bytes that were sent after the first message that does not arrive.
    double later = sent;
    for (auto one = m_inFlight.end(); one != first && --one != first;)
    {
        later += GetWireBytes(*one->transfer);
    }
    if (first != m_inFlight.end())
    {
        const double all = GetWireBytes(*first->transfer);
        const double least = std::min<double>(all, GetPacketBytes(m_config.mtu));
        LoseFrom(first->transfer, std::clamp(bytes - later, least, all), hops[hop].link);
    }
    else if (isActive)
    {
        LoseFrom(m_sending, left + std::min(bytes, sent), hops[hop].link);
    }
    std::for_each(first, m_inFlight.end(), [](auto& one) { one.arrival.Cancel(); });
    m_inFlight.erase(first, m_inFlight.end());
    const auto last =
        m_inFlight.empty() ? now : static_cast<int64_t>(m_inFlight.back().arrival.GetTs());
    m_lastArrival = std::min(m_lastArrival, last);
}

void
FluidSender::LoseFrom(RdmaTransfer* transfer, double bytes, uint32_t direction)
{
    m_lost.transfer = transfer;
    m_lost.direction = direction;
    m_lost.bytes = bytes;
    StartTimer();
    const uint64_t window = GetWindow();
    if (m_path && window != RdmaRateControl::NO_WINDOW)
    {
        // A window's worth more leaves, at least at the rate of a window a round trip.
        m_lost.stall =
            Simulator::Schedule(TimeStep(m_path->GetRoundTrip()), &FluidSender::Stall, this);
    }
}

void
FluidSender::Stall()
{
    m_lost.isStalled = isActive;
    m_domain->Stop(*this);
}

void
FluidSender::StartTimer()
{
    const uint64_t onWay = m_next - m_unacknowledged;
    m_lost.timer.Cancel();
    // The same timeout as of packets, by what is on its path.
    m_lost.timer = Simulator::Schedule(m_config.GetRetransmissionTimeout(m_retries, onWay),
                                       &FluidSender::TimeOut,
                                       this);
}

void
FluidSender::UpdatePath()
{
    if (m_epoch != m_nic.GetNetwork().GetEpoch())
    {
        // The port may be another one; FindPath() goes from there.
        UpdateRoute();
        FindPath();
    }
    if (!m_lost.transfer && isActive && !HasPath())
    {
        // It began when the link went down, and there is no other path.
        LoseFrom(m_sending, GetWireBytes(*m_sending), FindCut(m_fabric, hops));
    }
    // The first packet that comes by a whole path shows the receiver that others are missing.
    if (m_lost.transfer && isActive && HasPath() && m_lost.goBack.IsExpired())
    {
        // A packet goes there, and the NACK of what it misses comes back.
        m_lost.goBack =
            Simulator::Schedule(TimeStep(m_path->GetRoundTrip()), &FluidSender::GoBack, this);
    }
}

void
FluidSender::TimeOut()
{
    if (!CountTimeout(m_config.GetRetransmissionTimeout(m_retries, m_next - m_unacknowledged)))
    {
        // The queue pair has failed for good.
        if (isActive)
        {
            m_domain->Stop(*this);
        }
        return;
    }
    m_control->TimedOut(Simulator::Now());
    GoBack();
}

void
FluidSender::GoBack()
{
    if (!HasPath())
    {
        // No path yet: the next timeout looks again.
        StartTimer();
        return;
    }
    m_lost.stall.Cancel();
    m_lost.timer.Cancel();
    m_lost.goBack.Cancel();
    // Whole packets are lost, as links carry nothing less.
    const double packets = std::ceil(m_lost.bytes / GetPacketBytes(m_config.mtu));
    const uint64_t from = m_lost.transfer->GetEnd() -
                          std::min(static_cast<uint64_t>(packets), m_lost.transfer->packets);
    CountLost(from);
    m_lost.isStalled = false;
    m_next = from;
    m_sending = std::exchange(m_lost.transfer, nullptr);
    m_heardFrom = Simulator::Now().GetTimeStep() + m_path->GetRoundTrip();
    // What is lost goes again; the messages behind it follow.
    m_domain->Start(*this, m_lost.bytes);
}

void
FluidSender::CountLost(uint64_t from)
{
    Advance(Simulator::Now().GetTimeStep());
    const bool isWithin = isActive || m_lost.isStalled;
    const double sent = isWithin ? GetWireBytes(*m_sending) - left : 0;
    const auto packets = static_cast<uint64_t>(sent / GetPacketBytes(m_config.mtu));
    // Parts of packets are not counted: where little was sent, the first may be ahead of the last.
    const uint64_t end = std::max(from, (isWithin ? m_sending->firstPacket : m_next) + packets);
    for (uint64_t number = from; number < end; ++number)
    {
        m_nic.retransmissionTrace(*MakeUnit(number, 1, *FindTransfer(number)));
    }
    if (m_lost.direction != UINT32_MAX)
    {
        // Dropped at the link that went down, as the packet model counts them.
        PortCounters& counters = *m_fabric.GetLink(m_lost.direction).settings.counters;
        counters.drops += end - from;
        counters.linkDrops += end - from;
    }
}

void
FluidSender::Observe(const FluidFeedback& feedback)
{
    // Nothing has come back yet of what it has begun to send.
    if (m_lost.transfer || feedback.now < m_heardFrom ||
        (!isActive && feedback.now > m_lastArrival))
    {
        m_acknowledger.Send(feedback.now, feedback.sent);
        return;
    }
    const auto roundTrip = static_cast<double>(m_path->GetRoundTrip());
    FluidAcknowledger::Moment moment;
    moment.packetBytes = GetPacketBytes(m_config.mtu);
    moment.roundTrip = roundTrip + progress.queueing;
    moment.onWay = (progress.waiting + rate * roundTrip) / moment.packetBytes * m_config.mtu;
    moment.isWhole = !isActive && feedback.now + feedback.passed > m_lastArrival;
    m_acknowledger.Report(feedback, moment);
    TraceControl();
}

} // namespace ns3
