/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_GRAPH_H
#define TOPOLOGY_GRAPH_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Time slots that come round, in each of which other links carry packets.
 */
struct SlotCycle
{
    uint32_t count{0}; //!< slots of a round; 0 = links carry packets all the time
    Time time;         //!< length of a slot, above dark
    Time dark;         //!< part at the beginning of each in which none of its links carries
                       //!< packets yet, at least 0

    /**
     * @return whether a round lasts above 1000000 s, the longest time that may be given
     */
    bool IsTooLong() const;
};

/**
 * @ingroup workload-replay
 * @brief Nodes and links of a fabric, before any of it becomes ns-3 objects.
 *
 * Nodes and links are numbered from 0 in the order in which they are added. Hosts are added in rank
 * order: host i is rank i. Links are full duplex; several may join the same two nodes.
 *
 * Copies are cheap: they share what they consist of until one of them is changed. A fabric of
 * 16,384 hosts takes megabytes, and whatever finds paths keeps a graph.
 */
class TopologyGraph
{
  public:
    TopologyGraph();

    /// What a node does with packets.
    enum NodeKind
    {
        HOST,    //!< holds one rank; sends and receives
        SWITCH,  //!< forwards
        NVSWITCH //!< forwards between the ranks of an NVLink domain
    };

    /// Server index of a node that stands in no server.
    static constexpr uint32_t NO_SERVER = UINT32_MAX;

    /// Rank of a node that is no host.
    static constexpr uint32_t NO_RANK = UINT32_MAX;

    /// Slot of a link that carries packets all the time.
    static constexpr uint32_t ALWAYS = UINT32_MAX;

    /// A node.
    struct Node
    {
        NodeKind kind;    //!< what it does
        std::string name; //!< name in reports and messages
        uint32_t server;  //!< server it stands in, counted from 0, or NO_SERVER
        uint32_t rank;    //!< rank it holds, counted from 0, or NO_RANK
    };

    /// A full-duplex link.
    struct Link
    {
        uint32_t a;            //!< node at one end
        uint32_t b;            //!< node at the other end, never a
        DataRate rate;         //!< bit/s of each direction, above 0
        Time delay;            //!< propagation, at least 0
        bool nvlink;           //!< preferred to other links at equal hop count
        double lossRate{0};    //!< share of packets lost at random, 0 to 1; 0 = none
        uint32_t slot{ALWAYS}; //!< slot of the cycle in which it carries packets, or ALWAYS
    };

    /**
     * @param name what kind of topology it is, for reports, such as clos
     */
    void SetName(const std::string& name);

    /**
     * @return what kind of topology it is; empty = nobody has said
     */
    const std::string& GetName() const;

    /**
     * Add a host; it holds the next rank.
     *
     * @param name name in reports and messages
     * @param server server it stands in, or NO_SERVER
     * @return index of the node
     */
    uint32_t AddHost(const std::string& name, uint32_t server = NO_SERVER);

    /**
     * Add a switch.
     *
     * @param name name in reports and messages
     * @return index of the node
     */
    uint32_t AddSwitch(const std::string& name);

    /**
     * Add the switch of a server's NVLink domain.
     *
     * @param name name in reports and messages
     * @param server server it stands in, or NO_SERVER if it joins NVSwitches of several
     * @return index of the node
     */
    uint32_t AddNvswitch(const std::string& name, uint32_t server);

    /**
     * Add a full-duplex link between two different nodes.
     *
     * @param a node at one end
     * @param b node at the other end
     * @param rate bit/s of each direction, above 0
     * @param delay propagation, at least 0
     * @param nvlink whether the link is preferred to others at equal hop count
     * @return index of the link
     */
    uint32_t AddLink(uint32_t a, uint32_t b, DataRate rate, Time delay, bool nvlink = false);

    /**
     * Let a link lose packets at random, the same share in each direction.
     *
     * @param link index of the link
     * @param lossRate share of packets lost, 0 to 1; 0 = none
     */
    void SetLossRate(uint32_t link, double lossRate);

    /**
     * @param cycle slots of the links that do not carry packets all the time
     */
    void SetSlotCycle(const SlotCycle& cycle);

    /**
     * @return slots of the links that do not carry packets all the time
     */
    const SlotCycle& GetSlotCycle() const;

    /**
     * Let a link carry packets in one slot of the cycle only.
     *
     * @param link index of the link
     * @param slot the slot, below the cycle's count, or ALWAYS
     */
    void SetSlot(uint32_t link, uint32_t slot);

