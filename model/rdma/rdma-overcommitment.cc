/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-overcommitment.h"

#include "uec-receiver.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

RdmaOvercommitment::RdmaOvercommitment(const RdmaMessagePriorities& priorities)
    : m_priorities(priorities)
{
}

void
RdmaOvercommitment::Update(UecReceiver& receiver)
{
    const auto found = std::find(m_asking.begin(), m_asking.end(), &receiver);
    if (!receiver.IsAsking())
    {
        if (found == m_asking.end())
        {
            return;
        }
        m_asking.erase(found);
    }
    else if (found == m_asking.end())
    {
        m_asking.push_back(&receiver);
    }
    // Nearly sorted already; of equal ones that which has asked first stays first.
    std::stable_sort(m_asking.begin(), m_asking.end(), [](const auto* a, const auto* b) {
        return a->GetMissing() < b->GetMissing();
    });
    const auto granted = std::min<std::size_t>(m_asking.size(), m_priorities.GetGranted());
    for (std::size_t rank = 0; rank < granted; ++rank)
    {
        UecReceiver& next = *m_asking[rank];
        if (next.GetDemand() > 0)
        {
            next.Grant(next.GetDemand(), m_priorities.GetScheduled(rank, granted));
        }
    }
}

} // namespace ns3
