/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FABRIC_H
#define REPLAY_FABRIC_H

#include "circuit-file.h"
#include "network-options.h"
#include "replay-scene.h"

#include "ns3/fabric-endpoints.h"
#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/port-counters.h"
#include "ns3/ptr.h"
#include "ns3/rdma-deadlock.h"
#include "ns3/replay-result.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-partition.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a port has done so far, and how it is now.
 */
struct PortReading
{
    PortCounters counters; //!< what it has counted, packets included that are only being sent
    double sentBytes{0};   //!< bytes that have left, headers included, to a part of a packet
    uint64_t queue{0};     //!< bytes that wait
    uint64_t maxQueue{0};  //!< most bytes that have waited since the port was read last
};

/**
 * @ingroup workload-replay
 * @brief What a queue pair has done so far, and how it is now.
 */
struct QueuePairReading
{
    std::string from;         //!< name of the sending node
    std::string to;           //!< name of the receiving node
    uint64_t acknowledged{0}; //!< payload that has been acknowledged, bytes
    double rate{0};           //!< rate that congestion control allows, bit/s
    uint64_t window{0};       //!< payload that may be under way, bytes; UINT64_MAX = any
};

/**
 * @ingroup workload-replay
 * @brief What the programs need of a network, whatever carries the messages.
 */
class ReplayFabric
{
  public:
    virtual ~ReplayFabric() = default;

    /**
     * Make the network that the user asks for.
     *
     * @param options what the user asks for
     * @param graph the topology, made from the same options
     * @return the network; it must outlive the simulation
     */
    static std::unique_ptr<ReplayFabric> Create(const NetworkOptions& options,
                                                const TopologyGraph& graph);

    /**
     * @param options what the user asks for
     * @param graph the topology
     * @return the nodes that messages go to: switches among them only if a collective wants them
     */
    static FabricEndpoints FindEndpoints(const NetworkOptions& options, const TopologyGraph& graph);

    /**
     * @return the nodes of the ranks, by rank
     */
    const NodeContainer& GetHosts() const;

    /**
     * @param [in,out] scene receives nodes, transports and ports
     */
    virtual void Show(ReplayScene& scene) const;

    /**
     * @return the transports of the ranks, by rank
     */
    const std::vector<Ptr<MessageTransport>>& GetTransports() const;

    /**
     * @return the switches that take part in collectives, by address
     */
    const NodeContainer& GetSwitchNodes() const;

    /**
     * @return their transports, by address
     */
    const std::vector<Ptr<MessageTransport>>& GetSwitchTransports() const;

    /**
     * Watch who uses which ports, see ReplayHelper::IsolatePorts().
     *
     * @return says who has ports to itself; null = of this network nobody knows
     */
    virtual Ptr<PortIsolation> IsolatePorts() const;

    /**
     * Let hosts use TCP beside the transport of the ranks. To be called once.
     *
     * @param stream number of the first random stream of the hosts' stacks
     * @return transports by host; there must be packets that are not TCP's
     */
    virtual std::vector<Ptr<MessageTransport>> AddTcp(int64_t stream);

    /**
     * @return what the network is
     */
    virtual FabricDescription Describe() const = 0;

    /// Directions of links, 2 a link, that from its node a first, and what they have seen.
    using LinkCounts = std::map<uint32_t, PortCounters>;

    /**
     * @return what the ports of this process have counted, but those that nothing has come to
     */
    LinkCounts CountLinks() const;

    /**
     * @param counts what directions have seen
     * @return every direction of every link; empty if there are no packets
     */
    std::vector<LinkUse> ListLinks(const LinkCounts& counts) const;

    /**
     * @param link number of a link
     * @param from node at one end of it
     * @return whether this process has the port there, and it counts
     */
    virtual bool HasPort(uint32_t link, uint32_t from) const;

    /**
     * Look at a port that HasPort().
     *
     * @param link number of a link
     * @param from node at one end of it
     * @return what it has done so far, and since this was called last
     */
    virtual PortReading ReadPortNow(uint32_t link, uint32_t from) const;

