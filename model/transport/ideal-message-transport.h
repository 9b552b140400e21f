/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_MESSAGE_TRANSPORT_H
#define IDEAL_MESSAGE_TRANSPORT_H

#include "ideal-network.h"
#include "message-transport.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of one rank over an IdealNetwork.
 */
class IdealMessageTransport : public MessageTransport, private IdealEndpoint
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IdealMessageTransport();
    ~IdealMessageTransport() override;

    /**
     * @param network the network, which all ranks share
     * @param rank the rank whose messages these are
     */
    void SetNetwork(Ptr<IdealNetwork> network, uint32_t rank);

    std::string GetKind() const override;
    bool Serves(uint32_t rank) const override;

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;
    bool DoTakeParts(const PacedMessage& message, const ResumeCallback& resume) override;

  private:
    void HandleArrival(const Message& message) override;
    void HandleSent(uint64_t cookie) override;
    bool TakesParts() const override;
    void HandlePartsArrived(const Message& parts, uint64_t count) override;

    Ptr<IdealNetwork> m_network; //!< the network
    uint32_t m_rank{0};          //!< rank whose messages these are
};

} // namespace ns3

#endif /* IDEAL_MESSAGE_TRANSPORT_H */
