/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_STATISTICS_H
#define BACKGROUND_STATISTICS_H

#include "ideal-message-time.h"
#include "replay-result.h"

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
    /// What is noted of flows.
    struct Flows
    {
        uint64_t started{0};           //!< flows that have begun
        uint64_t bytes{0};             //!< payload that has arrived
        std::vector<Time> times;       //!< completion times
        std::vector<double> slowdowns; //!< the same over those of an empty network

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.started);
            visit(record.bytes);
            visit(record.times);
            visit(record.slowdowns);
        }
    };

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
     * @return what was noted; that flows begin is not
     */
    const Flows& GetFlows() const;

    /**
     * Add what another one has noted.
     *
     * @param other what it has noted
     */
    void Add(const Flows& other);

    /**
     * @return totals of the flows
     */
    BackgroundTotals GetTotals() const;

  private:
    /**
     * @param message a message that arrives now
     */
    void AddMessage(const Message& message);

    IdealMessageTime m_idealTime; //!< completion times in an empty network
    Flows m_flows;                //!< what was noted
};

} // namespace ns3

#endif /* BACKGROUND_STATISTICS_H */
