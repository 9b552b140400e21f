/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_PROTOCOL_H
#define FLUID_PROTOCOL_H

#include "ns3/nstime.h"
#include "ns3/rdma-protocol.h"

#include <memory>
#include <vector>

namespace ns3
{

class FluidFabric;
class FluidSender;
class RdmaNetwork;

/**
 * @ingroup workload-replay
 * @brief The rdma fabric without packets: messages move as a fluid, see FluidFabric.
 *
 * Nodes, links, routes, queue pairs, congestion control and its parameters, marking thresholds and
 * buffers are those of the transport rdma.
 */
class FluidProtocol : public RdmaProtocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    FluidProtocol();
    ~FluidProtocol() override;

    bool Reorders() const override;
    bool ServesServers() const override;
    std::string GetUnsupportedReason(const RdmaCongestionControl& control) const override;
    std::string GetRoutingUnsupportedReason(const RdmaRouting& routing) const override;
    std::string FindUnsupportedReason(Feature feature) const override;
    std::string FindUnusedReason(const std::string& attribute) const override;
    std::string DescribeDeparture(const RdmaRouting& routing) const override;
    bool SeparatesHosts() const override;
    bool HasPackets() const override;
    bool IsAtRest(uint32_t direction) const override;
    std::vector<uint32_t> ListAwaited(uint32_t direction) const override;
    std::unique_ptr<RdmaSender> CreateSender(RdmaQueuePairHost& nic,
                                             uint32_t number,
                                             uint32_t peer,
                                             uint16_t udpSourcePort,
                                             uint8_t priority) const override;
    std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaQueuePairHost& nic,
                                                 uint32_t number,
                                                 const RdmaPacket& packet) const override;

  protected:
    void DoDispose() override;

  private:
    /**
     * @param network routes and ports of the fabric
     * @param config what queue pairs go by
     * @return the same as a fluid, made with the first queue pair
     */
    FluidFabric& GetFabric(RdmaNetwork& network, const RdmaQueuePairConfig& config) const;

    /**
     * A link has gone down or come up.
     *
     * @param link number of the link
     * @param up whether it carries anything from now on
     */
    void ChangeLink(uint32_t link, bool up) const;

    /**
     * Routes have followed changes of links.
     *
     * @param epoch how often they have changed
     */
    void ChangeRoutes(uint32_t epoch) const;

    Time m_step;                                   //!< time between two looks
    mutable std::unique_ptr<FluidFabric> m_fabric; //!< null = there is no queue pair yet
    mutable std::vector<FluidSender*> m_senders;   //!< all of them, which their NICs own
};

} // namespace ns3

#endif /* FLUID_PROTOCOL_H */
