/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-class-choice.h"

#include "ns3/rdma-nic.h"
#include "ns3/rdma-switch.h"
#include "ns3/uinteger.h"
#include "ns3/workload.h"

#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/// What the option looks like.
const std::string FORM =
    "DIMENSION:CLASS, several with commas between, such as dp:1,pp:2, each class from 0 to 7";

/// Largest traffic class.
constexpr uint64_t MAX_CLASS = 7;

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
    return {ParseDimension({text.substr(0, colon), value.where}),
            static_cast<uint8_t>(*trafficClass),
            value.where};
}

/**
 * @param workload a job
 * @return dimensions in which its ranks send messages
 */
std::set<Dimension>
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
    return dimensions;
}

} // namespace

std::vector<TrafficClassChoice>
ParseTrafficClasses(const TextField& value)
{
    if (value.text.empty() || value.text.back() == ',')
    {
        throw WorkloadError(value, FORM);
    }
    std::vector<TrafficClassChoice> choices;
    std::istringstream list(value.text);
    for (std::string text; std::getline(list, text, ',');)
    {
        const auto choice = ParseChoice(value, text);
        for (const auto& other : choices)
        {
            if (other.dimension == choice.dimension)
            {
                throw WorkloadError(value.where,
                                    "one traffic class for " + ToString(choice.dimension),
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
CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices, const Workload& workload)
{
    const auto dimensions = ListDimensions(workload);
    std::vector<std::string> names;
    for (const auto dimension : dimensions)
    {
        names.push_back(ToString(dimension));
    }
    for (const auto& choice : choices)
    {
        if (dimensions.count(choice.dimension) == 0)
        {
            throw WorkloadError(choice.where,
                                names.empty() ? "no traffic class, as ranks of the job do not "
                                                "communicate"
                                              : "a dimension in which ranks of the job "
                                                "communicate: " +
                                                    JoinWords(names),
                                Quoted(ToString(choice.dimension)));
        }
    }
}

uint32_t
GetLosslessPriorities(const std::vector<TrafficClassChoice>& choices)
{
    UintegerValue lossless;
    CreateObject<RdmaSwitch>()->GetAttribute("LosslessPriorities", lossless);
    auto priorities = static_cast<uint32_t>(lossless.Get());
    for (const auto& choice : choices)
    {
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
        text += (text.empty() ? "" : ",") + ToString(choice.dimension) + ":" +
                std::to_string(choice.trafficClass);
    }
    return text;
}

} // namespace ns3
