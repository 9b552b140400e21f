/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_REPLAY_FABRIC_H
#define TCP_REPLAY_FABRIC_H

#include "replay-fabric.h"

#include "ns3/fabric-endpoints.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief ns-3's internet stack, and TCP between the ranks.
 */
class TcpReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology
     */
    TcpReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    /**
     * Look at a network that a script has installed.
     *
     * @param fabric the network; must outlive this
     * @param transports the ranks' TcpMessageTransports, all with the same attributes
     */
    TcpReplayFabric(TcpFabricHelper& fabric, const std::vector<Ptr<MessageTransport>>& transports);

    void Show(ReplayScene& scene) const override;
    FabricDescription Describe() const override;
    void SetLinkUp(uint32_t link, bool up) override;

  protected:
    const TopologyGraph* GetGraph() const override;
    PortCounters ReadPort(uint32_t link, uint32_t from) const override;
    bool HasPort(uint32_t link, uint32_t from) const override;
    PortReading ReadPortNow(uint32_t link, uint32_t from) const override;

  private:
    /**
     * Listen to a transport.
     *
     * @param transport the transport
     */
    void Connect(Ptr<MessageTransport> transport);

    /**
     * Add to the description what the transports go by, whoever has set it.
     *
     * @param mtu largest packet, bytes
     */
    void DescribeTransports(uint32_t mtu);

    /**
     * Trace sink: a segment goes out again.
     *
     * @param rank the rank
     * @param peer the rank that it sends to
     * @param bytes data in the segment
     */
    void CountRetransmission(uint32_t rank, uint32_t peer, uint32_t bytes);

    /**
     * Trace sink: a connection has waited in vain.
     *
     * @param rank the rank
     * @param peer the rank that it sends to
     * @param waited for how long
     */
    void NoteTimeout(uint32_t rank, uint32_t peer, Time waited);

    /**
     * Trace sink: a connection has failed.
     *
     * @param rank the rank
     * @param peer the rank that it sends to
     * @param reason what went wrong
     */
    void NoteFailure(uint32_t rank, uint32_t peer, const std::string& reason);

    TcpFabricHelper m_ownFabric;     //!< unused with a script's
    TcpFabricHelper& m_fabric;       //!< nodes, links and counters
    FabricEndpoints m_endpoints;     //!< nodes that send and receive messages
    FabricDescription m_description; //!< what it is
};

} // namespace ns3

#endif /* TCP_REPLAY_FABRIC_H */
