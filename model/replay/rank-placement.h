/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_PLACEMENT_H
#define RANK_PLACEMENT_H

#include "ns3/callback.h"
#include "ns3/collective-placement.h"
#include "ns3/link-rings.h"
#include "ns3/workload.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A tree of network switches that adds up what the heads of servers have. Numbers are
 *        addresses of transports.
 */
struct ReductionTree
{
    /// Parent of the root.
    static constexpr uint32_t NO_PARENT = UINT32_MAX;

    /// Where a switch stands.
    struct Place
    {
        uint32_t parent{NO_PARENT};     //!< the switch above it
        std::vector<uint32_t> children; //!< switches and ranks below it, ascending

        /**
         * @param address one of the children
         * @return its index
         */
        std::size_t FindChild(uint32_t address) const;
    };

    std::map<uint32_t, Place> switches; //!< its switches
    std::map<uint32_t, uint32_t> above; //!< by head: the switch above it
    std::string reason;                 //!< why there is no such tree, a clause; empty = there is
};

/**
 * @ingroup workload-replay
 * @brief Which ranks of a job share a server.
 *
 * One object serves all ranks, so that the members of a communicator agree and what follows from it
 * is kept once per communicator.
 */
class RankPlacement
{
  public:
    /**
     * @param workload the job
     * @param servers the server of each rank of the job, any numbers, or
     *                CollectivePlacement::NO_SERVER
     * @param nics the NIC of each rank, any numbers; empty = each has its own
     */
    RankPlacement(std::shared_ptr<const Workload> workload,
                  std::vector<uint32_t> servers,
                  std::vector<uint32_t> nics = {});

    /// The NVSwitches of a server that take part in collectives: consecutive addresses.
    struct Switches
    {
        uint32_t first{0}; //!< address of the first one, above all ranks
        uint32_t count{0}; //!< how many
    };

    /// Lists which ranks an NVSwitch awaits in a context, ascending; for reports.
    using AwaitedCallback = Callback<std::vector<uint32_t>, uint64_t>;

    /**
     * Set which NVSwitches take part in collectives. To be called before the first Get().
     *
     * @param switches those of the server of each rank
     */
    void SetSwitches(std::vector<Switches> switches);

    /**
     * Say what the servers are like. To be called before the first Get().
     *
     * @param channels finds the channels of a server
     * @param devices which GPU of its server each rank is
     */
    void SetChannels(std::shared_ptr<const ServerChannels> channels, std::vector<uint32_t> devices);

    /**
     * Say in what torus or mesh the ranks stand. To be called before the first Get().
     *
     * @param sizes lengths of its dimensions, see TorusGrid::Make(); none = they stand in none
     * @param wraps by dimension: its rows are closed
     * @param rates by dimension: rate of its links, likewise
     */
    void SetTorus(std::vector<uint32_t> sizes,
                  std::vector<bool> wraps,
                  std::vector<uint32_t> rates);

    /**
     * Say which ranks have links to each other. To be called before the first Get().
     *
     * @param neighbours neighbours by rank; none = the fabric joins ranks otherwise
     */
    void SetRankLinks(LinkNeighbours neighbours);

    /**
     * @param rank a rank
     * @return which GPU of its server it is; 0 = not known
     */
    uint32_t GetDevice(uint32_t rank) const
    {
        return m_devices.empty() ? 0 : m_devices[rank];
    }

    /// Finds a tree over ranks, which are ascending; a number distinguishes it from others.
    using TreeFinder = std::function<ReductionTree(const std::vector<uint32_t>&, uint32_t)>;

    /**
     * Have switches of the network take part in collectives. To be called before the first Get().
     *
     * @param finder finds their trees
     * @param first address of the first of them: all from there on are switches of the network
     */
    void SetReductionTrees(TreeFinder finder, uint32_t first);

    /**
     * @param address an address
     * @return whether it is that of a switch of the network
     */
    bool IsNetworkSwitch(uint32_t address) const;

