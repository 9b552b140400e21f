/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_MONITOR_H
#define RDMA_PORT_MONITOR_H

#include "rdma-packet.h"

#include "ns3/port-counters.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

class RdmaPortLoad;

/**
 * @ingroup workload-replay
 * @brief The counters and trace sources of a port, which its parts write to.
 */
struct RdmaPortMonitor
{
    /**
     * Count and report a packet that is lost.
     *
     * @param packet the packet
     * @param cause counter of the cause; null = there was no room
     */
    void Drop(const RdmaPacket& packet, uint64_t PortCounters::*cause);

    /// @return whether some trace source is connected
    bool HasListeners() const
    {
        return TracesSending() ||
               !(enqueueTrace.IsEmpty() && rxTrace.IsEmpty() && dropTrace.IsEmpty() &&
                 pauseTrace.IsEmpty() && resumeTrace.IsEmpty());
    }

    /// @return whether a trace source is connected that reports when packets leave
    bool TracesSending() const
    {
        return !(dequeueTrace.IsEmpty() && txTrace.IsEmpty() && queueTrace.IsEmpty() &&
                 markTrace.IsEmpty() && bytesTrace.IsEmpty());
    }

    // Those that every hop looks at stand together.
    TracedCallback<const RdmaPacket&> enqueueTrace; //!< a packet has to wait
    TracedCallback<const RdmaPacket&> dequeueTrace; //!< a packet has waited
    TracedCallback<const RdmaPacket&> txTrace;      //!< a packet begins to be sent
    TracedCallback<const RdmaPacket&> rxTrace;      //!< a packet has come in
    TracedCallback<uint8_t, uint64_t> queueTrace;   //!< a queue has another length
    TracedCallback<uint32_t, uint32_t> bytesTrace;  //!< another number of bytes waits
    TracedCallback<const RdmaPacket&> dropTrace;    //!< a packet is lost
    TracedCallback<const RdmaPacket&> markTrace;    //!< a packet was marked
    TracedCallback<uint8_t> pauseTrace;             //!< a priority is paused by the far end
    TracedCallback<uint8_t> resumeTrace;            //!< and goes on
    PortCounters counters;                          //!< what the port has done
    const RdmaPortLoad* load{nullptr}; //!< what it carries beside packets; null = nothing
};

} // namespace ns3

#endif /* RDMA_PORT_MONITOR_H */
