/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_CONFIG_H
#define RDMA_QUEUE_PAIR_CONFIG_H

#include "rdma-congestion-control.h"
#include "rdma-net-device.h"
#include "rdma-train-policy.h"

#include "ns3/ecmp-hash.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// UDP source ports that queue pairs have, at most: those that are dynamic (RFC 6335: from 49152
/// on).
constexpr uint32_t RDMA_UDP_SOURCE_PORTS = 0x4000;

/**
 * @ingroup workload-replay
 *
 * NICs derive the port from the numbers of the two queue pairs, so that each queue pair takes a way
 * of its own (rdma_calc_flow_label() and rdma_flow_label_to_udp_sport() of Linux,
 * include/rdma/ib_verbs.h). Here it follows from the connection instead of the order in which
 * connections are made, so that a change elsewhere in the job does not draw all paths anew.
 *
 * @param group group of the connection
 * @param channel channel of the connection
 * @param index which queue pair of the connection
 * @param ports different ports that there are to be, from 1 to RDMA_UDP_SOURCE_PORTS
 * @return UDP source port of the queue pair
 */
constexpr uint16_t
RdmaUdpSourcePort(uint32_t group,
                  uint32_t channel,
                  uint32_t index,
                  uint32_t ports = RDMA_UDP_SOURCE_PORTS)
{
    // Multiplicative hashing (D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
    const uint32_t product = group * 0x9e3779b1U + index * 0x85ebca77U;
    const uint32_t own = ((product >> 18) + channel) % RDMA_UDP_SOURCE_PORTS;
    return static_cast<uint16_t>(0xc000 | own % ports);
}

/**
 * @ingroup workload-replay
 * @param source node that sends
 * @param destination node that receives
 * @param udpSourcePort UDP source port
 * @return hash of the flow, by which equal-cost paths are chosen
 */
constexpr uint64_t
RdmaFlowHash(uint32_t source, uint32_t destination, uint16_t udpSourcePort)
{
    const uint8_t udp = 17;
    const uint16_t roce = 4791;
    return EcmpFlowHash(source,
                        destination,
                        udp,
                        static_cast<uint32_t>(udpSourcePort) << 16 | roce);
}

/**
 * @ingroup workload-replay
 * @brief What both halves of a queue pair go by: the attributes of its NIC, and what congestion
 * control and path choice ask for. All queue pairs of a NIC share one.
 */
struct RdmaQueuePairConfig
{
    const RdmaLinkLayer* linkLayer{&RdmaLinkLayer::ETHERNET}; //!< what links add to packets
    uint32_t mtu{0};                                          //!< payload of a full packet, bytes
    uint32_t ackInterval{1};                                  //!< data packets per acknowledgement
    uint8_t ackPriority{0};                                   //!< priority of what receivers send
    bool selectiveRepeat{false};                              //!< only lost packets are sent again
    uint32_t reorderDistance{0};        //!< how far a packet may be overtaken, packets
    Time reorderTime;                   //!< for how long a packet may be overtaken
    Time retransmissionTimeout;         //!< how long to wait for an acknowledgement at first
    Time shortTimeout;                  //!< how long at first where few packets are in flight;
                                        //!< 0 = as long
    uint32_t shortTimeoutPackets{0};    //!< how many packets are few
    double inFlightLimit{0};            //!< most in flight, in bandwidth-delay products of
                                        //!< the path; 0 = what the window allows
    uint32_t retryLimit{0};             //!< timeouts in a row until a queue pair gives up
    double maxRate{0};                  //!< rate above which none sends, bit/s; may be
                                        //!< infinite
    bool usesCnp{false};                //!< marks are reported by congestion notifications
    Time cnpInterval;                   //!< least time between those of a queue pair
    Time cnpDelay;                      //!< from a marked packet to its notification
    bool usesTelemetry{false};          //!< data packets gather telemetry
    RdmaTrainPolicy::Parameters trains; //!< how long trains may be

    /**
     * @param retries timeouts in a row
     * @param inFlight packets in flight
     * @return how long to wait for an acknowledgement: twice as long after each timeout
     */
    Time GetRetransmissionTimeout(uint32_t retries, uint64_t inFlight) const
    {
        const bool isShort = !shortTimeout.IsZero() && inFlight <= shortTimeoutPackets;
        // Longer than any run, and no overflow.
        return (isShort ? shortTimeout : retransmissionTimeout) *
               (int64_t{1} << std::min(retries, 16U));
    }

    /**
     * @param path the path of a queue pair
     * @return most payload that it has in flight, at least a packet's, bytes
     */
    uint64_t GetInFlightLimit(const RdmaPath& path) const
    {
        const double product =
            static_cast<double>(path.lineRate.GetBitRate()) / 8 * path.baseRtt.GetSeconds();
        return inFlightLimit == 0
                   ? UINT64_MAX
                   : std::max<uint64_t>(mtu, static_cast<uint64_t>(inFlightLimit * product));
    }

    /// @return whether a packet may be overtaken without being lost
    bool ExpectsReordering() const
    {
        return reorderDistance > 0 || reorderTime.IsStrictlyPositive();
    }

    /**
     * @param port port that a queue pair sends by
     * @return how far a packet may be overtaken before it counts as lost, packets
     */
    uint64_t GetReorderDistance(const RdmaNetDevice& port) const
    {
        const uint32_t wireBytes = linkLayer->GetWireBytes(linkLayer->GetDataBytes(mtu));
        const int64_t steps = std::max<int64_t>(port.GetSendingSteps(wireBytes), 1);
        return reorderDistance + static_cast<uint64_t>(reorderTime.GetTimeStep() / steps);
    }
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_CONFIG_H */
