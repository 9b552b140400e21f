/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMMON_SWITCH_PORTS_H
#define RDMA_COMMON_SWITCH_PORTS_H

#include "ns3/ptr.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-network.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup workload-replay
 * @brief Hosts that common switches join, each by one link to each, and their ports on both sides.
 *
 * Hosts of a server may have several NVSwitches in common, of which each carries a part of a
 * message. Those of several servers have one switch: by several, which of them a message takes
 * depends on those before it.
 */
class RdmaCommonSwitchPorts
{
  public:
    /// Kinds of ports of a host.
    enum LinkKind : uint32_t
    {
        NVLINK, //!< to others of the server
        NETWORK //!< to other servers
    };

    /**
     * @param network the fabric
     * @param a a node
     * @param b another one
     * @return by which ports messages go from one to the other
     */
    static LinkKind GetLinkKind(const RdmaNetwork& network, uint32_t a, uint32_t b);

    /**
     * @param network the fabric
     * @param hosts two hosts at least, all of one server or each of another
     * @return what joins them; nullopt = they have no such switches, or there are other paths
     */
    static std::optional<RdmaCommonSwitchPorts> Find(const RdmaNetwork& network,
                                                     const std::vector<uint32_t>& hosts);

    /**
     * @return the hosts
     */
    const std::vector<uint32_t>& GetHosts() const
    {
        return m_hosts;
    }

    /**
     * @return by which of their ports it joins them
     */
    LinkKind GetLinkKind() const
    {
        return m_linkKind;
    }

    /**
     * @return number of switches
     */
    std::size_t GetNSwitches() const
    {
        return m_links.size() / m_hosts.size();
    }

    /**
     * @return whether nobody else has a link to the switches
     */
    bool AreAllOfSwitch() const
    {
        return m_switchLinks == m_links.size();
    }

    /**
     * @param number which of the switches
     * @return link of the first host to it, which all others are a switch away from
     */
    uint32_t GetFirstLink(std::size_t number) const
    {
        return m_links[number];
    }

    /**
     * @return the ports: of each host in turn, to each switch in turn, each before the one at its
     *         far end
     */
    const std::vector<RdmaNetDevice*>& GetPorts() const
    {
        return m_ports;
    }

    /**
     * @param nics NICs of the hosts
     * @return what packets meet: values of all attributes; equal for those in which they meet the
     *         same, host by host. Empty = it is not the same each time: packets are lost at random,
     *         links have slots, or flow control is by credits
     */
    std::string Describe(const std::vector<Ptr<RdmaNic>>& nics) const;

  private:
    std::vector<uint32_t> m_hosts;       //!< the hosts
    LinkKind m_linkKind{NVLINK};         //!< by which of their ports
    std::vector<uint32_t> m_links;       //!< links, of each host in turn, to each switch in turn
    std::size_t m_switchLinks{0};        //!< all links of the switches
    std::vector<RdmaNetDevice*> m_ports; //!< ports of these links, two each
    std::string m_description;           //!< the switches and delays of the links, in words
};

} // namespace ns3

#endif /* RDMA_COMMON_SWITCH_PORTS_H */
