/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSFER_H
#define RDMA_TRANSFER_H

#include "ns3/message-transport.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A message on its way through a queue pair, which numbers packets and bytes from its
 * beginning.
 */
struct RdmaTransfer
{
    Message message;             //!< the message
    uint64_t firstPacket{0};     //!< number of its first packet
    uint64_t packets{0};         //!< its packets, at least 1
    uint64_t firstByte{0};       //!< number of its first byte
    RdmaTransfer* next{nullptr}; //!< the queue pair's next message; null = none

    /**
     * @return number behind that of its last packet
     */
    uint64_t GetEnd() const
    {
        return firstPacket + packets;
    }

    /**
     * @param packet number from that of the first packet to GetEnd()
     * @param mtu payload of a full packet, bytes
     * @return number of the packet's first byte, which at GetEnd() is behind the message
     */
    uint64_t GetByte(uint64_t packet, uint32_t mtu) const
    {
        return firstByte + std::min((packet - firstPacket) * mtu, message.bytes);
    }
};

} // namespace ns3

#endif /* RDMA_TRANSFER_H */