    /// Trees of a communicator by channel.
    using ReductionTrees = std::map<uint32_t, ReductionTree>;

    /**
     * @param communicator id of a communicator of the job
     * @return its trees that have been asked for
     */
    const ReductionTrees& GetReductionTrees(uint32_t communicator) const;

    /**
     * @param communicator id of a communicator of the job, in several servers
     * @param channel channel of a collective
     * @return the tree that serves it; stays as long as this object
     */
    const ReductionTree& GetReductionTree(uint32_t communicator, uint32_t channel) const;

    /**
     * @param communicator id of a communicator of the job
     * @param context context of a collective of it
     * @return ranks that switches of its trees await in it, ascending, each once
     */
    std::vector<uint32_t> GetAwaitedInTrees(uint32_t communicator, uint64_t context) const;

    /**
     * @param address address of a switch
     * @param awaited lists what it awaits
     */
    void SetAwaitedCallback(uint32_t address, AwaitedCallback awaited);

    /**
     * @param rank a rank whose server has such an NVSwitch
     * @param channel channel of a collective
     * @return address of the NVSwitch that serves the channel
     */
    uint32_t GetSwitch(uint32_t rank, uint32_t channel) const;

    /**
     * @param rank a rank
     * @param context context of a collective
     * @return ranks that the NVSwitches of its server await in it, ascending, each once
     */
    std::vector<uint32_t> GetAwaitedAtSwitches(uint32_t rank, uint64_t context) const;

    /**
     * @param communicator id of a communicator of the job
     * @return where its members stand; made at the first call, stays as long as this object
     */
    const CollectivePlacement& Get(uint32_t communicator) const;

  private:
    /**
     * @param communicator id of a communicator of the job
     * @return which of its members are neighbours
     */
    LinkNeighbours FindNeighbours(uint32_t communicator) const;

    /**
     * @param communicator id of a communicator
     * @return what CollectivePlacement::GetNSwitches() is to return for it
     */
    uint32_t CountSwitches(uint32_t communicator) const;

    /**
     * @param communicator id of a communicator, in several servers
     * @param placement where its members stand
     * @return why one of its heads has no tree of network switches, a clause; empty = all have
     */
    std::string FindUnsupportedReason(uint32_t communicator,
                                      const CollectivePlacement& placement) const;

    /**
     * @param communicator id of a communicator, in several servers
     * @param placement where its members stand
     * @param channel a channel
     * @return its tree
     */
    ReductionTree FindTree(uint32_t communicator,
                           const CollectivePlacement& placement,
                           uint32_t channel) const;

    std::shared_ptr<const Workload> m_workload;       //!< the job
    std::vector<uint32_t> m_servers;                  //!< server by rank
    std::vector<uint32_t> m_nics;                     //!< NIC by rank; empty = each has its own
    std::shared_ptr<const ServerChannels> m_channels; //!< of a server; null = not known
    std::vector<uint32_t> m_devices;                  //!< GPU of its server by rank
    std::vector<uint32_t> m_torus;                    //!< lengths of dimensions; none = no torus
    std::vector<bool> m_wraps;                        //!< by dimension: rows are closed
    std::vector<uint32_t> m_rates;                    //!< by dimension: rate of its links
    LinkNeighbours m_links;                           //!< neighbours by rank; none = not known
    std::vector<Switches> m_switches;              //!< NVSwitches by rank; empty = none take part
    std::map<uint32_t, AwaitedCallback> m_awaited; //!< by address of the switch
    TreeFinder m_treeFinder;                     //!< of network switches; empty = they take no part
    uint32_t m_firstNetworkSwitch{UINT32_MAX};   //!< address of the first of them
    mutable std::vector<ReductionTrees> m_trees; //!< by communicator; those asked for
    /// By communicator; null = not made.
    mutable std::vector<std::unique_ptr<CollectivePlacement>> m_placements;
};

} // namespace ns3

#endif /* RANK_PLACEMENT_H */
