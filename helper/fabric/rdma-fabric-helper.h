/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FABRIC_HELPER_H
#define RDMA_FABRIC_HELPER_H

#include "ns3/attribute.h"
#include "ns3/error-model.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-ecn-marker.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-network.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-process-link.h"
#include "ns3/rdma-switch.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-partition.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes an rdma fabric of a graph: nodes, ports, cables, switches and NICs.
 *
 * The graph may come from TopologyBuilder, from a file, or be put together by hand; hosts of rank r
 * send and receive messages by GetTransports()[r].
 */
class RdmaFabricHelper
{
  public:
    RdmaFabricHelper();

    /**
     * @param type TypeId name of an RdmaCongestionControl; ns3::RdmaDcqcn until then
     */
    void SetCongestionControl(const std::string& type);

    /**
     * @param type TypeId name of an RdmaProtocol; ns3::RdmaRcProtocol until then
     */
    void SetProtocol(const std::string& type);

    /**
     * @param type TypeId name of an RdmaRouting; ns3::RdmaEcmpRouting until then
     */
    void SetRouting(const std::string& type);

    /**
     * @param mtu payload of a full packet, bytes; what the attribute Mtu of RdmaNic says until then
     */
    void SetMtu(uint32_t mtu);

    /**
     * @param name attribute of RdmaSwitch
     * @param value its value on all switches
     */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of RdmaNic
     * @param value its value on all hosts
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of RdmaNetDevice, but not DataRate, which the graph states
     * @param value its value on all ports
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Have several processes simulate the fabric together, by ns-3's MPI engine, which must be
     * enabled. Each makes what belongs to the nodes of its own part; of the others it makes the
     * nodes alone, and null stands for their ports, NICs, switches and transports.
     *
     * @param partition which process has which node, the same in all; null = one has all
     */
    void SetPartition(std::shared_ptr<const TopologyPartition> partition);

    /**
     * @param node a node, by its number in the graph
     * @return whether this process has it
     */
    bool IsOwn(uint32_t node) const;

    /**
     * Check what does not depend on a graph, as Install() does.
     *
     * @throws WorkloadError if the congestion control does not go with the protocol or the routing
     */
    void Check() const;

    /**
     * Make the fabric. Call it once.
     *
     * @param graph the fabric
     * @throws WorkloadError if attributes contradict each other or the graph
     */
    void Install(const TopologyGraph& graph);

    /**
     * Make the fabric of whose nodes others than hosts may send and receive messages too. Such an
     * switch has a NIC behind its ports: what it sends leaves by the port to the receiver, at
     * that port's rate and in turns with what it forwards there. Call it once.
     *
     * @param graph the fabric
     * @param endpoints the nodes that send and receive messages
     */
    void Install(const TopologyGraph& graph, const FabricEndpoints& endpoints);

    /**
     * @return all nodes, by their number in the graph
     */
    const NodeContainer& GetNodes() const;

    /**
     * @return the hosts, by rank
     */
    const NodeContainer& GetHosts() const;

    /**
     * Give every host an internet stack that uses the ports of its NIC, see RdmaIpInterface. A host
     * has one address whatever number of ports, RdmaFrame::GetIpv4Address() of its node. To be
     * called once, after Install().
     *
     * @param stream number of the first random stream of the stacks
     */
    void InstallInternet(int64_t stream);

    /**
     * @return the transports of the ranks, by rank; null for those of other processes
     */
    const std::vector<Ptr<MessageTransport>>& GetTransports() const;

    /**
     * @return the switches that send and receive messages, by address
     */
    const NodeContainer& GetSwitchNodes() const;

    /**
     * @return their transports, by address
     */
    const std::vector<Ptr<MessageTransport>>& GetSwitchTransports() const;

    /**
     * @return routes and links
     */
    Ptr<RdmaNetwork> GetNetwork() const;

    /**
     * @return congestion control of all queue pairs
     */
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /**
     * @return how queue pairs bring messages to their peers
     */
    Ptr<RdmaProtocol> GetProtocol() const;

    /**
     * @param link number of a link
     * @param node node at one of its ends, by its number in the graph
     * @return the port there; null = another process has both ends of the link
     */
    Ptr<RdmaNetDevice> GetDevice(uint32_t link, uint32_t node) const;

    /**
     * @param rank a rank
     * @return NIC of its host; null = another process has it
     */
    Ptr<RdmaNic> GetNic(uint32_t rank) const;

