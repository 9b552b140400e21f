/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-shared-buffer.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

bool
RdmaSharedBuffer::Configure(const Parameters& parameters, const std::vector<uint64_t>& headroom)
{
    m_parameters = parameters;
    m_headroom = headroom;
    m_ports.assign(headroom.size(), Port());
    uint64_t priorities = 0;
    for (uint8_t priority = 0; priority < RdmaEgressQueues::PRIORITIES; ++priority)
    {
        priorities += IsLossless(priority) ? 1 : 0;
    }
    uint64_t reserved = 0;
    for (const uint64_t bytes : headroom)
    {
        // Headroom is set aside per ingress port and lossless priority, whether or not it is in
        // use.
        reserved += bytes * priorities;
    }
    // What is left is shared by dynamic thresholds (A. Choudhury and E. Hahne, 1998).
    m_pool = parameters.bytes > reserved ? parameters.bytes - reserved : 0;
    return m_pool > 0;
}

bool
RdmaSharedBuffer::HasRoom(uint32_t ingress,
                          uint8_t priority,
                          uint32_t bytes,
                          uint64_t queued,
                          uint16_t packets) const
{
    const Account& account = m_ports[ingress][priority];
    if (m_shared + bytes > m_pool)
    {
        return false;
    }
    // The last of them finds those before it.
    const auto free = static_cast<double>(GetFree() - (bytes - bytes / packets));
    if (!IsLossless(priority))
    {
        return static_cast<double>(queued + bytes) <= m_parameters.egressAlpha * free;
    }
    // What comes after the pause frame goes to the headroom, whatever room the pool has.
    return !account.paused &&
           static_cast<double>(account.shared + bytes) <= m_parameters.ingressAlpha * free;
}

RdmaSharedBuffer::Verdict
RdmaSharedBuffer::Store(uint32_t ingress,
                        uint8_t priority,
                        uint32_t bytes,
                        uint64_t queued,
                        bool isCommitted)
{
    Account& account = m_ports[ingress][priority];
    Verdict verdict = STORE;
    if (HasRoom(ingress, priority, bytes, queued))
    {
        account.shared += bytes;
        m_shared += bytes;
    }
    else if (IsLossless(priority) &&
             (isCommitted || account.headroom + bytes <= m_headroom[ingress]))
    {
        account.headroom += bytes;
        // The peer is paused already; what comes now was on its way.
        verdict = account.paused ? STORE : STORE_AND_PAUSE;
        m_paused += account.paused ? 0 : 1;
        account.paused = true;
    }
    else
    {
        return DROP;
    }
    m_stored += bytes;
    m_maxStored = std::max(m_maxStored, m_stored);
    NS_ASSERT_MSG(IsBalanced(), "the accounts of the buffer do not add up");
    return verdict;
}

bool
RdmaSharedBuffer::Release(uint32_t ingress, uint8_t priority, uint32_t bytes)
{
    Account& account = m_ports[ingress][priority];
    NS_ASSERT_MSG(account.shared + account.headroom >= bytes, "more leaves than was stored");
    // The headroom is emptied first: it has to be whole before the next pause.
    const uint64_t fromHeadroom = std::min<uint64_t>(bytes, account.headroom);
    // A packet may lie in both, so its bytes are taken from each.
    account.headroom -= fromHeadroom;
    account.shared -= bytes - fromHeadroom;
    m_shared -= bytes - fromHeadroom;
    m_stored -= bytes;
    NS_ASSERT_MSG(IsBalanced(), "the accounts of the buffer do not add up");
    if (!account.paused || account.headroom > 0)
    {
        return false;
    }
    const double threshold = m_parameters.ingressAlpha * static_cast<double>(GetFree());
    const bool isLow = static_cast<double>(account.shared + m_parameters.resumeOffset) <= threshold;
    // Where nothing is left no other release could end the pause, however low the threshold is.
    account.paused = account.shared > 0 && !isLow;
    m_paused -= account.paused ? 0 : 1;
    return !account.paused;
}

void
RdmaSharedBuffer::ForgetPauses(uint32_t ingress)
{
    for (Account& account : m_ports[ingress])
    {
        // The peer has lost its link and with it the pause; a new one will be sent if need be.
        m_paused -= account.paused ? 1 : 0;
        account.paused = false;
    }
}

uint64_t
RdmaSharedBuffer::GetLimit(uint8_t priority) const
{
    // It stores alpha (pool - what it has stored).
    const double alpha = GetAlpha(priority);
    // Solved for what one queue alone can hold: x = alpha (pool - x).
    return static_cast<uint64_t>(static_cast<double>(m_pool) * alpha / (1 + alpha));
}

double
RdmaSharedBuffer::GetThreshold(uint8_t priority, double stored) const
{
    return GetAlpha(priority) * std::max(0.0, static_cast<double>(m_pool) - stored);
}

uint64_t
RdmaSharedBuffer::GetStored() const
{
    return m_stored;
}

uint64_t
RdmaSharedBuffer::GetMaxStored() const
{
    return m_maxStored;
}

uint64_t
RdmaSharedBuffer::GetStored(uint32_t ingress, uint8_t priority) const
{
    const Account& account = m_ports[ingress][priority];
    return account.shared + account.headroom;
}

uint64_t
RdmaSharedBuffer::GetHeadroomUsed(uint32_t ingress, uint8_t priority) const
{
    return m_ports[ingress][priority].headroom;
}

uint64_t
RdmaSharedBuffer::GetFree() const
{
    return m_pool - m_shared;
}

bool
RdmaSharedBuffer::IsBalanced() const
{
    uint64_t shared = 0;
    uint64_t stored = 0;
    for (const Port& port : m_ports)
    {
        for (const Account& account : port)
        {
            shared += account.shared;
            stored += account.shared + account.headroom;
        }
    }
    return shared == m_shared && stored == m_stored && m_shared <= m_pool;
}

} // namespace ns3
