/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECMP_ROUTING_HELPER_H
#define ECMP_ROUTING_HELPER_H

#include "ns3/ipv4-ecmp-routing.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Gives nodes Ipv4EcmpRouting, and the routes of the network that they stand in.
 *
 * @code
 * InternetStackHelper stack;
 * stack.SetRoutingHelper(EcmpRoutingHelper());
 * stack.Install(nodes);
 * // devices, channels and addresses
 * EcmpRoutingHelper::PopulateRoutingTables();
 * @endcode
 */
class EcmpRoutingHelper : public Ipv4RoutingHelper
{
  public:
    EcmpRoutingHelper();

    /**
     * @param name name of an attribute of Ipv4EcmpRouting
     * @param value its value on the nodes installed from now on
     */
    void Set(const std::string& name, const AttributeValue& value);

    // Inherited from Ipv4RoutingHelper.
    EcmpRoutingHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;

    /**
     * Find the point-to-point links between the nodes, and give every Ipv4EcmpRouting among them
     * the routes. Call it once the interfaces have their addresses. Interfaces that go down or up
     * later and addresses added later are taken up by themselves; links added later need another
     * call.
     *
     * A node does not relay packets of others if its IpForward attribute is false, or if all of its
     * links lead to one neighbour. Nodes with other routing protocols count as if they used these
     * routes, too.
     *
     * @param nodes the nodes; those without IPv4 are passed over
     */
    static void PopulateRoutingTables(const NodeContainer& nodes);

    /**
     * The same for all nodes of the simulation.
     */
    static void PopulateRoutingTables();

    /**
     * Draw a seed, the same for all nodes, from a random variable stream. Two runs (RngRun) differ
     * in it, and a run repeats it. A default of the attribute Seed other than 0 is taken instead.
     *
     * @param nodes nodes; those without Ipv4EcmpRouting are passed over
     * @param stream number of the stream to draw from
     * @return number of streams used, 1
     */
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    ObjectFactory m_factory; //!< makes the routing protocols
};

} // namespace ns3

#endif /* ECMP_ROUTING_HELPER_H */
