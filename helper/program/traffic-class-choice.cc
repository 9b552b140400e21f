/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-class-choice.h"

#include "ns3/input-values.h"
#include "ns3/merged-jobs.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-switch.h"
#include "ns3/uinteger.h"
#include "ns3/workload.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// What the option looks like.
const std::string FORM =
    "NAME:CLASS, several with commas between, such as dp:1,pp:2, each class from 0 to 7";

/// Largest traffic class.
constexpr uint64_t MAX_CLASS = 7;

/**
 * @param name a name
 * @return whether a dimension is called so
 */
bool
IsDimension(const std::string& name)
{
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        if (name == ToString(static_cast<Dimension>(i)))
        {
            return true;
        }
    }
    return false;
}

/**
 * @param value the option
 * @param text one choice of its value
 * @return the choice
 * @throws WorkloadError if it is none
 */
TrafficClassChoice
ParseChoice(const TextField& value, const std::string& text)
{
    const auto colon = text.find(':');
    if (colon == std::string::npos)
    {
        throw WorkloadError(value.where, FORM, Quoted(text));
    }
    const auto trafficClass = ReadWhole(text.substr(colon + 1));
    if (!trafficClass || *trafficClass > MAX_CLASS)
    {
        throw WorkloadError(value.where, "a traffic class from 0 to 7", Quoted(text));
    }
    TrafficClassChoice choice{"", {}, static_cast<uint8_t>(*trafficClass), value.where};
    auto name = text.substr(0, colon);
    const auto dot = name.find('.');
    if (dot != std::string::npos)
    {
        choice.job = name.substr(0, dot);
        name = name.substr(dot + 1);
    }
    // JOB.DIMENSION, DIMENSION or JOB; a dimension comes before a job of its name.
    if (dot != std::string::npos || IsDimension(name))
    {
        choice.dimension = ParseDimension({name, value.where});
    }
    else
    {
        choice.job = name;
    }
    return choice;
}

/**
 * @param workload a job
 * @return names of the dimensions in which its ranks send messages, in their order
 */
std::vector<std::string>
ListDimensions(const Workload& workload)
{
    std::set<const WorkloadProgram*> programs;
    std::set<Dimension> dimensions;
    for (uint32_t rank = 0; rank < workload.GetLayout().world; ++rank)
    {
        // Slots of one program serve the same dimension on all ranks.
        const auto& program = workload.GetProgram(rank);
        if (!programs.insert(&program).second)
        {
            continue;
        }
        const auto& slots = workload.GetCommunicatorSlots(rank);
        for (const auto& op : program.GetOps())
        {
            if (op.kind != OpKind::COMPUTE)
            {
                const auto& communicator = workload.GetCommunicators()[slots[op.communicator]];
                if (communicator.ranks.size() > 1)
                {
                    dimensions.insert(communicator.dimension);
                }
            }
        }
    }
    std::vector<std::string> names;
    names.reserve(dimensions.size());
    for (const auto dimension : dimensions)
    {
        names.push_back(ToString(dimension));
    }
    return names;
}

/**
 * @param choice what the user wants
 * @param workload a job that it is about
 * @param job what to call the job
 * @throws WorkloadError if it is about a dimension in which ranks of the job do not communicate
 */
void
CheckDimension(const TrafficClassChoice& choice, const Workload& workload, const std::string& job)
{
    const auto names = ListDimensions(workload);
    const auto name = choice.dimension ? ToString(*choice.dimension) : "";
    if (choice.dimension && std::count(names.begin(), names.end(), name) == 0)
    {
        throw WorkloadError(choice.where,
                            names.empty()
                                ? "no traffic class, as ranks of " + job + " do not communicate"
                                : "a dimension in which ranks of " + job +
                                      " communicate: " + JoinWords(names),
                            Quoted(name));
    }
}

} // namespace

std::string
TrafficClassChoice::GetName() const
{
    const auto name = dimension ? ToString(*dimension) : "";
    return job.empty() || name.empty() ? job + name : job + "." + name;
}

std::vector<TrafficClassChoice>
ParseTrafficClasses(const TextField& value)
{
    if (value.text.empty() || value.text.back() == ',')
    {
        throw WorkloadError(value, FORM);
    }
    std::vector<TrafficClassChoice> choices;
    for (const auto& text : SplitText(value.text, ','))
    {
        const auto choice = ParseChoice(value, text);
        for (const auto& other : choices)
        {
            if (other.GetName() == choice.GetName())
            {
                throw WorkloadError(value.where,
                                    "one traffic class for " + choice.GetName(),
                                    std::to_string(other.trafficClass) + " and " +
                                        std::to_string(choice.trafficClass));
            }
        }
        choices.push_back(choice);
    }
    return choices;
}

