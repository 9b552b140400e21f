/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKET_BYTES_H
#define RDMA_PACKET_BYTES_H

#include "rdma-packet.h"

#include "ns3/byte-buffer.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Write all that a packet, or a train, carries from port to port, for a port that belongs to
 * another process.
 *
 * This is no format of a wire, see RdmaFrame for that: it is the state of the simulation that
 * travels with a packet, its train, message and telemetry included. What belongs to the place where
 * a packet is stays behind: its ingress port and the priority that it has come in with, the queue
 * that it is in, and its receiver. What most packets do not have takes no bytes.
 *
 * @param packet the packet
 * @param [in,out] writer where to
 */
void WritePacket(const RdmaPacket& packet, ByteWriter& writer);

/**
 * @ingroup workload-replay
 * @param [in,out] reader what WritePacket() has written
 * @return the packet
 */
RdmaPacketPtr ReadPacket(ByteReader& reader);

} // namespace ns3

#endif /* RDMA_PACKET_BYTES_H */
