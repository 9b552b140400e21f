/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PROCESS_LINK_H
#define RDMA_PROCESS_LINK_H

#include "rdma-packet.h"

#include "ns3/byte-buffer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Carries packets over the links to the nodes of one other process of the simulation.
 *
 * A message of ns3's MPI engine costs as much as some ten packet hops, so that packets go many at a
 * time: they are held until the engine could let the other process go past the arrival of one of
 * them, or a message is full. A process is let go on to the next event of any process, plus its
 * look-ahead, and for a link the engine takes its look-ahead to be the delay less HoldShare of it
 * (RdmaChannel). So what leaves at some time needs to be sent at the latest by its arrival less
 * that look-ahead.
 *
 * The results do not depend on when packets are sent to the other process: there each becomes an
 * event at the time of its arrival, before the packets of that time begin to come in.
 */
class RdmaProcessLink
{
  public:
    /**
     * @param process the other process
     */
    explicit RdmaProcessLink(uint32_t process);

    /**
     * Have what other processes send come in at this one's ports. To be called once in a
     * simulation, after its nodes are made.
     *
     * @return the links to all processes, by process; null for this one
     */
    static std::vector<std::unique_ptr<RdmaProcessLink>> MakeAll();

    /**
     * Send a packet to a port of the other process.
     *
     * @param packet the packet
     * @param node id of the port's node
     * @param port number of the port at its node
     * @param arrival time step at which it comes in there
     * @param lookAhead what the engine takes for the delay of the link, time steps
     */
    void Send(RdmaPacketPtr packet,
              uint32_t node,
              uint32_t port,
              int64_t arrival,
              int64_t lookAhead);

  private:
    /// Send what is held, if it is due.
    void Flush();

    /// Send what is held.
    void SendAll();

    /**
     * What another process holds for this one has come.
     *
     * @param from the process
     * @param bytes what its SendAll() has sent
     */
    static void Receive(uint32_t from, const std::string& bytes);

    /// No time.
    static constexpr int64_t NEVER = INT64_MAX;

    uint32_t m_process;            //!< the other process
    ByteWriter m_held;             //!< packets that are not sent yet
    int64_t m_firstArrival{NEVER}; //!< the first arrival of these
    int64_t m_deadline{NEVER};     //!< when they are to be sent
    int64_t m_flushAt{NEVER};      //!< when the earliest event of Flush() is
};

} // namespace ns3

#endif /* RDMA_PROCESS_LINK_H */
