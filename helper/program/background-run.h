/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_RUN_H
#define BACKGROUND_RUN_H

#include "background-request.h"
#include "networked-job.h"

#include "ns3/background-statistics.h"
#include "ns3/background-traffic.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Background traffic on the network of jobs, with all that listens to it. The simulation
 * then ends with the jobs. It must outlive the simulation.
 */
class BackgroundRun
{
  public:
    /**
     * @param requests the traffic
     * @param job the jobs and their network
     * @param communicator communicator of the traffic
     * @param graph the topology
     * @param stream number of the first random stream of TCP's stacks, if there is TCP
     */
    BackgroundRun(std::vector<BackgroundRequest> requests,
                  const NetworkedJob& job,
                  uint32_t communicator,
                  const TopologyGraph& graph,
                  int64_t stream);

    /**
     * @return transports that the traffic has besides those of the jobs, by host; empty = none
     */
    const std::vector<Ptr<MessageTransport>>& GetTcpTransports() const;

    /**
     * @return how long its flows took
     */
    BackgroundTotals GetTotals() const;

    /**
     * @return what this process has seen of it
     */
    BackgroundStatistics::Flows GetFlows() const;

    /**
     * @param flows what another process has seen of it
     */
    void Add(const BackgroundStatistics::Flows& flows);

  private:
    /**
     * @return flows that have begun in this process
     */
    uint64_t CountStarted() const;

    BackgroundTraffic m_traffic;                     //!< over the transports of the jobs
    std::vector<Ptr<MessageTransport>> m_tcp;        //!< transports beside those; empty = none
    std::unique_ptr<BackgroundTraffic> m_tcpTraffic; //!< over them; null = none
    BackgroundStatistics m_statistics;               //!< listens to all of them
};

} // namespace ns3

#endif /* BACKGROUND_RUN_H */
