/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builders.h"
#include "topology-servers.h"
#include "topology-uplinks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// NICs of a rack by default: half the ports of a switch of 64, as in clos.
constexpr uint32_t ROTOR_HOSTS_PER_TOR = 32;

/**
 * @param x a rack
 * @param y another one
 * @param racks number of racks
 * @return the matching that joins them, of racks - 1, or of racks if that is odd
 */
uint32_t
FindMatching(uint32_t x, uint32_t y, uint32_t racks)
{
    // Round-robin tournament: the last of an even number stands still, the others go round.
    const auto round = racks - (racks % 2 == 0 ? 1 : 0);
    // In round r the racks x and y meet for which x + y = r modulo the rounds; the last rack meets
    // the rack x for which 2 x = r.
    const auto [low, high] = std::minmax(x, y);
    return high == round ? 2 * low % round : (low + high) % round;
}

/**
 * @param spec the keys
 * @param rotors number of rotors
 * @param matchings number of matchings
 * @return the slots
 */
SlotCycle
PlanSlots(const TopologySpec& spec, uint32_t rotors, uint32_t matchings)
{
    const SlotCycle cycle{DivideUp(matchings, rotors),
                          spec.GetTime("slotTime", MicroSeconds(200)),
                          spec.GetTime("darkTime", MicroSeconds(20))};
    if (cycle.dark >= cycle.time)
    {
        throw spec.MakeError("a darkTime below the slotTime of " +
                                 std::to_string(cycle.time.GetNanoSeconds()) + "ns",
                             std::to_string(cycle.dark.GetNanoSeconds()) + "ns");
    }
    if (cycle.IsTooLong())
    {
        throw spec.MakeError("slots that come round in 1000000s at most",
                             std::to_string(cycle.count) + " of " +
                                 std::to_string(cycle.time.GetNanoSeconds()) + "ns");
    }
    return cycle;
}

} // namespace

TopologyGraph
BuildRotorTopology(const TopologySpec& spec, uint32_t world, const FabricParameters& parameters)
{
    const auto nicCount = CountNics(world, parameters);
    const auto perServer = CountNics(std::min(parameters.gpusPerServer, world), parameters);
    const auto perTor =
        spec.GetCount("hostsPerTor", std::max(1U, ROTOR_HOSTS_PER_TOR / perServer) * perServer);
    const auto racks = DivideUp(nicCount, perTor);
    if (racks == 1 && (spec.Has("rotors") || spec.Has("slotTime") || spec.Has("darkTime")))
    {
        throw spec.MakeError("two racks or more for rotors to join, such as of hostsPerTor " +
                                 std::to_string(std::max(1U, nicCount / 2)),
                             "one of " + std::to_string(perTor) + " NICs");
    }
    // Of an odd number of racks each matching leaves one out, so that there are as many as racks.
    const auto matchings = racks - (racks % 2 == 0 ? 1 : 0);
    const auto rotors =
        spec.GetCount("rotors", std::min(std::max(1U, perTor / 2), std::max(1U, matchings)));
    const auto cycle = PlanSlots(spec, rotors, matchings);
    const auto rate = spec.GetRate("uplinkRate", parameters.nicRate);
    spec.CheckUnusedKeys();
    if (rotors > matchings && racks > 1)
    {
        throw spec.MakeError("at most as many rotors as there are matchings of " +
                                 std::to_string(racks) + " racks, " + std::to_string(matchings),
                             std::to_string(rotors));
    }
    CheckSwitchLinks(spec, uint64_t{racks} * (racks - 1) / 2);

    auto graph = MakeServers(world, parameters);
    const auto nics = AddNics(graph, parameters);
    // A single rack needs no rotor, so that its links are up all the time.
    if (racks > 1)
    {
        graph.SetSlotCycle(cycle);
    }
    std::vector<uint32_t> tors;
    for (uint32_t i = 0; i < nics.size(); ++i)
    {
        // NICs fill rack after rack.
        if (i % perTor == 0)
        {
            tors.push_back(graph.AddSwitch("tor" + std::to_string(tors.size())));
        }
        graph.AddLink(nics[i].node, tors.back(), nics[i].rate, parameters.GetEdgeDelay());
    }
    for (uint32_t x = 0; x < racks; ++x)
    {
        for (uint32_t y = x + 1; y < racks; ++y)
        {
            // One link for each pair of racks, up only in the slot of the matching that joins them.
            const auto link = graph.AddLink(tors[x], tors[y], rate, parameters.GetCoreDelay());
            // A slot has a matching for each rotor, or those that are left.
            graph.SetSlot(link, FindMatching(x, y, racks) / rotors);
        }
    }
    return graph;
}

DEFINE_TOPOLOGY_GENERATOR(RotorTopology, BuildRotorTopology);
NS_STRATEGY_ENSURE_REGISTERED(RotorTopology,
                              "rotor",
                              "racks joined by optical switches that go round fixed matchings "
                              "of them (RotorNet): hostsPerTor (32 at most, whole servers), "
                              "rotors (half of hostsPerTor), slotTime (200us), darkTime of it "
                              "(20us), uplinkRate (nicRate)",
                              10);

} // namespace ns3