void
CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices)
{
    // From an object, since the user may have set the default of the attribute.
    UintegerValue responses;
    CreateObject<RdmaNic>()->GetAttribute("AckPriority", responses);
    for (const auto& choice : choices)
    {
        if (choice.trafficClass == responses.Get())
        {
            throw WorkloadError(choice.where,
                                "a traffic class other than " + std::to_string(responses.Get()) +
                                    ", which acknowledgements and congestion notifications have "
                                    "(ns3::RdmaNic::AckPriority)",
                                Quoted(DescribeTrafficClasses({choice})));
        }
    }
}

void
CheckNoJobs(const std::vector<TrafficClassChoice>& choices)
{
    for (const auto& choice : choices)
    {
        if (!choice.job.empty() && choice.job != BACKGROUND_COMMUNICATOR)
        {
            // Throws: without jobs any other name should have been a dimension.
            ParseDimension({choice.GetName(), choice.where});
        }
    }
}

void
CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices, const Workload& workload)
{
    const auto& jobs = workload.GetJobs();
    std::vector<std::string> names;
    names.reserve(jobs.size());
    for (const auto& job : jobs)
    {
        names.push_back(job.name);
    }
    for (const auto& choice : choices)
    {
        if (choice.job.empty())
        {
            CheckDimension(choice, workload, jobs.size() > 1 ? "the jobs" : "the job");
        }
        else if (choice.job != BACKGROUND_COMMUNICATOR)
        {
            const auto found = std::find(names.begin(), names.end(), choice.job);
            if (found == names.end())
            {
                throw WorkloadError(choice.where,
                                    "a dimension, background or a job (" + JoinWords(names) + ")",
                                    Quoted(choice.job),
                                    NearestName(choice.job, names));
            }
            CheckDimension(choice, *jobs[found - names.begin()].workload, choice.job);
        }
    }
}

std::vector<std::optional<uint8_t>>
FindTrafficClasses(const std::vector<TrafficClassChoice>& choices, const Workload& workload)
{
    const auto& communicators = workload.GetCommunicators();
    const auto& jobs = workload.GetJobs();
    std::vector<std::optional<uint8_t>> classes(communicators.size());
    for (uint32_t id = 0; id < communicators.size(); ++id)
    {
        const auto& communicator = communicators[id];
        // The last communicator is that of the background, see MergeJobs().
        const bool isBackground = !jobs.empty() && id + 1 == communicators.size();
        const auto job = workload.GetJobRank(communicator.ranks.front()).job;
        const auto name = job < jobs.size() ? jobs[job].name : "";
        int best = 0;
        for (const auto& choice : choices)
        {
            const bool isAboutJob = isBackground ? choice.job == BACKGROUND_COMMUNICATOR
                                                 : choice.job.empty() || choice.job == name;
            const bool isAboutDimension =
                !choice.dimension || (!isBackground && *choice.dimension == communicator.dimension);
            // The choice that says most wins: job and dimension, job, dimension.
            const int weight = (choice.job.empty() ? 0 : 2) + (choice.dimension ? 1 : 0);
            if (isAboutJob && isAboutDimension && weight > best)
            {
                best = weight;
                classes[id] = choice.trafficClass;
            }
        }
    }
    return classes;
}

uint32_t
GetLosslessPriorities(const std::vector<TrafficClassChoice>& choices)
{
    UintegerValue lossless;
    CreateObject<RdmaSwitch>()->GetAttribute("LosslessPriorities", lossless);
    auto priorities = static_cast<uint32_t>(lossless.Get());
    for (const auto& choice : choices)
    {
        // Classes that are named are lossless besides those that are by default.
        priorities |= 1U << choice.trafficClass;
    }
    return priorities;
}

std::string
DescribeTrafficClasses(const std::vector<TrafficClassChoice>& choices)
{
    std::string text;
    for (const auto& choice : choices)
    {
        text += (text.empty() ? "" : ",") + choice.GetName() + ":" +
                std::to_string(choice.trafficClass);
    }
    return text;
}

} // namespace ns3
