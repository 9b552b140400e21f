/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Collectives of 16 MiB over the rdma fabric beside the figures that other simulators gave for the
 * same work on one core of a like machine, first as the module runs them by default, then under the
 * other one's conditions as far as it is known and the module has them. Every case is a process of
 * its own, whose memory is printed; CPU time is the least of all repeats.
 *
 * SimAI 1.6: rail-optimised, NICs of 100 Gb/s, NVLink of 2400 Gb/s, steps of 6 us, packets of 9000
 * bytes, eight rings. It acknowledges every packet (L2_ACK_INTERVAL 1) and has the DCQCN of HPCC's
 * simulator (CC_MODE 1, both inputs/config/SimAI.conf), simulates packet by packet, and prints the
 * end of rank 0 (Workload::check_for_sim_end() of astra-sim/workload/Workload.cc).
 *
 * htsim: leaf-spine of 200 Gb/s, packets of 4096 bytes, transport UEC. It sprays, acknowledges
 * every 16384 bytes (uec.cc, UecSink::_bytes_unacked_threshold), controls congestion by NSCC,
 * simulates packet by packet, and prints the end of all hosts.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-option-table.h"
#include "ns3/replay-statistics.h"
#include "ns3/text-table.h"
#include "ns3/topology-builder.h"
#include "ns3/workload-reader.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/// What the comparison is like: how this module runs the work.
struct Condition
{
    std::string name;              //!< what it stands for
    uint32_t ackInterval{4};       //!< packets per acknowledgement
    uint32_t maxTrain{1024};       //!< most packets in a train; 1 = packet by packet
    std::string routing;           //!< Ecmp or Spray
    std::string preset;            //!< of DCQCN
    std::string transport{"rdma"}; //!< rdma or uec
};

/// The simulators that are compared with.
enum Other
{
    SIMAI,
    HTSIM
};

/// How the work is run that a simulator has run: by default, packet by packet, under its
/// conditions, and for htsim with an acknowledgement per packet besides, and by its transport, with
/// an acknowledgement per packet and per 16384 bytes.
const std::vector<Condition> CONDITIONS[] = {
    {{"default", 4, 1024, "Ecmp", "nic"},
     {"packets", 4, 1, "Ecmp", "nic"},
     {"alike", 1, 1, "Ecmp", "reference"}},
    {{"default", 4, 1024, "Ecmp", "nic"},
     {"packets", 4, 1, "Ecmp", "nic"},
     {"alike", 4, 1, "Spray", "nic"},
     {"each ack", 1, 1, "Spray", "nic"},
     {"uec", 1, 1, "reps", "", "uec"},
     {"uec alike", 4, 1, "reps", "", "uec"}},
};

/// A collective, and what another simulator gave for it.
struct Case
{
    Other other;               //!< which simulator
    std::string kind;          //!< collective, as op tables name it
    uint32_t ranks;            //!< number of ranks
    double referenceUs;        //!< simulated time that it gave, us
    double referenceSeconds;   //!< CPU time that it took, s
    double referenceMegabytes; //!< memory that it took, MB; 0 = not known
};

/// What a run of a case gave.
struct Measurement
{
    double endUs;     //!< simulated time until all ranks are done, us
    double rank0Us;   //!< simulated time until rank 0 is, us
    double seconds;   //!< CPU time, s
    double megabytes; //!< memory, MB
    double hops;      //!< packets sent by all ports
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
 * @param simulated the case
 * @param table path of its op table
 * @return the options of wl-replay
 */
ReplayOptions
MakeOptions(const Case& simulated, const std::string& table)
{
    auto arguments =
        simulated.other == SIMAI ? GetRailOptions(simulated.ranks) : GetLeafSpineOptions();
    arguments.push_back("--workload=" + table);
    arguments.push_back("--world=" + std::to_string(simulated.ranks));
    return ParseReplayOptions(arguments);
}

/**
 * @param options the options of wl-replay
 * @param condition how the work is run
 * @param pairRate highest rate of a queue pair, 0 = that of its port
 */
void
SetDefaults(const ReplayOptions& options, const Condition& condition, DataRate pairRate)
{
    Config::SetDefault("ns3::RingCollective::Channels", UintegerValue(options.channels));
    Config::SetDefault("ns3::CollectiveAlgorithm::StepLatency", TimeValue(options.stepLatency));
    Config::SetDefault("ns3::RdmaNic::PairRate", DataRateValue(pairRate));
    Config::SetDefault("ns3::RdmaNic::AckInterval", UintegerValue(condition.ackInterval));
    Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(condition.maxTrain));
    if (condition.transport == "rdma")
    {
        Config::SetDefault("ns3::RdmaDcqcn::Preset", StringValue(condition.preset));
    }
    else
    {
        Config::SetDefault("ns3::UecProtocol::AckBytes",
                           UintegerValue((condition.ackInterval - 1) * 4096));
    }
}

