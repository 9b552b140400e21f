/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What a replay costs as the job grows: CPU time and memory against the number of GPUs and against
 * the bytes of a collective, and the exponents of both. The job is two layers on tensor groups of
 * eight GPUs, one group per server, each of which all-reduces its activations, and its gradients
 * with its peers of all servers, over the rail-optimised rdma fabric with all defaults.
 */

#include "child-run.h"

#include "ns3/core-module.h"
#include "ns3/replay-command.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What a replay has cost, and against what.
struct Point
{
    double size;    //!< GPUs, or bytes of an all-reduce
    ChildCost cost; //!< what it has cost
};

/**
 * @param folder where to write it
 * @param gpus number of GPUs, a multiple of 8
 * @param bytes bytes of each all-reduce
 * @return path of a layer file
 */
std::string
WriteJob(const std::string& folder, uint32_t gpus, uint64_t bytes)
{
    std::string path = folder + "/job.txt";
    std::ofstream file(path);
    file << "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
            "all_gpus: "
         << gpus << " checkpoints: 0 checkpoint_initiates: 0\n2\n";
    for (const auto layer : {"first", "second"})
    {
        file << layer << " -1 1000000 ALLREDUCE " << bytes << " 1000000 ALLREDUCE " << bytes
             << " 1000000 ALLREDUCE " << bytes << " 100\n";
    }
    return path;
}

/**
 * Replay a job, and print the line of it.
 *
 * @param folder where files may be written
 * @param gpus number of GPUs
 * @param bytes bytes of each all-reduce
 * @return what it has cost
 */
ChildCost
Measure(const std::string& folder, uint32_t gpus, uint64_t bytes)
{
    const std::string file = WriteJob(folder, gpus, bytes);
    const std::vector<std::string> arguments{"--workload=" + file,
                                             "--outputDir=" + folder,
                                             "--progress=off"};
    const ChildCost cost = RunInChild([&] {
        if (RunReplayCommand(arguments) != ReplaySession::DONE)
        {
            std::exit(EXIT_FAILURE);
        }
    });
    std::ifstream text(folder + "/summary.json");
    const auto summary = nlohmann::json::parse(text);
    const double simulated = summary.at("iterations").at(0).at("time_ns");
    const double hops = summary.at("network").at("packet_hops");
    const double messages = summary.at("network").at("messages");
    std::cout << std::fixed << std::setw(8) << gpus << std::setw(12) << bytes
              << std::setprecision(3) << std::setw(14) << simulated / 1e6 << std::setw(14)
              << messages / 1e6 << std::setw(16) << hops / 1e6 << std::setprecision(2)
              << std::setw(11) << cost.seconds << std::setprecision(1) << std::setw(10)
              << cost.bytes / 1e6 << std::endl;
    return cost;
}

/**
 * @param points points of a curve
 * @param metric what is measured of them
 * @return slope of the line of least squares through their logarithms
 */
double
GetExponent(const std::vector<Point>& points, double ChildCost::*metric)
{
    double x = 0;
    double y = 0;
    for (const auto& point : points)
    {
        x += std::log(point.size) / static_cast<double>(points.size());
        y += std::log(point.cost.*metric) / static_cast<double>(points.size());
    }
    double above = 0;
    double below = 0;
    for (const auto& point : points)
    {
        const double dx = std::log(point.size) - x;
        above += dx * (std::log(point.cost.*metric) - y);
        below += dx * dx;
    }
    return above / below;
}

/**
 * @param what what grows
 * @param points the points that count; nothing is printed of fewer than two
 */
void
PrintExponents(const std::string& what, const std::vector<Point>& points)
{
    if (points.size() < 2)
    {
        return;
    }
    std::cout << "from " << std::setprecision(0) << points.front().size << " " << what
              << " on: CPU time grows as their power of " << std::setprecision(2)
              << GetExponent(points, &ChildCost::seconds) << ", memory of "
              << GetExponent(points, &ChildCost::bytes) << "\n"
              << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t most = 8192;
    CommandLine cmd(__FILE__);
    cmd.AddValue("most", "Largest number of GPUs", most);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    const ScratchFolder folder;
    std::cout
        << "    GPUs       bytes  simulated, ms   M messages   M packet-hops     CPU, s        "
           "MB\n";
    // Small jobs cost what the program itself costs: they do not count for the exponents.
    std::vector<Point> jobs;
    for (uint32_t gpus = 8; gpus <= most; gpus *= 2)
    {
        const Point job{static_cast<double>(gpus), Measure(folder.GetPath(), gpus, 64 << 20)};
        if (gpus >= 128)
        {
            jobs.push_back(job);
        }
    }
    PrintExponents("GPUs", jobs);
    std::vector<Point> sizes;
    for (uint64_t bytes = 1 << 20; bytes <= 1 << 30; bytes *= 4)
    {
        const Point size{static_cast<double>(bytes), Measure(folder.GetPath(), 64, bytes)};
        if (bytes >= 1 << 24)
        {
            sizes.push_back(size);
        }
    }
    PrintExponents("bytes", sizes);
    return 0;
}
