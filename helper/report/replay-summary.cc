/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-summary.h"

#include "output-file.h"
#include "replay-figures.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

namespace
{

/// A value whose keys keep their order.
using Json = nlohmann::ordered_json;

/**
 * @param figures figures
 * @return an object of those that have a name
 */
Json
MakeObject(const Figures& figures)
{
    Json object = Json::object();
    for (const auto& figure : figures)
    {
        if (!figure.key.empty())
        {
            std::visit([&](const auto& value) { object[figure.key] = value; }, figure.value);
        }
    }
    return object;
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
    // Rounded together: each by itself would lose up to half a nanosecond, and the sum more.
    for (const auto time : RoundToNanoseconds(picoseconds))
    {
        iterations.push_back({{"time_ns", time}});
    }
    return iterations;
}

/**
 * @param statistics what the ranks did
 * @return where their time went
 */
Json
MakeRanks(const ReplayStatistics& statistics)
{
    const auto parts = ListTimeParts(statistics);
    Json ranks = Json::array();
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        const auto account = statistics.GetAccount(rank);
        Json entry{{"rank", rank}};
        for (const auto& part : parts)
        {
            if (part.key.empty())
            {
                continue;
            }
            auto& value = entry[part.key];
            (part.dimension.empty() ? value : value[part.dimension]) = part.getNanoseconds(account);
        }
        entry["end_ns"] = account.end;
        ranks.push_back(std::move(entry));
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
        collectives.push_back(MakeObject(ListCollective(key, entry)));
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
        // Times are whole nanoseconds in the file, slowdowns ratios, whose last digits would say in
        // which order messages were counted: reused collectives are counted together.
        add("_ns", times.time, [](double value) { return std::llround(value); });
        add("_slowdown", times.slowdown, [](double value) {
            return std::round(value * 1e6) / 1e6;
        });
        dimensions.push_back(entry);
    }
    return dimensions;
}

/**
 * @param flows flows by size
 * @return how long they took
 */
Json
MakeFlows(const std::vector<FlowClass>& flows)
{
    Json classes = Json::array();
    for (const auto& row : flows)
    {
        classes.push_back({{"most_bytes", row.most},
                           {"count", row.count},
                           {"bytes", row.bytes},
                           {"mean_ns", row.mean.GetNanoSeconds()},
                           {"median_ns", row.median.GetNanoSeconds()},
                           {"p99_ns", row.high.GetNanoSeconds()},
                           {"max_ns", row.longest.GetNanoSeconds()},
                           {"mean_slowdown", row.meanSlowdown},
                           {"p99_slowdown", row.highSlowdown}});
    }
    return classes;
}

/**
 * @param result the result
 * @return what the replay cost
 */
Json
MakeRun(const ReplayResult& result)
{
    const RunCost& run = result.run;
    Json cost = MakeObject(ListRun(result));
    const auto reuse = ListReuse(run);
    if (!reuse.empty())
    {
        cost["collectives"] = MakeObject(reuse);
    }
    for (const auto& process : run.processes)
    {
        if (run.processes.size() > 1)
        {
            cost["processes"].push_back(MakeObject(ListProcess(process)));
        }
    }
    return cost;
}

/**
 * @param statistics what a job did
 * @param messages how long its messages took, see MakeMessages()
 * @param [in,out] entry where to report it
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
                   {"workload", MakeObject(ListWorkload(job.statistics->GetWorkload()))},
                   {"hosts", placed.at(i).hosts},
                   {"iterations_alone", MakeIterations(job.alone)}};
        AddParts(*job.statistics, MakeMessages(messages, static_cast<uint32_t>(i)), entry);
        jobs.push_back(std::move(entry));
    }
    return jobs;
}

} // namespace

std::string
FormatReplaySummary(const ReplayResult& result, const MessageTimesTable& messages)
{
    Json summary;
    if (result.jobs.empty())
    {
        summary["workload"] = MakeObject(ListWorkload(result.statistics->GetWorkload()));
    }
    summary["fabric"] = MakeObject(ListFabric(result.fabric));
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
        summary["background"] = MakeObject(ListBackground(*result.background));
    }
    if (!result.flows.empty())
    {
        summary["flows"] = MakeFlows(result.flows);
    }
    summary["network"] = MakeObject(ListNetwork(result));
    summary["run"] = MakeRun(result);
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
