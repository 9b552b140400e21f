/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-acknowledger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3
{

FluidAcknowledger::FluidAcknowledger(const RdmaQueuePairConfig& config,
                                     RdmaRateControl& control,
                                     uint64_t key)
    : m_config(config),
      m_control(control),
      m_key(key),
      m_part(FluidDraw(~key, 0))
{
    DrawMarks();
}

void
FluidAcknowledger::DrawMarks()
{
    // Of packets that are marked independently of each other, none is with probability
    // exp(sum of log(1 - part)): that sum has an exponential distribution until one is.
    m_marksLeft = -std::log(FluidDraw(m_key, m_nDraws++));
}

void
FluidAcknowledger::Report(const FluidFeedback& feedback, const Moment& moment)
{
    double sent = feedback.sent;
    if (m_config.usesCnp)
    {
        // Packets come whole, of slow queue pairs one in several steps.
        m_part += feedback.arrived / moment.packetBytes;
        const double whole = std::floor(m_part);
        m_part -= whole;
        sent -= Notify(feedback, whole);
    }
    Send(feedback.now, sent);
    if (m_control.UsesAcknowledgements())
    {
        m_arrived += feedback.arrived;
        // Nothing less than a packet is acknowledged, but for the rest of the last message.
        if ((moment.isWhole && m_arrived > 0) || m_arrived >= moment.packetBytes)
        {
            Acknowledge(feedback, moment, std::exchange(m_arrived, 0) / moment.packetBytes);
        }
    }
}

void
FluidAcknowledger::Send(int64_t now, double bytes)
{
    if (bytes > 0)
    {
        m_notBefore = now;
        m_control.PacketSent(Time(now), static_cast<uint32_t>(std::min(bytes, 4e9)));
    }
}

double
FluidAcknowledger::Notify(const FluidFeedback& feedback, double packets)
{
    // They have come evenly since the last step. Where all are marked, the first one is.
    const double gap = feedback.passed / packets;
    const double marked = -std::log1p(-std::min(feedback.marked, 1.0));
    double sent = 0;
    double next = FindPacket(feedback.now, gap, packets);
    while (marked > 0 && next < packets)
    {
        const double first = next + std::max(1.0, std::ceil(m_marksLeft / marked)) - 1;
        if (!(first < packets))
        {
            m_marksLeft -= (packets - next) * marked;
            break;
        }
        const auto ago = static_cast<int64_t>((packets - 1 - first) * gap);
        const int64_t came = feedback.now - ago;
        const int64_t at = std::max(came, m_notBefore);
        // What is sent after it counts from it on.
        const double before =
            feedback.sent * (1 - static_cast<double>(feedback.now - at) / feedback.passed);
        Send(at, before - sent);
        sent = std::max(sent, before);
        DrawMarks();
        // At most one notification in an interval, as the receiver's NIC sends them.
        m_nextCnpAt = came + m_config.cnpInterval.GetTimeStep();
        m_control.CnpReceived(Time(at));
        next = std::max(first + 1, FindPacket(feedback.now, gap, packets));
    }
    return sent;
}

double
FluidAcknowledger::FindPacket(int64_t now, double gap, double packets) const
{
    const auto left = static_cast<double>(now - m_nextCnpAt);
    return std::max(0.0, packets - 1 - std::floor(left / gap));
}

double
FluidAcknowledger::GetMarksLeft() const
{
    return m_config.usesCnp ? m_marksLeft : std::numeric_limits<double>::infinity();
}

void
FluidAcknowledger::Acknowledge(const FluidFeedback& feedback, const Moment& moment, double packets)
{
    // Telemetry is of one moment, and reports all that has passed since the last.
    const double interval = feedback.telemetry ? packets : m_config.ackInterval;
    const auto acks = static_cast<uint32_t>(std::max(1.0, std::round(packets / interval)));
    const double before = m_reportedRoundTrip > 0 ? m_reportedRoundTrip : moment.roundTrip;
    m_reportedRoundTrip = moment.roundTrip;
    RdmaAck ack;
    ack.telemetry = feedback.telemetry;
    for (uint32_t i = 1; i <= acks; ++i)
    {
        // They have come evenly since the last step, in which the queues have changed evenly.
        const double part = static_cast<double>(i) / acks;
        const double payload = packets * m_config.mtu / acks;
        m_acknowledgedPayload += payload;
        ack.now = Time(feedback.now - static_cast<int64_t>((1 - part) * feedback.passed));
        ack.rtt = Time(static_cast<int64_t>(before + (moment.roundTrip - before) * part));
        // Payload, as rate controls count it.
        ack.bytes = static_cast<uint64_t>(payload);
        ack.acknowledged = static_cast<uint64_t>(m_acknowledgedPayload);
        ack.sent = ack.acknowledged + static_cast<uint64_t>(moment.onWay);
        // Marks are spread evenly over the acknowledgements, as many as were marked on average.
        ack.marked = std::floor(i * feedback.marked) > std::floor((i - 1) * feedback.marked);
        m_control.AckReceived(ack);
    }
}

} // namespace ns3
