/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_PROTOCOL_H
#define RDMA_RC_PROTOCOL_H

#include "rdma-protocol.h"

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

    std::string GetName() const override;
    bool Reorders() const override;
    std::string GetObstacle(const RdmaCongestionControl& control) const override;
    std::unique_ptr<RdmaSender> CreateSender(RdmaNic& nic,
                                             uint32_t number,
                                             uint32_t peer,
                                             uint16_t udpSourcePort,
                                             uint8_t priority) const override;
    std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaNic& nic,
                                                 uint32_t number,
                                                 const RdmaPacket& packet) const override;
};

} // namespace ns3

#endif /* RDMA_RC_PROTOCOL_H */
