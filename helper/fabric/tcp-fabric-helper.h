/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_FABRIC_HELPER_H
#define TCP_FABRIC_HELPER_H

#include "ns3/error-model.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/fabric-parameters.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-ecmp-topology.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/port-counters.h"
#include "ns3/queue-disc.h"
#include "ns3/simple-ref-count.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-partition.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes a fabric of mainline parts: nodes, point-to-point links, IPv4 with Ipv4EcmpRouting.
 *
 * Link l of the graph has the network 10.0.0.0/30 + 4 l: end a has its first address, end b the
 * second. The address of a rank is that of its host's first NIC link; packets that the host sends
 * over any link carry it as their source.
 */
class TcpFabricHelper
{
  public:
    TcpFabricHelper();

    /**
     * @param bytes size of the device queue of a switch port, at least a packet; default 4 MiB,
     *        about what the dynamic thresholds of a shared-buffer switch grant a busy port
     */
    void SetQueueSize(uint32_t bytes);

    /**
     * Put a queue disc on every port of a switch. Its device queues shrink to two packets, so that
     * packets wait in the queue disc. By default there is none, which is faster.
     *
     * @param factory makes the queue discs
     */
    void SetQueueDisc(const ObjectFactory& factory);

    /**
     * Choose the queue disc on every port of a host. The default is FqCoDel, as in Linux: with one
     * queue for all, acknowledgements would wait behind the data the host sends itself.
     *
     * @param factory makes the queue discs; without a TypeId = one drop-tail queue
     */
    void SetHostQueueDisc(const ObjectFactory& factory);

    /**
     * Have several processes simulate the fabric together, by ns-3's MPI engine, which must be
     * enabled, and its PointToPointRemoteChannel. Each makes all nodes and links; what is installed
     * on the nodes of another process sends nothing here.
     *
     * @param partition which process has which node, the same in all; null = one has all
     */
    void SetPartition(std::shared_ptr<const TopologyPartition> partition);

    /**
     * @param node a node, by its index in the graph
     * @return whether this process has it
     */
    bool IsOwn(uint32_t node) const;

    /**
     * Make the nodes, links, stacks and addresses. Call it once.
     *
     * @param graph the fabric
     * @param parameters mtu is used; rates and delays are those of the graph's links
     */
    void Install(const TopologyGraph& graph, const FabricParameters& parameters);

    /**
     * Make the nodes, links, stacks and addresses of a fabric in which others than hosts may send
     * and receive messages too. Call it once.
     *
     * @param graph the fabric
     * @param endpoints the nodes that send and receive messages
     * @param parameters mtu is used; rates and delays are those of the graph's links
     */
    void Install(const TopologyGraph& graph,
                 const FabricEndpoints& endpoints,
                 const FabricParameters& parameters);

    /**
     * @return the fabric
     */
    const TopologyGraph& GetGraph() const;

    /**
     * @return all nodes, by their index in the graph
     */
    NodeContainer GetNodes() const;

    /**
     * @return the hosts, by rank
     */
    NodeContainer GetHosts() const;

    /**
     * @param rank a rank
     * @return address of its NIC
     */
    Ipv4Address GetAddress(uint32_t rank) const;

    /**
     * @param node node that sends and receives messages, by its index in the graph
     * @return source address of its packets
     */
    Ipv4Address GetNodeAddress(uint32_t node) const;

    /**
     * @param link index of a link
     * @param node node at one of its ends, by its index in the graph
     * @return the device there
     */
    Ptr<PointToPointNetDevice> GetDevice(uint32_t link, uint32_t node) const;

    /**
     * @param link index of a link
     * @param from node at the sending end, by its index in the graph
     * @return what that direction has seen so far: packets, also those about to be sent, and their
     *         bytes with the headers of IPv4 and PPP; the most bytes in the queue when a packet
     *         leaves, which is counted; and drops: packets that did not fit into the queue, that
     *         its queue disc dropped, or that were lost on their way to this end, at a node's first
     *         port those, too, that found no way whose links are up
     */
    const PortCounters& GetCounters(uint32_t link, uint32_t from) const;

    /**
     * Look at a queue. PortCounters::maxQueue is not changed by that.
     *
     * @param link index of the link
     * @param from node at the sending end, by its index in the graph
     * @return bytes that wait now, and the most that have waited since this was called last (seen
     *         when a packet leaves)
     */
    std::pair<uint64_t, uint64_t> TakeQueue(uint32_t link, uint32_t from) const;

    /**
     * @return packets sent, summed over all links and directions
     */
    uint64_t GetPacketHops() const;

