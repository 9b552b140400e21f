/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fit-log.h"

#include "collective-reference.h"
#include "nccl-tests-log.h"
#include "option-values.h"

#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// A file and its keys as written.
struct FitSpec
{
    std::string file;                                        //!< path of the file
    std::vector<std::pair<std::string, std::string>> values; //!< by key
};

/**
 * @param where the option
 * @param text KEY=VALUE
 * @param [in,out] spec receives it
 */
void
AddFitKey(const SourceLocation& where, const std::string& text, FitSpec& spec)
{
    const std::vector<std::string> keys{"kind", "ranks", "servers"};
    const auto equals = text.find('=');
    const auto key = text.substr(0, equals);
    if (equals == std::string::npos || std::find(keys.begin(), keys.end(), key) == keys.end())
    {
        throw WorkloadError(where,
                            "FILE[:KEY=VALUE,...] with the keys kind, ranks and servers",
                            Quoted(text),
                            NearestName(key, keys));
    }
    spec.values.emplace_back(key, text.substr(equals + 1));
}

/**
 * @param field the option as given
 * @return the files that it names
 */
std::vector<FitSpec>
SplitFitOption(const TextField& field)
{
    std::vector<FitSpec> specs;
    for (const auto& part : SplitText(field.text, ','))
    {
        // Commas stand between files and between keys of a file alike.
        // A key of the file before it, or a file that may have its first key behind a colon.
        const auto equals = part.find('=');
        const auto colon = part.rfind(':', equals);
        const bool hasKey = equals != std::string::npos;
        if (!hasKey || colon != std::string::npos)
        {
            specs.push_back({hasKey ? part.substr(0, colon) : part, {}});
            if (specs.back().file.empty())
            {
                throw WorkloadError(field.where, "names of files", Quoted(field.text));
            }
        }
        if (hasKey)
        {
            if (specs.empty())
            {
                throw WorkloadError(field.where,
                                    "FILE:" + part + ", the file first",
                                    Quoted(field.text));
            }
            AddFitKey(field.where,
                      colon == std::string::npos ? part : part.substr(colon + 1),
                      specs.back());
        }
    }
    return specs;
}

/**
 * @param spec a file and its keys
 * @param key a key
 * @param options what the user asks for
 * @return a place for errors about it
 */
SourceLocation
LocateFitKey(const FitSpec& spec, const std::string& key, const CollectiveBenchOptions& options)
{
    return {options.Locate("fit").source + ": " + spec.file + ":" + key, 0, 0, ""};
}

/**
 * @param spec a file and its keys
 * @param options what the user asks for
 * @return what the keys ask for; nothing or 0 = they do not
 */
NcclTestsJob
ReadFitKeys(const FitSpec& spec, const CollectiveBenchOptions& options)
{
    NcclTestsJob job;
    for (const auto& [key, value] : spec.values)
    {
        const TextField field{value, LocateFitKey(spec, key, options)};
        if (key == "kind")
        {
            job.kind = ParseCollectiveKind(field);
            continue;
        }
        const auto number = ParseNumber(field, key == "ranks" ? 2 : 1, MAX_WORLD);
        (key == "ranks" ? job.ranks : job.servers) = static_cast<uint32_t>(number);
    }
    return job;
}

/**
 * @param keys what the keys of a file ask for
 * @param options what the user asks for
 * @return what both ask for, the keys before the options
 */
NcclTestsJob
FindWantedJob(NcclTestsJob keys, const CollectiveBenchOptions& options)
{
    if (!keys.kind && options.IsGiven("kind"))
    {
        keys.kind = options.kind;
    }
    if (keys.ranks == 0 && options.IsGiven("ranks"))
    {
        keys.ranks = options.ranks;
    }
    if (keys.servers == 0 && options.IsGiven("servers"))
    {
        keys.servers = options.servers;
    }
    return keys;
}

/**
 * @param keys what the keys of a file ask for
 * @param stated what the file says of its only run; empty = nothing
 * @param options what the user asks for
 * @return what was timed on which ranks and servers: the keys go before the file, and that before
 *         the options
 */
