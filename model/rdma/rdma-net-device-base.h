/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NET_DEVICE_BASE_H
#define RDMA_NET_DEVICE_BASE_H

#include "rdma-link-end.h"
#include "rdma-port-monitor.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What has nothing to do with how packets move: what ns-3 asks of any NetDevice, and what
 * those can listen to who watch a port.
 *
 * The devices of the rdma fabric carry packets of the fabric alone, so Send() and SendFrom() refuse
 * those of other protocols.
 */
class RdmaNetDeviceBase : public NetDevice, public RdmaPortMonitor
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNetDeviceBase();
    ~RdmaNetDeviceBase() override;

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

    /**
     * TracedCallback signature for packets.
     *
     * @param [in] packet the packet, or train.count packets that go as one
     */
    typedef void (*PacketTracedCallback)(const RdmaPacket& packet);

    /**
     * TracedCallback signature for pauses.
     *
     * @param [in] priority the priority that may not, or may again, be sent
     */
    typedef void (*PauseTracedCallback)(uint8_t priority);

    /**
     * TracedCallback signature for queue lengths.
     *
     * @param [in] priority priority of the queue
     * @param [in] bytes its length
     */
    typedef void (*QueueTracedCallback)(uint8_t priority, uint64_t bytes);

    /**
     * @return what decides which packets are lost on their way in; null = nothing does
     */
    Ptr<ErrorModel> GetReceiveErrorModel() const
    {
        return m_errorModel;
    }

    /**
     * @param model decides which packets are lost on their way in; null = none
     */
    void SetReceiveErrorModel(Ptr<ErrorModel> model)
    {
        m_errorModel = model;
    }

    /**
     * Make this the far end of a cable to another process, which has the port in truth: here it
     * only decides where packets go. To be called before the cable is plugged in.
     *
     * @param link carries packets there
     * @param index number of the port at its node there
     * @param address what packets call its node by
     */
    void SetRemote(RdmaProcessLink* link, uint32_t index, uint32_t address);

    /// @return number of the port at its owner
    uint32_t GetIndex() const
    {
        return m_end.index;
    }

    /// @return the port as the far end of its cable sees it
    const RdmaLinkEnd& GetLinkEnd() const
    {
        return m_end;
    }

  protected:
    void DoDispose() override;

    /// Notify those who asked that the link has changed.
    void NotifyLinkChange();

    DataRate m_rate;              //!< rate of the port
    RdmaLinkEnd m_end;            //!< the port, for the far end
    Ptr<ErrorModel> m_errorModel; //!< loses what comes in; null = nothing does

  private:
    Ptr<Node> m_node;              //!< node that the device belongs to
    uint32_t m_index{0};           //!< its index there
    Mac48Address m_address;        //!< its address
    uint16_t m_mtu{4096};          //!< largest payload, bytes
    TracedCallback<> m_linkChange; //!< the link has gone up or down
};

} // namespace ns3

#endif /* RDMA_NET_DEVICE_BASE_H */
