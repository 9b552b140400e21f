/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-sender.h"

#include "rdma-message-priorities.h"
#include "rdma-queue-pair-host.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("UecSender");

namespace
{

/// UDP source ports that are dynamic (RFC 6335): the lowest, and the bits that are free.
/// @{
constexpr uint16_t DYNAMIC_PORTS = 0xc000;
constexpr uint16_t DYNAMIC_MASK = 0x3fff;
/// @}

/// Fewest packets that have to overtake one until it counts as lost (htsim, uec.cpp,
/// UecSrc::min_retx_config).
constexpr uint64_t LEAST_OVERTAKING = 5;

/// Timeouts without a credit after which a sender asks once more.
constexpr int64_t CREDIT_TIMEOUTS = 8;

} // namespace

UecSender::UecSender(RdmaQueuePairHost& nic,
                     uint32_t number,
                     uint32_t peer,
                     uint16_t udpSourcePort,
                     uint8_t priority,
                     const UecParameters& parameters)
    : RdmaSender(nic, number, peer, udpSourcePort, priority),
      m_parameters(parameters),
      m_usesCredits(nic.GetControl(peer).UsesCredits()),
      m_priorities(nic.GetControl(peer).GetMessagePriorities()),
      m_firstPort(udpSourcePort),
      m_firstHash(m_flowHash),
      m_firstWindow(static_cast<double>(GetWindow()) / m_config.mtu)
{
    ChooseNextPath();
}

UecSender::~UecSender()
{
    m_timer.Cancel();
}

// ---------------------------------------------------------------------------------- sending

bool
UecSender::CanSend() const
{
    if (m_failed || (m_lost.empty() && m_next == m_end) || (m_usesCredits && m_credit <= 0))
    {
        return false;
    }
    const uint64_t number = m_lost.empty() ? m_next : *m_lost.begin();
    // One packet may always go, though the window be smaller.
    return m_inFlight == 0 || m_inFlight + GetPayload(number) <= GetWindow();
}

uint32_t
UecSender::GetPayload(uint64_t number) const
{
    const RdmaTransfer& transfer = *FindTransfer(number);
    return static_cast<uint32_t>(transfer.GetByte(number + 1, m_config.mtu) -
                                 transfer.GetByte(number, m_config.mtu));
}

void
UecSender::Posted()
{
    if (m_usesCredits)
    {
        TakeLeave();
    }
    StartTimer();
}

void
UecSender::TakeLeave()
{
    const uint64_t first = m_newest->firstPacket;
    if (first == m_unacknowledged)
    {
        m_credit = 0;
        m_firstLeft = GetWindow();
        m_isSpeculating = true;
        m_creditAt = Simulator::Now().GetTimeStep();
    }
    if (m_isSpeculating)
    {
        // A first window goes without leave, of however many messages; its packets ask for more.
        // One more than the payload, since a packet without payload takes 1.
        const uint64_t taken = std::min(m_firstLeft, m_newest->message.bytes + 1);
        m_firstLeft -= taken;
        m_credit += static_cast<int64_t>(taken);
    }
    if (m_credit <= 0 && first == m_next && m_lost.empty())
    {
        // All that the receiver has been asked for is sent, so that it waits for nothing more: one
        // packet goes without leave, and its header carries the demand (EQDS, section 4, has a
        // packet of its own for it).
        m_credit = 1;
    }
}

RdmaPacketPtr
UecSender::MakePacket(int64_t now, const Turn& turn [[maybe_unused]])
{
    const bool isNew = m_lost.empty();
    const uint64_t number = isNew ? m_next : *m_lost.begin();
    RdmaTransfer* const transfer = FindTransfer(number);
    RdmaPacketPtr packet = MakeUnit(number, 1, *transfer);
    packet->size = UecParameters::GetDataBytes(packet->payload);
    // A packet that is no longer than its header saves nothing when trimmed.
    packet->isTrimmable = packet->size > RdmaPacket::TRIMMED_BYTES;
    if (isNew)
    {
        ++m_next;
        m_sentBytes += packet->payload;
        m_sending = packet->isLast ? transfer->next : transfer;
        m_flights.emplace_back();
    }
    else
    {
        m_lost.erase(m_lost.begin());
        m_lostBytes -= packet->payload;
        GetFlight(number).isSentAgain = true;
        m_nic.retransmissionTrace(*packet);
    }
    Flight& flight = GetFlight(number);
    // Trimmed headers echo it, which distinguishes copies of a packet.
    flight.sentAt = now;
    flight.entropy = m_entropy;
    flight.isOnItsWay = true;
    m_inFlight += packet->payload;
    // No other packet fits into the window: the receiver is not to collect more first.
    packet->asksForAck = m_inFlight + m_config.mtu > GetWindow();
    if (m_usesCredits)
    {
        // A packet without payload takes leave as well, lest there be any number of them.
        m_credit -= std::max(packet->payload, 1U);
        packet->demand = GetCreditDemand();
        const RdmaTransfer& asked = m_sending ? *m_sending : *transfer;
        packet->messageEnd = asked.firstByte + asked.message.bytes;
    }
    if (m_priorities)
    {
        packet->priority = m_isSpeculating ? m_priorities->GetUnscheduled(transfer->message.bytes)
                                           : m_grantedPriority;
    }
    Pace(*packet, now, GetRate(now));
    ChooseNextPath();
    return packet;
}

