/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-switches.h"

#include "ns3/switch-trees.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param tree a tree of switches
 * @param addresses address of each node that messages go to
 * @return the same by address
 */
ReductionTree
NameByAddress(const SwitchTree& tree, const std::map<uint32_t, uint32_t>& addresses)
{
    ReductionTree named;
    named.obstacle = tree.obstacle;
    for (const auto& [node, place] : tree.switches)
    {
        auto& own = named.switches[addresses.at(node)];
        if (place.parent != SwitchTree::NO_PARENT)
        {
            own.parent = addresses.at(place.parent);
        }
        for (const auto child : place.children)
        {
            own.children.push_back(addresses.at(child));
        }
        std::sort(own.children.begin(), own.children.end());
    }
    for (const auto& [host, above] : tree.above)
    {
        named.above[addresses.at(host)] = addresses.at(above);
    }
    return named;
}

} // namespace

void
AddServerSwitches(RankPlacement& placement, const FabricEndpoints& endpoints)
{
    std::vector<RankPlacement::Switches> switches;
    for (const auto& range : endpoints.GetSwitches())
    {
        switches.push_back({range.first, range.count});
    }
    placement.SetSwitches(std::move(switches));
}

void
AddReductionTrees(RankPlacement& placement,
                  const TopologyGraph& graph,
                  const FabricEndpoints& endpoints)
{
    const auto& nodes = endpoints.GetNodes();
    const auto first = endpoints.GetFirstNetworkSwitch();
    // Where hosts relay there is no switch; the trees tell why.
    if (first == nodes.size() && !graph.HostsRelay())
    {
        return;
    }
    std::map<uint32_t, uint32_t> addresses;
    for (uint32_t address = 0; address < nodes.size(); ++address)
    {
        addresses[nodes[address]] = address;
    }
    auto trees = std::make_shared<const SwitchTrees>(graph);
    const auto find = [trees, nodes, addresses](const std::vector<uint32_t>& ranks,
                                                uint32_t index) {
        std::vector<uint32_t> hosts;
        std::transform(ranks.begin(), ranks.end(), std::back_inserter(hosts), [&](uint32_t rank) {
            return nodes[rank];
        });
        return NameByAddress(trees->Find(hosts, index), addresses);
    };
    placement.SetReductionTrees(find, first);
}

} // namespace ns3
