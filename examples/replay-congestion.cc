/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Shows what congestion does to a training iteration. One job runs on two leaf-spine fabrics of the
 * same hosts and links, and the results are printed side by side:
 *
 * - uncongested: neighbours in the ring share a leaf where possible, and a leaf has as much
 *   bandwidth to the spines as to its hosts;
 * - congested: servers are dealt out to the leaves in turn, so that every message crosses a spine,
 *   and a leaf has only a quarter of that bandwidth.
 */

#include "ns3/core-module.h"
#include "ns3/op-table-reader.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-statistics.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/topology-builder.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

/// What is printed of a run.
struct Outcome
{
    double iterationMs{0};  //!< time of the iteration, ms
    double exposedMs{0};    //!< time that rank 0 waited for gradients, ms
    double busBandwidth{0}; //!< bus bandwidth of the largest collective, GB/s
    uint64_t maxQueue{0};   //!< most bytes that waited at one port of a switch
    uint64_t drops{0};      //!< packets dropped
};

/**
 * Note the fullest queue of the switches, and all drops.
 *
 * @param fabric the fabric after the run
 * @param [out] outcome where to
 */
void
ReadCounters(const TcpFabricHelper& fabric, Outcome& outcome)
{
    const auto& graph = fabric.GetGraph();
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const auto from : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            const auto& counters = fabric.GetCounters(link, from);
            outcome.drops += counters.drops;
            if (graph.GetNode(from).kind != TopologyGraph::HOST)
            {
                outcome.maxQueue = std::max(outcome.maxQueue, counters.maxQueue);
            }
        }
    }
}

/**
 * Replay a job on a fabric.
 *
 * @param workload the job
 * @param topology the fabric, as for the option --topology of wl-replay
 * @return what came out
 */
Outcome
Replay(std::shared_ptr<const Workload> workload, const std::string& topology)
{
    FabricParameters parameters;
    parameters.gpusPerServer = 1;
    parameters.nicRate = DataRate("100Gbps");
    const uint32_t world = workload->GetLayout().world;
    TcpFabricHelper fabric;
    fabric.Install(TopologyBuilder::Build(TopologySpec(topology), world, parameters), parameters);
    fabric.AssignStreams(0);

    ReplayStatistics statistics(workload);
    statistics.ConnectApplications(ReplayHelper(workload).InstallTcp(fabric.GetHosts()));
    Simulator::Run();

    Outcome outcome;
    outcome.iterationMs = statistics.GetTotalTime().GetSeconds() * 1e3;
    const auto dp = static_cast<std::size_t>(Dimension::DP);
    outcome.exposedMs = statistics.GetRank(0).exposed[dp].GetSeconds() * 1e3;
    uint64_t largest = 0;
    for (const auto& [key, entry] : statistics.GetCollectives())
    {
        if (key.bytes > largest)
        {
            largest = key.bytes;
            outcome.busBandwidth = GetBusBandwidth(key, entry) / 1e9;
        }
    }
    ReadCounters(fabric, outcome);
    Simulator::Destroy();
    return outcome;
}

/**
 * Print a row of the table.
 *
 * @param name what the numbers are, with their unit
 * @param uncongested the number of the one run
 * @param congested the number of the other
 */
template <typename Number>
void
PrintRow(const std::string& name, Number uncongested, Number congested)
{
    std::cout << std::fixed << std::setprecision(3) << std::left << std::setw(46) << name
              << std::right << std::setw(14) << uncongested << std::setw(14) << congested << "\n";
}

int
main(int argc, char* argv[])
{
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);

    std::string file = "contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv";
    OpTableOptions options;
    options.workers = 8;
    options.elementBytes = 1;
    CommandLine commandLine(__FILE__);
    commandLine.AddValue("workload", "op table to replay", file);
    commandLine.AddValue("workers", "data parallel workers, a multiple of 8", options.workers);
    commandLine.AddValue("elementBytes", "bytes of an element of a gradient", options.elementBytes);
    commandLine.Parse(argc, argv);

    try
    {
        const auto workload = ReadOpTable(file, options);
        const std::string clos = "clos:leaves=2,";
        const auto uncongested = Replay(workload, clos + "oversubscription=1,placement=block");
        const auto congested = Replay(workload, clos + "oversubscription=4,placement=interleaved");
        std::cout << std::setw(60) << "uncongested" << std::setw(14) << "congested"
                  << "\n";
        PrintRow("iteration, ms", uncongested.iterationMs, congested.iterationMs);
        PrintRow("waiting for gradients, ms", uncongested.exposedMs, congested.exposedMs);
        PrintRow("bus bandwidth of the largest all-reduce, GB/s",
                 uncongested.busBandwidth,
                 congested.busBandwidth);
        PrintRow("fullest queue of a switch, bytes", uncongested.maxQueue, congested.maxQueue);
        PrintRow("packets dropped", uncongested.drops, congested.drops);
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
