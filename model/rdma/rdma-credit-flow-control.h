/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CREDIT_FLOW_CONTROL_H
#define RDMA_CREDIT_FLOW_CONTROL_H

#include "rdma-credits.h"
#include "rdma-egress-queues.h"
#include "rdma-flow-control.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaPortTransmitter;

/**
 * @ingroup workload-replay
 * @brief Flow control by credits (InfiniBand Architecture Specification, volume 1, section 7.9):
 * both ends of a link announce to each other how much they can take in. Each priority is a virtual
 * lane.
 */
class RdmaCreditFlowControl : public RdmaFlowControl
{
  public:
    /**
     * @param transmitter sends what there are credits for; must outlive this object
     */
    explicit RdmaCreditFlowControl(RdmaPortTransmitter& transmitter);

    void Begin(uint32_t largestFrame, uint32_t laneBuffer, uint16_t pauseQuanta) override;
    const RdmaLinkLayer& GetLinkLayer() const override;
    const RdmaCredits* GetCredits() const override;
    void Sent(const RdmaPacket& packet) override;
    void Received(const RdmaPacket& packet) override;
    void Store(const RdmaPacket& packet, bool isStored) override;
    void Announce(uint8_t priority) override;
    void HandleControl(const RdmaPacket& frame) override;
    void Reset() override;

  private:
    /**
     * Let a virtual lane send, or no more, for want of credits.
     *
     * @param virtualLane the virtual lane
     * @param isShort whether the credits do not suffice for a full frame
     */
    void SetShort(uint8_t virtualLane, bool isShort);

    RdmaPortTransmitter& m_transmitter;     //!< sends what there are credits for
    RdmaEgressQueues::Mask m_short{0};      //!< virtual lanes without credit for a full frame
    std::unique_ptr<RdmaCredits> m_credits; //!< what may be sent, and taken in; null = it has not
                                            //!< begun
};

} // namespace ns3

#endif /* RDMA_CREDIT_FLOW_CONTROL_H */