    /**
     * @param message a message
     * @return links that it takes, by queue pair of its connection; empty = not known, see
     *         RdmaMessageTransport::GetPaths()
     */
    virtual std::vector<std::vector<uint32_t>> GetPaths(const Message& message) const;

    /**
     * @param rank a rank
     * @return its queue pairs that send, in the order in which they were made; empty if another
     *         process has it, or there are none
     */
    virtual std::vector<QueuePairReading> ReadQueuePairs(uint32_t rank) const;

    /**
     * @return packets that hosts have sent again
     */
    uint64_t GetRetransmissions() const;

    /**
     * @return how often hosts have waited for an acknowledgement in vain
     */
    const TimeoutCounts& GetTimeouts() const;

    /**
     * Find the ports by which hosts of this process have sent messages, empty ones left out.
     *
     * @return directions of links, as LinkCounts has them; empty = nobody knows
     */
    virtual std::set<uint32_t> ListSendingPorts() const;

    /**
     * @return links, with the node that sends, whose ports mark nothing before their switch is
     *         short of buffer
     */
    virtual std::vector<std::pair<uint32_t, uint32_t>> FindUnmarkedPorts() const;

    /**
     * @return which ports of this process hold others up now
     */
    virtual std::vector<RdmaPortWait> ListPortWaits() const;

    /**
     * @return whether its events never run out, as ports repeat what they have announced to each
     * other
     */
    virtual bool RunsOn() const;

    /**
     * @return how far the process may run ahead of others; 0 = there are no others
     */
    virtual Time GetLookAhead() const;

    /**
     * @return what has broken so that messages cannot arrive any more, one line each
     */
    virtual std::vector<std::string> GetFailures() const;

    /**
     * Cut a link or mend it, now. There must be packets.
     *
     * @param link number of the link in the topology
     * @param up whether it carries packets from now on
     */
    virtual void SetLinkUp(uint32_t link, bool up);

    /**
     * Take links down or up, now, together with the routes. There must be packets.
     *
     * @param links numbers of the links in the topology
     * @param up whether they carry packets from now on
     */
    virtual void Reconfigure(const std::vector<uint32_t>& links, bool up);

    /**
     * Have circuits change in time.
     *
     * @param changes which, and when
     */
    void ScheduleCircuits(const std::vector<CircuitChange>& changes);

    /**
     * Have links cut and mended in time.
     *
     * @param failures which, and when
     * @param graph the topology
     * @throws WorkloadError if it has no such links
     */
    void ScheduleFailures(const std::vector<LinkFailure>& failures, const TopologyGraph& graph);

  protected:
    /**
     * @param graph the topology
     * @return which of the processes that simulate it has which node
     * @throws WorkloadError if there are too many processes
     */
    static std::shared_ptr<const TopologyPartition> MakePartition(const TopologyGraph& graph);

    /**
     * @param options what the user asks for
     * @param graph the topology
     * @return what all kinds of networks say of themselves
     */
    static FabricDescription DescribeGraph(const NetworkOptions& options,
                                           const TopologyGraph& graph);

    /**
     * @return the topology; null = there are no packets to be counted
     */
    virtual const TopologyGraph* GetGraph() const;

    /**
     * There must be packets.
     *
     * @param link number of a link
     * @param from node at one end of it
     * @return what the port there has counted; nothing if another process has it
     */
    virtual PortCounters ReadPort(uint32_t link, uint32_t from) const;

    NodeContainer m_hosts;                                 //!< nodes of the ranks
    std::vector<Ptr<MessageTransport>> m_transports;       //!< transports of the ranks
    NodeContainer m_switchNodes;                           //!< switches that take part
    std::vector<Ptr<MessageTransport>> m_switchTransports; //!< their transports
    uint64_t m_retransmissions{0};                         //!< packets sent again
    TimeoutCounts m_timeouts;                              //!< retransmission timeouts
    std::vector<std::string> m_failures;                   //!< what has broken
};

} // namespace ns3

#endif /* REPLAY_FABRIC_H */