uint64_t
UecSender::GetCreditDemand() const
{
    const uint64_t backlog = m_lostBytes + m_endBytes - m_sentBytes;
    const auto wanted = static_cast<int64_t>(std::min(backlog, GetWindow())) - m_credit;
    // Demands are totals since the queue pair began, as grants are: one that is lost does no harm.
    return wanted > 0 ? m_granted + static_cast<uint64_t>(wanted) : 0;
}

void
UecSender::ChooseNextPath()
{
    const uint32_t ports = m_nic.CountPorts(m_peer);
    // Ports of the host in turn, packet by packet: planes are loaded evenly.
    m_turn = m_turn + 1 < ports ? m_turn + 1 : 0;
    while (m_paths.size() <= m_turn)
    {
        const uint64_t salt = EcmpMix(m_firstHash ^ m_paths.size());
        // Each port has a selector of its own, seeded apart from the others.
        m_paths.push_back(
            RdmaPathSelector::Create(m_parameters.spraying, m_parameters.entropies, salt));
    }
    // Each port has a range of entropy values of its own, so that a value gives the port, too.
    const uint32_t entropy = m_turn * m_parameters.entropies + m_paths[m_turn]->Choose();
    m_entropy = static_cast<uint16_t>(entropy & DYNAMIC_MASK);
    const uint32_t port = DYNAMIC_PORTS | ((m_firstPort + entropy) & DYNAMIC_MASK);
    SetPath(static_cast<uint16_t>(port), m_turn);
}

void
UecSender::NotePath(uint16_t entropy, RdmaPathSelector::Verdict verdict)
{
    const uint32_t port = entropy / m_parameters.entropies;
    if (port < m_paths.size())
    {
        m_paths[port]->Note(static_cast<uint16_t>(entropy % m_parameters.entropies),
                            verdict,
                            Simulator::Now().GetTimeStep());
    }
}

// ------------------------------------------------------------------------- acknowledgements

void
UecSender::HandleFeedback(const RdmaPacket& packet)
{
    if (m_failed)
    {
        return;
    }
    // Later packets carry the number of the receiver's half, so that it need not be searched for.
    m_peerQp = packet.receiverQp;
    switch (packet.type)
    {
    case RdmaPacket::CNP:
        m_control->CnpReceived(Simulator::Now());
        TraceControl();
        break;
    case RdmaPacket::CREDIT:
        HandleCredit(packet);
        break;
    default:
        HandleAcknowledgement(packet);
    }
}

void
UecSender::HandleAcknowledgement(const RdmaPacket& packet)
{
    const uint64_t arrived = m_arrivedBytes;
    uint64_t number = packet.ackedSequence;
    for (uint64_t bits = packet.sack; bits != 0; bits >>= 1, --number)
    {
        if (bits & 1)
        {
            Acknowledge(number);
        }
    }
    for (number = m_unacknowledged; number < packet.sequence; ++number)
    {
        Acknowledge(number);
    }
    // Responses have the UDP source port of the packet that they are to.
    const auto entropy = static_cast<uint16_t>((packet.udpSourcePort - m_firstPort) & DYNAMIC_MASK);
    if (packet.isTrimmed)
    {
        NotePath(entropy, RdmaPathSelector::TRIMMED);
        HandleTrimmed(packet);
    }
    else
    {
        NotePath(entropy, packet.marked ? RdmaPathSelector::MARKED : RdmaPathSelector::GOOD);
        FindOvertaken(packet.ackedSequence);
    }
    if (m_arrivedBytes > arrived)
    {
        m_retries = 0;
        RdmaAck ack;
        ack.bytes = m_arrivedBytes - arrived;
        ack.acknowledged = m_arrivedBytes;
        ack.sent = m_arrivedBytes + m_inFlight;
        NotifyControl(ack, packet);
    }
    // Last: the owner, when notified that a message is sent, may have the next packet sent from
    // within.
    MoveOn(packet.sequence);
}

void
UecSender::Acknowledge(uint64_t number)
{
    if (number < m_unacknowledged || GetFlight(number).isDone)
    {
        return;
    }
    Flight& flight = GetFlight(number);
    const uint32_t payload = GetPayload(number);
    if (flight.isOnItsWay)
    {
        m_inFlight -= payload;
    }
    else
    {
        // It was late, not lost.
        m_lost.erase(number);
        m_lostBytes -= payload;
    }
    flight.isOnItsWay = false;
    flight.isDone = true;
    m_arrivedBytes += payload;
}

