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

/// What all servers of A100s have.
const std::vector<FabricSet::Value> A100_GPUS = {
    {"nvlinkRate", "1920Gbps"},
    {"ns3::CollectiveCosts::GpuGeneration", "80"},
    {"ns3::CollectiveCosts::SearchNvlinkRate", "1920Gbps"},
    {"ns3::CollectiveCosts::LlMaxRate", "701.6Gbps"},
    {"ns3::CollectiveCosts::NvlsShare", "0"}};

/// What all servers of H100s have.
const std::vector<FabricSet::Value> H100_GPUS = {{"nvlinkRate", "2966.4Gbps"}};

/// What all servers of B200s have.
const std::vector<FabricSet::Value> B200_GPUS = {
    {"nvlinkRate", "5760Gbps"},
    {"ns3::CollectiveCosts::SearchNvlinkRate", "5760Gbps"}};

/**
 * @param name name of a set
 * @param source where its values come from
 * @param values its values, which win over those of its GPUs
 * @param gpus values of all sets with such GPUs, which win over those that all have
 * @return the set
 */
FabricSet
MakeSet(const std::string& name,
        const std::string& source,
        const std::vector<FabricSet::Value>& values,
        const std::vector<FabricSet::Value>& gpus = {})
{
    FabricSet set{name, source, COMMON};
    set.values.insert(set.values.end(), gpus.begin(), gpus.end());
    set.values.insert(set.values.end(), values.begin(), values.end());
    return set;
}

/// Servers of two CPUs with two PCIe switches each, behind which stand two GPUs and one NIC.
const char* const FOUR_NICS = "gpu0+gpu1+nic0 gpu2+gpu3+nic1 / gpu4+gpu5+nic2 gpu6+gpu7+nic3";

/// What messages over EFA take beyond those that NCCL reckons with: the tuner of AWS's plugin
/// counts 20 us for each (aws-ofi-nccl, nccl_ofi_param.h, TUNER_NET_LATENCY), NCCL 5 us for one of
/// tree/ll.
const FabricSet::Value EFA{"ns3::CollectiveCosts::NetworkExtraLatency", "15us"};

/// The same of EFA of the third generation: AWS gives 35 % less than that of p5, so 13 us.
const FabricSet::Value EFA_THIRD{"ns3::CollectiveCosts::NetworkExtraLatency", "8us"};

/// NVLS of Blackwell: NCCL's efficiency of it (tuning.cc of 2.27, nvlsEfficiency).
const FabricSet::Value BLACKWELL_NVLS{"ns3::CollectiveCosts::NvlsShare", "0.74"};

/// The named sets. Each value has its source in the description of its set or in costs.rst.
const std::vector<FabricSet> FABRIC_SETS = {
    MakeSet("a100",
            "DGX A100: 12 third generation NVLinks, of 25 GB/s per direction each by the data "
            "sheet and 20 GB/s by NCCL (topo.h, SM80_NVLINK_BW), 8 NICs of 200 Gb/s, two GPUs and "
            "two NICs on each PCIe switch, AMD CPUs; NCCL 2.18.6.",
            {{"nicRate", "200Gbps"}, {"server", DGX_A100}},
            A100_GPUS),
    MakeSet("h100",
            "DGX H100: 18 fourth generation NVLinks, of 25 GB/s per direction each by the data "
            "sheet and 20.6 GB/s by NCCL 2.20 (topo.h, SM90_NVLINK_BW), 8 NICs of 400 Gb/s, one "
            "on the PCIe switch of each GPU, Intel CPUs; NCCL 2.18.6.",
            {{"server", DGX_H100}},
            H100_GPUS),
    MakeSet("b200",
            "DGX B200: 18 fifth generation NVLinks, of 50 GB/s per direction each by the data "
            "sheet and 40 GB/s by NCCL 2.25 (topo.h, SM100_NVLINK_BW), 8 NICs of 400 Gb/s, one "
            "on the PCIe switch of each GPU, Intel CPUs; rules of NCCL 2.18.6, which is older.",
            {{"server", DGX_H100}},
            B200_GPUS),
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
    MakeSet(
        "aws-p4de",
        "AWS p4d.24xlarge and p4de.24xlarge: GPUs as in a100, one EFA NIC of 100 Gb/s for two "
        "GPUs on each PCIe switch, Intel CPUs (aws-ofi-nccl, topology/p4de-24xl-topo.xml), 20 us "
        "for a message (same, TUNER_NET_LATENCY).",
        {{"nicsPerServer", "4"}, {"nicRate", "100Gbps"}, {"server", FOUR_NICS}, EFA},
        A100_GPUS),
    MakeSet("aws-p5",
            "AWS p5.48xlarge and p5e.48xlarge: GPUs as in h100, four EFA NICs of 100 Gb/s behind "
            "each GPU's PCIe switch, which the plugin makes one of (aws-ofi-nccl, "
            "topology/p5.48xl-topo.xml), 20 us for a message (same, TUNER_NET_LATENCY).",
            {{"server", DGX_H100}, EFA},
            H100_GPUS),
    MakeSet(
        "aws-p5en",
        "AWS p5en.48xlarge: as aws-p5 with EFA of the third generation, 35 % less latency (AWS, "
        "What's New, December 2024).",
        {{"server", DGX_H100}, EFA_THIRD},
        H100_GPUS),
    MakeSet("aws-p6-b200",
            "AWS p6-b200.48xlarge: GPUs as in b200, EFA as in aws-p5en; NVLS at 0.74 of NVLink "
            "(NCCL 2.27, tuning.cc, nvlsEfficiency of Blackwell).",
            {{"server", DGX_H100}, BLACKWELL_NVLS, EFA_THIRD},
            B200_GPUS),
    MakeSet("gcp-a3-mega",
            "Google Cloud a3-megagpu-8g: GPUs as in h100, a NIC of 200 Gb/s for each GPU (Google "
            "Cloud, GPU machine types: 1,800 Gb/s of which 200 Gb/s are the host's), "
            "GPUDirect-TCPXO. Latencies are those of InfiniBand, as Google gives none.",
            {{"server", DGX_H100}, {"nicRate", "200Gbps"}},
            H100_GPUS),
    MakeSet(
        "gcp-a3-ultra",
        "Google Cloud a3-ultragpu-8g: H200s, whose links are those of h100, a ConnectX-7 of 400 "
        "Gb/s with RoCE for each GPU (GoogleCloudPlatform/cluster-toolkit, release notes "
        "1.44.1).",
        {{"server", DGX_H100}},
        H100_GPUS),
    MakeSet(
        "azure-ndv4",
        "Azure ND A100 v4: GPUs as in a100, an HDR NIC of 200 Gb/s for each GPU, two of both on "
        "each PCIe switch, AMD CPUs (Azure/azhpc-images, topology/ndv4-topo.xml).",
        {{"nicRate", "200Gbps"}, {"server", DGX_A100}},
        A100_GPUS),
    MakeSet("azure-ndv5",
            "Azure ND H100 v5: GPUs as in h100, an NDR NIC of 400 Gb/s on the PCIe switch of each "
            "GPU (Azure/azhpc-images, topology/ndv5-topo.xml).",
            {{"server", DGX_H100}},
            H100_GPUS),
};

/// What names of attributes begin with.
const std::string ATTRIBUTE = "ns3::";

/// The key of a file that says where its values come from.
const std::string SOURCE_KEY = "source";

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
        if (name == SOURCE_KEY)
        {
            continue; // for people
        }
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
