/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-set.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The named sets. Each value has its source in the description of its set or in costs.rst.
const std::vector<FabricSet> FABRIC_SETS = {
    {"a100",
     "DGX A100: 12 third generation NVLinks, of 25 GB/s per direction each by the data sheet "
     "and 20 GB/s by NCCL (topo.h, SM80_NVLINK_BW), 8 NICs of 200 Gb/s; latencies of NCCL.",
     {{"gpusPerServer", "8"},
      {"nicsPerServer", "8"},
      {"nicRate", "200Gbps"},
      {"nvlinkRate", "1920Gbps"},
      {"nvlinkDelay", "50ns"},
      {"linkDelay", "500ns"},
      {"mtu", "4096"},
      {"ns3::RdmaEcnMarker::NvlinkMarks", "false"},
      {"ns3::PointToPointFlow::Latency", "8.4us"},
      {"ns3::CollectiveCosts::LaunchLatency", "27us"},
      {"ns3::CollectiveCosts::LlMaxRate", "701.6Gbps"},
      {"ns3::CollectiveCosts::NvlsShare", "0"}}},
    {"h100",
     "DGX H100: 18 fourth generation NVLinks, of 25 GB/s per direction each by the data sheet "
     "and 20.6 GB/s by NCCL (topo.h, SM90_NVLINK_BW), 8 NICs of 400 Gb/s; latencies of NCCL.",
     {{"gpusPerServer", "8"},
      {"nicsPerServer", "8"},
      {"nicRate", "400Gbps"},
      {"nvlinkRate", "2966.4Gbps"},
      {"nvlinkDelay", "50ns"},
      {"linkDelay", "500ns"},
      {"mtu", "4096"},
      {"ns3::RdmaEcnMarker::NvlinkMarks", "false"},
      {"ns3::PointToPointFlow::Latency", "8.4us"},
      {"ns3::CollectiveCosts::LaunchLatency", "27us"}}},
    {"h800",
     "Servers of 8 H800 with 7 NICs of 200 Gb/s: 8 NVLinks of 25 GB/s per direction each by "
     "the data sheet, 20.6 GB/s by NCCL and 20 GB/s here; fitted to tables of nccl-tests: "
     "NVLink rate, launch, LL between servers, channels between servers, use and base latency "
     "of NVLS, base latency of direct; all else as NCCL has published it.",
     {{"gpusPerServer", "8"},
      {"nicsPerServer", "7"},
      {"nicRate", "200Gbps"},
      {"nvlinkRate", "1280Gbps"},
      {"nvlinkDelay", "50ns"},
      {"linkDelay", "500ns"},
      {"mtu", "4096"},
      {"ns3::RdmaEcnMarker::NvlinkMarks", "false"},
      {"ns3::PointToPointFlow::Latency", "8.4us"},
      {"ns3::CollectiveCosts::LaunchLatency", "27us"},
      {"ns3::CollectiveCosts::LlNetworkShare", "0.21"},
      {"ns3::CollectiveCosts::Latencies", "direct/simple=52us:3.4us:14us"},
      {"ns3::CollectiveAlgorithm::NetworkChannels", "24"},
      {"ns3::CollectiveSelection::NvlsMembers", "8"}}},
};

/// Options that a fabric may set.
const std::vector<std::string> FABRIC_OPTIONS = {"gpusPerServer",
                                                 "nicsPerServer",
                                                 "nicRate",
                                                 "nvlinkRate",
                                                 "nvlinkDelay",
                                                 "linkDelay",
                                                 "nicLatency",
                                                 "switchLatency",
                                                 "fecLatency",
                                                 "mtu",
                                                 "cc",
                                                 "routing",
                                                 "trafficClass",
                                                 "channels",
                                                 "chunkBytes"};

/// What names of attributes begin with.
const std::string ATTRIBUTE = "ns3::";

/// What names of files end in.
const std::string JSON = ".json";

/**
 * @param text a text
 * @param end another text
 * @return whether the first ends in the second
 */
bool
EndsIn(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/**
 * @param value name of a set
 * @param otherwise what else it may be, for people; empty = nothing
 * @return its values
 * @throws WorkloadError if there is none of that name
 */
std::vector<OptionAssignment>
FindFabricSet(const TextField& value, const std::string& otherwise)
{
    std::vector<std::string> names;
    for (const auto& set : GetFabricSets())
    {
        if (set.name == value.text)
        {
            std::vector<OptionAssignment> assignments;
            for (const auto& [name, text] : set.values)
            {
                assignments.push_back({name, {text, {"fabric " + set.name, 0, 0, name}}});
            }
            return assignments;
        }
        names.push_back(set.name);
    }
    throw WorkloadError(value.where,
                        JoinWords(names) + otherwise,
                        Quoted(value.text),
                        NearestName(value.text, names));
}

} // namespace

const std::vector<FabricSet>&
GetFabricSets()
{
    return FABRIC_SETS;
}

std::vector<OptionAssignment>
ReadFabricSet(const TextField& value, const OptionTable& table)
{
    if (!EndsIn(value.text, JSON))
    {
        return FindFabricSet(value, ", or a file that ends in .json");
    }
    std::vector<OptionAssignment> assignments;
    std::vector<OptionAssignment> own;
    for (const auto& assignment : ReadReplayConfig(value.text, table))
    {
        const auto& name = assignment.name;
        if (name == "fabric")
        {
            assignments = FindFabricSet(assignment.value, "");
            continue;
        }
        const bool isOption =
            std::find(FABRIC_OPTIONS.begin(), FABRIC_OPTIONS.end(), name) != FABRIC_OPTIONS.end();
        if (!isOption && name.compare(0, ATTRIBUTE.size(), ATTRIBUTE) != 0)
        {
            throw WorkloadError(assignment.value.where,
                                "fabric, " + JoinWords(FABRIC_OPTIONS) +
                                    ", or ns3::CLASS::ATTRIBUTE",
                                Quoted(name),
                                NearestName(name, FABRIC_OPTIONS));
        }
        own.push_back(assignment);
    }
    assignments.insert(assignments.end(), own.begin(), own.end());
    return assignments;
}

} // namespace ns3
