/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NET_DEVICE_BASE_H
#define RDMA_NET_DEVICE_BASE_H

#include "rdma-packet.h"

#include "ns3/error-model.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a port has done.
 */
struct RdmaPortCounters
{
    uint64_t packets{0};   //!< packets sent, flow control left out
    uint64_t bytes{0};     //!< bytes of their frames
    uint64_t wireBytes{0}; //!< bytes of all frames sent, preambles and gaps included
    uint64_t drops{0};     //!< packets lost: no room behind the port they came in by, a cut cable,
                           //!< an error on it, or the watchdog of the port they were to leave by
    uint64_t marks{0};     //!< packets marked by ECN
    uint64_t pauses{0};    //!< pause frames sent
    uint64_t storms{0};    //!< times that the watchdog has found a priority paused for too long
    uint64_t maxQueue{0};  //!< most bytes that have waited
    Time paused;           //!< time in which some priority was paused by the far end
};

/**
 * @ingroup workload-replay
 * @brief What has nothing to do with how packets move: what ns-3 asks of any NetDevice, and what
 * those can listen to who watch a port.
 *
 * The devices of the rdma fabric carry packets of the fabric alone, so Send() and SendFrom() refuse
 * those of other protocols.
 */
class RdmaNetDeviceBase : public NetDevice
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

    /// @return whether somebody listens to what happens here
    bool HasListeners() const
    {
        return !(m_enqueueTrace.IsEmpty() && m_dequeueTrace.IsEmpty() && m_txTrace.IsEmpty() &&
                 m_rxTrace.IsEmpty() && m_dropTrace.IsEmpty() && m_markTrace.IsEmpty() &&
                 m_pauseTrace.IsEmpty() && m_resumeTrace.IsEmpty() && m_queueTrace.IsEmpty());
    }

    /**
     * Count and report a packet that is lost.
     *
     * @param packet the packet
     */
    void Drop(const RdmaPacket& packet);

  protected:
    void DoDispose() override;

    /// Tell those who asked that the link has changed.
    void NotifyLinkChange();

    // Those that every hop looks at stand together.
    TracedCallback<const RdmaPacket&> m_enqueueTrace; //!< a packet has to wait
    TracedCallback<const RdmaPacket&> m_dequeueTrace; //!< a packet has waited
    TracedCallback<const RdmaPacket&> m_txTrace;      //!< a packet begins to be sent
    TracedCallback<const RdmaPacket&> m_rxTrace;      //!< a packet has come in
    TracedCallback<uint8_t, uint64_t> m_queueTrace;   //!< a queue has another length
    TracedCallback<const RdmaPacket&> m_dropTrace;    //!< a packet is lost
    TracedCallback<const RdmaPacket&> m_markTrace;    //!< a packet was marked
    TracedCallback<uint8_t> m_pauseTrace;             //!< a priority is paused by the far end
    TracedCallback<uint8_t> m_resumeTrace;            //!< and goes on
    RdmaPortCounters m_counters;                      //!< what the port has done
    Ptr<ErrorModel> m_errorModel;                     //!< loses what comes in; null = nothing does

  private:
    Ptr<Node> m_node;              //!< node that the device belongs to
    uint32_t m_index{0};           //!< its index there
    Mac48Address m_address;        //!< its address
    uint16_t m_mtu{4096};          //!< largest payload, bytes
    TracedCallback<> m_linkChange; //!< the link has gone up or down
};

} // namespace ns3

#endif /* RDMA_NET_DEVICE_BASE_H */
