/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Collectives of 16 MiB over the rdma fabric beside the figures that other simulators gave for the
 * same work on one core of a like machine: SimAI 1.6 (rail-optimised, NICs of 100 Gb/s, NVLink of
 * 2400 Gb/s, steps of 6 us, packets of 9000 bytes, eight rings) and htsim (leaf-spine of 200 Gb/s,
 * packets of 4096 bytes). Every case is a process of its own, whose memory is told.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-options.h"
#include "ns3/replay-statistics.h"
#include "ns3/topology-builder.h"
#include "ns3/workload-reader.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/// A collective, and what another simulator gave for it.
struct Case
{
    std::string simulator;            //!< which simulator
    std::string kind;                 //!< collective, as op tables name it
    uint32_t ranks;                   //!< number of ranks
    std::vector<std::string> options; //!< as for wl-replay
    double referenceUs;               //!< simulated time that it gave, us
    double referenceSeconds;          //!< CPU time that it took, s
    double referenceMegabytes;        //!< memory that it took, MB; 0 = not known
};

/**
 * @param ranks number of ranks
 * @return options of the rail-optimised fabric, each of whose leaves has one uplink of 400 Gb/s
 */
std::vector<std::string>
GetRailOptions(uint32_t ranks)
{
    std::string topology = "rail";
    if (ranks > 8)
    {
        std::ostringstream keys;
        keys << ":uplinkRate=400Gbps,spines=1,oversubscription=" << ranks / 32.0;
        topology += keys.str();
    }
    return {"--topology=" + topology,
            "--nicRate=100Gbps",
            "--nvlinkRate=2400Gbps",
            "--nvlinkDelay=25ns",
            "--mtu=9000",
            "--stepLatency=6us",
            "--channels=8"};
}

/**
 * @return options of the leaf-spine
 */
std::vector<std::string>
GetLeafSpineOptions()
{
    return {"--topology=clos:hostsPerLeaf=16",
            "--gpusPerServer=1",
            "--nicRate=200Gbps",
            "--mtu=4096"};
}

/**
 * @param simulated case to run
 * @return path of an op table of that one collective
 */
std::string
WriteTable(const Case& simulated)
{
    char path[] = "/tmp/bench-reference-XXXXXX";
    close(mkstemp(path));
    std::ofstream(path) << "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\t"
                           "backward_compute_time\tbackward_comm_type\tbackward_comm_size\t"
                           "weight_grad_compute_time\tweight_grad_comm_type\t"
                           "weight_grad_comm_size\tprocess_time\n"
                           "layer\t0\t"
                        << simulated.kind << "\t4194304\t0\tNONE\t0\t0\tNONE\t0\t0\n";
    return path;
}

/**
 * Run a case and print its line.
 *
 * @param simulated the case
 * @param pairRate highest rate of a queue pair, 0 = that of its port
 */
void
Run(const Case& simulated, DataRate pairRate)
{
    const std::string table = WriteTable(simulated);
    auto arguments = simulated.options;
    arguments.push_back("--workload=" + table);
    arguments.push_back("--world=" + std::to_string(simulated.ranks));
    const auto options = ParseReplayOptions(arguments);
    const auto workload = ReadWorkload(options);
    std::remove(table.c_str());
    Config::SetDefault("ns3::RingCollective::Channels", UintegerValue(options.channels));
    Config::SetDefault("ns3::CollectiveAlgorithm::StepLatency", TimeValue(options.stepLatency));
    Config::SetDefault("ns3::RdmaNic::PairRate", DataRateValue(pairRate));

    const std::clock_t start = std::clock();
    const auto graph =
        TopologyBuilder::Build(TopologySpec(options.topology), simulated.ranks, options.fabric);
    RdmaFabricHelper fabric;
    fabric.SetMtu(options.fabric.mtu);
    fabric.Install(graph);
    fabric.AssignStreams(0);
    ReplayHelper helper(workload);
    helper.SetServers(graph);
    ReplayStatistics statistics(workload);
    statistics.ConnectApplications(helper.Install(fabric.GetHosts(), fabric.GetTransports()));
    Simulator::Run();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;

    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    const double us = statistics.GetTotalTime().GetSeconds() * 1e6;
    std::cout << std::fixed << std::setprecision(1) << std::left << std::setw(7)
              << simulated.simulator << std::setw(11) << simulated.kind << std::right
              << std::setw(5) << simulated.ranks << std::setw(11) << us << std::setw(11)
              << simulated.referenceUs << std::setw(8) << 100 * (us / simulated.referenceUs - 1)
              << " %" << std::setprecision(3) << std::setw(9) << seconds << std::setw(9)
              << simulated.referenceSeconds << std::setprecision(1) << std::setw(8)
              << simulated.referenceSeconds / seconds << " x" << std::setw(8) << megabytes
              << std::setw(9) << simulated.referenceMegabytes << std::setprecision(2)
              << std::setw(8) << static_cast<double>(fabric.GetPacketHops()) / seconds / 1e6
              << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    DataRate pairRate(0);
    CommandLine cmd(__FILE__);
    cmd.AddValue("pairRate", "Highest rate of a queue pair; 0bps = that of its port", pairRate);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::RadixHeapScheduler"));

    const std::vector<Case> cases{
        {"SimAI", "ALLREDUCE", 8, GetRailOptions(8), 183.5, 0.13, 370},
        {"SimAI", "ALLREDUCE", 16, GetRailOptions(16), 349.4, 0.38, 0},
        {"SimAI", "ALLREDUCE", 32, GetRailOptions(32), 583.5, 1.04, 0},
        {"SimAI", "ALLREDUCE", 64, GetRailOptions(64), 1047, 3.6, 760},
        {"SimAI", "ALLREDUCE", 128, GetRailOptions(128), 2060, 15.0, 1470},
        {"SimAI", "ALLREDUCE", 256, GetRailOptions(256), 3500, 69, 4000},
        {"htsim", "ALLREDUCE", 32, GetLeafSpineOptions(), 1574, 0.35, 18},
        {"htsim", "ALLREDUCE", 128, GetLeafSpineOptions(), 2001, 3.6, 227},
        {"htsim", "ALLREDUCE", 256, GetLeafSpineOptions(), 2604, 11.6, 837},
        {"htsim", "ALLTOALL", 32, GetLeafSpineOptions(), 857, 0.38, 0},
        {"htsim", "ALLTOALL", 128, GetLeafSpineOptions(), 818, 6.2, 127},
    };
    std::cout << "other  collective ranks   time, us  other, us    apart    CPU, s    other   "
                 "faster      MB    other  M packet-hops/CPU s\n"
              << std::flush;
    for (const auto& simulated : cases)
    {
        const pid_t child = fork();
        if (child == 0)
        {
            Run(simulated, pairRate);
            return 0;
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0)
        {
            return 1;
        }
    }
    return 0;
}
