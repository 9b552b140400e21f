/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_H
#define RDMA_FRAME_H

#include "rdma-packet.h"

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The bytes that a packet of the rdma fabric would have on a cable.
 *
 * Data, acknowledgements and congestion notifications are RoCEv2: Ethernet II, IPv4, UDP to port
 * 4791, base transport header and invariant CRC (InfiniBand Architecture Specification, volume 1,
 * chapter 9, and its annex A17). Data packets are sends of a reliable connection, which need no
 * header beside these; acknowledgements have the extended transport header. Flow control is that of
 * IEEE 802.1Qbb.
 *
 * What is not simulated has a fixed value: payload and telemetry are zeros, the time to live is 64
 * at every hop, identification and UDP checksum are 0. The frame check sequence is left out, as in
 * captures of real ports: a frame is CHECK_BYTES shorter than RdmaPacket::size.
 *
 * Both halves of a queue pair appear under one number, that of the sender of the data, since the
 * first data packets do not know the receiver's; together with the addresses it distinguishes
 * pairs. A selective acknowledgement shows only what has arrived without a gap.
 */
class RdmaFrame
{
  public:
    /// Frame check sequence, which is left out, bytes.
    static constexpr uint32_t CHECK_BYTES = 4;

    /// Queue pair 0 of the simulation; 0 and 1 are those of management (InfiniBand).
    static constexpr uint32_t FIRST_PAIR = 2;

    /**
     * @param packet the packet
     * @param from address of the port that sends it
     * @param to address of the port at the far end of the cable
     * @return its frame from the destination address on, without the frame check sequence
     */
    static Ptr<Packet> Make(const RdmaPacket& packet, Mac48Address from, Mac48Address to);

    /**
     * @param node a node, by its number in the fabric's graph; below 2^24 - 2
     * @return its address: that number + 1, in 10.0.0.0/8
     */
    static Ipv4Address GetIpv4Address(uint32_t node);

    /**
     * @param address address of a node
     * @return its number in the fabric's graph
     */
    static uint32_t GetNode(Ipv4Address address);

    /**
     * The checksum covers what no switch on the way may change (InfiniBand, annex A17).
     *
     * @param frame a RoCEv2 frame over IPv4 without options, from the Ethernet header to the last
     *              byte before the checksum
     * @return its invariant CRC; its lowest byte is sent first
     */
    static uint32_t GetInvariantCrc(const std::vector<uint8_t>& frame);
};

} // namespace ns3

#endif /* RDMA_FRAME_H */
