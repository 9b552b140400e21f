/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-credit-pacer.h"

#include "rdma-packet.h"
#include "uec-parameters.h"
#include "uec-receiver.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Full packets of a credit (htsim, uec.cpp, UecSink::_mtus_per_pull).
constexpr uint64_t PACKETS_PER_CREDIT = 4;

/// Share of the rate that is granted: less than all, so that queues drain (htsim, main_uec.cpp,
/// pull rate 0.99; EQDS, section 4).
constexpr double RATE_SHARE = 0.99;

} // namespace

RdmaCreditPacer::RdmaCreditPacer(double rate,
                                 uint32_t mtu,
                                 const RdmaLinkLayer& layer,
                                 bool shortestFirst)
    : m_mtu(mtu),
      m_isShortestFirst(shortestFirst)
{
    const double wireBytes = layer.GetWireBytes(UecParameters::GetDataBytes(mtu));
    const auto second = static_cast<double>(Seconds(1).GetTimeStep());
    // Time steps per byte of payload, headers of full packets included.
    m_timePerByte = wireBytes / mtu * 8 / (rate * RATE_SHARE) * second;
}

RdmaCreditPacer::~RdmaCreditPacer()
{
    m_next.Cancel();
}

void
RdmaCreditPacer::Update(UecReceiver& receiver)
{
    if (receiver.isWaiting || receiver.GetDemand() == 0)
    {
        return;
    }
    receiver.isWaiting = true;
    m_waiting.push_back(&receiver);
    if (m_next.IsExpired())
    {
        // A grant keeps the port busy until its payload would have come.
        const int64_t wait = std::max<int64_t>(m_freeAt - Simulator::Now().GetTimeStep(), 0);
        m_next = Simulator::Schedule(TimeStep(wait), &RdmaCreditPacer::Grant, this);
    }
}

void
RdmaCreditPacer::Grant()
{
    UecReceiver& receiver = TakeNext();
    const uint64_t bytes = receiver.Grant(PACKETS_PER_CREDIT * m_mtu);
    receiver.isWaiting = receiver.GetDemand() > 0;
    if (receiver.isWaiting)
    {
        // Who has been granted goes to the end.
        m_waiting.push_back(&receiver);
    }
    const auto steps = static_cast<int64_t>(static_cast<double>(bytes) * m_timePerByte);
    m_freeAt = Simulator::Now().GetTimeStep() + steps;
    if (!m_waiting.empty())
    {
        m_next = Simulator::Schedule(TimeStep(steps), &RdmaCreditPacer::Grant, this);
    }
}

UecReceiver&
RdmaCreditPacer::TakeNext()
{
    auto next = m_waiting.begin();
    if (m_isShortestFirst)
    {
        next = std::min_element(next, m_waiting.end(), [](const auto* a, const auto* b) {
            return a->GetMissing() < b->GetMissing();
        });
    }
    UecReceiver& receiver = **next;
    m_waiting.erase(next);
    return receiver;
}

} // namespace ns3
