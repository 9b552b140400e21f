/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-summary.h"

#include "output-file.h"
#include "output-text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = nlohmann::ordered_json;

/**
 * @param workload a job
 * @return what it is
 */
Json
MakeWorkload(const Workload& workload)
{
    const ParallelLayout& layout = workload.GetLayout();
    return {{"format", workload.GetFormat()},
            {"file", workload.GetFile()},
            {"world", layout.world},
            {"tp", layout.tp},
            {"cp", layout.cp},
            {"ep", layout.ep},
            {"dp", layout.dp},
            {"pp", layout.pp},
            {"microbatches", layout.microbatches},
            {"schedule", workload.GetScheduleName()},
            {"order", workload.GetOrder()}};
}

/**
 * @param fabric what the ranks ran on
 * @return the same
 */
Json
MakeFabric(const FabricDescription& fabric)
{
    return {{"topology", fabric.topology},
            {"nodes", fabric.nodes},
            {"links", fabric.links},
            {"transport", fabric.transport},
            {"cc", fabric.cc},
            {"routing", fabric.routing},
            {"mtu_bytes", fabric.mtu},
            {"max_train", fabric.maxTrain}};
}

/**
 * @param times times of iterations
 * @return the same, rounded so that they add up
 */
Json
MakeIterations(const std::vector<Time>& times)
{
    std::vector<int64_t> picoseconds;
    picoseconds.reserve(times.size());
    for (const auto& time : times)
    {
        picoseconds.push_back(time.GetPicoSeconds());
    }
    Json iterations = Json::array();
    for (const auto time : RoundToNanoseconds(picoseconds))
    {
        iterations.push_back({{"time_ns", time}});
    }
    return iterations;
}

/**
 * @param statistics what the ranks did
 * @return where their time went; the dimension world, which few jobs have, only if some rank waited
 *         for it
 */
Json
MakeRanks(const ReplayStatistics& statistics)
{
    constexpr auto world = static_cast<std::size_t>(Dimension::WORLD);
    bool hasWorld = false;
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        hasWorld |= !statistics.GetRank(rank).exposed[world].IsZero();
    }
    Json ranks = Json::array();
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        const auto account = statistics.GetAccount(rank);
        Json exposed = Json::object();
        Json hidden = Json::object();
        for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
        {
            if (i == world && !hasWorld)
            {
                continue;
            }
            const auto dimension = ToString(static_cast<Dimension>(i));
            const auto& beside = statistics.GetRank(rank).hidden[i];
            exposed[dimension] = account.exposed[i];
            hidden[dimension] = RoundToNanoseconds({beside.GetPicoSeconds()}).front();
        }
        ranks.push_back({{"rank", rank},
                         {"compute_ns", account.compute},
                         {"exposed_ns", exposed},
                         {"bubble_ns", account.bubble},
                         {"idle_ns", account.idle},
                         {"hidden_ns", hidden},
                         {"end_ns", account.end}});
    }
    return ranks;
}

/**
 * @param statistics what the ranks did
 * @return their collectives by class
 */
Json
MakeCollectives(const ReplayStatistics& statistics)
{
    Json collectives = Json::array();
    for (const auto& [key, entry] : statistics.GetCollectives())
    {
        const auto bandwidth = std::llround(GetBusBandwidth(key, entry));
        collectives.push_back({{"dimension", ToString(key.dimension)},
                               {"kind", ToString(key.kind)},
                               {"algorithm", key.algorithm},
                               {"ranks", key.ranks},
                               {"count", entry.count},
                               {"bytes", key.bytes},
                               {"mean_ns", std::llround(entry.GetMeanSeconds() * 1e9)},
                               {"max_ns", RoundToNanoseconds({entry.max.GetPicoSeconds()}).front()},
                               {"busbw_bytes_per_s", bandwidth}});
    }
    return collectives;
}

/**
 * @param messages how long messages took, by job and dimension
 * @param job index of a job
 * @return the same of that job, by dimension
 */
Json
MakeMessages(const MessageTimesTable& messages, uint32_t job)
{
    Json dimensions = Json::array();
    for (const auto& [key, times] : messages)
    {
        if (key.first != job)
        {
            continue;
        }
        Json entry{{"dimension", ToString(key.second)},
                   {"count", times.count},
                   {"bytes", times.bytes}};
        const auto add =
            [&entry](const std::string& unit, const QuantileHistogram& values, const auto& round) {
                entry["mean" + unit] = round(values.GetMean());
                entry["median" + unit] = round(values.GetQuantile(0.5));
                entry["p90" + unit] = round(values.GetQuantile(0.9));
                entry["p99" + unit] = round(values.GetQuantile(0.99));
                entry["max" + unit] = round(values.GetMax());
            };
        add("_ns", times.time, [](double value) { return std::llround(value); });
        add("_slowdown", times.slowdown, [](double value) { return value; });
        dimensions.push_back(entry);
    }
    return dimensions;
}

/**
 * @param result the result
 * @return what the network did
 */
