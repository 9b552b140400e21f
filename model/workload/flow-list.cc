/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list.h"

#include <algorithm>

namespace ns3
{

void
FlowList::CheckEnds(const Flow& flow, const SourceLocation& where)
{
    if (flow.source == flow.destination)
    {
        throw WorkloadError(where,
                            "a flow between two hosts",
                            "one from host " + std::to_string(flow.source) + " to itself");
    }
}

void
NumberByHost(FlowList& list, const std::vector<uint32_t>& hosts)
{
    for (auto& flow : list.flows)
    {
        for (auto* end : {&flow.source, &flow.destination})
        {
            // Hosts are sorted by node: their place is their rank.
            const auto found = std::lower_bound(hosts.begin(), hosts.end(), *end);
            if (found == hosts.end() || *found != *end)
            {
                throw WorkloadError({list.file, flow.line, 0, ""},
                                    "flows between the " + std::to_string(hosts.size()) +
                                        " hosts of the topology, by the numbers of their nodes",
                                    "node " + std::to_string(*end) + ", which is none");
            }
            *end = static_cast<uint32_t>(found - hosts.begin());
        }
    }
    list.byNode = false;
    list.hosts = static_cast<uint32_t>(hosts.size());
}

std::vector<BackgroundFlow>
MakeBackgroundFlows(const FlowList& list)
{
    std::vector<BackgroundFlow> flows;
    for (const auto& flow : list.flows)
    {
        if (flow.trigger)
        {
            throw WorkloadError({list.file, flow.line, 0, ""},
                                "flows that begin at a time (with triggers it is a workload: "
                                "--workload=" +
                                    list.file + ")",
                                "trigger " + std::to_string(*flow.trigger));
        }
        flows.push_back({flow.start, flow.source, flow.destination, flow.bytes});
    }
    // Background is sent in order of time; equal starts keep the order of the file.
    std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    const auto idle = list.startsLate ? flows.front().start : Time();
    for (auto& flow : flows)
    {
        flow.start -= idle;
    }
    return flows;
}

} // namespace ns3
