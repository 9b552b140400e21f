/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_COUNTERS_H
#define PORT_COUNTERS_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a port has counted, whatever carries its packets: of one port, or the sum of several.
 *        What a fabric does not know is 0.
 */
struct PortCounters
{
    uint64_t packets{0};   //!< packets sent, flow control left out
    uint64_t bytes{0};     //!< bytes of their frames
    uint64_t wireBytes{0}; //!< bytes of all frames sent, preambles and gaps included
    uint64_t drops{0};     //!< packets lost: no room behind the port they came in by, or in its
                           //!< queue, a cut cable, an error on it, or the watchdog of the port they
                           //!< were to leave by

    // Of drops, where the fabric knows why; packets that found no room are the others.
    uint64_t errorDrops{0}; //!< errors on the cable
    uint64_t linkDrops{0};  //!< links that were down, or no link led on
    uint64_t stormDrops{0}; //!< the watchdog

    uint64_t marks{0};    //!< packets marked by ECN
    uint64_t pauses{0};   //!< pause frames sent
    uint64_t storms{0};   //!< times that the watchdog has found a priority paused for too long
    uint64_t maxQueue{0}; //!< most bytes that have waited, of several ports at any one
    Time paused;          //!< time in which some priority was paused by the far end

    /**
     * Visit the members that add up.
     *
     * @param visit is given the same member of each of the counters
     * @param counters one or more, const or not
     */
    template <typename V, typename... C>
    static void VisitSums(const V& visit, C&... counters)
    {
        visit(counters.packets...);
        visit(counters.bytes...);
        visit(counters.wireBytes...);
        visit(counters.drops...);
        visit(counters.errorDrops...);
        visit(counters.linkDrops...);
        visit(counters.stormDrops...);
        visit(counters.marks...);
        visit(counters.pauses...);
        visit(counters.storms...);
        visit(counters.paused...);
    }

    /**
     * @param counters what is visited, const or not
     * @param visit is given each member
     */
    template <typename C, typename V>
    static void Visit(C& counters, const V& visit)
    {
        VisitSums(visit, counters);
        visit(counters.maxQueue);
    }

    /**
     * @param other what another port has counted, or this one at another time
     * @return this, with both
     */
    PortCounters& operator+=(const PortCounters& other)
    {
        VisitSums([](auto& sum, const auto& part) { sum += part; }, *this, other);
        maxQueue = std::max(maxQueue, other.maxQueue);
        return *this;
    }

    /**
     * @param before what the port had counted before
     * @return what it has counted since; the largest queue is the largest ever
     */
    PortCounters GetSince(const PortCounters& before) const
    {
        PortCounters since = *this;
        VisitSums([](auto& now, const auto& then) { now -= then; }, since, before);
        return since;
    }
};

} // namespace ns3

#endif /* PORT_COUNTERS_H */
