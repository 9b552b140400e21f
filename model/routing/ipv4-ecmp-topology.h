/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_ECMP_TOPOLOGY_H
#define IPV4_ECMP_TOPOLOGY_H

#include "ecmp-route-table.h"

#include "ns3/ipv4-address.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the Ipv4EcmpRouting objects of a network share: the routes, and which addresses and
 *        interfaces belong to which nodes and links.
 *
 * A change of an interface is known everywhere at once: there is no protocol that spreads it. The
 * routes are computed anew when the next packet asks for one.
 */
class Ipv4EcmpTopology : public SimpleRefCount<Ipv4EcmpTopology>
{
  public:
    /// Index of a node that is not in the graph.
    static constexpr uint32_t NO_NODE = UINT32_MAX;

    /// One end of a link.
    struct Port
    {
        uint32_t interface {
            0
        };                   //!< index of the IPv4 interface of the node
        Ipv4Address gateway; //!< address of the interface at the other end
    };

    /**
     * @param graph the network
     */
    explicit Ipv4EcmpTopology(TopologyGraph graph);

    /**
     * @return the network
     */
    const TopologyGraph& GetGraph() const;

    /**
     * @param link index of a link
     * @param node node at one of its ends
     * @param port what it is there
     */
    void SetPort(uint32_t link, uint32_t node, const Port& port);

    /**
     * @param link index of a link
     * @param node node at one of its ends
     * @return what it is there
     */
    const Port& GetPort(uint32_t link, uint32_t node) const;

    /**
     * @param address an address, which packets may be sent to
     * @param node node that it belongs to
     */
    void AddAddress(Ipv4Address address, uint32_t node);

    /**
     * @param address an address that no node has any more
     */
    void RemoveAddress(Ipv4Address address);

    /**
     * @param address an address
     * @return node that it belongs to, or NO_NODE
     */
    uint32_t FindNode(Ipv4Address address) const;

    /**
     * @return all addresses and their nodes, by address
     */
    std::vector<std::pair<Ipv4Address, uint32_t>> GetAddresses() const;

    /**
     * Give a node one source address for all of its packets, whatever interface they leave by.
     *
     * @param node index of the node
     * @param address one of its addresses
     */
    void SetSource(uint32_t node, Ipv4Address address);

    /**
     * @param node index of a node
     * @param absent what to return if the node has no source address for all of its packets
     * @return source address of the packet
     */
    Ipv4Address GetSource(uint32_t node, Ipv4Address absent) const;

    /**
     * Note the state of an interface. A link carries packets while both of its ends are up.
     *
     * @param node index of the node
     * @param interface index of its IPv4 interface; ignored if no link is there
     * @param up whether it is up
     */
    void SetInterfaceUp(uint32_t node, uint32_t interface, bool up);

    /**
     * @param node node that a packet is at
     * @param destination node that it goes to
     * @return links that it may take next
     */
    EcmpRouteTable::LinkSpan GetNextLinks(uint32_t node, uint32_t destination) const;

  private:
    mutable EcmpRouteTable m_table;                     //!< routes
    mutable bool m_stale{false};                        //!< whether links have changed since
    std::vector<Port> m_ports;                          //!< ends of the links, two by two
    std::vector<bool> m_portDown;                       //!< by end: interface is down
    std::unordered_map<uint32_t, uint32_t> m_addresses; //!< node of each address
    std::vector<Ipv4Address> m_sources;                 //!< by node: source address, if it has one
};

} // namespace ns3

#endif /* IPV4_ECMP_TOPOLOGY_H */
