/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_TRANSPORT_H
#define RDMA_MESSAGE_TRANSPORT_H

#include "rdma-nic.h"

#include "ns3/message-transport.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of one rank over queue pairs of its host's NIC.
 *
 * A queue pair is made for the first message of each (destination, channel), and stays.
 */
class RdmaMessageTransport : public MessageTransport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Number in the network of each rank's host.
    using Hosts = std::shared_ptr<const std::vector<uint32_t>>;

    RdmaMessageTransport();
    ~RdmaMessageTransport() override;

    /**
     * @param nic NIC of the rank's host, which serves no other rank
     * @param hosts hosts of all ranks; shared by all transports
     */
    void SetNic(Ptr<RdmaNic> nic, Hosts hosts);

    std::string GetKind() const override;
    uint64_t GetAcknowledgedBytes() const override;

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;

  private:
    uint8_t m_priority;                                //!< priority of the messages
    Ptr<RdmaNic> m_nic;                                //!< NIC of the rank's host
    Hosts m_hosts;                                     //!< hosts of all ranks
    std::unordered_map<uint64_t, RdmaSender*> m_pairs; //!< by destination and channel
};

} // namespace ns3

#endif /* RDMA_MESSAGE_TRANSPORT_H */
