/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-message-priorities.h"

#include "ns3/assert.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

RdmaMessagePriorities::RdmaMessagePriorities(uint32_t granted, std::vector<uint64_t> cutoffs)
    : m_granted(granted),
      m_cutoffs(std::move(cutoffs))
{
    NS_ASSERT_MSG(m_granted > 0 && GetCount() <= MOST, "there are " << GetCount() << " priorities");
}

bool
RdmaMessagePriorities::ParseCutoffs(const std::string& text, std::vector<uint64_t>& cutoffs)
{
    std::istringstream stream(text);
    cutoffs.clear();
    for (char comma = ','; stream.peek() != std::istringstream::traits_type::eof();)
    {
        uint64_t cutoff = 0;
        const uint64_t before = cutoffs.empty() ? 0 : cutoffs.back();
        // The first one has no comma before it. A sign would make a number of 64 bits of it.
        const bool isNext = cutoffs.empty() || (stream >> comma && comma == ',');
        const bool isNumber = isNext && stream.peek() >= '0' && stream.peek() <= '9';
        if (!isNumber || !(stream >> cutoff) || cutoff <= before)
        {
            return false;
        }
        cutoffs.push_back(cutoff);
    }
    return true;
}

uint32_t
RdmaMessagePriorities::GetCount() const
{
    // One more than cut-offs, for messages above all of them.
    return m_granted + static_cast<uint32_t>(m_cutoffs.size()) + 1;
}

uint8_t
RdmaMessagePriorities::GetUnscheduled(uint64_t bytes) const
{
    const auto cutoff = std::lower_bound(m_cutoffs.begin(), m_cutoffs.end(), bytes);
    return static_cast<uint8_t>(m_granted + (m_cutoffs.end() - cutoff));
}

uint8_t
RdmaMessagePriorities::GetScheduled(std::size_t rank, std::size_t messages) const
{
    NS_ASSERT_MSG(rank < messages && messages <= m_granted, rank << " of " << messages);
    return static_cast<uint8_t>(messages - 1 - rank);
}

} // namespace ns3
