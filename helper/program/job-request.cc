/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-request.h"

#include "replay-option-table.h"
#include "workload-reader.h"

#include "ns3/accelerator-file.h"
#include "ns3/double.h"
#include "ns3/input-values.h"
#include "ns3/keyed-values.h"
#include "ns3/merged-jobs.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cctype>

namespace ns3
{

namespace
{

/// The ranks' speeds are drawn from streams of random numbers from here on, far above those of
/// everything else.
constexpr int64_t FIRST_SPEED_STREAM = 1LL << 40;

/// Keys of a job that are not options.
const std::vector<std::string> OWN_KEYS{"name", "placement", "start"};

/**
 * @return options that a job may have for itself
 */
std::vector<std::string>
GetJobOptions()
{
    auto names = GetWorkloadOptions();
    // What messages cost is the same for all jobs of a network.
    for (const auto* network : {"logGops", "sizes"})
    {
        names.erase(std::remove(names.begin(), names.end(), network), names.end());
    }
    names.insert(names.end(),
                 {"format",
                  "iterations",
                  "computeScale",
                  "jitter",
                  "speedSpread",
                  "straggler",
                  "communicationShare"});
    return names;
}

/**
 * @param options what the user asks for
 * @return whether the option placement lists hosts
 */
bool
HasListedHosts(const ReplayOptions& options)
{
    return std::isdigit(static_cast<unsigned char>(options.placement.text.front())) != 0;
}

/**
 * @param placement value of the key placement
 * @param [in,out] job where to set it
 */
void
SetPlacement(const TextField& placement, JobRequest& job)
{
    if (placement.text.find_first_not_of("0123456789+-") != std::string::npos)
    {
        const std::vector<std::string> words{"packed", "spread", "random"};
        job.placement =
            words[FindWord(placement, words, "packed, spread, random, or hosts such as 0-7+16-23")];
        return;
    }
    job.placement = "listed";
    job.hosts = ParseHosts(placement);
    job.listedAt = placement.where;
    if (job.hosts.size() != job.workload->GetLayout().world)
    {
        throw WorkloadError(placement.where,
                            std::to_string(job.workload->GetLayout().world) +
                                " hosts, one for each rank of " + job.options.workload,
                            std::to_string(job.hosts.size()) + " in " + Quoted(placement.text));
    }
}

/**
 * @param spec a job
 * @param value one of its values
 * @param job the same job, which has its place
 * @return where the value stands: the member of an object, or else the job
 */
SourceLocation
FindPlace(const KeyedValues& spec, const TextField& value, const JobRequest& job)
{
    return spec.IsObject() ? value.where : job.where;
}

/**
 * @param spec a job
 * @param [in,out] job where to set its options
 */
void
SetOptions(const KeyedValues& spec, JobRequest& job)
{
    auto& options = job.options;
    const auto table = CreateReplayOptionTable(options);
    const auto valid = GetJobOptions();
    for (const auto& [key, value] : spec.GetValues())
    {
        if (std::count(OWN_KEYS.begin(), OWN_KEYS.end(), key) > 0)
        {
            continue;
        }
        if (std::count(valid.begin(), valid.end(), key) == 0)
        {
            auto keys = OWN_KEYS;
            keys.insert(keys.end(), valid.begin(), valid.end());
            throw WorkloadError(FindPlace(spec, value, job),
                                "a key of a job (" + JoinWords(keys) + ")",
                                Quoted(key),
                                NearestName(key, keys));
        }
        auto place = FindPlace(spec, value, job);
        if (!spec.IsObject())
        {
            // Errors name the key of the job, in a configuration file by its pointer.
            (place.pointer.empty() ? place.source : place.pointer) +=
                (place.pointer.empty() ? ":" : "/") + key;
        }
        table.Set(key, {{value.text, place}});
        options.given[key] = place;
    }
}

/**
 * @param name name of a job
 * @param others jobs read before
 * @throws WorkloadError if it could be mistaken for something else
 */
void
CheckName(const TextField& name, const std::vector<JobRequest>& others)
{
    const auto isPlain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
    if (!std::all_of(name.text.begin(), name.text.end(), isPlain))
    {
        throw WorkloadError(name, "a name of letters, digits, - and _");
    }
    // Traffic classes are given to jobs, dimensions and the background by name.
    bool isTaken = name.text == BACKGROUND_COMMUNICATOR;
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        isTaken = isTaken || name.text == ToString(static_cast<Dimension>(i));
    }
    isTaken = isTaken || std::any_of(others.begin(), others.end(), [&name](const auto& other) {
                  return other.name == name.text;
              });
    if (isTaken)
    {
        throw WorkloadError(name, "a name that no other job, no dimension and no background has");
    }
}

/**
 * Set what a job whose operators an accelerator computes has from it, unless the user has said it.
 *
 * @param [in,out] job the job
 */
void
SetAcceleratorDefaults(JobRequest& job)
{
    auto& options = job.options;
    const auto& format = job.workload->GetFormat();
    const bool isTimed = format == "model" || format == "pytorch-et";
    if (isTimed && !options.IsGiven("communicationShare"))
    {
        const auto& accelerator = options.model.accelerator;
        const auto parameters = FindAccelerator(accelerator).GetParameters();
        options.communicationShare = {parameters.serverShare,
                                      parameters.networkShare,
                                      parameters.multiprocessors};
        options.given["communicationShare"] = accelerator.where;
    }
}

/**
 * @param options what the user asks for
 * @param field one of its jobs
 * @param others jobs read before
 * @return the job
 */
JobRequest
ReadJob(const ReplayOptions& options,
        const KeyedField& field,
        const std::vector<JobRequest>& others)
{
    const KeyedValues spec(field);
    JobRequest job;
    job.where = field.where;
    if (job.where.pointer.empty())
    {
        job.where.source += "=" + spec.GetName();
    }
    // What holds for all jobs holds for this one, unless it says something else itself.
    job.options = options;
    job.options.jobs.clear();
    job.options.workload = spec.GetName();
    job.options.given["workload"] = FindPlace(spec, spec.GetNameField(), job);
    SetOptions(spec, job);
    const auto name = spec.GetField("name", "job" + std::to_string(others.size()));
    CheckName({name.text, FindPlace(spec, name, job)}, others);
    job.name = name.text;
    job.start = spec.GetTime("start", Time());
    job.workload = ReadWorkload(job.options);
    SetAcceleratorDefaults(job);
    const auto placement = spec.GetField("placement", "packed");
    SetPlacement({placement.text, FindPlace(spec, placement, job)}, job);
    return job;
}

} // namespace

