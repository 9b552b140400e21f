/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-generator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TopologyGenerator);

TypeId
TopologyGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopologyGenerator").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

bool
TopologyGenerator::HasServers() const
{
    return true;
}

bool
TopologyGenerator::HasRelayingRanks() const
{
    return false;
}

std::string
TopologyGenerator::GetLeafKey(uint32_t ranks [[maybe_unused]],
                              const FabricParameters& parameters [[maybe_unused]]) const
{
    return "";
}

} // namespace ns3
