/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_STATISTICS_H
#define BACKGROUND_STATISTICS_H

#include "ideal-message-time.h"
#include "replay-result.h"

#include "ns3/byte-buffer.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Listens to transports and notes how long background flows take: from the beginning to the
 *        arrival of the last byte. Memory is kept per flow, 16 bytes.
 */
class BackgroundStatistics
{
  public:
    /**
     * @param graph the topology, for completion times in an empty network
     */
    explicit BackgroundStatistics(const TopologyGraph& graph);

    /**
     * Listen to transports. This object must outlive the simulation.
     *
     * @param transports transports of hosts; null ones are left out
     */
    void ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * @param [in,out] writer receives what was noted
     */
    void Write(ByteWriter& writer) const;

    /**
     * Add what another one has noted.
     *
     * @param [in,out] reader what its Write() has written
     */
    void Add(ByteReader& reader);

    /**
     * @return totals of the flows that have arrived; started is 0
     */
    BackgroundTotals GetTotals() const;

  private:
    /**
     * @param message a message that arrives now
     */
    void AddMessage(const Message& message);

    IdealMessageTime m_idealTime;    //!< completion times in an empty network
    uint64_t m_bytes{0};             //!< payload that has arrived
    std::vector<Time> m_times;       //!< completion times
    std::vector<double> m_slowdowns; //!< the same over those of an empty network
};

} // namespace ns3

#endif /* BACKGROUND_STATISTICS_H */
