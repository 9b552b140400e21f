/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-uplinks.h"

#include "ns3/workload-error.h"

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/// Most uplinks of a leaf; more is a slip of the keys.
constexpr uint32_t MAX_UPLINKS = 1000000;

/// Most links between switches. A fat-tree of 1,000,000 ranks has 2 million; each takes up to 250
/// bytes, with its switches.
constexpr uint64_t MAX_SWITCH_LINKS = 10000000;

/**
 * @param uplinks links of one leaf to the spines
 * @param leaves number of leaves
 * @param spinePorts ports of a spine
 * @return the fewest spines that share the uplinks evenly and have the ports; one per uplink if
 *         even that is too few
 */
uint32_t
CountFewestSpines(uint32_t uplinks, uint32_t leaves, uint32_t spinePorts)
{
    for (uint32_t spines = 1; spines < uplinks; ++spines)
    {
        const auto ports = static_cast<uint64_t>(leaves) * (uplinks / spines);
        if (uplinks % spines == 0 && ports <= spinePorts)
        {
            return spines;
        }
    }
    return uplinks;
}

} // namespace

void
CheckSwitchLinks(const TopologySpec& spec, uint64_t links)
{
    if (links > MAX_SWITCH_LINKS)
    {
        throw spec.MakeError("at most " + std::to_string(MAX_SWITCH_LINKS) +
                                 " links between switches",
                             std::to_string(links));
    }
}

UplinkPlan
PlanUplinks(const TopologySpec& spec, const LeafPorts& leaf, uint32_t spinePorts)
{
    UplinkPlan plan;
    const auto oversubscription = spec.GetRatio("oversubscription", 1);
    plan.rate = spec.GetRate("uplinkRate", leaf.rate);
    const auto spines = spec.GetCount("spines", 0);
    // One leaf needs no spines.
    if (leaf.leaves == 1 && spines == 0)
    {
        for (const auto* const key : {"oversubscription", "uplinkRate"})
        {
            if (spec.Has(key))
            {
                plan.idleKeys.emplace_back(key);
            }
        }
        return plan;
    }
    const auto down = static_cast<double>(leaf.ports) * static_cast<double>(leaf.rate.GetBitRate());
    const auto exact = down / (oversubscription * static_cast<double>(plan.rate.GetBitRate()));
    std::ostringstream sum;
    sum << leaf.ports << " NIC ports x " << leaf.rate.GetBitRate() / 1e9
        << "Gbps / (oversubscription " << oversubscription << " x uplinks of "
        << plan.rate.GetBitRate() / 1e9 << "Gbps) = " << exact;
    // A ratio such as 1.2 has no exact binary form, so the quotient may miss a whole number.
    const auto whole = std::round(exact);
    if (whole < 1 || whole > MAX_UPLINKS || std::abs(exact - whole) > 1e-6)
    {
        throw spec.MakeError("a whole number of uplinks per leaf, from 1 to " +
                                 std::to_string(MAX_UPLINKS),
                             sum.str());
    }
    const auto uplinks = static_cast<uint32_t>(whole);
    plan.spines = spines;
    if (spines == 0)
    {
        plan.spines =
            spinePorts == 0 ? uplinks : CountFewestSpines(uplinks, leaf.leaves, spinePorts);
    }
    if (uplinks % plan.spines != 0)
    {
        throw spec.MakeError("a number of spines that divides the uplinks per leaf (" + sum.str() +
                                 ")",
                             std::to_string(plan.spines) + " spines");
    }
    plan.perSpine = uplinks / plan.spines;
    CheckSwitchLinks(spec, uint64_t{leaf.leaves} * uplinks);
    return plan;
}

void
AddSpines(TopologyGraph& graph,
          const std::vector<uint32_t>& leaves,
          const UplinkPlan& plan,
          Time delay,
          const std::string& prefix)
{
    for (uint32_t spine = 0; spine < plan.spines; ++spine)
    {
        const auto node = graph.AddSwitch(prefix + "spine" + std::to_string(spine));
        for (const auto leaf : leaves)
        {
            for (uint32_t i = 0; i < plan.perSpine; ++i)
            {
                graph.AddLink(leaf, node, plan.rate, delay);
            }
        }
    }
}

void
NoteIdleKeys(TopologyGraph& graph, const UplinkPlan& plan, const std::string& sizeKey)
{
    if (!plan.idleKeys.empty())
    {
        graph.AddNote("one leaf switch takes all NICs, so that " + JoinWords(plan.idleKeys) +
                      " of the topology changes nothing; a smaller " + sizeKey +
                      " makes more leaves, with uplinks");
    }
}

} // namespace ns3
