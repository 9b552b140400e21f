/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MESSAGE_HEADER_H
#define TCP_MESSAGE_HEADER_H

#include "message-transport.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Precedes the payload of each message in the byte stream of a TCP connection.
 *
 * It has a fixed size and carries, in network order: source rank (32 bit), group (32),
 * channel (32), bytes of payload that follow (64), time of posting in steps of the simulator's
 * clock (64), and the seven words of the attachment (32 each).
 */
class TcpMessageHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 56; //!< serialized size, bytes

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param message the message to describe; its destination and cookie are not carried
     */
    void SetMessage(const Message& message);

    /**
     * @return the message described, without destination and cookie
     */
    const Message& GetMessage() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    Message m_message; //!< what the header describes
};

} // namespace ns3

#endif /* TCP_MESSAGE_HEADER_H */