    /**
     * @param node a node, by its number in the graph
     * @return its switch; null = it does not forward
     */
    Ptr<RdmaSwitch> GetSwitch(uint32_t node) const;

    /**
     * @return what the user should know of the fabric, one line each: switches whose buffer has
     * senders paused, or packets dropped, before congestion control hears of the queue
     */
    std::vector<std::string> GetWarnings() const;

    /**
     * @return links, ascending, and the node of the switch there whose port it is that
     * GetWarnings() reports, of this process alone
     */
    std::vector<std::pair<uint32_t, uint32_t>> FindUnmarkedPorts() const;

    /**
     * @param ports what FindUnmarkedPorts() has returned, of all processes
     * @param graph the fabric
     * @return what the user should know of it
     */
    static std::vector<std::string> DescribeUnmarkedPorts(
        const std::vector<std::pair<uint32_t, uint32_t>>& ports,
        const TopologyGraph& graph);

    /**
     * @return packets sent by all ports, flow control left out
     */
    uint64_t GetPacketHops() const;

    /**
     * Assign fixed streams to the random variables, and draw the seed of the nodes' salts.
     *
     * @param stream number of the first stream
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param config what queue pairs go by
     * @return share of a link's rate that payload takes if all packets are full
     */
    static double GetGoodputShare(const RdmaQueuePairConfig& config);

    /**
     * @return whether packets change their priority on the way, see RdmaVirtualChannels
     */
    bool HasChannels() const;

  private:
    /**
     * @return how nodes choose; it knows which priorities virtual channels may have
     */
    Ptr<RdmaRouting> MakeRouting() const;

    /**
     * Give a node what makes it a host or a switch.
     *
     * @param node number in the graph
     * @param isEndpoint whether it sends and receives messages
     */
    void InstallNode(uint32_t node, bool isEndpoint);

    /**
     * Make the ports and the cable of a link.
     *
     * @param link number of the link
     */
    void InstallLink(uint32_t link);

    /**
     * @param link a link
     * @param node node at one of its ends
     * @return the port there, without its cable
     */
    Ptr<RdmaNetDevice> InstallPort(const TopologyGraph::Link& link, uint32_t node);

    /**
     * Make the end, in this process, of a link whose other end it has: it takes packets to the
     * process that has this one.
     *
     * @param link number of the link
     * @param node node of another process at one of its ends
     * @return the port
     */
    Ptr<RdmaNetDevice> InstallRemotePort(uint32_t link, uint32_t node);

    /// Find which ports of other processes take in packets when their headers have come.
    void CutThroughElsewhere();

    /**
     * Give a port to what its node has of switches and NICs.
     *
     * @param node number in the graph
     * @param port the port, with its cable
     */
    void AddPort(uint32_t node, Ptr<RdmaNetDevice> port);

    /// Have switches mark and trim as goes with the protocol, and NICs that hosts share mark
    /// nothing.
    void SetQueues();

    /**
     * @return largest frame that any host sends, bytes
     * @throws WorkloadError if one is longer than its links allow
     */
    uint32_t GetLargestFrame() const;

    ObjectFactory m_congestionControl; //!< makes the congestion control
    ObjectFactory m_protocolFactory;   //!< makes the protocol
    ObjectFactory m_routing;           //!< makes the routing
    ObjectFactory m_switch;            //!< makes switches
    ObjectFactory m_nic;               //!< makes NICs
    ObjectFactory m_device;            //!< makes ports

    std::shared_ptr<const TopologyPartition> m_partition;  //!< who has what; null = all is own
    std::vector<std::unique_ptr<RdmaProcessLink>> m_links; //!< to other processes, by process
    Ptr<RdmaNetwork> m_network;                            //!< routes and links
    Ptr<RdmaCongestionControl> m_control;                  //!< congestion control
    Ptr<RdmaProtocol> m_protocol;                          //!< how messages are brought to peers
    Ptr<RdmaEcnMarker> m_marker;                           //!< marks what waits at switches
    std::vector<Ptr<RateErrorModel>> m_losses;             //!< of ports of links that lose packets;
                                                           //!< null = another process has it
    NodeContainer m_nodes;                                 //!< by number in the graph
    NodeContainer m_hosts;                                 //!< by rank
    std::vector<Ptr<MessageTransport>> m_transports;       //!< by rank
    NodeContainer m_switchNodes;                           //!< switches that send, by address
    std::vector<Ptr<MessageTransport>> m_switchTransports; //!< theirs
};

} // namespace ns3

#endif /* RDMA_FABRIC_HELPER_H */
