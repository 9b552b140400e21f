/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-topology.h"

#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"

namespace ns3
{

TopologyGraph
BuildReplayTopology(const NetworkOptions& options, uint32_t world)
{
    if (TopologyFile::IsFileName(options.topology))
    {
        return TopologyFile::Read(options.topology, world);
    }
    const TopologySpec spec(options.topology, options.Locate("topology").ToString());
    return TopologyBuilder::Build(spec, world, options.fabric);
}

bool
HasRandomLoss(const TopologyGraph& graph)
{
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        if (graph.GetLink(i).lossRate > 0)
        {
            return true;
        }
    }
    return false;
}

} // namespace ns3
