/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_PATH_H
#define FLUID_PATH_H

#include "fluid-flow.h"

#include "ns3/rdma-network.h"
#include "ns3/rdma-packet.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The links that packets of a queue pair would take, and what they wait for there without
 *        queues.
 */
class FluidPath
{
  public:
    /**
     * Find the links. Where the routing keeps the packets of a flow on one path, nodes choose as
     * they would for a packet; else the flow is spread evenly over all shortest paths.
     *
     * @param network the routes
     * @param port port of the host by which packets leave
     * @param probe a full packet of the queue pair
     */
    FluidPath(const RdmaNetwork& network, const RdmaNetDevice& port, RdmaPacket& probe);

    /**
     * @return the links, as FluidNetwork numbers them: TopologyGraph::GetDirection(); empty = there
     *         is no path, or they were taken before
     */
    std::vector<FluidHop> TakeHops()
    {
        return std::exchange(m_hops, {});
    }

    /**
     * @return nodes that they join
     */
    uint32_t GetNNodes() const
    {
        return m_nNodes;
    }

    /**
     * @param wireBytes bytes that the last packet of a message takes on the wire
     * @return time steps from the moment at which it has left its host until it has come whole
     */
    int64_t GetDelay(uint32_t wireBytes) const;

    /**
     * @param wireBytes bytes of a packet on the wire
     * @return time steps that it takes to leave its host
     */
    int64_t GetFirstSteps(uint32_t wireBytes) const
    {
        return static_cast<int64_t>(m_firstSteps * wireBytes);
    }

    /**
     * @param wireBytes bytes of a packet on the wire
     * @return time steps that it takes on the last link
     */
    int64_t GetLastSteps(uint32_t wireBytes) const
    {
        return static_cast<int64_t>(m_lastSteps * wireBytes);
    }

    /**
     * @return time steps from the moment at which the probe would begin to leave until its
     *         acknowledgement would have come
     */
    int64_t GetRoundTrip() const
    {
        return m_roundTrip;
    }

    /**
     * @param graph the fabric
     * @param hops links of a path
     * @param hop index of one of them
     * @param wireBytes bytes of a packet on the wire
     * @return time steps that it takes from when it has passed that link until it has come whole
     */
    static int64_t GetDelayBehind(const TopologyGraph& graph,
                                  const std::vector<FluidHop>& hops,
                                  uint32_t hop,
                                  uint32_t wireBytes);

    /**
     * @return time steps that an acknowledgement takes back
     */
    int64_t GetAckDelay() const
    {
        return static_cast<int64_t>(m_ackSteps);
    }

  private:
    /// Shares of a flow that are at nodes of one distance, by node.
    using Parts = std::map<uint32_t, double>;

    /**
     * @param network the routes
     * @param probe a packet of the queue pair
     * @param parts where the flow is
     * @return where it is a link later; empty = there is no path
     */
    Parts GoOn(const RdmaNetwork& network, RdmaPacket& probe, const Parts& parts);

    /**
     * @param graph the fabric
     * @param link a link that the flow takes
     * @param node node that it leaves
     * @param fraction part of what is there that takes it
     * @param share part of the flow that is there
     * @param [in,out] parts where the flow is a link later
     */
    void Add(const TopologyGraph& graph,
             uint32_t link,
             uint32_t node,
             double fraction,
             double share,
             Parts& parts);

    /**
     * @param node a node
     * @return its number among those of the flow, a new one if it has none
     */
    uint32_t NumberNode(uint32_t node);

    /**
     * Add what packets and acknowledgements wait for at a link.
     *
     * @param link the link
     * @param share part of the flow that takes it
     * @param isFirst whether it is that of the host that sends
     */
    void AddDelay(const TopologyGraph::Link& link, double share, bool isFirst);

    std::vector<uint32_t> m_nodes; //!< its nodes by number, from the host on, while it is found
    uint32_t m_nNodes{0};          //!< how many they are
    std::vector<FluidHop> m_hops;  //!< the links, until they are taken
    double m_propagation{0};       //!< time steps
    double m_stepsPerByte{0};      //!< sending times at switches, which take in packets whole
    double m_firstSteps{0};        //!< time steps per byte at the host that sends
    double m_lastSteps{0};         //!< the same on the last link
    uint32_t m_ackBytes{0};        //!< of an acknowledgement on the wire
    double m_ackSteps{0};          //!< time steps of an acknowledgement
    int64_t m_roundTrip{0};        //!< of the probe, time steps
};

} // namespace ns3

#endif /* FLUID_PATH_H */
