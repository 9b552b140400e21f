/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PINNED_ROUTING_H
#define RDMA_PINNED_ROUTING_H

#include "rdma-routing.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

class EcmpRouteTable;

/**
 * @ingroup workload-replay
 * @brief Path pinning: a file says which switches packets of some pairs of hosts take; the others,
 * and those whose path is broken, go by ECMP.
 *
 * Each line of the file names two hosts, then may have the number of a queue pair of the first one,
 * in the order in which they are made, then a colon and the switches that lead from the first host
 * to the second:
 *
 * @code
 * # source destination [queue pair] : switches
 * host0 host5 : leaf0 spine1 leaf1
 * host0 host5 3 : leaf0 spine0 leaf1
 * @endcode
 *
 * A path with a queue pair is for data of that one, and wins over one without, which is for all
 * packets from the first host to the second, acknowledgements of the data that it receives
 * included. Paths must be among the shortest. Between switches with several links a packet takes
 * one by ECMP. When a link of a path is down, its switch sends the packets over the other links by
 * ECMP, and so do switches that packets come to which are not on their path; when it is up again,
 * so is the path. A host with several ports goes by the lines without a queue pair when it chooses
 * one of them.
 */
class RdmaPinnedRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPinnedRouting();
    ~RdmaPinnedRouting() override;

    bool Reorders() const override;
    void SetGraph(const TopologyGraph& graph) override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

    /// Whose packets are pinned: source, destination and queue pair, RdmaPacket::UNKNOWN = any.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// Next node of packets, at one node.
    using Pins = std::map<Key, uint32_t>;

  private:
    /// Nodes by name.
    using Names = std::map<std::string, uint32_t>;

    /**
     * @param words words of a line
     * @param names nodes by name
     * @param table routes
     * @throws WorkloadError if the line is wrong
     */
    void ReadLine(const std::vector<TextField>& words,
                  const Names& names,
                  const EcmpRouteTable& table);

    /**
     * @param word name of a node
     * @param names nodes by name
     * @param isHost whether it is to be a host; else a switch
     * @return the node
     * @throws WorkloadError if there is no such
     */
    uint32_t FindNode(const TextField& word, const Names& names, bool isHost) const;

    std::string m_file;       //!< path of the file
    TopologyGraph m_graph;    //!< the fabric
    std::vector<Pins> m_pins; //!< by node
};

} // namespace ns3

#endif /* RDMA_PINNED_ROUTING_H */
