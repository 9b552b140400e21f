/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_GENERATOR_H
#define TOPOLOGY_GENERATOR_H

#include "fabric-parameters.h"
#include "topology-graph.h"
#include "topology-spec.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A kind of topology, which the option topology names: makes graphs of any size.
 *
 * A generator registers itself with NS_STRATEGY_ENSURE_REGISTERED() in its source file, where the
 * help names its keys. MakeServers() and AddNics() of topology-servers.h make what is alike in all
 * topologies.
 */
class TopologyGenerator : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Make a graph. The parameters are in range.
     *
     * @param spec name and keys, of which it asks for those that it knows and then calls
     *             TopologySpec::CheckUnusedKeys()
     * @param world number of ranks, at least 1
     * @param parameters servers and links
     * @return the graph, in which every rank reaches every other
     * @throws WorkloadError if a key is wrong, the numbers contradict each other or the world does
     *         not fit
     */
    virtual TopologyGraph Build(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters) const = 0;

    /**
     * @return whether ranks stand in servers, which NVLink or PCIe joins inside; here they do
     */
    virtual bool HasServers() const;

    /**
     * @return whether ranks relay for others, so that NVLink must not leave servers; here they do
     *         not
     */
    virtual bool HasRelayingRanks() const;

    /**
     * @param ranks ranks that fill whole servers, at least 1
     * @param parameters servers and their NICs
     * @return the key, with its value, that has as many ranks at a leaf switch or in a rail group,
     *         such as hostsPerLeaf=16; empty = no key says that, as here
     */
    virtual std::string GetLeafKey(uint32_t ranks, const FabricParameters& parameters) const;
};

} // namespace ns3

#endif /* TOPOLOGY_GENERATOR_H */
