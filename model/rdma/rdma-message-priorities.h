/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_PRIORITIES_H
#define RDMA_MESSAGE_PRIORITIES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which priority packets of a message have, by what is sent and what is left of it (Homa: B.
 * Montazeri et al., SIGCOMM 2018, section 3.4).
 *
 * What receivers grant has the lowest priorities, from 0 on; what is sent before they do has those
 * above, the shortest messages the highest.
 */
class RdmaMessagePriorities
{
  public:
    /// Priorities that data may have: the highest of the eight is left to responses and to what
    /// switches have trimmed.
    static constexpr uint32_t MOST = 7;

    /**
     * @param granted messages that a receiver grants at once, each by a priority of its own; at
     *                least 1
     * @param cutoffs message sizes, bytes, ascending: those up to the first have the highest
     *                priority, those up to the second the next; those above all have the lowest of
     *                what is sent without leave
     */
    RdmaMessagePriorities(uint32_t granted, std::vector<uint64_t> cutoffs);

    /**
     * @param text numbers separated by commas; empty = there are none
     * @param [out] cutoffs the numbers
     * @return whether they are whole numbers above 0, each larger than the one before
     */
    static bool ParseCutoffs(const std::string& text, std::vector<uint64_t>& cutoffs);

    /// @return messages that a receiver grants at once
    uint32_t GetGranted() const
    {
        return m_granted;
    }

    /// @return how many priorities there are
    uint32_t GetCount() const;

    /**
     * @param bytes size of a message
     * @return priority of what is sent of it without leave
     */
    uint8_t GetUnscheduled(uint64_t bytes) const;

    /**
     * Where fewer messages are granted than could be, they have the lowest priorities, so that one
     * that is shorter finds a higher one free at once.
     *
     * @param rank how many of those that are granted are shorter
     * @param messages how many are granted
     * @return priority of what is granted to it
     */
    uint8_t GetScheduled(std::size_t rank, std::size_t messages) const;

  private:
    uint32_t m_granted;              //!< messages that a receiver grants at once
    std::vector<uint64_t> m_cutoffs; //!< sizes of messages, ascending
};

} // namespace ns3

#endif /* RDMA_MESSAGE_PRIORITIES_H */
