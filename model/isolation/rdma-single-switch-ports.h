/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SINGLE_SWITCH_PORTS_H
#define RDMA_SINGLE_SWITCH_PORTS_H

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
 * @brief Hosts that one switch joins, each by one link, and their ports on both sides.
 */
class RdmaSingleSwitchPorts
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
     * @return what joins them; nullopt = it is not one switch, or there are other paths
     */
    static std::optional<RdmaSingleSwitchPorts> Find(const RdmaNetwork& network,
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
     * @return whether nobody else has a link to the switch
     */
    bool AreAllOfSwitch() const
    {
        return m_switchLinks == m_links.size();
    }

    /**
     * @return link of the first host, which all others are a switch away from
     */
    uint32_t GetFirstLink() const
    {
        return m_links.front();
    }

    /**
     * @return the ports: of each host in turn, each before the one at its far end
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
    std::vector<uint32_t> m_links;       //!< links, of each host in turn
    std::size_t m_switchLinks{0};        //!< all links of the switch
    std::vector<RdmaNetDevice*> m_ports; //!< ports of these links, two each
    std::string m_description;           //!< the switch and delays of the links, in words
};

} // namespace ns3

#endif /* RDMA_SINGLE_SWITCH_PORTS_H */
