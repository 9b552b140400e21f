/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_PLACEMENT_H
#define COLLECTIVE_PLACEMENT_H

#include "communicator-channels.h"
#include "link-rings.h"
#include "rail-ring.h"
#include "torus-grid.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where the members of a communicator stand.
 *
 * Fixed before the replay begins and shared by all members. Rings are made when they are first
 * asked for and kept, 8 bytes per member each.
 */
class CollectivePlacement
{
  public:
    /// Server of a member that shares its server with nobody.
    static constexpr uint32_t NO_SERVER = UINT32_MAX;

    /**
     * @param servers the server of each member, any numbers, or NO_SERVER; at least one member
     * @param nSwitches what GetNSwitches() is to return
     * @param nics the NIC of each member, any numbers; empty = each has its own
     */
    explicit CollectivePlacement(const std::vector<uint32_t>& servers,
                                 uint32_t nSwitches = 0,
                                 const std::vector<uint32_t>& nics = {});

    // Pipelines hold on to the rings.
    CollectivePlacement(const CollectivePlacement&) = delete;
    CollectivePlacement& operator=(const CollectivePlacement&) = delete;

    /**
     * @return members of each server; servers in the order of their first members, members in
     *         theirs
     */
    const RailRing::Servers& GetServers() const;

    /// Where a member stands.
    struct Place
    {
        uint32_t server{0};   //!< index of its server in GetServers()
        uint32_t rail{0};     //!< its index among the members of the server
        uint32_t position{0}; //!< its index in GetOrder()
    };

    /**
     * @param member index of a member
     * @return where it stands
     */
    const Place& GetPlace(uint32_t member) const;

    /**
     * @return the members, server after server, those of a server by rail
     */
    const std::vector<uint32_t>& GetOrder() const;

    /**
     * @return number of members of the largest server
     */
    uint32_t GetLargestServer() const;

    /**
     * @return number of members of the smallest server
     */
    uint32_t GetSmallestServer() const;

    /**
     * @return NVSwitches that take part in collectives in each server of two members or more;
     *         0 = in some server there is none, or no server has two members
     */
    uint32_t GetNSwitches() const;

    /**
     * Channels take the rails of a server in turn. Where some NICs serve more members than others,
     * only the first member of each NIC sends to other servers and receives from them, so that the
     * NICs carry as many channels each, give or take one.
     *
     * @return rails of each server in the order in which channels use them for the network
     */
    const RailRing::Rails& GetNetworkRails() const;

    /**
     * @param server index of a server in GetServers()
     * @param index place in the order of GetNetworkRails(), or any number
     * @return the rail that stands there
     */
    uint32_t GetNetworkRail(uint32_t server, uint32_t index) const;

    /**
     * Channels that reduce in the network use the rails of a server in turn, one a head.
     *
     * @return heads of a server for the network: the rails in GetNetworkRails() of the server that
     *         has fewest
     */
    uint32_t CountNetworkHeads() const;

    /**
     * @param server index of a server in GetServers()
     * @param channel a channel
     * @return the member of the server that speaks for it to the network
     */
    uint32_t GetNetworkHead(uint32_t server, uint32_t channel) const;

    /**
     * Say whether switches of the network add up what the servers have.
     *
     * @param reason why they cannot, a clause; empty = they can
     */
    void SetReductionUnsupportedReason(const std::string& reason);

    /**
     * @return why switches of the network cannot add up, a clause; empty = they can
     */
    const std::string& GetReductionUnsupportedReason() const;

    /**
     * Say what the servers are like, so that channels are those that NCCL would find. To be called
     * before the first collective.
     *
     * @param channels finds the channels of a server
     * @param devices which GPU of its server each member is
     */
    void SetChannels(std::shared_ptr<const ServerChannels> channels,
                     const std::vector<uint32_t>& devices);

    /**
     * @return the channels that NCCL would find; null = it is not known what the servers are like
     */
    const CommunicatorChannels* GetChannels() const;

    /**
     * Say how the members stand in a torus. To be called before the first collective.
     *
     * @param grid their rows; null = they do not fill any
     */
    void SetGrid(std::unique_ptr<const TorusGrid> grid);

    /**
     * @return how the members stand in a torus; null = they do not
     */
    const TorusGrid* GetGrid() const;

    /**
     * Say which members have links to each other. To be called before the first collective.
     *
     * @param neighbours neighbours by member; none = the fabric joins them otherwise
     */
    void SetNeighbours(LinkNeighbours neighbours);

    /**
     * @return which members have links to each other, by member; empty = that is not known
     */
    const LinkNeighbours& GetNeighbours() const;

    /**
     * Find rings that follow links where no row of a torus says how: see FindLinkRings().
     *
     * @return members in the order of each ring; none = the ring of the torus is closed, or there
     *         are none
     */
    const std::vector<std::vector<uint32_t>>& GetLinkRings() const;

    /**
     * @return parts that NVLS cuts the buffer into, each with a head in every server
     */
    uint32_t CountNvlsHeads() const;

    /**
     * @param server index of a server in GetServers()
     * @param shard a part of the buffer, below CountNvlsHeads()
     * @return the member of the server to which its NVSwitch reduces the part
     */
    uint32_t GetNvlsHead(uint32_t server, uint32_t shard) const;

    /**
     * In a torus rings follow its links, those of channels in turn forwards and backwards; so do
     * GetLinkRings(), one after the other.
     *
     * @param channel a channel, counted from 0
     * @return its ring; stays as long as the placement
     */
    const RailRing& GetRing(uint32_t channel) const;

  private:
    RailRing::Servers m_servers;                            //!< members by server
    RailRing::Rails m_networkRails;                         //!< by server
    std::vector<Place> m_places;                            //!< by member
    std::vector<uint32_t> m_order;                          //!< members, server by server
    std::shared_ptr<const ServerChannels> m_serverChannels; //!< null = not known
    std::unique_ptr<const CommunicatorChannels> m_channels; //!< null = not known
    std::unique_ptr<const TorusGrid> m_grid;                //!< null = they stand in no torus
    LinkNeighbours m_neighbours;                            //!< by member; none = not known
    /// See GetLinkRings(); found when it is called first.
    mutable std::optional<std::vector<std::vector<uint32_t>>> m_linkRings;
    std::string m_reductionUnsupportedReason{
        "switches of its network do not add"};                    //!< empty = they do
    uint32_t m_nSwitches;                                         //!< NVSwitches of each server
    uint32_t m_largestServer;                                     //!< members of the largest one
    uint32_t m_smallestServer;                                    //!< members of the smallest one
    mutable std::vector<std::unique_ptr<const RailRing>> m_rings; //!< by channel; null = not made
};

} // namespace ns3

#endif /* COLLECTIVE_PLACEMENT_H */
