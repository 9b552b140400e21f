/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECMP_ROUTE_TABLE_H
#define ECMP_ROUTE_TABLE_H

#include "ns3/topology-graph.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Equal-cost next hops of every node towards every node, by fewest hops.
 *
 * Hosts attached to the same switches form a class, and one breadth-first search per class, over
 * the switches alone, serves all of its hosts. The next hops of a host towards a class follow from
 * those of the switches that it is attached to. A search runs when the first route to its class is
 * asked for. Equal sets of next hops are stored once. So the cost grows with the square of the
 * number of switches that hosts are attached to, and only linearly with the number of hosts.
 *
 * Hosts do not relay, unless TopologyGraph::HostsRelay(). Where links lead on at an equal hop
 * count, NVLink links win over the others. A host that does not relay takes NVLink wherever that
 * leads to the destination, also through NVSwitches of several levels where a switch of the network
 * is nearer.
 */
class EcmpRouteTable
{
  public:
    /// Hop count of a pair without a path.
    static constexpr uint32_t UNREACHABLE = UINT32_MAX;

    /**
     * @brief Links of equal cost, in a fixed order. Valid until Recompute().
     */
    class LinkSpan
    {
      public:
        LinkSpan() = default;

        /**
         * @param first the first link
         * @param count number of links
         */
        LinkSpan(const uint32_t* first, std::size_t count)
            : m_first(first),
              m_count(count)
        {
        }

        /**
         * @return pointer to the first link
         */
        const uint32_t* begin() const
        {
            return m_first;
        }

        /**
         * @return pointer behind the last link
         */
        const uint32_t* end() const
        {
            return m_first + m_count;
        }

        /**
         * @return number of links; 0 = there is no path
         */
        uint32_t size() const
        {
            return static_cast<uint32_t>(m_count);
        }

        /**
         * @param i from 0 to size() - 1
         * @return index of a link
         */
        uint32_t operator[](uint32_t i) const
        {
            return m_first[i];
        }

      private:
        const uint32_t* m_first{nullptr}; //!< the first link
        std::size_t m_count{0};           //!< number of links
    };

    /**
     * @param graph the fabric; all links are up
     */
    explicit EcmpRouteTable(TopologyGraph graph);

    /**
     * @return the fabric
     */
    const TopologyGraph& GetGraph() const;

    /**
     * @param node node that a packet is at
     * @param destination node that it goes to, a host or a switch
     * @return links that it may take next; none if there is no path, or it is there
     */
    LinkSpan GetNextLinks(uint32_t node, uint32_t destination) const;

    /**
     * @param node node that a packet is at
     * @param destination node that it goes to
     * @return links on the path, or UNREACHABLE
     */
    uint32_t GetHopCount(uint32_t node, uint32_t destination) const;

    /**
     * Walk the path of one flow; every node chooses with EcmpChoose() and its EcmpSalt().
     *
     * @param source node at which the flow starts
     * @param destination node at which it ends
     * @param flowHash hash of the flow
     * @param seed seed of the salts
     * @return links in the order of travel; none if there is no path, or nothing to travel
     */
    std::vector<uint32_t> GetPath(uint32_t source,
                                  uint32_t destination,
                                  uint64_t flowHash,
                                  uint64_t seed) const;

    /**
     * @param path links
     * @return sum of their propagation delays
     */
    Time GetDelay(const std::vector<uint32_t>& path) const;

    /**
     * Mark a link as up or down. The routes follow at the next Recompute().
     *
     * @param link index of the link
     * @param up whether it carries packets
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * @param link index of the link
     * @return whether it is marked as up
     */
    bool IsLinkUp(uint32_t link) const;

    /**
     * Forget all routes and group the destinations anew, by the links that are up now.
     */
    void Recompute();

    /**
     * Run the searches of all hosts now rather than when they are first needed.
     */
    void ComputeAll() const;

    /**
     * @return number of searches that serve all hosts
     */
    uint32_t GetNHostClasses() const;

  private:
    /// No relay, or no set of links.
    static constexpr uint32_t NONE = UINT32_MAX;