void
UecSender::MoveOn(uint64_t number)
{
    if (number > m_unacknowledged)
    {
        // Flights are kept from the oldest unacknowledged packet on only.
        m_flights.erase(m_flights.begin(),
                        m_flights.begin() + static_cast<int64_t>(number - m_unacknowledged));
        m_unacknowledged = number;
        Finish(number);
    }
}

void
UecSender::HandleTrimmed(const RdmaPacket& packet)
{
    const uint64_t number = packet.ackedSequence;
    // A trimmed packet shows a full queue: what was free to go without leave has been too much.
    m_isSpeculating = false;
    // What was sent again since is not meant.
    if (number >= m_unacknowledged && GetFlight(number).isOnItsWay &&
        GetFlight(number).sentAt == packet.sentAt)
    {
        Lose(number);
        m_control->PacketTrimmed(Simulator::Now(), GetPayload(number), m_inFlight);
        TraceControl();
    }
}

void
UecSender::Lose(uint64_t number)
{
    NS_LOG_LOGIC("queue pair " << m_number << " has lost packet " << number);
    const uint32_t payload = GetPayload(number);
    GetFlight(number).isOnItsWay = false;
    // It takes no room in the window until it is sent again.
    m_inFlight -= payload;
    // A set, as losses are noted in any order and sent again in order.
    m_lost.insert(number);
    m_lostBytes += payload;
}

void
UecSender::FindOvertaken(uint64_t highest)
{
    // The first window is the largest: what has shrunk since does not shorten the paths.
    const double distance = m_parameters.lossThreshold * m_firstWindow;
    const auto packets = std::max(LEAST_OVERTAKING, static_cast<uint64_t>(distance));
    if (distance == 0 || highest < packets)
    {
        return;
    }
    // Each packet is judged once: one that is sent again is overtaken from the start, and left to
    // the timeout.
    uint64_t number = std::max(m_unacknowledged, m_overtakenEnd);
    for (; number < highest - packets; ++number)
    {
        if (GetFlight(number).isOnItsWay)
        {
            NotePath(GetFlight(number).entropy, RdmaPathSelector::LOST);
            Lose(number);
        }
    }
    m_overtakenEnd = number;
}

void
UecSender::HandleCredit(const RdmaPacket& packet)
{
    // Grants are totals, so that one that is lost or late does no harm.
    if (packet.sequence <= m_granted)
    {
        return;
    }
    if (m_isSpeculating)
    {
        // The receiver has taken over: what was free is not any more.
        m_isSpeculating = false;
        m_credit = std::min<int64_t>(m_credit, 0);
    }
    m_creditAt = Simulator::Now().GetTimeStep();
    m_credit += static_cast<int64_t>(packet.sequence - m_granted);
    m_granted = packet.sequence;
    m_grantedPriority = static_cast<uint8_t>(packet.grantedPriority);
}

// ---------------------------------------------------------------------------------- timeouts

void
UecSender::StartTimer()
{
    if (!m_failed && m_timer.IsExpired())
    {
        m_timer = Simulator::Schedule(GetTimeout(), &UecSender::CheckTimer, this);
    }
}

Time
UecSender::GetTimeout() const
{
    // Exponential backoff, which ends at 2^16 lest the time overflow.
    return m_parameters.retransmissionTimeout * (int64_t{1} << std::min(m_retries, 16U));
}

void
UecSender::CheckTimer()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t timeout = GetTimeout().GetTimeStep();
    // One timer for all packets: it runs until the oldest one on its way is due.
    int64_t next = now + timeout;
    // Nothing leaves by a dead link: the timeout has to find another path.
    bool isOverdue = !m_port->IsLinkUp();
    for (uint64_t number = m_unacknowledged; number < m_next; ++number)
    {
        const Flight& flight = GetFlight(number);
        if (flight.isOnItsWay && flight.sentAt + timeout <= now)
        {
            NotePath(flight.entropy, RdmaPathSelector::LOST);
            Lose(number);
            isOverdue = true;
        }
        else if (flight.isOnItsWay)
        {
            next = std::min(next, flight.sentAt + timeout);
        }
    }
    if (isOverdue)
    {
        TimeOut();
        // CountTimeout() has doubled the timeout.
        next = now + GetTimeout().GetTimeStep();
    }
    else if (m_usesCredits && m_credit <= 0 && m_creditAt + CREDIT_TIMEOUTS * timeout <= now)
    {
        // Others may have been served instead, or credits have been lost: ask once more.
        m_creditAt = now;
        m_credit = 1;
        // With 1 byte of credit one packet may go, and its header carries the demand.
        Resume();
    }
    if (!m_failed && m_unacknowledged < m_end)
    {
        m_timer = Simulator::Schedule(TimeStep(next - now), &UecSender::CheckTimer, this);
    }
}

void
UecSender::TimeOut()
{
    if (CountTimeout(GetTimeout()))
    {
        m_control->TimedOut(Simulator::Now());
        // One packet may go without leave, to ask for it anew.
        m_credit = std::max<int64_t>(m_credit, 1);
        ChooseNextPath();
        Resume();
    }
}

} // namespace ns3
