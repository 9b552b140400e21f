/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_KIND_H
#define BACKGROUND_KIND_H

#include "ns3/keyed-values.h"
#include "ns3/object.h"
#include "ns3/topology-graph.h"
#include "ns3/traffic-pattern.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A kind of background traffic, which the option background names.
 *
 * A kind registers itself with NS_STRATEGY_ENSURE_REGISTERED(), where the help names its keys:
 * `bursts (load, bytes)`. The keys start, until and transport are those of all kinds.
 */
class BackgroundKind : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    BackgroundKind();
    ~BackgroundKind() override;

    /**
     * @param spec its keys, each of which that is asked for here is known
     * @param graph the topology
     * @return the flows
     * @throws WorkloadError if a value is wrong, or the topology has not the hosts
     */
    virtual std::unique_ptr<TrafficPattern> Create(const KeyedValues& spec,
                                                   const TopologyGraph& graph) const = 0;

  protected:
    /**
     * @param spec the traffic, whose key hosts says which; absent = all
     * @param graph the topology
     * @return the hosts that it is about
     * @throws WorkloadError if there are fewer than two, or the topology has not got them
     */
    static TrafficHosts FindHosts(const KeyedValues& spec, const TopologyGraph& graph);

    /**
     * @param spec the traffic
     * @return its key load, the share of its rate that a host sends, above 0
     * @throws WorkloadError if it is not there or wrong
     */
    static double GetLoad(const KeyedValues& spec);

    /**
     * @param spec the traffic
     * @param absent its size if the user does not say
     * @return its key bytes, at least 1
     */
    static uint64_t GetBytes(const KeyedValues& spec, const std::string& absent);
};

} // namespace ns3

#endif /* BACKGROUND_KIND_H */
