/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing.h"

#include "ns3/strategy-registry.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRouting);

TypeId
RdmaRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRouting").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

std::string
RdmaRouting::GetName() const
{
    return StrategyRegistry::GetName(GetInstanceTypeId());
}

bool
RdmaRouting::KeepsPaths() const
{
    return !Reorders();
}

std::string
RdmaRouting::FindOtherPaths() const
{
    return KeepsPaths() ? ", which has paths of its own; those of ecmp are given"
                        : ", where packets of a message may take several";
}

std::string
RdmaRouting::DescribeRisk() const
{
    return "";
}

RdmaRouting::Leaves
RdmaRouting::FindLeaves(const TopologyGraph& graph) const
{
    if (graph.HostsRelay())
    {
        throw WorkloadError({GetInstanceTypeId().GetName(), 0, 0, ""},
                            "a topology in which all hosts are attached to switches, which "
                            "notify each other of congestion",
                            "hosts that are linked to hosts");
    }
    std::vector<uint32_t> leaves(graph.GetNNodes(), RdmaPathTag::NONE);
    for (const uint32_t host : graph.GetHosts())
    {
        for (const uint32_t link : graph.GetLinksOf(host))
        {
            const uint32_t peer = graph.GetPeer(link, host);
            if (graph.GetNode(peer).kind == TopologyGraph::SWITCH)
            {
                leaves[host] = std::min(leaves[host], peer);
            }
        }
    }
    return std::make_shared<const std::vector<uint32_t>>(std::move(leaves));
}

} // namespace ns3
