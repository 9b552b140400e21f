/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_PROTOCOL_H
#define COLLECTIVE_PROTOCOL_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How the members of a collective tell each other that data has arrived, as in NCCL
 *        (Hu et al., "Demystifying NCCL", arXiv:2507.04786, section 3).
 */
enum class CollectiveProtocol : uint8_t
{
    SIMPLE, //!< large chunks, a fence and a flag after each: full rate, the highest latency
    LL128,  //!< a flag of 8 bytes in every 128: nearly full rate, lower latency
    LL      //!< a flag of 4 bytes after every 4: half the rate, the lowest latency
};

/**
 * @ingroup workload-replay
 * @return all protocols
 */
const std::vector<CollectiveProtocol>& GetCollectiveProtocols();

/**
 * @ingroup workload-replay
 * @param protocol a protocol
 * @return its name in reports and options: simple, ll128, ll
 */
std::string ToString(CollectiveProtocol protocol);

} // namespace ns3

#endif /* COLLECTIVE_PROTOCOL_H */
