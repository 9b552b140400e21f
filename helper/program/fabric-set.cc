/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-set.h"

#include "network-options.h"
#include "server-options.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Servers in which each GPU has a NIC beside it, two on a PCIe switch (DGX A100).
const char* const DGX_A100 = "gpu0+gpu1+nic0+nic1 / gpu2+gpu3+nic2+nic3 / "
                             "gpu4+gpu5+nic4+nic5 / gpu6+gpu7+nic6+nic7";

/// Servers in which each GPU has a NIC beside it, each on a PCIe switch of its own (DGX H100).
const char* const DGX_H100 = "gpu0+nic0 gpu1+nic1 gpu2+nic2 gpu3+nic3 / "
                             "gpu4+nic4 gpu5+nic5 gpu6+nic6 gpu7+nic7";

/// Servers in which GPU 0 has no NIC beside it.
const char* const SEVEN_NICS = "gpu0 gpu1+nic0 gpu2+nic1 gpu3+nic2 / "
                               "gpu4+nic3 gpu5+nic4 gpu6+nic5 gpu7+nic6";

/// What all sets have: links of a server have no propagation, as it is in NCCL's latencies.
const std::vector<FabricSet::Value> COMMON = {{"gpusPerServer", "8"},
                                              {"nicsPerServer", "8"},
                                              {"nicRate", "400Gbps"},
                                              {"nvlinkDelay", "0ns"},
                                              {"linkDelay", "500ns"},
                                              {"mtu", "4096"},
                                              {"chunkBytes", "0"},
                                              {"ns3::RdmaEcnMarker::NvlinkMarks", "false"},
                                              {"ns3::PointToPointFlow::Latency", "8.4us"}};

/**
 * @param name name of a set
 * @param source where its values come from
 * @param values its values, which win over those that all have
 * @return the set
 */
FabricSet
MakeSet(const std::string& name,
        const std::string& source,
        const std::vector<FabricSet::Value>& values)
{
    FabricSet set{name, source, COMMON};
    set.values.insert(set.values.end(), values.begin(), values.end());
    return set;
}

/// The named sets. Each value has its source in the description of its set or in costs.rst.
const std::vector<FabricSet> FABRIC_SETS = {
    MakeSet("a100",
            "DGX A100: 12 third generation NVLinks, of 25 GB/s per direction each by the data "
            "sheet and 20 GB/s by NCCL (topo.h, SM80_NVLINK_BW), 8 NICs of 200 Gb/s, two GPUs and "
            "two NICs on each PCIe switch, AMD CPUs; NCCL 2.18.6.",
            {{"nicRate", "200Gbps"},
             {"server", DGX_A100},
             {"nvlinkRate", "1920Gbps"},
             {"ns3::CollectiveCosts::GpuGeneration", "80"},
             {"ns3::CollectiveCosts::SearchNvlinkRate", "1920Gbps"},
             {"ns3::CollectiveCosts::LlMaxRate", "701.6Gbps"},
             {"ns3::CollectiveCosts::NvlsShare", "0"}}),
    MakeSet("h100",
            "DGX H100: 18 fourth generation NVLinks, of 25 GB/s per direction each by the data "
            "sheet and 20.6 GB/s by NCCL 2.20 (topo.h, SM90_NVLINK_BW), 8 NICs of 400 Gb/s, one "
            "on the PCIe switch of each GPU, Intel CPUs; NCCL 2.18.6.",
            {{"server", DGX_H100}, {"nvlinkRate", "2966.4Gbps"}}),
    MakeSet("b200",
            "DGX B200: 18 fifth generation NVLinks, of 50 GB/s per direction each by the data "
            "sheet and 40 GB/s by NCCL 2.25 (topo.h, SM100_NVLINK_BW), 8 NICs of 400 Gb/s, one "
            "on the PCIe switch of each GPU, Intel CPUs; rules of NCCL 2.18.6, which is older.",
            {{"server", DGX_H100},
             {"nvlinkRate", "5760Gbps"},
             {"ns3::CollectiveCosts::SearchNvlinkRate", "5760Gbps"}}),
    MakeSet("gb200",
            "GB200 NVL72: 72 GPUs behind NVLink switches, with links as in b200 and a NIC of 400 "
            "Gb/s each. Not described as a server, since NCCL 2.18.6 knows no NVLink between "
            "trays of 4 GPUs.",
            {{"gpusPerServer", "72"}, {"nicsPerServer", "72"}, {"nvlinkRate", "5760Gbps"}}),
    MakeSet("gb200-nvl72",
            "As gb200, with the 18 NVSwitches of its nine switch trays, to each of which every GPU "
            "has one of its 18 links (NVIDIA GB200 NVL72 and NVLink switch data sheets).",
            {{"gpusPerServer", "72"},
             {"nicsPerServer", "72"},
             {"nvlinkRate", "5760Gbps"},
             {"nvSwitches", "18"}}),
    MakeSet("h800",
            "Servers of 8 H800 as NCCL 2.18.6 has reported them: 8 NVLinks, of 20.6 GB/s each by "
            "NCCL 2.20, 7 NICs of 400 Gb/s, of which GPU 0 has none beside it and goes through "
            "host memory. Fitted to nccl-tests: launch, base latency of NVLS (that of NCCL 2.17), "
            "NVLS from 8 members on.",
            {{"nicsPerServer", "7"},
             {"server", SEVEN_NICS},
             {"hostMemoryRate", "200Gbps"},
             {"nvlinkRate", "1318.4Gbps"},
             {"routing", "adaptive"},
             {"ns3::CollectiveCosts::SearchNvlinkRate", "1280Gbps"},
             {"ns3::CollectiveCosts::LaunchLatency", "26us"},
             // The launch, and the base latency of kernels with Simple.
             {"ns3::PointToPointFlow::Latency", "34.4us"},
             {"ns3::CollectiveCosts::Latencies", "nvls/simple=40us:0us:18us"},
             {"ns3::CollectiveSelection::NvlsMembers", "8"}}),
};

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
                assignments.push_back({name, {{text, {"fabric " + set.name, 0, 0, name}}}});
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

/**
 * @return options that a fabric may set
 */
std::vector<std::string>
GetFabricOptions()
{
    auto names = GetServerAndLinkOptions();
    names.insert(names.end(), {"mtu", "cc", "routing", "trafficClass", "channels", "chunkBytes"});
    return names;
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
        // A file may start from a named set: what else it says wins, wherever it stands.
        if (name == "fabric")
        {
            assignments = FindFabricSet(assignment.value, "");
            continue;
        }
        const auto names = GetFabricOptions();
        const bool isOption = std::find(names.begin(), names.end(), name) != names.end();
        if (!isOption && name.compare(0, ATTRIBUTE.size(), ATTRIBUTE) != 0)
        {
            throw WorkloadError(assignment.value.where,
                                "fabric, " + JoinWords(names) + ", or ns3::CLASS::ATTRIBUTE",
                                Quoted(name),
                                NearestName(name, names));
        }
        own.push_back(assignment);
    }
    assignments.insert(assignments.end(), own.begin(), own.end());
    return assignments;
}

} // namespace ns3
