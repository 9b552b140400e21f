/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPLAY_FABRIC_H
#define RDMA_REPLAY_FABRIC_H

#include "replay-fabric.h"

#include "ns3/rdma-fabric-helper.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The module's rdma fabric.
 */
class RdmaReplayFabric : public ReplayFabric
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology
     */
    RdmaReplayFabric(const NetworkOptions& options, const TopologyGraph& graph);

    /**
     * Look at a fabric that a script has installed.
     *
     * @param fabric the fabric; must outlive this
     * @param topology its name in reports
     */
    RdmaReplayFabric(RdmaFabricHelper& fabric, const std::string& topology);

    void Show(ReplayScene& scene) const override;
    Ptr<PortIsolation> IsolatePorts() const override;
    std::vector<Ptr<MessageTransport>> AddTcp(int64_t stream) override;
    FabricDescription Describe() const override;
    void SetLinkUp(uint32_t link, bool up) override;
    void Reconfigure(const std::vector<uint32_t>& links, bool up) override;
    bool HasPort(uint32_t link, uint32_t from) const override;
    PortReading ReadPortNow(uint32_t link, uint32_t from) const override;
    std::vector<std::vector<uint32_t>> GetPaths(const Message& message) const override;
    std::vector<QueuePairReading> ReadQueuePairs(uint32_t rank) const override;
    std::vector<std::pair<uint32_t, uint32_t>> FindUnmarkedPorts() const override;
    std::vector<RdmaPortWait> ListPortWaits() const override;
    std::vector<std::string> GetFailures() const override;
    std::set<uint32_t> ListSendingPorts() const override;
    bool RunsOn() const override;
    Time GetLookAhead() const override;

    /**
     * @param options what the user asks for, over rdma or uec
     * @throws WorkloadError if congestion control, transport and routing do not go together
     */
    static void Check(const NetworkOptions& options);

    /**
     * @param options what the user asks for
     * @return TypeId name of the congestion control
     * @throws WorkloadError if there is none of that name, or the attribute of NICs says another
     */
    static std::string GetCongestionControlType(const NetworkOptions& options);

    /**
     * @param options what the user asks for
     * @return TypeId name of the way to choose a path
     * @throws WorkloadError if there is none of that name
     */
    static std::string GetRoutingType(const NetworkOptions& options);

    /**
     * @param options what the user asks for
     * @return TypeId name of the protocol of queue pairs, which the transport names
     * @throws WorkloadError if there is none of that name
     */
    static std::string GetProtocolType(const NetworkOptions& options);

  protected:
    const TopologyGraph* GetGraph() const override;
    PortCounters ReadPort(uint32_t link, uint32_t from) const override;

  private:
    /// Describe what the NICs go by, whoever has set it.
    void DescribeNics();

    /**
     * @return what to know of sinks at ports that are never called, a sentence; empty = there are
     *         none
     */
    std::string DescribeUnheardSinks() const;

    /**
     * Listen to a NIC.
     *
     * @param nic the NIC; null = another process has it
     */
    void Connect(Ptr<RdmaNic> nic);

    /**
     * Have messages within servers go without packets.
     *
     * @param graph the topology
     * @param endpoints who sends and receives
     */
    void TakeNvlinkOff(const TopologyGraph& graph, const FabricEndpoints& endpoints);

    /**
     * Trace sink: a packet goes out again.
     *
     * @param packet the packet
     */
    void CountRetransmission(const RdmaPacket& packet);

    /**
     * Trace sink: a queue pair has waited in vain.
     *
     * @param sender the queue pair
     * @param waited for how long
     */
    void NoteTimeout(const RdmaSender& sender, Time waited);

    /**
     * Trace sink: a queue pair has given up.
     *
     * @param node its host
     * @param peer the host that it could not reach
     */
    void NoteFailure(uint32_t node, uint32_t peer);

    bool m_isNvlinkIdeal{false}; //!< messages within servers have no packets
    std::shared_ptr<const TopologyPartition> m_partition; //!< which process has what
    RdmaFabricHelper m_ownFabric;                         //!< unused with a script's
    RdmaFabricHelper& m_fabric;                           //!< nodes, links and counters
    FabricDescription m_description;                      //!< what it is
};

} // namespace ns3

#endif /* RDMA_REPLAY_FABRIC_H */
