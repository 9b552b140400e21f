/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_MESSAGE_TRANSPORT_H
#define SERVER_MESSAGE_TRANSPORT_H

#include "message-transport.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Moves messages within a server by one transport and all others by another one.
 *
 * NVLink behind NVSwitches shares nothing but the ports of the GPUs, so that what goes on there can
 * be had without packets (IdealMessageTransport), while messages between servers remain packets.
 */
class ServerMessageTransport : public MessageTransport
{
  public:
    /// Server of each rank, and of each NVSwitch that sends and receives messages, by address.
    using Servers = std::shared_ptr<const std::vector<uint32_t>>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ServerMessageTransport();
    ~ServerMessageTransport() override;

    /**
     * To be called once, before the first message.
     *
     * @param inside moves messages within the server
     * @param outside moves all others, and background traffic
     * @param servers servers; two addresses of the same one are in one server
     */
    void SetTransports(Ptr<MessageTransport> inside,
                       Ptr<MessageTransport> outside,
                       Servers servers);

    /**
     * @copydoc MessageTransport::GetKind
     *
     * That of the transport between servers.
     */
    std::string GetKind() const override;

    /**
     * @copydoc MessageTransport::SetTrafficClasses
     *
     * They hold between servers.
     */
    void SetTrafficClasses(TrafficClasses classes) override;

    uint64_t GetAcknowledgedBytes() const override;
    bool HasListeners() const override;
    bool Serves(uint32_t rank) const override;

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;

  private:
    Ptr<MessageTransport> m_inside;  //!< within the server
    Ptr<MessageTransport> m_outside; //!< beyond it
    Servers m_servers;               //!< servers by address
};

} // namespace ns3

#endif /* SERVER_MESSAGE_TRANSPORT_H */
