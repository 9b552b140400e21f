/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-option-table.h"

#include "collective-choice.h"
#include "fabric-set.h"
#include "rdma-replay-fabric.h"

#include "ns3/text-table.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/type-id.h"

#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param type name of a TypeId
 * @param name name of an attribute it declares
 * @return the default of the attribute
 */
std::string
GetAttributeDefault(const std::string& type, const std::string& name)
{
    TypeId::AttributeInformation information;
    TypeId::LookupByName(type).LookupAttributeByName(name, &information);
    const auto text = information.initialValue->SerializeToString(information.checker);
    return text.front() == '+' ? text.substr(1) : text;
}

/**
 * @param rate a rate
 * @return the rate as the user would write it
 */
std::string
ToText(DataRate rate)
{
    return std::to_string(rate.GetBitRate() / 1000000000) + "Gbps";
}

/**
 * @param time a duration
 * @return the duration as the user would write it
 */
std::string
ToText(Time time)
{
    return std::to_string(time.GetNanoSeconds()) + "ns";
}

} // namespace

void
AddFabricOptions(OptionTable& table, NetworkOptions& o, const std::string& dryRunHelp)
{
    const std::string group = "Fabric";
    const FabricParameters& fabric = o.fabric;
    table.Add({"topology",
               group,
               "NAME[:KEY=VALUE,...]|FILE",
               o.topology,
               "how the ranks are wired: see Topologies below, or a file (SimAI or HPCC text, or "
               "JSON)",
               [&o](const auto& v) {
                   if (!TopologyFile::IsFileName(v.text))
                   {
                       TopologySpec(v.text, v.where.ToString());
                   }
                   o.topology = v.text;
               }});
    table.Add(
        {"dryRun", group, "", "", dryRunHelp, [&o](const auto& v) { o.dryRun = ParseSwitch(v); }});
    std::string sets;
    for (const auto& set : GetFabricSets())
    {
        sets += set.name + ", ";
    }
    table.Add({"fabric",
               group,
               "NAME|FILE.json",
               "none",
               "servers, links and what collectives cost, together: " + sets +
                   "or a JSON file with the options below and ns-3 attributes as keys; single "
                   "options win over it",
               [&o](const auto& v) { o.fabricSet = v.text; }});
    table.Add({"gpusPerServer",
               group,
               "COUNT",
               std::to_string(fabric.gpusPerServer),
               "ranks behind one NVSwitch; 1 = no NVLink",
               [&o](const auto& v) { o.fabric.gpusPerServer = ParsePositive(v); }});
    table.Add({"nicsPerServer",
               group,
               "COUNT",
               "one per GPU",
               "NICs of a server; fewer than its ranks are shared by neighbouring ones, more give "
               "ranks several",
               [&o](const auto& v) { o.fabric.nicsPerServer = ParsePositive(v); }});
    table.Add({"nicRate",
               group,
               "RATE",
               ToText(fabric.nicRate),
               "rate of a NIC, per direction",
               [&o](const auto& v) { o.fabric.nicRate = ParseRate(v, 1); }});
    table.Add({"nvlinkRate",
               group,
               "RATE",
               ToText(fabric.nvlinkRate),
               "rate of a rank's NVLink, per direction",
               [&o](const auto& v) { o.fabric.nvlinkRate = ParseRate(v, 1); }});
    table.Add({"nvlinkDelay",
               group,
               "TIME",
               ToText(fabric.nvlinkDelay),
               "propagation of a link inside a server",
               [&o](const auto& v) { o.fabric.nvlinkDelay = ParseDuration(v); }});
    table.Add({"linkDelay",
               group,
               "TIME",
               ToText(fabric.linkDelay),
               "propagation of every other link",
               [&o](const auto& v) { o.fabric.linkDelay = ParseDuration(v); }});
    table.Add(
        {"mtu",
         group,
         "BYTES",
         "rdma: 4096, tcp: " + std::to_string(fabric.mtu),
         "rdma: payload of a full packet; tcp: largest IP packet, with its headers",
         [&o](const auto& v) { o.fabric.mtu = static_cast<uint32_t>(ParseNumber(v, 68, 65535)); }});
}

