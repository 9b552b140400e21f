/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_PROTOCOL_H
#define RDMA_RC_PROTOCOL_H

#include "rdma-protocol.h"
#include "rdma-rc-sender.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Reliable connections, as of RoCEv2 and InfiniBand: see RdmaRcSender and RdmaRcReceiver.
 */
class RdmaRcProtocol : public RdmaProtocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool Reorders() const override;
    bool SplitsOverPorts() const override;
    std::string GetUnsupportedReason(const RdmaCongestionControl& control) const override;
    std::string GetAllPortsOption() const override;
    std::unique_ptr<RdmaSender> CreateSender(RdmaQueuePairHost& nic,
                                             uint32_t number,
                                             uint32_t peer,
                                             uint16_t udpSourcePort,
                                             uint8_t priority) const override;
    std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaQueuePairHost& nic,
                                                 uint32_t number,
                                                 const RdmaPacket& packet) const override;

  private:
    /// What PortSpraying may say.
    enum PortSpraying : uint8_t
    {
        SPLIT,         //!< each connection has queue pairs on all ports
        BY_QUEUE_PAIR, //!< each queue pair stays on one, by its hash
        BY_MESSAGE,    //!< each message takes the next port
        BY_PACKET      //!< each packet does
    };

    PortSpraying m_spraying; //!< how queue pairs share ports
};

} // namespace ns3

#endif /* RDMA_RC_PROTOCOL_H */
