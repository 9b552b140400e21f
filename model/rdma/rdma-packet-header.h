/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKET_HEADER_H
#define RDMA_PACKET_HEADER_H

#include "rdma-packet.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All of a packet of the rdma fabric as bytes, for a port that belongs to another process.
 *
 * This is no format of a wire, see RdmaFrame for that: it carries the state of the simulation that
 * travels with a packet, its train, message and telemetry included. What belongs to the place where
 * a packet is stays behind: its ingress port, the queue that it is in, and its receiver. Numbers
 * are little endian.
 */
class RdmaPacketHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// A header to read into.
    RdmaPacketHeader();

    /**
     * @param packet packet to write; must outlive the header
     */
    explicit RdmaPacketHeader(const RdmaPacket& packet);

    /**
     * @return the packet that was read; can be called once
     */
    RdmaPacketPtr Release();

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    RdmaPacketPtr m_read;                //!< packet that was read; null = none was
    const RdmaPacket* m_packet{nullptr}; //!< packet to write, or the one that was read
};

} // namespace ns3

#endif /* RDMA_PACKET_HEADER_H */
