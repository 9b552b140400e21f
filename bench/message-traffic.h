/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_TRAFFIC_H
#define MESSAGE_TRAFFIC_H

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-fabric-helper.h"

#include <cstdint>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages over an rdma fabric without a workload, and the files that a replay of them would
 *        leave.
 */
class MessageTraffic
{
  public:
    /**
     * @param topology topology of hosts without NVLink
     * @param hosts number of hosts
     * @param seed RngRun
     * @param maxTrain most packets of a train
     */
    MessageTraffic(const std::string& topology, uint32_t hosts, uint32_t seed, uint32_t maxTrain);

    /**
     * @param source rank
     * @param destination rank
     * @param bytes size
     * @param at when; up to 100 ns of jitter are added
     */
    void Post(uint32_t source, uint32_t destination, uint64_t bytes, Time at);

    /**
     * Run the simulation, and write flows.csv, links.csv and summary.json with the columns and keys
     * that bench-accuracy reads.
     *
     * @param folder where to
     */
    void Finish(const std::string& folder);

  private:
    /**
     * @param message message to send now
     */
    void Send(Message message);

    /**
     * @param message what has arrived
     */
    void Receive(const Message& message);

    RdmaFabricHelper m_fabric;           //!< the fabric
    Ptr<UniformRandomVariable> m_jitter; //!< ns by which messages are posted later
    std::ostringstream m_flows;          //!< messages that have arrived
    Time m_end;                          //!< when the last one has
};

} // namespace ns3

#endif // MESSAGE_TRAFFIC_H