NcclTestsJob
CompleteJob(const NcclTestsJob& keys,
            const std::vector<NcclTestsJob>& stated,
            const CollectiveBenchOptions& options)
{
    auto job = stated.empty() ? NcclTestsJob{} : stated.front();
    job.kind = keys.kind ? keys.kind : job.kind;
    job.ranks = keys.ranks > 0 ? keys.ranks : job.ranks;
    job.servers = keys.servers > 0 ? keys.servers : job.servers;
    return FindWantedJob(job, options);
}

/**
 * @param file the file
 * @param jobs what is known of its tables
 * @throws WorkloadError if the collective is not known, or no table is of two ranks or more
 */
void
CheckFitJobs(const std::string& file, const std::vector<NcclTestsJob>& jobs)
{
    const bool hasKind =
        std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.kind.has_value(); });
    const auto most = std::max_element(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
        return a.ranks < b.ranks;
    });
    const std::string remedy = ", or --fit=" + file + ":";
    if (!hasKind)
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a log that says which collective was timed" + remedy +
                                "kind=all-reduce",
                            "neither");
    }
    if (most->ranks < 2)
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a log of 2 ranks or more" + remedy + "ranks=16,servers=2",
                            most->ranks == 1 ? "1 rank (programs built without MPI run alone)"
                                             : "neither");
    }
}

/**
 * @param spec a file and its keys
 * @param options what the user asks for
 * @return what was timed on which ranks and servers, of each of its tables; at least one
 * @throws WorkloadError if nothing says it
 */
std::vector<NcclTestsJob>
FindFitJobs(const FitSpec& spec, const CollectiveBenchOptions& options)
{
    const WorkloadText text(spec.file, {ForeignFile::NCCL_TESTS});
    const auto keys = ReadFitKeys(spec, options);
    const auto wanted = FindWantedJob(keys, options);
    auto jobs = ListNcclTestsJobs(text, wanted);
    if (jobs.empty())
    {
        // What is no table of times at all is said to be that first.
        const CollectiveReference table(spec.file);
    }
    if (jobs.size() <= 1)
    {
        jobs = {CompleteJob(keys, jobs, options)};
    }
    for (auto& job : jobs)
    {
        job.kind = job.kind ? job.kind : wanted.kind;
    }
    CheckFitJobs(spec.file, jobs);
    // A rank alone has nobody to speak to, and a number that is not known cannot be replayed.
    jobs.erase(
        std::remove_if(jobs.begin(), jobs.end(), [](const auto& job) { return job.ranks < 2; }),
        jobs.end());
    return jobs;
}

/**
 * @param spec a file
 * @param job what was timed of it on which ranks and servers
 * @param options what the user asks for
 * @return the table
 */
CollectiveFitLog
ReadFitLog(const FitSpec& spec, const NcclTestsJob& job, const CollectiveBenchOptions& options)
{
    const auto least = options.IsGiven("minBytes") ? options.minBytes : 0;
    const auto most = options.IsGiven("maxBytes") ? options.maxBytes : UINT64_MAX;
    const CollectiveReference table(spec.file, job);
    CollectiveFitLog log;
    log.file = spec.file;
    log.kind = *job.kind;
    log.ranks = job.ranks;
    log.servers = job.servers;
    log.leftOut = table.GetLeftOut();
    for (const auto& [bytes, time] : table.GetTimes())
    {
        if (bytes >= least && bytes <= most)
        {
            log.times[bytes] = time;
        }
        else
        {
            ++log.nLeft;
        }
    }
    if (log.times.empty())
    {
        throw WorkloadError({spec.file, 0, 0, ""},
                            "a size within minBytes and maxBytes",
                            "others alone");
    }
    return log;
}

} // namespace

std::vector<CollectiveFitLog>
ReadCollectiveFitLogs(const CollectiveBenchOptions& options)
{
    std::vector<CollectiveFitLog> logs;
    for (const auto& spec : SplitFitOption({options.fit, options.Locate("fit")}))
    {
        const auto jobs = FindFitJobs(spec, options);
        for (const auto& job : jobs)
        {
            logs.push_back(ReadFitLog(spec, job, options));
            // The others are tables of their own.
            for (auto other : jobs)
            {
                logs.back().leftOut.erase(DescribeNcclTestsJob(other));
                other.kind = std::nullopt;
                logs.back().leftOut.erase(DescribeNcclTestsJob(other));
            }
        }
    }
    return logs;
}

} // namespace ns3
