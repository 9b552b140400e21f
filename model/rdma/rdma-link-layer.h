/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_LINK_LAYER_H
#define RDMA_LINK_LAYER_H

#include "rdma-telemetry.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the links of a fabric add to the payload of packets: those of Ethernet carry RoCEv2,
 * those of InfiniBand its own packets.
 *
 * Which one a port has follows from its flow control, see RdmaFlowControl::GetLinkLayer(). All
 * sizes are in bytes.
 */
struct RdmaLinkLayer
{
    /// RoCEv2 (InfiniBand specification, annex A17) over Ethernet (IEEE 802.3).
    static const RdmaLinkLayer ETHERNET;

    /// Packets within a subnet of InfiniBand (InfiniBand specification, volume 1, chapter 6).
    static const RdmaLinkLayer INFINIBAND;

    uint16_t headers;     //!< of a data packet, and the checksums behind its payload
    uint16_t internet;    //!< beside a packet of IP
    uint8_t internetWord; //!< words that packets of IP are filled up to
    uint8_t least;        //!< of a frame
    uint8_t gap;          //!< between frames at least, and what a frame begins with
    uint8_t head;         //!< on the wire, when it is known where to send a packet
    uint32_t mtu;         //!< most payload of a packet

    /**
     * InfiniBand fills up payload to words of 4 bytes (volume 1, section 9.2, PadCnt), RoCEv2
     * likewise.
     *
     * @param payload payload, bytes
     * @param telemetry whether the packet has room for telemetry
     * @return frame of a data packet, bytes
     */
    constexpr uint32_t GetDataBytes(uint32_t payload, bool telemetry = false) const
    {
        const uint32_t bytes =
            headers + (payload + 3) / 4 * 4 + (telemetry ? RdmaTelemetry::BYTES : 0);
        return std::max<uint32_t>(bytes, least);
    }

    /// @return frame of an acknowledgement, whose extended transport header has 4 bytes
    constexpr uint32_t GetAckBytes() const
    {
        return headers + 4;
    }

    /// @return frame of a congestion notification packet, of which 16 bytes are reserved
    constexpr uint32_t GetCnpBytes() const
    {
        return headers + 16;
    }

    /**
     * @param packet packet of IP, bytes
     * @return its frame, bytes
     */
    constexpr uint32_t GetInternetBytes(uint32_t packet) const
    {
        const uint32_t word = internetWord;
        return std::max<uint32_t>((packet + word - 1) / word * word + internet, least);
    }

    /**
     * @param frame frame of a packet, bytes
     * @return what it takes on the wire
     */
    constexpr uint32_t GetWireBytes(uint32_t frame) const
    {
        return frame + gap;
    }
};

// Ethernet header and frame check sequence, IPv4, UDP, base transport header and invariant
// checksum; the least frame is 64 bytes, and holds all headers up to the base transport header; the
// gap is preamble, start delimiter and 12 bytes. Payload is limited by the length of a packet of
// IPv4.
inline constexpr RdmaLinkLayer
    RdmaLinkLayer::ETHERNET{14 + 4 + 20 + 8 + 12 + 4, 14 + 4, 1, 64, 8 + 12, 8 + 64, 65000};

// Local route header, base transport header, invariant and variant checksum. IP has the datagram
// extended transport header and 4 bytes of its own besides (RFC 4391). Control symbols between
// packets are part of the line code.
inline constexpr RdmaLinkLayer
    RdmaLinkLayer::INFINIBAND{8 + 12 + 4 + 2, 8 + 12 + 8 + 4 + 4 + 2, 4, 0, 0, 8 + 12, 4096};

} // namespace ns3

#endif /* RDMA_LINK_LAYER_H */
