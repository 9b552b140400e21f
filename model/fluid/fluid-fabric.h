/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_FABRIC_H
#define FLUID_FABRIC_H

#include "fluid-flow.h"
#include "fluid-link.h"
#include "fluid-network.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class RdmaNetwork;
struct RdmaQueuePairConfig;

/**
 * @ingroup workload-replay
 * @brief All links of an rdma fabric as a fluid, in domains that have nothing to do with each
 *        other.
 *
 * Flows meet where something forwards them: at switches, and at hosts that relay. So the NVLinks of
 * each server are a domain, and so is each plane or rail that no switch joins to another one. Each
 * is a FluidNetwork of its own, which has its own steps: what is congested in one server costs
 * nothing elsewhere, and depends on nothing that happens there.
 */
class FluidFabric
{
  public:
    /**
     * @param network routes and ports of the fabric
     * @param config what queue pairs go by
     * @param step time between two looks at what is congested, above 0; with telemetry it is longer
     *             than a round trip in any case
     */
    FluidFabric(RdmaNetwork& network, const RdmaQueuePairConfig& config, Time step);

    ~FluidFabric();

    FluidFabric(const FluidFabric&) = delete;
    FluidFabric& operator=(const FluidFabric&) = delete;

    /**
     * @param direction direction of a link, see TopologyGraph::GetDirection()
     * @return the link
     */
    FluidLink& GetLink(uint32_t direction)
    {
        return m_links[direction];
    }

    /**
     * @param direction direction of a link
     * @return what moves the flows that may use it
     */
    FluidNetwork& GetDomain(uint32_t direction)
    {
        return *m_domains[m_domainOf[direction / 2]];
    }

    /**
     * Have a flow take a path from now on. What waits on the one that it had, if any, goes on from
     * as many hops on the new one, which may be of another domain.
     *
     * @param flow the flow
     * @param hops the path; if it is the one that the flow has, nothing is done
     * @param nodes nodes that it joins
     */
    void Reroute(FluidFlow& flow, std::vector<FluidHop> hops, uint32_t nodes);

    /**
     * Let a link go down, or come up, in both directions. Flows that use it learn of it.
     *
     * @param number number of the link in the graph
     * @param isUp whether it carries anything from now on
     */
    void SetLinkUp(uint32_t number, bool isUp);

    /**
     * @return id of a new flow: flows that end together go on in the order in which they were made
     */
    uint32_t MakeFlowId()
    {
        return ++m_nFlows;
    }

  private:
    /// A link, as its port shows it to others.
    class PortLoad;

    std::vector<FluidLink> m_links;                       //!< by direction
    std::vector<uint32_t> m_domainOf;                     //!< by link of the graph: its domain
    std::vector<std::unique_ptr<FluidNetwork>> m_domains; //!< by number
    std::vector<std::unique_ptr<PortLoad>> m_loads;       //!< what ports carry, by direction
    uint32_t m_nFlows{0};                                 //!< flows that were made
};

} // namespace ns3

#endif /* FLUID_FABRIC_H */
