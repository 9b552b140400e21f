/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "background-request.h"

#include "background-kind.h"

#include "ns3/strategy-registry.h"
#include "ns3/workload-error.h"

#include <utility>

namespace ns3
{

std::vector<BackgroundRequest>
MakeBackground(const std::vector<KeyedField>& fields,
               const TransportKind& transport,
               const TopologyGraph& graph,
               int64_t stream)
{
    std::vector<BackgroundRequest> requests;
    for (const auto& field : fields)
    {
        const KeyedValues spec(field);
        BackgroundRequest request;
        const auto kind = StrategyRegistry::Create<BackgroundKind>(spec.GetNameField());
        request.pattern = kind->Create(spec, graph);
        if (!request.pattern)
        {
            throw spec.MakeError("a TrafficPattern from BackgroundKind::Create()", "none");
        }
        request.period.start = spec.GetTime("start", Time());
        request.period.until = spec.GetTime("until", Time::Max());
        request.isTcp = spec.GetWord("transport", {"same", "tcp"}) == "tcp";
        spec.CheckUnusedKeys();
        if (request.isTcp && !transport.Supports(TransportKind::Use::TCP_BESIDE))
        {
            throw WorkloadError(spec.GetField("transport").where,
                                "transport=same with jobs over " + transport.GetName() +
                                    "; beside rdma it may be tcp",
                                "tcp");
        }
        if (request.period.until <= request.period.start)
        {
            const auto until = spec.GetField("until");
            throw WorkloadError(until.where, "until to be later than start", until.text);
        }
        // Each kind of traffic has streams of its own: one more changes none before it.
        stream += request.pattern->AssignStreams(stream);
        requests.push_back(std::move(request));
    }
    return requests;
}

} // namespace ns3
