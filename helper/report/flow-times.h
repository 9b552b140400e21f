/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_TIMES_H
#define FLOW_TIMES_H

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
 * @brief Listens to transports and notes how long the messages of jobs take that are flows.
 */
class FlowTimes
{
  public:
    /**
     * @param graph the topology, for completion times in an empty network
     */
    explicit FlowTimes(const TopologyGraph& graph);

    /**
     * Listen to transports. This object must outlive the simulation.
     *
     * @param transports transports of hosts; null ones are left out
     */
    void ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports);

    /// @return the flows that have arrived, in the order of their arrival
    const std::vector<FlowTime>& Get() const;

  private:
    /**
     * @param message a message that arrives now
     */
    void AddMessage(const Message& message);

    IdealMessageTime m_idealTime;  //!< completion times in an empty network
    std::vector<FlowTime> m_flows; //!< what was noted
};

/**
 * @ingroup workload-replay
 * @param flows flows, in any order
 * @return the same by size, each class ten times the one before; classes without flows are left out
 */
std::vector<FlowClass> ClassifyFlows(const std::vector<FlowTime>& flows);

} // namespace ns3

#endif /* FLOW_TIMES_H */