void
AddTransportOptions(OptionTable& table, NetworkOptions& o)
{
    const std::string group = "Transport";
    table.Add({"transport",
               group,
               "KIND",
               o.transport,
               "rdma: lossless Ethernet and queue pairs; tcp: ns-3's internet stack; ideal: a "
               "perfect core without packets, the "
               "reference that a network is judged against",
               [&o](const auto& v) {
                   o.transport = ParseWord(v, {"rdma", "tcp", "ideal"});
               }});
    table.Add({"cc",
               group,
               "NAME",
               "rdma: " + RdmaReplayFabric::GetCongestionControls().front() +
                   ", tcp: " + GetAttributeDefault("ns3::TcpMessageTransport", "CongestionControl"),
               "congestion control; rdma: dcqcn, hpcc, timely, swift or none; tcp: any of ns-3's, "
               "such as ns3::TcpDctcp",
               [&o](const auto& v) { o.cc = v.text; }});
    table.Add({"routing",
               group,
               "NAME",
               RdmaReplayFabric::GetRoutings().front(),
               "rdma: how packets choose among paths of equal cost: ecmp (by flow), flowlet, spray "
               "(each its own), adaptive (the least queued port)",
               [&o](const auto& v) { o.routing = ParseWord(v, RdmaReplayFabric::GetRoutings()); }});
    table.Add(
        {"maxTrain",
         group,
         "COUNT",
         GetAttributeDefault("ns3::RdmaNic", "MaxTrain"),
         "rdma: most packets of a message that are simulated as one where nothing is in "
         "their way; 1 = every packet by itself",
         [&o](const auto& v) { o.maxTrain = static_cast<uint32_t>(ParseNumber(v, 1, 4096)); }});
    Option linkDown{"linkDown",
                    group,
                    "A-B@TIME[:TIME]",
                    "none",
                    "a link between nodes A and B that is cut at the first time and mended at the "
                    "second, if there is one; may be given several times",
                    [&o](const auto& v) { o.linkFailures.push_back(ParseLinkFailure(v)); }};
    linkDown.repeatable = true;
    table.Add(linkDown);
}

void
AddCollectiveOptions(OptionTable& table, NetworkOptions& o)
{
    table.Add(
        {"channels",
         COLLECTIVE_GROUP,
         "COUNT",
         GetAttributeDefault("ns3::RingCollective", "Channels"),
         "parallel rings, trees or chains; 0 = one per rank of a server in communicators of "
         "several servers, so that all NICs are used (NetworkChannels of some fabrics says "
         "otherwise), and one within a server; twice as many for the two trees of an "
         "all-reduce; one per NVSwitch for nvls",
         [&o](const auto& v) { o.channels = static_cast<uint32_t>(ParseNumber(v, 0, 1024)); }});
    table.Add({"chunkBytes",
               COLLECTIVE_GROUP,
               "SIZE",
               GetAttributeDefault("ns3::RingCollective", "ChunkBytes"),
               "largest message of a ring (of a tree or chain: default " +
                   GetAttributeDefault("ns3::PipelinedCollective", "ChunkBytes") +
                   "), the grain of pipelining; 0 = a channel's share of a step is one message",
               [&o](const auto& v) { o.chunkBytes = ParseBytes(v, 0); }});
    table.Add({"stepLatency",
               COLLECTIVE_GROUP,
               "TIME",
               GetAttributeDefault("ns3::CollectiveAlgorithm", "StepLatency"),
               "time that each step of a collective takes beside the wire",
               [&o](const auto& v) { o.stepLatency = ParseDuration(v); }});
    table.Add({"launchLatency",
               COLLECTIVE_GROUP,
               "TIME",
               GetAttributeDefault("ns3::CollectiveAlgorithm", "LaunchLatency"),
               "time that each call of a collective takes beside the wire",
               [&o](const auto& v) { o.launchLatency = ParseDuration(v); }});
}

void
AddRunOptions(OptionTable& table, NetworkOptions& o)
{
    table.Add({"seed",
               RUN_GROUP,
               "NUMBER",
               "1",
               "seed of all random numbers (RngSeed)",
               [&o](const auto& v) { o.seed = ParsePositive(v); }});
    table.Add({"run",
               RUN_GROUP,
               "NUMBER",
               "1",
               "which of the runs with that seed (RngRun)",
               [&o](const auto& v) { o.run = ParseNumber(v, 0, UINT64_MAX); }});
    table.Add({"config",
               RUN_GROUP,
               "FILE",
               "",
               "JSON object with these options as keys; the command line wins over it",
               [](const auto&) {}});
    table.Add({"help", RUN_GROUP, "", "", "print this help", [&o](const auto&) { o.help = true; }});
}

void
PrintNetworkHelp(std::ostream& os)
{
    PrintAlgorithmHelp(os);
    os << "\nTopologies:\n";
    std::istringstream topologies(TopologyBuilder::GetHelp());
    for (std::string topology; std::getline(topologies, topology);)
    {
        std::string indent = "  ";
        for (const auto& line : WrapText(topology, 96))
        {
            os << indent << line << "\n";
            indent = "    ";
        }
    }
    os << "\nns-3:\n"
          "  --ns3::CLASS::ATTRIBUTE=VALUE sets the default of any attribute, --GLOBAL=VALUE any "
          "global value.\n"
          "  --PrintTypeIds, --PrintAttributes=TYPEID, --PrintGroups, --PrintGroup=GROUP, "
          "--PrintGlobals and\n"
          "  --PrintVersion tell what there is.\n";
}

} // namespace ns3
