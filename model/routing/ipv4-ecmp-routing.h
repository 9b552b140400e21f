/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_ECMP_ROUTING_H
#define IPV4_ECMP_ROUTING_H

#include "ipv4-ecmp-topology.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/packet.h"

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Argument types of a method, taken from its declaration.
 *
 * @tparam T type of the pointer to the method
 */
template <typename T>
struct MethodArguments;

/**
 * @ingroup workload-replay
 * @brief Argument types of a method that is not const.
 *
 * @tparam C class of the method
 * @tparam R what it returns
 * @tparam A its arguments
 */
template <typename C, typename R, typename... A>
struct MethodArguments<R (C::*)(A...)>
{
    /// Type of argument I, counted from 0.
    template <std::size_t I>
    using Get = std::tuple_element_t<I, std::tuple<A...>>;
};

/**
 * @ingroup workload-replay
 * @brief The callback types of RouteInput(), which are values in ns-3.38 and constant references
 *        in ns-3.39.
 */
struct RouteInputTypes
{
    /// Arguments of the method of the release that this is compiled with.
    using Arguments = MethodArguments<decltype(&Ipv4RoutingProtocol::RouteInput)>;

    using Unicast = Arguments::Get<3>;   //!< forwards a unicast packet
    using Multicast = Arguments::Get<4>; //!< forwards a multicast packet
    using Local = Arguments::Get<5>;     //!< delivers a packet to this node
    using Error = Arguments::Get<6>;     //!< reports a packet that cannot be forwarded
};

/**
 * @ingroup workload-replay
 * @brief Sends every flow along one of the paths of fewest hops, chosen by a salted hash.
 *
 * A flow is identified by its addresses, protocol and TCP or UDP ports (RFC 2992 has the
 * principle). Fragments have no ports that all of them carry, so they count as flows of their
 * addresses. So do UDP packets on the node that sends them, since ns-3 asks for the route before it
 * adds the header with the ports; this matters only to nodes with several links of equal cost.
 *
 * The routes come from an Ipv4EcmpTopology, which EcmpRoutingHelper::PopulateRoutingTables() makes
 * from a network of point-to-point links. Any address of a node is delivered to it. Destinations
 * outside of the topology, broadcast and multicast are left to other protocols of an
 * Ipv4ListRouting. Interface metrics are not looked at.
 */
class Ipv4EcmpRouting : public Ipv4RoutingProtocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ipv4EcmpRouting();
    ~Ipv4EcmpRouting() override;

    /**
     * Take part in a topology; until then nothing has a route.
     *
     * @param topology the topology
     * @param node index of this node in its graph
     */
    void SetTopology(Ptr<Ipv4EcmpTopology> topology, uint32_t node);

    /**
     * @param seed seed of the salt
     */
    void SetSeed(uint64_t seed);

    /**
     * @return seed of the salt
     */
    uint64_t GetSeed() const;

    // Inherited from Ipv4RoutingProtocol.
    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> p,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr) override;
    /**
     * Ipv4RoutingProtocol::RouteInput(), whose types depend on the release of ns-3.
     *
     * @param [in] p the packet
     * @param [in] header its IPv4 header
     * @param [in] idev the device that it came in by
     * @param [in] ucb what to call if it is to be forwarded
     * @param [in] mcb unused: nothing here is multicast
     * @param [in] lcb what to call if it is for this node
     * @param [in] ecb what to call if that device does not forward
     * @return whether one of them was called; false if the node is not known, or out of reach
     */
    bool RouteInput(Ptr<const Packet> p,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> idev,
                    RouteInputTypes::Unicast ucb,
                    RouteInputTypes::Multicast mcb,
                    RouteInputTypes::Local lcb,
                    RouteInputTypes::Error ecb) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    /// Link index of a packet that has nowhere to go.
    static constexpr uint32_t NO_LINK = UINT32_MAX;

    /**
     * @param header header of a packet
     * @param packet the packet without that header; null = it is not known yet
     * @param hasPorts whether the packet starts with the ports, if its protocol has any
     * @return hash of its flow
     */
    static uint64_t HashFlow(const Ipv4Header& header, Ptr<const Packet> packet, bool hasPorts);

    /**
     * @param destination node that a packet goes to
     * @param flowHash hash of its flow
     * @return link that it takes, or NO_LINK
     */
    uint32_t ChooseLink(uint32_t destination, uint64_t flowHash) const;

    /**
     * @param destination node that a packet goes to
     * @param device device by which it must leave
     * @return link that it takes, or NO_LINK
     */
    uint32_t FindLink(uint32_t destination, Ptr<const NetDevice> device) const;

    /**
     * @param link link that a packet takes
     * @param header its header
     * @return the route
     */
    Ptr<Ipv4Route> MakeRoute(uint32_t link, const Ipv4Header& header) const;

    /**
     * @param destination an address of this node
     * @return the route to it, over the loopback interface
     */
    Ptr<Ipv4Route> MakeLocalRoute(Ipv4Address destination) const;

    Ptr<Ipv4> m_ipv4;                           //!< IPv4 of this node
    Ptr<Ipv4EcmpTopology> m_topology;           //!< routes and addresses of the network
    uint32_t m_node{Ipv4EcmpTopology::NO_NODE}; //!< index of this node in the topology
    uint64_t m_seed{0};                         //!< seed of the salt
    uint64_t m_salt{0};                         //!< salt of this node
};

} // namespace ns3

#endif /* IPV4_ECMP_ROUTING_H */
