/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NETWORK_H
#define RDMA_NETWORK_H

#include "rdma-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaMessageObserver;

/**
 * @ingroup workload-replay
 * @brief The routes of an rdma fabric, which all its nodes read; and its links.
 *
 * Nodes and links have the numbers of the graph.
 */
class RdmaNetwork : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNetwork();
    ~RdmaNetwork() override;

    /**
     * @param graph the fabric
     * @param routing how nodes choose among ports of equal cost
     */
    void SetGraph(const TopologyGraph& graph, Ptr<RdmaRouting> routing);

    /**
     * @param seed seed of the nodes' salts, 0 until then
     */
    void SetSeed(uint64_t seed);

    /**
     * @param link number of a link
     * @param atA port at its end a
     * @param atB port at its end b
     */
    void SetPorts(uint32_t link, Ptr<RdmaNetDevice> atA, Ptr<RdmaNetDevice> atB);

    /**
     * Note that a port which another process has takes in packets when their headers have come, see
     * RdmaSwitch::CutThrough.
     *
     * @param link number of its link
     * @param node its node
     */
    void SetCutThrough(uint32_t link, uint32_t node);

    /**
     * @return the fabric
     */
    const TopologyGraph& GetGraph() const;

    /**
     * @return how nodes choose
     */
    Ptr<RdmaRouting> GetRouting() const;

    /**
     * @param node a node
     * @return how it chooses
     */
    const RdmaPathChoice& GetPathChoice(uint32_t node) const
    {
        return *m_choices.at(node);
    }

    /**
     * @param link number of a link
     * @param node node at one of its ends
     * @return the port there; null = another process has both ends of the link
     */
    RdmaNetDevice* GetPort(uint32_t link, uint32_t node) const;

    /**
     * @param node node that the packet is at
     * @param packet the packet
     * @return port to send it by; null = there is no path, or the node's choice has taken it back,
     * see Keep()
     * @throws WorkloadError if the node's choice names what is not there
     */
    RdmaNetDevice* Route(uint32_t node, RdmaPacket& packet) const
    {
        uint32_t target = packet.destination;
        if (m_takesDetours)
        {
            target = m_choices[node]->FindTarget(packet, *this);
            if (target == node || target >= m_choices.size())
            {
                RefuseTarget(node, target);
            }
        }
        const RdmaNextHops hops = GetNextHops(node, target);
        if (hops.size() == 0)
        {
            return nullptr;
        }
        const uint32_t choice = hops.size() == 1 ? 0 : m_choices[node]->Choose(packet, hops);
        if (choice >= hops.size())
        {
            RefuseChoice(node, choice, hops.size());
        }
        RdmaNetDevice* const port = hops[choice];
        if (m_writesPackets && !m_choices[node]->Forward(packet, hops.GetLink(choice), *port))
        {
            return nullptr;
        }
        return port;
    }

    /**
     * A packet for which Route() has brought no port may be for the choice of the switch.
     *
     * @param keeper the switch
     * @param node its node
     * @param from port that the packet has come in by
     * @param packet the packet
     * @return whether it was
     */
    bool Keep(RdmaPacketKeeper& keeper,
              uint32_t node,
              RdmaNetDevice& from,
              RdmaPacketPtr& packet) const
    {
        return m_choices[node]->Keep(keeper, from, packet);
    }

    /**
     * Find the ports of a host that its queue pairs take in turn: NVLinks that lead to NVSwitches
     * of several planes, as NVLink spreads what a GPU sends over all of its links by address,
     * whatever the flow; and ports of NICs, if asked for.
     *
     * @param node a node
     * @param destination node that packets go to
     * @param hasNics whether they take those of NICs in turn, too, and those of hosts that relay
     * @return ports; none if there is but one, or if flows are to be hashed
     */
    RdmaNextHops GetPlanes(uint32_t node, uint32_t destination, bool hasNics) const;

    /**
     * @param node a node
     * @param destination node that packets go to
     * @return ports of the node that lead there
     */
    RdmaNextHops GetNextHops(uint32_t node, uint32_t destination) const
    {
        return RdmaNextHops(m_table->GetNextLinks(node, destination), m_ends.data(), node);
    }

    /**
     * @param node a node
     * @param destination node that packets go to
     * @return whether packets of one flow take different paths on from the node
     */
    bool IsSpread(uint32_t node, uint32_t destination) const
    {
        return m_isSpread &&
               (m_takesDetours || m_table->GetNextLinks(node, destination).size() > 1);
    }

    /**
     * @param node a node
     * @param destination node that packets go to
     * @return links of a shortest path, or EcmpRouteTable::UNREACHABLE
     */
    uint32_t GetHopCount(uint32_t node, uint32_t destination) const
    {
        return m_table->GetHopCount(node, destination);
    }

    /**
     * @param source node that sends
     * @param destination node that receives
     * @param flowHash hash of the flow
     * @return links that its packets take, if nodes choose by the hash alone (RdmaEcmpRouting), in
     *         the order of travel; none if there is no path
     */
    std::vector<uint32_t> GetPath(uint32_t source, uint32_t destination, uint64_t flowHash) const;

    /**
     * @param source host that sends
     * @param destination node that receives
     * @param flowHash hash of the flow
     * @param hasNics see GetPlanes()
     * @return links in the order of travel, for each of GetPlanes()
     */
    std::vector<std::vector<uint32_t>> GetPlanePaths(uint32_t source,
                                                     uint32_t destination,
                                                     uint64_t flowHash,
                                                     bool hasNics) const;

    /**
     * Find the round trip of a full packet and its acknowledgement over a path without queues.
     *
     * @param source node that sends
     * @param destination node that receives
     * @param flowHash hash of the flow
     * @param frameBytes size of the packet's frame
     * @param layer what links add to packets
     * @return the time; 0 = there is no path
     */
    Time GetBaseRtt(uint32_t source,
                    uint32_t destination,
                    uint64_t flowHash,
                    uint32_t frameBytes,
                    const RdmaLinkLayer& layer) const;

    /**
     * @param frameBytes size of a full packet's frame
     * @param layer what links add to packets
     * @return longest round trip without queues from the first host to another one, as GetBaseRtt()
     *         finds it, of the links as they are when this is called first
     */
    Time GetLongestBaseRtt(uint32_t frameBytes, const RdmaLinkLayer& layer) const;

    /**
     * @param source node that sends
     * @param destination node that receives
     * @return whether there is a path now
     */
    bool IsReachable(uint32_t source, uint32_t destination) const;

    /**
     * Take a link down or up, now. The ports of the link know at once; the routes follow after
     * ConvergenceTime.
     *
     * @param link number of the link
     * @param up whether it carries packets from now on
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * @return whether a link has changed at this moment, and the routes follow within it
     */
    bool FollowsNow() const
    {
        return m_changes > 0 && m_convergenceTime.IsZero();
    }

    /**
     * Take links down or up, now, by the will of a controller: the routes change with them.
     *
     * @param links numbers of the links
     * @param up whether they carry packets from now on
     */
    void Reconfigure(const std::vector<uint32_t>& links, bool up);

    /**
     * TracedCallback signature for links that change.
     *
     * @param [in] link number of the link
     * @param [in] up whether it carries packets from now on
     */
    typedef void (*LinkTracedCallback)(uint32_t link, bool up);

    /**
     * TracedCallback signature for routes that change.
     *
     * @param [in] epoch how often they have changed
     */
    typedef void (*RoutesTracedCallback)(uint32_t epoch);

    /**
     * @param observer is to know of all messages, and before links change; null = nobody is. It
     *                 takes itself out when it is no more
     */
    void SetObserver(RdmaMessageObserver* observer);

    /**
     * @return who knows of all messages; null = nobody
     */
    RdmaMessageObserver* GetObserver() const
    {
        return m_observer;
    }

    /**
     * @return whether all links are up, and the routes know
     */
    bool IsIntact() const
    {
        return m_linksDown.empty() && m_changes == 0;
    }

    /// A switch is about to have somebody pause.
    void NotePause() const;

    /**
     * @return how often the routes have changed
     */
    uint32_t GetEpoch() const
    {
        return m_epoch;
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * @param node a node
     * @param target where its choice has sent a packet, which is itself or no node
     * @throws WorkloadError always: it names the routing
     */
    [[noreturn]] void RefuseTarget(uint32_t node, uint32_t target) const;

    /**
     * @param node a node
     * @param choice port that its choice has named, which is not there
     * @param hops how many ports lead on
     * @throws WorkloadError always: it names the routing
     */
    [[noreturn]] void RefuseChoice(uint32_t node, uint32_t choice, uint32_t hops) const;

    /**
     * @param link number of a link
     * @param node node at one of its ends
     * @param frame frame of a packet, bytes
     * @param layer what links add to packets
     * @return bytes of it that have come when it is taken in there
     */
    uint32_t GetAwaitedBytes(uint32_t link,
                             uint32_t node,
                             uint32_t frame,
                             const RdmaLinkLayer& layer) const;

    /**
     * @param link number of a link whose ports are to know that it is down or up
     * @param up whether it carries packets from now on
     */
    void Change(uint32_t link, bool up);

    /**
     * Have the routes and the queue pairs follow the change of a link.
     *
     * @param link number of the link
     * @param up whether it carries packets
     */
    void Follow(uint32_t link, bool up);

    /**
     * Compute the routes anew.
     *
     * @param changes changes of links that they follow
     */
    void Converge(uint32_t changes);

    Time m_convergenceTime;                  //!< from a change of a link to that of the routes
    std::unique_ptr<EcmpRouteTable> m_table; //!< next links
    Ptr<RdmaRouting> m_routing;              //!< how nodes choose
    std::vector<RdmaNextHops::Ends> m_ends;  //!< ports, by link
    std::vector<std::unique_ptr<RdmaPathChoice>> m_choices; //!< how each node chooses, by node
    /// Ports of other processes, as link and node, that take in packets by their headers.
    std::set<std::pair<uint32_t, uint32_t>> m_cutThrough;
    std::vector<bool> m_hasPlanes;  //!< hosts of several NVLinks, by node, see GetPlanes()
    std::vector<bool> m_hasPorts;   //!< hosts of several other links, likewise
    mutable Time m_longestRtt;      //!< see GetLongestBaseRtt(); 0 = not known yet
    bool m_isSpread{false};         //!< packets of a flow take different paths
    bool m_writesPackets{false};    //!< nodes write into packets
    bool m_takesDetours{false};     //!< packets may go by way of other nodes
    uint64_t m_seed{0};             //!< seed of the salts
    std::set<uint32_t> m_linksDown; //!< links that do not carry packets
    uint32_t m_changes{0};          //!< changes of links that the routes have yet to follow
    uint32_t m_epoch{0};            //!< how often the routes have changed
    RdmaMessageObserver* m_observer{nullptr};   //!< knows of all messages; null = nobody does
    TracedCallback<uint32_t, bool> m_linkTrace; //!< a link has changed
    TracedCallback<uint32_t> m_routesTrace;     //!< the routes have changed
    TracedCallback<uint32_t, bool> m_convergenceTrace; //!< the routes have followed a link
};

} // namespace ns3

#endif /* RDMA_NETWORK_H */
