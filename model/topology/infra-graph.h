/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INFRA_GRAPH_H
#define INFRA_GRAPH_H

#include "fabric-parameters.h"
#include "topology-graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A kind of link of InfraGraph.
 */
struct InfraLink
{
    std::string name;          //!< name of the kind, such as pcie
    uint64_t rate{0};          //!< bit/s; 0 = the file does not say
    std::optional<Time> delay; //!< propagation; none = the file does not say
};

/**
 * @ingroup workload-replay
 * @brief A component of a device of InfraGraph.
 */
struct InfraPart
{
    std::string name;   //!< its path, such as host.0.xpu.1, and name of the node that it becomes
    std::string type;   //!< cpu, xpu, nic, memory, port, switch or what a custom one says
    uint32_t device{0}; //!< which copy of a device it stands in, counted from 0
};

/**
 * @ingroup workload-replay
 * @brief Components and edges of InfraGraph, from which a fabric is made.
 *
 * XPUs become hosts, the others forward. What no path between XPUs crosses is left out: memory,
 * ports that are not in use. What has two links and is no switch, such as a NIC between a PCIe
 * switch and a leaf switch or a port of a switch, becomes a part of the link through it, with the
 * lower rate and the sum of the delays.
 */
class InfraGraph
{
  public:
    /**
     * @param part a component
     * @return its number
     */
    uint32_t AddPart(const InfraPart& part);

    /**
     * Join two components; a second edge between the same ones takes the place of the first.
     *
     * @param a a component
     * @param b another one
     * @param link what joins them
     */
    void AddEdge(uint32_t a, uint32_t b, const InfraLink& link);

    /**
     * @param parameters rates and delays of links of which the file does not say them
     * @return the fabric, with notes of what was left out and what was assumed
     */
    TopologyGraph Make(const FabricParameters& parameters);

  private:
    /// A link between two components.
    struct Edge
    {
        uint32_t a;                //!< component at one end
        uint32_t b;                //!< component at the other end
        uint64_t rate;             //!< bit/s; 0 = the file does not say
        std::optional<Time> delay; //!< propagation; none = the file does not say
        bool isInside;             //!< it stays within a device
        bool isNvlink;             //!< its name says that it joins accelerators
        bool isPcie;               //!< its name says that it is of PCIe
        bool isGone{false};        //!< it is a part of another one, or leads nowhere
    };

    /**
     * @param part a component
     * @return whether it is an accelerator
     */
    bool IsXpu(uint32_t part) const;

    /// Find the edges of each component.
    void FindEdges();

    /// Leave components out, and make others parts of links, until none is left to.
    void Reduce();

    /**
     * @param part a component of two edges, which become one
     */
    void Join(uint32_t part);

    /**
     * @param part a component
     * @param edge an edge of it that is no more
     */
    void Drop(uint32_t part, uint32_t edge);

    /**
     * @param part a component that forwards
     * @return whether it joins accelerators of its device, and nothing else
     */
    bool IsNvswitch(uint32_t part) const;

    /**
     * @param edge an edge
     * @param parameters rates of links
     * @return its rate, and the option that has said it; empty = the file
     */
    std::pair<uint64_t, std::string> FindRate(const Edge& edge,
                                              const FabricParameters& parameters) const;

    /**
     * @param [in,out] graph receives the components that are left
     */
    void AddNodes(TopologyGraph& graph);

    /**
     * @param parameters rates and delays of links
     * @param [in,out] graph receives the links
     */
    void AddLinks(const FabricParameters& parameters, TopologyGraph& graph) const;

    std::vector<InfraPart> m_parts;                              //!< the components
    std::vector<Edge> m_edges;                                   //!< the edges
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_numbers; //!< edge by its ends
    std::vector<std::vector<uint32_t>> m_edgesOf;                //!< edges by component
    std::vector<uint32_t> m_nodes;                               //!< node by component
    std::map<std::string, uint32_t> m_left;                      //!< components left out, by type
    std::map<std::string, uint32_t> m_joined;                    //!< parts of links, by type
};

} // namespace ns3

#endif /* INFRA_GRAPH_H */