std::vector<JobRequest>
ReadJobs(const ReplayOptions& options)
{
    std::vector<JobRequest> jobs;
    for (const auto& field : options.jobs)
    {
        jobs.push_back(ReadJob(options, field, jobs));
    }
    if (jobs.empty())
    {
        jobs.emplace_back();
        jobs.back().options = options;
        jobs.back().workload = ReadWorkload(options);
        SetAcceleratorDefaults(jobs.back());
        jobs.back().where = options.Locate("workload");
        jobs.back().name = options.background.empty() ? "" : "job";
        if (HasListedHosts(options))
        {
            SetPlacement(options.placement, jobs.back());
            jobs.back().name = "job";
        }
    }
    return jobs;
}

uint32_t
CountRanks(const std::vector<JobRequest>& jobs)
{
    uint32_t ranks = 0;
    for (const auto& job : jobs)
    {
        ranks += job.workload->GetLayout().world;
    }
    return ranks;
}

uint32_t
CountHosts(const std::vector<JobRequest>& jobs)
{
    uint32_t hosts = CountRanks(jobs);
    // Hosts that the key of a job lists must be there.
    const bool isAsked = HasListedHosts(jobs.front().options);
    for (const auto host : isAsked ? jobs.front().hosts : std::vector<uint32_t>())
    {
        hosts = std::max(hosts, host + 1);
    }
    return hosts;
}

std::shared_ptr<const Workload>
PlaceWorkload(const std::vector<JobRequest>& jobs,
              const ReplayOptions& options,
              const TopologyGraph& graph)
{
    const bool isListed = !jobs.front().hosts.empty();
    if (options.jobs.empty() && options.background.empty() && !isListed)
    {
        return jobs.front().workload;
    }
    return MergeJobs(PlaceJobs(jobs, graph), static_cast<uint32_t>(graph.GetHosts().size()));
}

void
CheckStragglers(const JobRequest& job)
{
    const auto world = job.workload->GetLayout().world;
    for (const auto& [rank, straggler] : job.options.stragglers)
    {
        if (rank >= world)
        {
            throw WorkloadError(straggler.where,
                                "a rank from 0 to " + std::to_string(world - 1),
                                std::to_string(rank));
        }
    }
}

double
GetSpeedFactor(double spread, uint32_t rank)
{
    // No rank of a job has this number, see ListComputeAssumptions().
    if (spread == 0 || rank == UINT32_MAX)
    {
        return 1;
    }
    const auto normal = CreateObject<NormalRandomVariable>();
    normal->SetStream(FIRST_SPEED_STREAM + rank);
    return normal->GetValue(1, spread * spread, 3 * spread);
}

void
SetComputeTimes(const ReplayOptions& options, uint32_t rank, Ptr<Application> application)
{
    if (options.IsGiven("computeScale"))
    {
        application->SetAttribute("ComputeScale", DoubleValue(options.computeScale));
    }
    if (options.IsGiven("jitter"))
    {
        application->SetAttribute("ComputeJitter", DoubleValue(options.jitter));
    }
    if (options.IsGiven("communicationShare"))
    {
        const auto& shares = options.communicationShare;
        application->SetAttribute("ServerShare", DoubleValue(shares.server));
        application->SetAttribute("NetworkShare", DoubleValue(shares.network));
        application->SetAttribute("Multiprocessors", UintegerValue(shares.multiprocessors));
    }
    const auto straggler = options.stragglers.find(rank);
    const double own = straggler == options.stragglers.end() ? 1 : straggler->second.factor;
    const double factor = own * GetSpeedFactor(options.speedSpread, rank);
    if (factor != 1)
    {
        // A rank's own factor comes on top of that of all ranks.
        DoubleValue scale;
        application->GetAttribute("ComputeScale", scale);
        application->SetAttribute("ComputeScale", DoubleValue(scale.Get() * factor));
    }
}

} // namespace ns3
