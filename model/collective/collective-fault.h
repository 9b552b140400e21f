/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FAULT_H
#define COLLECTIVE_FAULT_H

#include "collective-algorithm.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an algorithm of collectives does wrong.
 */
struct CollectiveFault
{
    uint32_t member{0};   //!< index of the member at fault
    std::string step;     //!< its step, in words; empty = at the end of all
    BufferPart part;      //!< bytes that are wrong; none = it is not about bytes
    std::string expected; //!< what should be
    std::string found;    //!< what is
    std::string advice;   //!< where to look; may be empty

    /**
     * @return all of it in a sentence
     */
    std::string Describe() const;
};

/**
 * @ingroup workload-replay
 * @brief What a member has sent and received in a collective.
 */
struct CollectiveTraffic
{
    /// Messages from one member to another.
    struct Sent
    {
        uint64_t messages{0}; //!< their number
        uint64_t bytes{0};    //!< their length in all
    };

    uint64_t steps{0};               //!< steps made by all its pipelines
    uint64_t sentBytes{0};           //!< bytes sent
    uint64_t receivedBytes{0};       //!< bytes received
    uint64_t largestMessage{0};      //!< longest message sent, bytes
    std::map<uint32_t, Sent> sentTo; //!< what it has sent, by receiver; not what went to switches
};

/**
 * @ingroup workload-replay
 * @brief Room that a receiver has for messages of a connection before it asks for them.
 *
 * NCCL's connections have NCCL_STEPS slots, which share a buffer of NCCL_BUFFSIZE, 4 MiB
 * (NVIDIA/nccl, src/include/device.h and src/init.cc).
 */
struct CollectiveSlots
{
    uint32_t count{8};          //!< number of slots; 0 = there is room for all
    uint64_t bytes{512 * 1024}; //!< what a slot holds, at least 1; a shorter message fills one, too
};

} // namespace ns3

#endif /* COLLECTIVE_FAULT_H */
