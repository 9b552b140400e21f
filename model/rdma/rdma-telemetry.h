/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TELEMETRY_H
#define RDMA_TELEMETRY_H

#include "ns3/assert.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the egress ports on a packet's path have written into it.
 *
 * In-band network telemetry as HPCC reads it (Y. Li et al., HPCC: high precision congestion
 * control, SIGCOMM 2019, section 3.1). Ports beyond MAX_HOPS write nothing.
 */
struct RdmaTelemetry
{
    /// Hops that a packet has room for; a path through a three-level fat-tree has 6.
    static constexpr uint32_t MAX_HOPS = 8;

    /// What it adds to a packet, bytes (HPCC, section 5.1: 42 for five hops).
    static constexpr uint32_t BYTES = 42;

    /// What one port writes when the packet begins to leave it.
    struct Hop
    {
        int64_t at;         //!< when, in time steps of the simulator
        uint64_t sentBytes; //!< bytes that the port has sent so far, this packet left out
        uint64_t queue;     //!< bytes that wait at the port behind this packet
        uint64_t rate;      //!< rate of the port, bit/s

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.at);
            visit(record.sentBytes);
            visit(record.queue);
            visit(record.rate);
        }
    };

    /**
     * @param hop what a port writes; lost if there is no room
     */
    void Write(const Hop& hop)
    {
        if (count < MAX_HOPS)
        {
            hops[count++] = hop;
        }
    }

    uint32_t count{0};                //!< hops written
    std::array<Hop, MAX_HOPS> hops{}; //!< what they have written, in the order of travel

    /**
     * @param telemetry what is visited, const or not
     * @param visit is given the number of hops, and each that is written
     */
    template <typename T, typename V>
    static void Visit(T& telemetry, const V& visit)
    {
        visit(telemetry.count);
        NS_ASSERT_MSG(telemetry.count <= MAX_HOPS, "more hops than room");
        for (uint32_t hop = 0; hop < telemetry.count; ++hop)
        {
            visit(telemetry.hops[hop]);
        }
    }
};

} // namespace ns3

#endif /* RDMA_TELEMETRY_H */
