/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-reservations.h"

#include "ns3/simulator.h"

namespace ns3
{

void
PortReservations::Resize(uint32_t places)
{
    m_uses.resize(places);
}

bool
PortReservations::IsFree(uint32_t place) const
{
    return m_uses[place].underWay == 0 && !m_uses[place].reservation;
}

void
PortReservations::Reserve(const Places& places,
                          uint32_t communicator,
                          Action interrupted,
                          Action quiet)
{
    const auto reservation = std::make_shared<Reservation>();
    reservation->communicator = communicator;
    reservation->interrupted = interrupted;
    reservation->quiet = quiet;
    for (const auto place : places)
    {
        m_uses[place].reservation = reservation;
    }
}

void
PortReservations::Release(const Places& places)
{
    for (const auto place : places)
    {
        m_uses[place].reservation = nullptr;
    }
}

void
PortReservations::Begin(uint32_t place, const Message& message)
{
    Use& use = m_uses[place];
    ++use.underWay;
    if (!use.reservation)
    {
        return;
    }
    // Held by a copy: who is interrupted releases the reservation from within.
    const auto reservation = use.reservation;
    if (reservation->communicator != message.group || message.IsBackground())
    {
        reservation->interrupted();
    }
    else
    {
        ++reservation->underWay;
    }
}

void
PortReservations::End(uint32_t place)
{
    Use& use = m_uses[place];
    --use.underWay;
    use.endedAt = Simulator::Now();
    if (use.reservation && --use.reservation->underWay == 0)
    {
        // Likewise: who hears that all is quiet may release the reservation.
        const auto reservation = use.reservation;
        reservation->quiet();
    }
}

bool
PortReservations::HasJustEnded(uint32_t place) const
{
    return m_uses[place].endedAt == Simulator::Now();
}

bool
PortReservations::IsInUse(uint32_t place) const
{
    return m_uses[place].underWay > 0;
}

void
PortReservations::InterruptAll()
{
    for (auto& use : m_uses)
    {
        if (const auto reservation = use.reservation)
        {
            reservation->interrupted();
        }
    }
}

bool
PortReservations::IsQuiet(uint32_t place) const
{
    return m_uses[place].reservation->underWay == 0;
}

void
PortReservations::Count(uint32_t place, const Message& message)
{
    const auto& reservation = m_uses[place].reservation;
    if (reservation && message.channel != Message::CONTROL_CHANNEL)
    {
        const Time duration = Simulator::Now() - message.postedAt;
        ++reservation->messages[{message.source, message.destination, message.bytes, duration}];
    }
}

void
PortReservations::NoteUnsteady(uint32_t place)
{
    if (const auto& reservation = m_uses[place].reservation)
    {
        reservation->isSteady = false;
    }
}

void
PortReservations::AddTo(uint32_t place, PortIsolation::Counters& counters) const
{
    const Reservation& reservation = *m_uses[place].reservation;
    for (const auto& [key, count] : reservation.messages)
    {
        const auto& [source, destination, bytes, duration] = key;
        counters.messages.push_back({source, destination, bytes, duration, count});
    }
    counters.isSteady = counters.isSteady && reservation.isSteady;
}

} // namespace ns3
