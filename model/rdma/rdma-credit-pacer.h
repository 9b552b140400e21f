/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CREDIT_PACER_H
#define RDMA_CREDIT_PACER_H

#include "rdma-credit-granter.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <deque>

namespace ns3
{

struct RdmaLinkLayer;

/**
 * @ingroup workload-replay
 * @brief Grants credits at the rate at which a host can receive, to those who ask, in turn or to
 * the message first of which the least is missing.
 *
 * This is the pull pacer of V. Olteanu et al., "An edge-queued datagram service for all datacenter
 * traffic" (EQDS, NSDI 2022), and of receiver credit-based congestion control of the Ultra Ethernet
 * Specification 1.0: since all that comes was granted, what is granted has to be no more than the
 * port can take, and queues do not build.
 */
class RdmaCreditPacer : public RdmaCreditGranter
{
  public:
    /**
     * @param rate rate of the ports that the senders' packets come in by, bit/s
     * @param mtu payload of a full packet, bytes
     * @param layer what their links add to packets
     * @param shortestFirst whether the message is granted first of which the least is missing
     */
    RdmaCreditPacer(double rate, uint32_t mtu, const RdmaLinkLayer& layer, bool shortestFirst);

    ~RdmaCreditPacer() override;

    void Update(UecReceiver& receiver) override;

  private:
    /// Grant one credit.
    void Grant();

    /**
     * @return who is to have the next credit, taken out of the queue
     */
    UecReceiver& TakeNext();

    double m_timePerByte;               //!< time steps per byte of payload
    uint32_t m_mtu;                     //!< payload of a full packet, bytes
    bool m_isShortestFirst;             //!< the message that lacks least goes first
    std::deque<UecReceiver*> m_waiting; //!< who asks, in turn
    EventId m_next;                     //!< when the next credit is due
    int64_t m_freeAt{0};                //!< time step from which on another one may be granted
};

} // namespace ns3

#endif /* RDMA_CREDIT_PACER_H */
