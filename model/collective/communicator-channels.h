/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMMUNICATOR_CHANNELS_H
#define COMMUNICATOR_CHANNELS_H

#include "channel-search.h"
#include "nccl-graph.h"
#include "rail-ring.h"
#include "tree-pipeline.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The channels that NCCL finds in equal servers, by which of their GPUs a communicator uses.
 *
 * What was found once is kept: a search takes up to a second.
 */
class ServerChannels
{
  public:
    /**
     * @param model the servers
     * @param given channels that NCCL has found in them, for communicators of the same GPUs; null =
     *              all are searched for
     */
    explicit ServerChannels(const ServerModel& model,
                            std::shared_ptr<const NcclGraphs> given = nullptr);

    /// What a server gives a communicator.
    struct Found
    {
        ChannelGraph ring; //!< rings
        ChannelGraph tree; //!< trees
        ChannelGraph nvls; //!< GPUs that NVSwitches reduce to
        /// By channel of ring the GPU that sends to the NIC for the last GPU, maybe that itself.
        std::vector<uint32_t> ringRelays;
        /// By GPU, by GPU of the receiver and by channel the GPU that sends a point-to-point
        /// message to another server for it, maybe that itself; empty without other servers.
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> senders;
    };

    /**
     * @param gpus the GPUs that the communicator uses, ascending
     * @param hasNetwork whether it uses other servers too
     * @return the channels; stay as long as this object
     */
    const Found& Find(const std::vector<uint32_t>& gpus, bool hasNetwork) const;

    /**
     * @return the servers
     */
    const ServerModel& GetModel() const;

    /**
     * @return what was given; null = nothing
     */
    const std::shared_ptr<const NcclGraphs>& GetGiven() const;

    /// Most channels of a communicator (NCCL, MAXCHANNELS).
    static constexpr uint32_t MAX_CHANNELS = 32;

  private:
    /**
     * Take the channels that were given, if they are of a communicator.
     *
     * @param gpus the GPUs that it uses
     * @param hasNetwork whether it uses other servers too
     * @param [in,out] found has the channels that the search finds
     */
    void TakeGiven(const std::vector<uint32_t>& gpus, bool hasNetwork, Found& found) const;

    ServerModel m_model;                       //!< the servers
    std::shared_ptr<const NcclGraphs> m_given; //!< channels by the places of a graph; null = none
    /// What was found, by the GPUs and whether there is a network.
    mutable std::map<std::pair<std::vector<uint32_t>, bool>, Found> m_found;
};

/**
 * @ingroup workload-replay
 * @brief The channels of a communicator, joined from those of its servers as NCCL does
 *        (src/graph/connect.cc and src/init.cc, version 2.18.6).
 */
class CommunicatorChannels
{
  public:
    /// Members of each server.
    using Servers = std::vector<std::vector<uint32_t>>;

    /**
     * @param channels finds the channels of a server; must outlive this
     * @param servers members of each server
     * @param devices which GPU of its server each member is
     */
    CommunicatorChannels(const ServerChannels& channels,
                         const Servers& servers,
                         const std::vector<uint32_t>& devices);

    /// What the choice of algorithms goes by: the least of all servers.
    struct Rates
    {
        uint32_t channels{0};     //!< channels of the search; 0 = there are none
        double intra{0};          //!< of each inside a server, bytes per second
        double inter{0};          //!< of each between servers, bytes per second
        bool isSimpleTree{false}; //!< the first GPU has all traffic of the NIC
        bool areAlike{true};      //!< all visit the GPUs in one order
        ServerPathType typeIntra{ServerPathType::LOC}; //!< worst path inside a server
        ServerPathType typeInter{ServerPathType::LOC}; //!< worst path to a NIC
    };

    /**
     * @return rates of the rings
     */
    const Rates& GetRing() const;

    /**
     * @return rates of the trees
     */
    const Rates& GetTree() const;

    /**
     * @return rates of NVLS; its channels are its heads in each server
     */
    const Rates& GetNvls() const;

    /**
     * @return channels of rings and trees that calls use, if they are long enough
     */
    uint32_t GetChannels() const;

    /**
     * NCCL has most channels twice or four times, to occupy more of the GPU. Those that are alike
     * are one here.
     *
     * @return rings that differ
     */
    uint32_t CountRings() const;

    /**
     * @return trees that differ
     */
    uint32_t CountTrees() const;

    /**
     * @return the servers
     */
    const ServerModel& GetModel() const;

    /**
     * @param member a member
     * @return whether a NIC stands beside its GPU
     */
    bool HasNic(uint32_t member) const;

    /**
     * @param channel a channel, below CountRings()
     * @return its ring; stays as long as this object
     */
    const RailRing& FindRing(uint32_t channel) const;

    /**
     * @param channel a channel, below CountTrees(); even = the first of two trees over the servers
     * @param member a member
     * @return its place in the channel's tree; the nodes are members
     */
    TreePlace FindTreePlace(uint32_t channel, uint32_t member) const;

    /**
     * @param from a member
     * @param to a member of another server
     * @param channel channel of a point-to-point message
     * @return the member that sends it to the other server, maybe the first one itself
     */
    uint32_t FindSender(uint32_t from, uint32_t to, uint32_t channel) const;

    /**
     * @param server a server
     * @param shard a part of the buffer, below the number of heads
     * @return the member to which the NVSwitch of the server reduces the part
     */
    uint32_t GetNvlsHead(uint32_t server, uint32_t shard) const;

  private:
    /// A server of the communicator.
    struct Server
    {
        const ServerChannels::Found* found; //!< its channels
        std::vector<uint32_t> members;      //!< by GPU; UINT32_MAX = none
    };

    /**
     * @param server a server
     * @param channel a channel of its trees
     * @return its members in the order of the chain
     */
    std::vector<uint32_t> GetChain(uint32_t server, uint32_t channel) const;

    /**
     * @param server a server
     * @param channel a channel of its trees
     * @param isFirst whether the child is the first one of the server
     * @return its member that a child in another server is connected to
     */
    uint32_t FindHolder(uint32_t server, uint32_t channel, bool isFirst) const;

    /// The order of a channel.
    struct Order
    {
        std::vector<uint32_t> members; //!< in the order of the channel
        /// By position the member that passes on what the member there sends, or that itself.
        std::vector<uint32_t> relays;
    };

    /// Find the rings and chains that differ.
    void FindDistinct();

    /**
     * @param channel a channel of the search
     * @return the ring
     */
    Order MakeRing(uint32_t channel) const;

    const ServerModel& m_model;       //!< the servers
    std::vector<Server> m_servers;    //!< those of the communicator
    std::vector<uint32_t> m_serverOf; //!< by member
    std::vector<uint32_t> m_devices;  //!< GPU of its server by member
    std::vector<bool> m_hasNic;       //!< by GPU of a server: whether a NIC stands beside it
    std::vector<uint32_t> m_chains;   //!< channels of the search whose chains differ
    std::vector<RailRing> m_rings;    //!< by channel
    uint32_t m_largest{0};            //!< members of the largest server
    Rates m_ring;                     //!< of the rings
    Rates m_tree;                     //!< of the trees
    Rates m_nvls;                     //!< of NVLS
    uint32_t m_channels{0};           //!< channels that calls use
};

} // namespace ns3

#endif /* COMMUNICATOR_CHANNELS_H */
