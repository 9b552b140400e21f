/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_OBSERVER_H
#define RDMA_MESSAGE_OBSERVER_H

#include "ns3/message-transport.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Hears of all messages of a fabric, and of what may delay them.
 */
class RdmaMessageObserver
{
  public:
    virtual ~RdmaMessageObserver() = default;

    /**
     * A message, or a part of one, is about to be sent. For RdmaNic.
     *
     * @param source node that sends it
     * @param destination node that it goes to
     * @param message the message
     */
    virtual void Begin(uint32_t source, uint32_t destination, const Message& message) = 0;

    /**
     * A message has come whole. For RdmaMessageTransport.
     *
     * @param source node that has sent it
     * @param destination node that it has gone to
     * @param message the message
     */
    virtual void Count(uint32_t source, uint32_t destination, const Message& message) = 0;

    /**
     * A message is acknowledged. For RdmaNic.
     *
     * @param source node that has sent it
     * @param destination node that it has gone to
     */
    virtual void End(uint32_t source, uint32_t destination) = 0;

    /// Links are about to change, or a switch pauses those who send to it. For RdmaNetwork.
    virtual void InterruptAll() = 0;
};

} // namespace ns3

#endif /* RDMA_MESSAGE_OBSERVER_H */