    /**
     * Take a link down or up, now. Packets on a link that goes down are lost.
     *
     * @param link index of the link
     * @param up whether it carries packets from now on
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * Assign fixed streams to the random variables of the stacks, and draw the ECMP seed.
     *
     * @param stream number of the first stream
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * The share of a link's rate that the payload of TcpMessageTransport can take: of a full
     * packet, 20 bytes are the IPv4 header and 20 that of TCP without options, and PPP adds 2 (RFC
     * 1661).
     *
     * @param mtu largest IPv4 packet, bytes, above 40
     * @param segment most payload of a packet, bytes; more than mtu - 40 has no room
     * @return (mtu - 40) / (mtu + 2), or with s bytes of payload s / (s + 42)
     */
    static double GetGoodputShare(uint32_t mtu, uint32_t segment = UINT32_MAX);

  private:
    /**
     * @param node a node, by its index in the graph
     * @return what makes the queue discs of its ports
     */
    const ObjectFactory& GetQueueDisc(uint32_t node) const;

    /// One end of a link, as a sender.
    struct Port : public SimpleRefCount<Port>
    {
        PortCounters counters;         //!< what it has sent
        uint64_t recentMaxQueue{0};    //!< maxQueue since TakeQueue() was called last
        PointToPointNetDevice* device; //!< its device; valid as long as that sends
        QueueDisc* queueDisc{nullptr}; //!< its queue disc, if it has one; likewise
        uint32_t ipInterface{0};       //!< index of its IPv4 interface
    };

    /**
     * Trace sink: a packet has left the queue.
     *
     * @param port where
     * @param packet the packet
     */
    static void CountPacket(Ptr<Port> port, Ptr<const Packet> packet);

    /**
     * Trace sink: a packet did not fit into the device queue.
     *
     * @param port where
     * @param packet the packet
     */
    static void CountDrop(Ptr<Port> port, Ptr<const Packet> packet);

    /**
     * Trace sink: a packet was lost at random.
     *
     * @param port where
     * @param packet the packet
     */
    static void CountErrorDrop(Ptr<Port> port, Ptr<const Packet> packet);

    /**
     * Trace sink: the queue disc has dropped a packet.
     *
     * @param port where
     * @param item the packet
     */
    static void CountQueueDiscDrop(Ptr<Port> port, Ptr<const QueueDiscItem> item);

    /**
     * Trace sink: a packet cannot use an interface, or found no way whose links are up.
     *
     * @param port where, if the interface is its, or if it is the node's first and there was no way
     * @param header IPv4 header of the packet
     * @param packet its payload
     * @param reason why not; counted if links are down
     * @param ipv4 IPv4 of the node
     * @param interface index of the interface; 0 = none
     */
    static void CountLinkDrop(Ptr<Port> port,
                              const Ipv4Header& header,
                              Ptr<const Packet> packet,
                              Ipv4L3Protocol::DropReason reason,
                              Ptr<Ipv4> ipv4,
                              uint32_t interface);

    /**
     * @param link a link
     * @return its channel, which goes to another process if the link does
     */
    Ptr<PointToPointChannel> MakeChannel(const TopologyGraph::Link& link) const;

    /// Give all nodes their stacks.
    void InstallStacks();

    /**
     * Make the devices and the channel of a link.
     *
     * @param link index of the link
     * @param mtu largest IPv4 packet, bytes
     */
    void InstallLink(uint32_t link, uint32_t mtu);

    /**
     * Make one end of a link known to IPv4, and count what it sends.
     *
     * @param link index of the link
     * @param node node at the end
     * @param device the device there
     */
    void InstallPort(uint32_t link, uint32_t node, Ptr<PointToPointNetDevice> device);

    /**
     * @param end index of an end of a link
     * @return address of its interface
     */
    static Ipv4Address MakeAddress(uint32_t end);

    uint32_t m_queueSize{4 * 1024 * 1024}; //!< device queue of a switch port, bytes
    ObjectFactory m_queueDisc;             //!< makes queue discs of switches, if it has a TypeId
    ObjectFactory m_hostQueueDisc;         //!< makes queue discs of hosts, if it has a TypeId
    std::shared_ptr<const TopologyPartition> m_partition; //!< who has what; null = one has all
    NodeContainer m_nodes;                                //!< nodes by index
    Ptr<Ipv4EcmpTopology> m_topology;                     //!< routes
    std::vector<Ptr<PointToPointNetDevice>> m_devices;    //!< by end: device
    std::vector<Ptr<Port>> m_ports;                       //!< by end: what it has sent
    std::vector<Ptr<RateErrorModel>> m_losses;            //!< what makes ends lose packets
};

} // namespace ns3

#endif /* TCP_FABRIC_HELPER_H */
