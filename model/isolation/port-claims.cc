/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-claims.h"

#include "ns3/simulator.h"

namespace ns3
{

void
PortClaims::Resize(uint32_t places)
{
    m_uses.resize(places);
}

bool
PortClaims::IsFree(uint32_t place) const
{
    return m_uses[place].underWay == 0 && !m_uses[place].claimed;
}

void
PortClaims::Claim(const Places& places, uint32_t communicator, Action disturbed, Action quiet)
{
    const auto claimed = std::make_shared<Claimed>();
    claimed->communicator = communicator;
    claimed->disturbed = disturbed;
    claimed->quiet = quiet;
    for (const auto place : places)
    {
        m_uses[place].claimed = claimed;
    }
}

void
PortClaims::Release(const Places& places)
{
    for (const auto place : places)
    {
        m_uses[place].claimed = nullptr;
    }
}

void
PortClaims::Begin(uint32_t place, const Message& message)
{
    Use& use = m_uses[place];
    ++use.underWay;
    if (!use.claimed)
    {
        return;
    }
    // Held by a copy: who is disturbed releases the claim from within.
    const auto claimed = use.claimed;
    if (claimed->communicator != message.group || message.IsBackground())
    {
        claimed->disturbed();
    }
    else
    {
        ++claimed->underWay;
    }
}

void
PortClaims::End(uint32_t place)
{
    Use& use = m_uses[place];
    --use.underWay;
    use.endedAt = Simulator::Now();
    if (use.claimed && --use.claimed->underWay == 0)
    {
        // Likewise: who hears that all is quiet may release the claim.
        const auto claimed = use.claimed;
        claimed->quiet();
    }
}

bool
PortClaims::HasJustEnded(uint32_t place) const
{
    return m_uses[place].endedAt == Simulator::Now();
}

void
PortClaims::DisturbAll()
{
    for (auto& use : m_uses)
    {
        if (const auto claimed = use.claimed)
        {
            claimed->disturbed();
        }
    }
}

bool
PortClaims::IsQuiet(uint32_t place) const
{
    return m_uses[place].claimed->underWay == 0;
}

void
PortClaims::Count(uint32_t place, const Message& message)
{
    const auto& claimed = m_uses[place].claimed;
    if (claimed && message.channel != Message::CONTROL_CHANNEL)
    {
        const Time duration = Simulator::Now() - message.postedAt;
        ++claimed->messages[{message.source, message.destination, message.bytes, duration}];
    }
}

void
PortClaims::NoteUnsteady(uint32_t place)
{
    if (const auto& claimed = m_uses[place].claimed)
    {
        claimed->isSteady = false;
    }
}

void
PortClaims::Tell(uint32_t place, PortIsolation::Tally& tally) const
{
    const Claimed& claimed = *m_uses[place].claimed;
    for (const auto& [key, count] : claimed.messages)
    {
        const auto& [source, destination, bytes, duration] = key;
        tally.messages.push_back({source, destination, bytes, duration, count});
    }
    tally.isSteady = tally.isSteady && claimed.isSteady;
}

} // namespace ns3
