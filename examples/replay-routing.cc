/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Shows what the choice of paths does to a training iteration. One job runs on one leaf-spine
 * fabric without oversubscription, whose servers are dealt out to the leaves in turn so that
 * neighbours in a ring are never at one leaf. By flow (ecmp) several flows meet on one uplink while
 * others stay empty; packet by packet (spray, adaptive) they spread. The table sets the time that
 * ranks wait for messages beside what the busiest uplink had to carry: where paths collide, the one
 * grows with the other.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-option-table.h"
#include "ns3/replay-statistics.h"
#include "ns3/topology-builder.h"
#include "ns3/workload-reader.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

/// What is printed of a run.
struct Outcome
{
    double iterationMs{0}; //!< time of the iteration, ms
    double exposedMs{0};   //!< mean over the ranks of the time that they wait for messages, ms
    double busiestMs{0};   //!< time that the busiest uplink needs for what it has carried, ms
    double meanMs{0};      //!< mean over all uplinks of that time, ms
};

/**
 * Find how long the links between switches need for what they have carried.
 *
 * @param fabric the fabric after the run
 * @param [out] outcome where to
 */
void
ReadLoads(const RdmaFabricHelper& fabric, Outcome& outcome)
{
    const auto& graph = fabric.GetNetwork()->GetGraph();
    uint32_t uplinks = 0;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& ends = graph.GetLink(link);
        for (const auto from : {ends.a, ends.b})
        {
            if (graph.GetNode(ends.a).kind == TopologyGraph::SWITCH &&
                graph.GetNode(ends.b).kind == TopologyGraph::SWITCH)
            {
                const auto device = fabric.GetDevice(link, from);
                const double ms = 8e3 * static_cast<double>(device->GetCounters().wireBytes) /
                                  static_cast<double>(ends.rate.GetBitRate());
                outcome.busiestMs = std::max(outcome.busiestMs, ms);
                outcome.meanMs += ms;
                ++uplinks;
            }
        }
    }
    outcome.meanMs /= uplinks;
}

/**
 * Replay a job.
 *
 * @param workload the job
 * @param options topology and links
 * @param routing TypeId name of an RdmaRouting
 * @return what came out
 */
Outcome
Replay(std::shared_ptr<const Workload> workload,
       const ReplayOptions& options,
       const std::string& routing)
{
    const uint32_t world = workload->GetLayout().world;
    const auto graph =
        TopologyBuilder::Build(TopologySpec(options.topology), world, options.fabric);
    RdmaFabricHelper fabric;
    fabric.SetRouting(routing);
    fabric.Install(graph);
    fabric.AssignStreams(0);

    ReplayHelper helper(workload);
    helper.SetServers(graph);
    ReplayStatistics statistics(workload);
    statistics.ConnectApplications(helper.Install(fabric.GetHosts(), fabric.GetTransports()));
    Simulator::Run();

    Outcome outcome;
    outcome.iterationMs = statistics.GetTotalTime().GetSeconds() * 1e3;
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        for (const auto& exposed : statistics.GetRank(rank).exposed)
        {
            outcome.exposedMs += exposed.GetSeconds() * 1e3 / world;
        }
    }
    ReadLoads(fabric, outcome);
    Simulator::Destroy();
    return outcome;
}

int
main(int argc, char* argv[])
{
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);

    // All options of wl-replay are understood; of one that is given twice the last counts.
    std::vector<std::string> arguments{
        "--workload=contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "--topology=clos:leaves=4,placement=interleaved",
        "--world=16",
        "--gpusPerServer=1",
        "--nicRate=100Gbps"};
    arguments.insert(arguments.end(), argv + 1, argv + argc);

    try
    {
        const auto options = ParseReplayOptions(arguments);
        const auto workload = ReadWorkload(options);
        std::cout << std::left << std::setw(10) << "routing" << std::right << std::setw(16)
                  << "iteration, ms" << std::setw(14) << "waiting, ms" << std::setw(21)
                  << "busiest uplink, ms" << std::setw(18) << "mean uplink, ms"
                  << "\n"
                  << std::fixed << std::setprecision(3);
        for (const std::string name : {"Ecmp", "Flowlet", "Spray", "Adaptive"})
        {
            const auto outcome = Replay(workload, options, "ns3::Rdma" + name + "Routing");
            std::cout << std::left << std::setw(10) << name << std::right << std::setw(16)
                      << outcome.iterationMs << std::setw(14) << outcome.exposedMs << std::setw(21)
                      << outcome.busiestMs << std::setw(18) << outcome.meanMs << std::endl;
        }
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