    /// Hash of a list of numbers.
    struct ListHash
    {
        /**
         * @param list numbers
         * @return their hash
         */
        std::size_t operator()(const std::vector<uint32_t>& list) const;
    };

    /// A link from one relay to another.
    struct RelayLink
    {
        uint32_t peer; //!< index of the other relay
        uint32_t link; //!< index of the link
        bool nvlink;   //!< whether it is an NVLink link
    };

    /// Destinations that one search serves.
    struct DestinationClass
    {
        std::vector<uint32_t> sources;  //!< relays that the search starts from
        uint32_t startHops{0};          //!< hops from a source to the destination, 0 or 1
        std::vector<uint32_t> distance; //!< hops to the destination by relay; empty = not searched
        std::vector<uint32_t> nextSet;  //!< set of next links by relay; NONE at sources and where
                                        //!< there is no path
    };

    /// All links from a host to one neighbour that are of one kind.
    struct Bundle
    {
        uint32_t peer;  //!< the neighbour
        bool nvlink;    //!< whether they are NVLink links
        LinkSpan links; //!< the links
    };

    /// The best next hops from a host.
    struct HostChoice
    {
        uint32_t hops{UNREACHABLE}; //!< links to the destination
        LinkSpan links;             //!< next links
    };

    /**
     * @param node a node
     * @return its links that are up: NVLink first, then by neighbour, then by index
     */
    LinkSpan GetUpLinks(uint32_t node) const;

    /// Sort the links that are up.
    void SortLinks();

    /// Bundle the links of hosts.
    void BundleLinks();

    /// Number the relays, and list the links between them.
    void ListRelays();

    /// Group destinations into classes.
    void GroupDestinations();

    /**
     * @param destination a node
     * @return its class, searched
     */
    const DestinationClass& GetClass(uint32_t destination) const;

    /**
     * Find the distance of every relay, then its next links.
     *
     * @param [in,out] destinations the class
     */
    void Search(DestinationClass& destinations) const;

    /**
     * @param links links in a fixed order
     * @return index of the set that holds just these
     */
    uint32_t Intern(const std::vector<uint32_t>& links) const;

    /**
     * @param set index of a set
     * @return its links
     */
    LinkSpan GetSet(uint32_t set) const;

    /**
     * @param relay node that relays
     * @param destination a node
     * @return links that join the two if the destination does not relay, all of one kind: NVLink if
     * there are both
     */
    LinkSpan GetLastLinks(uint32_t relay, uint32_t destination) const;

    /**
     * @param node node that relays
     * @param destination a node
     * @return links on the path, or UNREACHABLE
     */
    uint32_t GetRelayHops(uint32_t node, uint32_t destination) const;

    /**
     * @param host host that does not relay
     * @param destination another node
     * @return the best next hops
     */
    HostChoice ChooseAtHost(uint32_t host, uint32_t destination) const;

    TopologyGraph m_graph;               //!< the fabric
    std::vector<bool> m_linkUp;          //!< by link: marked as up
    std::vector<uint32_t> m_linkStart;   //!< by node: start in m_sortedLinks; one more at the end
    std::vector<uint32_t> m_sortedLinks; //!< links that are up, node after node
    std::vector<uint32_t> m_bundleStart; //!< by node: start in m_bundles; one more at the end
    std::vector<Bundle> m_bundles;       //!< of hosts that do not relay, in the order of the links
    std::vector<uint32_t> m_relayOf;     //!< by node: index of its relay, or NONE
    std::vector<uint32_t> m_relayStart;  //!< by relay: start in m_relayLinks; one more at the end
    std::vector<RelayLink> m_relayLinks; //!< links between relays, relay after relay
    std::vector<uint32_t> m_classOf;     //!< by node: class that it is in as a destination

    // Searches run on demand, from queries that do not change what the table says.
    mutable std::vector<DestinationClass> m_classes; //!< classes by index
    mutable std::unordered_map<std::vector<uint32_t>, uint32_t, ListHash>
        m_setIndex;                                           //!< sets of next links; index of each
    mutable std::vector<const std::vector<uint32_t>*> m_sets; //!< sets by index, keys of m_setIndex
};

} // namespace ns3

#endif /* ECMP_ROUTE_TABLE_H */
