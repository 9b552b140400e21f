/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_UPLINKS_H
#define TOPOLOGY_UPLINKS_H

#include "topology-graph.h"
#include "topology-spec.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Refuse a topology between whose switches there are more links than memory holds, which is
 * a slip of a number.
 *
 * @param spec whose location stands in the error
 * @param links links between its switches
 * @throws WorkloadError if there are more than 10000000
 */
void CheckSwitchLinks(const TopologySpec& spec, uint64_t links);

/**
 * @ingroup workload-replay
 * @brief The side of leaf switches that is turned to the NICs.
 */
struct LeafPorts
{
    uint32_t leaves; //!< number of leaves, at least 1
    uint32_t ports;  //!< NIC ports that a leaf takes, at least 1
    DataRate rate;   //!< rate of one of them, bit/s, above 0
};

/**
 * @ingroup workload-replay
 * @brief The links between leaves and spines; every leaf has the same number to every spine.
 */
struct UplinkPlan
{
    uint32_t spines{0};   //!< spine switches; 0 = a single leaf needs none
    uint32_t perSpine{0}; //!< parallel links from a leaf to each spine
    DataRate rate;        //!< rate of one of them, bit/s
    /// Keys that are given and change nothing, as a single leaf has no uplinks.
    std::vector<std::string> idleKeys;
};

/**
 * @ingroup workload-replay
 * @brief Find the uplinks of leaf switches from the keys oversubscription, uplinkRate and spines.
 *
 * A leaf has ports * rate / (oversubscription * uplinkRate) uplinks; this must be a whole number
 * that the spines divide. The default of oversubscription is 1, that of uplinkRate the rate of a
 * port.
 *
 * @param spec the keys
 * @param leaf the leaves
 * @param spinePorts ports of a spine, of which there are as few by default as these allow; 0 = by
 *        default there is a spine per uplink of a leaf
 * @return the uplinks; none for a single leaf unless spines are asked for
 * @throws WorkloadError if a key is wrong, the numbers contradict each other or there are too many
 *         links
 */
UplinkPlan PlanUplinks(const TopologySpec& spec, const LeafPorts& leaf, uint32_t spinePorts);

/**
 * @ingroup workload-replay
 * @brief Add spine switches, and link each to every leaf.
 *
 * @param [in,out] graph the graph
 * @param leaves nodes of the leaves
 * @param plan the uplinks
 * @param delay propagation of an uplink, at least 0
 * @param prefix what stands before spine0, spine1, ... in the names
 */
void AddSpines(TopologyGraph& graph,
               const std::vector<uint32_t>& leaves,
               const UplinkPlan& plan,
               Time delay,
               const std::string& prefix = "");

/**
 * @ingroup workload-replay
 * @brief Note which keys change nothing, if there are any, and what would give them a meaning.
 *
 * @param [in,out] graph the graph
 * @param plan the uplinks
 * @param sizeKey key of how much a leaf takes
 */
void NoteIdleKeys(TopologyGraph& graph, const UplinkPlan& plan, const std::string& sizeKey);

} // namespace ns3

#endif /* TOPOLOGY_UPLINKS_H */