/**
 * @param simulated case to run
 * @param condition how
 * @param pairRate highest rate of a queue pair, 0 = that of its port
 * @return what it gave
 */
Measurement
Run(const Case& simulated, const Condition& condition, DataRate pairRate)
{
    const std::string table = WriteTable(simulated);
    const auto options = MakeOptions(simulated, table);
    const auto workload = ReadWorkload(options);
    std::remove(table.c_str());
    SetDefaults(options, condition, pairRate);

    const std::clock_t start = std::clock();
    const auto graph =
        TopologyBuilder::Build(TopologySpec(options.topology), simulated.ranks, options.fabric);
    RdmaFabricHelper fabric;
    fabric.SetMtu(options.fabric.mtu);
    if (condition.transport == "rdma")
    {
        fabric.SetRouting("ns3::Rdma" + condition.routing + "Routing");
    }
    else
    {
        fabric.SetProtocol("ns3::UecProtocol");
        fabric.SetCongestionControl("ns3::RdmaNscc");
    }
    fabric.Install(graph);
    fabric.AssignStreams(0);
    ReplayHelper helper(workload);
    helper.SetServers(graph);
    ReplayStatistics statistics(workload);
    statistics.ConnectApplications(helper.Install(fabric.GetHosts(), fabric.GetTransports()));
    Simulator::Run();

    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return {statistics.GetTotalTime().GetSeconds() * 1e6,
            statistics.GetRank(0).end.GetSeconds() * 1e6,
            static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
            static_cast<double>(usage.ru_maxrss) * 1024 / 1e6,
            static_cast<double>(fabric.GetPacketHops())};
}

/**
 * Run a case in a process of its own.
 *
 * @param simulated case to run
 * @param condition how
 * @param pairRate highest rate of a queue pair, 0 = that of its port
 * @return what it gave; none = it has failed
 */
std::optional<Measurement>
RunApart(const Case& simulated, const Condition& condition, DataRate pairRate)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return std::nullopt;
    }
    const pid_t child = fork();
    if (child == 0)
    {
        const auto own = Run(simulated, condition, pairRate);
        _exit(write(ends[1], &own, sizeof(own)) == sizeof(own) ? 0 : 1);
    }
    close(ends[1]);
    Measurement measurement;
    const bool isWhole = read(ends[0], &measurement, sizeof(measurement)) == sizeof(measurement);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return isWhole && status == 0 ? std::optional(measurement) : std::nullopt;
}

/// A column of what is printed.
struct Column
{
    const char* head; //!< what stands above it
    int width;        //!< characters
    bool isLeft;      //!< its text begins on the left
};

/// What is printed of a case and condition; "its" is what the other simulator has or gave.
constexpr Column COLUMNS[] = {{"other", 7, true},
                              {"collective", 11, true},
                              {"ranks", 5, false},
                              {"  run", 11, true},
                              {"packets/ack", 11, false},
                              {"train", 6, false},
                              {"  paths", 8, true},
                              {"control", 16, true},
                              {"all end, us", 11, false},
                              {"rank 0", 8, false},
                              {"its", 8, false},
                              {"  of", 9, true},
                              {"apart, %", 8, false},
                              {"CPU, s", 8, false},
                              {"its", 7, false},
                              {"ratio", 7, false},
                              {"MB", 6, false},
                              {"its", 6, false},
                              {"M hops/s", 9, false}};