Json
MakeNetwork(const ReplayResult& result)
{
    const NetworkTotals& network = result.network;
    return {{"messages", result.statistics->GetMessages().count},
            {"bytes_delivered", result.statistics->GetMessages().bytes},
            {"packets", network.packets},
            {"packet_hops", network.ports.packets},
            {"retransmitted_packets", network.retransmittedPackets},
            {"retransmission_timeouts", network.timeouts.count},
            {"dropped_packets", network.ports.drops},
            {"ecn_marked_packets", network.ports.marks},
            {"pfc_pauses", network.ports.pauses}};
}

/**
 * @param run what the replay cost
 * @return the same
 */
Json
MakeRun(const RunCost& run)
{
    Json cost{{"wall_s", run.wallSeconds},
              {"cpu_s", run.cpuSeconds},
              {"events", run.events},
              {"peak_rss_bytes", run.peakMemory},
              {"seed", run.seed},
              {"rng_run", run.rngRun},
              {"module_version", run.moduleVersion},
              {"ns3_version", run.ns3Version}};
    if (run.simulatedCollectives + run.reusedCollectives > 0)
    {
        cost["collectives"] = {{"simulated", run.simulatedCollectives},
                               {"reused", run.reusedCollectives},
                               {"disturbed", run.disturbedCollectives}};
    }
    for (const auto& process : run.processes)
    {
        if (run.processes.size() > 1)
        {
            cost["processes"].push_back({{"cpu_s", process.cpuSeconds},
                                         {"events", process.events},
                                         {"peak_rss_bytes", process.peakMemory},
                                         {"look_ahead_ns", ToNanoseconds(process.lookAhead)},
                                         {"windows", process.windows},
                                         {"messages", process.messages},
                                         {"message_bytes", process.messageBytes}});
        }
    }
    return cost;
}

/**
 * @param statistics what a job did
 * @param messages how long its messages took, see MakeMessages()
 * @param [in,out] entry where to tell it
 */
void
AddParts(const ReplayStatistics& statistics, Json messages, Json& entry)
{
    entry["iterations"] = MakeIterations(statistics.GetIterationTimes());
    entry["ranks"] = MakeRanks(statistics);
    entry["collectives"] = MakeCollectives(statistics);
    entry["messages"] = std::move(messages);
}

/**
 * @param result the result
 * @param messages how long messages took, by job and dimension
 * @return what each of several jobs did; hosts are by rank
 */
Json
MakeJobs(const ReplayResult& result, const MessageTimesTable& messages)
{
    const auto& placed = result.statistics->GetWorkload().GetJobs();
    Json jobs = Json::array();
    for (std::size_t i = 0; i < result.jobs.size(); ++i)
    {
        const auto& job = result.jobs[i];
        Json entry{{"name", job.name},
                   {"workload", MakeWorkload(job.statistics->GetWorkload())},
                   {"hosts", placed.at(i).hosts},
                   {"iterations_alone", MakeIterations(job.alone)}};
        AddParts(*job.statistics, MakeMessages(messages, static_cast<uint32_t>(i)), entry);
        jobs.push_back(std::move(entry));
    }
    return jobs;
}

/**
 * @param background how long background flows took
 * @return the same
 */
Json
MakeBackground(const BackgroundTotals& background)
{
    return {{"flows", background.started},
            {"arrived", background.finished},
            {"bytes", background.bytes},
            {"mean_ns", ToNanoseconds(background.mean)},
            {"median_ns", ToNanoseconds(background.median)},
            {"p99_ns", ToNanoseconds(background.high)},
            {"mean_slowdown", background.meanSlowdown},
            {"p99_slowdown", background.highSlowdown}};
}

} // namespace

std::string
FormatReplaySummary(const ReplayResult& result, const MessageTimesTable& messages)
{
    Json summary;
    if (result.jobs.empty())
    {
        summary["workload"] = MakeWorkload(result.statistics->GetWorkload());
    }
    summary["fabric"] = MakeFabric(result.fabric);
    summary["complete"] = result.complete;
    summary["assumptions"] = result.assumptions;
    if (result.jobs.empty())
    {
        AddParts(*result.statistics, MakeMessages(messages, 0), summary);
    }
    else
    {
        summary["jobs"] = MakeJobs(result, messages);
    }
    if (result.background)
    {
        summary["background"] = MakeBackground(*result.background);
    }
    summary["network"] = MakeNetwork(result);
    summary["run"] = MakeRun(result.run);
    // A file name need not be UTF-8; what is not becomes U+FFFD.
    return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string
PrepareOutputDirectory(const std::string& directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
    {
        return error.message();
    }
    // A directory that exists may not be one to write to.
    const auto probe = std::filesystem::path(directory) / ".summary.json.new";
    if (!std::ofstream(probe))
    {
        return "no file can be written there";
    }
    std::filesystem::remove(probe, error);
    return "";
}

std::string
WriteReplaySummary(const std::string& directory,
                   const std::string& name,
                   const ReplayResult& result,
                   const MessageTimesTable& messages)
{
    OutputFile file(directory, name);
    file.GetStream() << FormatReplaySummary(result, messages);
    return file.Finish();
}

} // namespace ns3
