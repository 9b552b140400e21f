/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-generator.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TopologyGenerator");

NS_OBJECT_ENSURE_REGISTERED(TopologyGenerator);

TypeId
TopologyGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopologyGenerator").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

TopologyGenerator::TopologyGenerator()
{
    NS_LOG_FUNCTION(this);
}

TopologyGenerator::~TopologyGenerator()
{
    NS_LOG_FUNCTION(this);
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

} // namespace ns3