/**
 * @param cells what to print in each column
 */
void
PrintRow(const std::vector<std::string>& cells)
{
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        std::cout << (COLUMNS[i].isLeft ? std::left : std::right) << std::setw(COLUMNS[i].width)
                  << cells[i];
    }
    std::cout << std::endl;
}

/**
 * @param simulated the case
 * @param condition how it was run
 * @param measured what it gave
 */
void
PrintLine(const Case& simulated, const Condition& condition, const Measurement& measured)
{
    const bool isOfRank0 = simulated.other == SIMAI;
    const double us = isOfRank0 ? measured.rank0Us : measured.endUs;
    const bool isKnown = simulated.referenceMegabytes > 0;
    PrintRow({isOfRank0 ? "SimAI" : "htsim",
              simulated.kind,
              std::to_string(simulated.ranks),
              "  " + condition.name,
              std::to_string(condition.ackInterval),
              std::to_string(condition.maxTrain),
              "  " + condition.routing,
              condition.transport == "rdma" ? "dcqcn " + condition.preset : "nscc",
              FormatFixed(measured.endUs, 1),
              FormatFixed(measured.rank0Us, 1),
              FormatFixed(simulated.referenceUs, 1),
              isOfRank0 ? "  rank 0" : "  all",
              FormatFixed(100 * (us / simulated.referenceUs - 1), 1),
              FormatFixed(measured.seconds, 3),
              FormatFixed(simulated.referenceSeconds, 2),
              FormatFixed(simulated.referenceSeconds / measured.seconds, 1),
              FormatFixed(measured.megabytes, 0),
              isKnown ? FormatFixed(simulated.referenceMegabytes, 0) : "-",
              FormatFixed(measured.hops / measured.seconds / 1e6, 2)});
}

/**
 * @return the cases
 */
std::vector<Case>
GetCases()
{
    return {
        {SIMAI, "ALLREDUCE", 8, 183.5, 0.13, 370},
        {SIMAI, "ALLREDUCE", 16, 349.4, 0.38, 0},
        {SIMAI, "ALLREDUCE", 32, 583.5, 1.04, 0},
        {SIMAI, "ALLREDUCE", 64, 1047, 3.6, 760},
        {SIMAI, "ALLREDUCE", 128, 2060, 15.0, 1470},
        {SIMAI, "ALLREDUCE", 256, 3500, 69, 4000},
        {HTSIM, "ALLREDUCE", 32, 1574, 0.35, 18},
        {HTSIM, "ALLREDUCE", 128, 2001, 3.6, 227},
        {HTSIM, "ALLREDUCE", 256, 2604, 11.6, 837},
        {HTSIM, "ALLTOALL", 32, 857, 0.38, 0},
        {HTSIM, "ALLTOALL", 128, 818, 6.2, 127},
    };
}

} // namespace

int
main(int argc, char* argv[])
{
    DataRate pairRate(0);
    uint32_t repeats = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("pairRate", "Highest rate of a queue pair; 0bps = that of its port", pairRate);
    cmd.AddValue("repeats", "Runs of each case, of whose CPU times the least is printed", repeats);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::RadixHeapScheduler"));

    std::cout << "SimAI: 1 packet/ack, no trains, Ecmp, DCQCN of HPCC's simulator; end of rank 0\n"
                 "htsim: 16384 bytes/ack, no trains, Spray, NSCC; end of all\n\n";
    std::vector<std::string> heads;
    for (const auto& column : COLUMNS)
    {
        heads.emplace_back(column.head);
    }
    PrintRow(heads);
    for (const auto& simulated : GetCases())
    {
        for (const auto& condition : CONDITIONS[simulated.other])
        {
            std::optional<Measurement> best;
            for (uint32_t i = 0; i < std::max(repeats, 1U); ++i)
            {
                const auto measurement = RunApart(simulated, condition, pairRate);
                if (!measurement)
                {
                    return 1;
                }
                best = best && best->seconds < measurement->seconds ? best : measurement;
            }
            PrintLine(simulated, condition, *best);
        }
    }
    return 0;
}
