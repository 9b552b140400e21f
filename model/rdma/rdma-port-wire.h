/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_WIRE_H
#define RDMA_PORT_WIRE_H

#include "rdma-packet.h"
#include "rdma-port-clock.h"
#include "rdma-port-monitor.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

class RdmaFlowControl;

struct RdmaLinkEnd;

/**
 * @ingroup workload-replay
 * @brief How packets get from a port to the far end of its cable.
 */
class RdmaPortWire
{
  public:
    /**
     * @param clock times of the port; must outlive this object
     * @param monitor what the port counts and traces; must outlive this object
     */
    RdmaPortWire(const RdmaPortClock& clock, RdmaPortMonitor& monitor);

    /**
     * Plug in the cable.
     *
     * @param peer port at the far end; must outlive this object
     * @param rate rate of the port
     * @param lookAhead how far processes at its ends may run ahead of each other
     */
    void Attach(const RdmaLinkEnd& peer, DataRate rate, Time lookAhead);

    /// @return port at the far end; null = there is no cable
    const RdmaLinkEnd* GetPeer() const
    {
        return m_peer;
    }

    /**
     * @param writes whether to write into packets that have room for telemetry
     */
    void WriteTelemetry(bool writes);

    /**
     * @param flow hears of every packet that is sent; null = nothing does
     */
    void CountPackets(RdmaFlowControl* flow);

    /// @return what hears of every packet that is sent; null = nothing does
    RdmaFlowControl* GetCounting() const
    {
        return m_counting;
    }

    /**
     * Count a packet, and find when it comes to the far end.
     *
     * @param packet the packet
     * @param now time step
     * @param start time step at which it begins to be sent
     * @param steps time steps that one of its packets takes
     * @param queued bytes that wait at the port
     */
    void Launch(RdmaPacketPtr packet, int64_t now, int64_t start, int64_t steps, uint64_t queued);

  private:
    /**
     * Hand a packet over to the far end: the one place at which packets go from node to node.
     *
     * @param packet the packet
     * @param now time step
     * @param arrival time step at which it has come in there
     */
    void HandOver(RdmaPacketPtr packet, int64_t now, int64_t arrival);

    const RdmaPortClock& m_clock;         //!< times of the port
    RdmaPortMonitor& m_monitor;           //!< what it counts and traces
    const RdmaLinkEnd* m_peer{nullptr};   //!< port at the far end
    RdmaFlowControl* m_counting{nullptr}; //!< hears of all packets
    bool m_writesTelemetry{false};        //!< writes into packets that have room for it
    uint64_t m_bitRate{0};                //!< rate, bit/s
    int64_t m_lookAhead{0};               //!< of a cable between processes, time steps
};

} // namespace ns3

#endif /* RDMA_PORT_WIRE_H */