    /**
     * @return number of nodes
     */
    uint32_t GetNNodes() const;

    /**
     * @param node index of a node
     * @return the node
     */
    const Node& GetNode(uint32_t node) const;

    /**
     * @return number of links; each counts once for its two directions
     */
    uint32_t GetNLinks() const;

    /**
     * @param link index of a link
     * @return the link
     */
    const Link& GetLink(uint32_t link) const;

    /**
     * @return node indices of the hosts, by rank
     */
    const std::vector<uint32_t>& GetHosts() const;

    /**
     * @param node index of a node
     * @return indices of the links of the node, ascending
     */
    const std::vector<uint32_t>& GetLinksOf(uint32_t node) const;

    /**
     * @param link index of a link
     * @param node node at one of its ends
     * @return node at the other end
     */
    uint32_t GetPeer(uint32_t link, uint32_t node) const;

    /**
     * @param link index of a link
     * @param node node at one of its ends
     * @return number of the direction from there to the other end, and of the port there: 2 link
     *         from the first end, 2 link + 1 from the second one
     */
    uint32_t GetDirection(uint32_t link, uint32_t node) const;

    /**
     * @param node index of a node
     * @param nvlink which kind of link to look for
     * @return the first link of that kind at the node, or the first of the other kind if there is
     *         none; the node must have a link
     */
    uint32_t GetFirstLink(uint32_t node, bool nvlink) const;

    /**
     * @param a node at one end of a link
     * @param b node at the other end
     * @return whether the link is NVLink where a file does not say: one between an NVSwitch and a
     *         host or another NVSwitch
     */
    bool IsNvlinkByKind(uint32_t a, uint32_t b) const;

    /// Let hosts relay packets of others, between their NVLinks and their NICs, too.
    void LetHostsRelay();

    /**
     * Hosts relay packets of others only if LetHostsRelay() says so, and in a graph in which some
     * host is linked to a host, such as a torus without switches.
     *
     * @return whether hosts relay
     */
    bool HostsRelay() const;

    /**
     * Say in which dimensions the hosts stand, see TorusShape.
     *
     * @param sizes lengths of the dimensions, whose product is the number of hosts; none = in none
     */
    void SetDimensions(const std::vector<uint32_t>& sizes);

    /**
     * @return the dimensions; none = nobody has said
     */
    const std::vector<uint32_t>& GetDimensions() const;

    /**
     * Add what whoever uses the graph should know of the input that it was made from.
     *
     * @param note a sentence
     */
    void AddNote(const std::string& note);

    /**
     * @return the notes, in the order in which they were added
     */
    const std::vector<std::string>& GetNotes() const;

    /**
     * Check that every host reaches every other.
     *
     * @param where the input that the graph was made from
     * @throws WorkloadError that names pairs without a path
     */
    void Validate(const SourceLocation& where) const;

  private:
    /**
     * @param kind what the node does
     * @param name name in reports and messages
     * @param server server it stands in, or NO_SERVER
     * @param rank rank it holds, or NO_RANK
     * @return index of the node
     */
    uint32_t AddNode(NodeKind kind, const std::string& name, uint32_t server, uint32_t rank);

    /**
     * @return per rank the relaying parts of the graph that its host is attached to, ascending; a
     *         part is a set of nodes that relay to each other
     */
    std::vector<std::vector<uint32_t>> FindParts() const;

    /**
     * @return whether every host would reach every other if hosts relayed
     */
    bool WouldRelayingHelp() const;

    /// What a graph consists of.
    struct Contents
    {
        std::string name;                             //!< kind of topology
        SlotCycle cycle;                              //!< slots of links
        std::vector<Node> nodes;                      //!< nodes by index
        std::vector<Link> links;                      //!< links by index
        std::vector<uint32_t> hosts;                  //!< node indices by rank
        std::vector<std::vector<uint32_t>> adjacency; //!< link indices by node
        bool hostsRelay{false};                       //!< whether hosts relay
        std::vector<uint32_t> dimensions;             //!< in which the hosts stand; or none
        std::vector<std::string> notes;               //!< what to know of the input
    };

    /**
     * @return what this graph alone consists of, to be changed
     */
    Contents& Modify();

    std::shared_ptr<Contents> m_contents; //!< shared with copies until one of them is changed
};

} // namespace ns3

#endif /* TOPOLOGY_GRAPH_H */
