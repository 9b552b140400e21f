/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_HOST_H
#define RDMA_QUEUE_PAIR_HOST_H

#include "rdma-congestion-control.h"
#include "rdma-net-device.h"
#include "rdma-network.h"
#include "rdma-packet.h"
#include "rdma-queue-pair-config.h"

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaSender;
class UecReceiver;

/**
 * @ingroup workload-replay
 * @brief A NIC as its queue pairs see it: the ports and routes of its host, what they go by, and
 * who hears of their messages.
 *
 * What every packet asks is no virtual function.
 */
class RdmaQueuePairHost
{
  public:
    virtual ~RdmaQueuePairHost();

    /// @return the routes
    const RdmaNetwork& GetNetwork() const
    {
        return *m_network;
    }

    /// @return the routes, to listen to them
    RdmaNetwork& GetNetwork()
    {
        return *m_network;
    }

    /**
     * @return number of this host in the network
     */
    uint32_t GetAddress() const
    {
        return m_address;
    }

    /// @return number of ports
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /**
     * @param port from 0 to GetNPorts() - 1
     * @return the port
     */
    Ptr<RdmaNetDevice> GetPort(uint32_t port) const
    {
        return m_ports[port];
    }

    /**
     * @param peer number of another host in the network
     * @param flowHash what distinguishes a flow from others
     * @param pair number of its queue pair at the sender; consecutive ones take GetPlanes() in turn
     * @return the port by which its packets leave; there is one even if there is no path
     */
    RdmaNetDevice* ChoosePort(uint32_t peer, uint64_t flowHash, uint32_t pair) const;

    /**
     * @param peer number of another host in the network
     * @return ports that the queue pairs of a connection take in turn, see
     *         RdmaNetwork::GetPlanes(); none if there is but one
     */
    RdmaNextHops GetPlanes(uint32_t peer) const
    {
        return m_network->GetPlanes(m_address, peer, SplitsOverPorts(peer));
    }

    /**
     * @param peer number of another host in the network
     * @return whether messages there are split over all ports of NICs that lead there
     */
    virtual bool SplitsOverPorts(uint32_t peer) const = 0;

    /**
     * @param peer number of another host in the network
     * @param turn whose turn it is
     * @return one of the ports by which its packets may leave, in turn; those whose link is down
     * are left out. There is one even if there is no path
     */
    RdmaNetDevice* GetPortInTurn(uint32_t peer, uint32_t turn) const;

    /**
     * @param peer number of another host in the network
     * @return ports by which its packets may leave, at least 1 even if there is no path
     */
    uint32_t CountPorts(uint32_t peer) const
    {
        return std::max(m_network->GetNextHops(m_address, peer).size(), 1U);
    }

    /// @return what all queue pairs of this host go by
    virtual const RdmaQueuePairConfig& GetQueuePairConfig() = 0;

    /**
     * @param peer number of another host in the network
     * @return congestion control of queue pairs there
     */
    virtual const RdmaCongestionControl& GetControl(uint32_t peer) const = 0;

    /**
     * @param port port that a queue pair sends by
     * @param peer number of another host in the network
     * @return rate at which it can send there, bit/s: that of all ports that lead there where the
     *         protocol uses them all
     */
    virtual double GetLineRate(const RdmaNetDevice& port, uint32_t peer) const = 0;

    /**
     * @param port port to send by
     * @param peer number of another host
     * @param flowHash what distinguishes the packets from others
     * @return what a queue pair there knows of its path
     */
    virtual RdmaPath GetPath(const RdmaNetDevice& port, uint32_t peer, uint64_t flowHash) const = 0;

    /**
     * Let the queue pairs of a port begin anew: one of them has gone to another port.
     *
     * @param port the port
     */
    virtual void Rearrange(const RdmaNetDevice& port) = 0;

    /**
     * @param message a message that has arrived whole
     */
    virtual void Deliver(const Message& message) = 0;

    /**
     * A message is acknowledged.
     *
     * @param peer node that it has gone to
     * @param cookie its cookie
     */
    virtual void NotifySent(uint32_t peer, uint64_t cookie) = 0;

    /**
     * Have a sender be granted what it asks for, in turns with others that send to this host.
     *
     * @param receiver the receiving half
     * @param source node of the sender
     */
    virtual void AskForCredit(UecReceiver& receiver, uint32_t source) = 0;

    /// @return whether somebody listens to rates or windows
    bool IsControlTraced() const
    {
        return !rateTrace.IsEmpty() || !windowTrace.IsEmpty();
    }

    TracedCallback<const RdmaSender&, double, double> rateTrace;   //!< a rate has changed
    TracedCallback<const RdmaSender&, double, double> windowTrace; //!< a window has changed
    TracedCallback<const RdmaPacket&> retransmissionTrace;         //!< a packet is sent again
    TracedCallback<const RdmaSender&, Time> timeoutTrace;          //!< one has waited in vain
    TracedCallback<uint32_t, uint32_t> failureTrace;               //!< a queue pair has given up

  protected:
    Ptr<RdmaNetwork> m_network;              //!< the routes
    uint32_t m_address{0};                   //!< number in the network
    std::vector<Ptr<RdmaNetDevice>> m_ports; //!< ports, by number
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_HOST_H */
