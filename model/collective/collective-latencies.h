/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_LATENCIES_H
#define COLLECTIVE_LATENCIES_H

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How the members of a collective notify each other of data that has arrived, as in NCCL
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

/**
 * @ingroup workload-replay
 * @brief What a collective costs in time beside the wire, by algorithm and protocol.
 */
class CollectiveLatencies
{
  public:
    /// Latencies of an algorithm with a protocol.
    struct Entry
    {
        Time base;    //!< once per call
        Time server;  //!< of a message inside a server
        Time network; //!< of a message between servers
    };

    /**
     * Take in a list ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK,... such as
     * "ring/ll=6.6us:0.6us:2.7us". An entry takes the place of an earlier one for the same.
     *
     * @param text the list; empty = nothing
     * @return what is wrong with it; empty = nothing, and all of it was taken in
     */
    std::string Parse(const std::string& text);

    /**
     * @return all entries, as Parse() takes them
     */
    std::string ToText() const;

    /**
     * @param algorithm name of an algorithm
     * @param protocol a protocol
     * @return its latencies; of an algorithm without entry those of the ring with the protocol, and
     *         if there are none either, nothing
     */
    Entry Find(const std::string& algorithm, CollectiveProtocol protocol) const;

  private:
    /// Latencies by algorithm and protocol.
    using Entries = std::map<std::pair<std::string, CollectiveProtocol>, Entry>;

    /**
     * @param text a list as Parse() takes it
     * @param [in,out] entries receives its entries
     * @return what is wrong with it; empty = nothing
     */
    static std::string ParseEntries(const std::string& text, Entries& entries);

    Entries m_entries; //!< all entries
};

} // namespace ns3

#endif /* COLLECTIVE_LATENCIES_H */
