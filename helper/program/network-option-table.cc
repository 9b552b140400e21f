/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-option-table.h"

#include "attribute-options.h"
#include "fabric-set.h"
#include "option-rules.h"
#include "server-options.h"
#include "transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/strategy-registry.h"
#include "ns3/text-table.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/type-id.h"

#include <utility>

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
    // ns-3 writes times with a plus sign.
    const auto text = information.initialValue->SerializeToString(information.checker);
    return text.front() == '+' ? text.substr(1) : text;
}

/**
 * @return names of the sets that come with the module, each with a comma after it
 */
std::string
ListFabricSets()
{
    std::string sets;
    for (const auto& set : GetFabricSets())
    {
        sets += set.name + ", ";
    }
    return sets;
}

/**
 * @return for each protocol of queue pairs, the congestion controls that it can go by: "rdma:
 *         dcqcn, ...; "; and the one that it goes by if none is asked for: "rdma: dcqcn, "
 */
std::pair<std::string, std::string>
DescribeControls()
{
    std::string all;
    std::string defaults;
    for (const auto& entry : StrategyRegistry::List(RdmaProtocol::GetTypeId()))
    {
        const auto protocol = ObjectFactory(entry.type.GetName()).Create<RdmaProtocol>();
        std::vector<std::string> names;
        for (const auto& control : StrategyRegistry::List(RdmaCongestionControl::GetTypeId()))
        {
            const auto object =
                ObjectFactory(control.type.GetName()).Create<RdmaCongestionControl>();
            if (protocol->GetUnsupportedReason(*object).empty())
            {
                names.push_back(control.name);
            }
        }
        all += entry.name + ": " + JoinWords(names) + "; ";
        defaults += entry.name + ": " + protocol->GetDefaultCongestionControl() + ", ";
    }
    return {all, defaults};
}

/**
 * Add the options that say how messages move.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddTransportOptions(OptionTable& table, NetworkOptions& o)
{
    using V = OptionValue;
    const auto routings = StrategyRegistry::GetHelp(RdmaRouting::GetTypeId());
    const auto [controls, defaults] = DescribeControls();
    const auto tcpControl = GetAttributeDefault("ns3::TcpMessageTransport", "CongestionControl");
    table.Add(
        "Transport",
        {{"transport",
          {"KIND",
           o.transport,
           [&o](const auto& v) {
               TransportKind::Find(v);
               o.transport = v.text;
           }},
          TransportKind::GetHelp()},
         {"cc",
          V::Text(o.cc, "NAME").Default(defaults + "tcp: " + tcpControl),
          "congestion control; " + controls + "another by its TypeId; tcp: any of ns-3's"},
         {"routing",
          {"NAME",
           o.routing,
           [&o](const auto& v) {
               StrategyRegistry::Find(RdmaRouting::GetTypeId(), v);
               o.routing = v.text;
           }},
          "rdma: how packets choose among paths of equal cost: " + routings +
              ", or the TypeId of another"},
         {"flowControl",
          V::Word(o.flowControl, {"pfc", "credits"}, "KIND"),
          "rdma: what keeps links from losing packets for want of room: pfc (lossless Ethernet) or "
          "credits (InfiniBand, with a buffer for each port and virtual lane)"},
         {"nvlink",
          V::Word(o.nvlink, {"packets", "ideal"}, "HOW"),
          "rdma: what messages within a server are: packets, or ideal, which has them share the "
          "ports of their GPUs without packets, much faster; the network keeps its packets"},
         {"maxTrain",
          V::Number(o.maxTrain, 1, 4096).Default(GetAttributeDefault("ns3::RdmaNic", "MaxTrain")),
          "rdma: most packets of a message that are simulated as one where nothing is in "
          "their way; 1 = every packet by itself"},
         {"reuse",
          V::Word(o.reuse, {"on", "off"}, "on|off"),
          "rdma, fluid, ideal: a collective whose ports nothing else uses ends as an equal one has "
          "ended, without messages; off by itself where single messages are looked at"},
         {"exact",
          V::Word(o.exact, {"on", "off"}, "on|off"),
          "rdma, uec: every packet by itself, nothing reused"}});
}

/**
 * Add the options that distinguish messages and links.
 *
 * @param table the table; the last group is that of AddTransportOptions()
 * @param o what the options set
 */
void
AddDistinctions(OptionTable& table, NetworkOptions& o)
{
    table.Add(
        "Transport",
        {{"trafficClass",
          {"NAME:CLASS,...",
           "all: " + GetAttributeDefault("ns3::RdmaMessageTransport", "Priority"),
           [&o](const auto& v) { o.trafficClasses = ParseTrafficClasses(v); }},
          "rdma: priority of the messages of a dimension (tp, cp, ep, dp, edp, pp, embedding, "
          "world), a job, a dimension of a job (JOB.DIMENSION) or the background, 0 to 7, such as "
          "dp:1,pp:2; higher ones go first, or by "
          "ns3::RdmaNetDevice::Weights; lossless unless ns3::RdmaSwitch::LosslessPriorities is "
          "given"},
         {"linkDown",
          {"A-B@TIME[:TIME]",
           "none",
           [&o](const auto& v) { o.linkFailures.push_back(ParseLinkFailure(v)); }},
          "a link between nodes A and B that is cut at the first time and mended at the second, "
          "if there is one; may be given several times",
          true},
         {"ncclGraph",
          {"FILE.xml",
           "none",
           [&o](const auto& v) {
               OptionValue::RefuseEmpty(v, "FILE.xml");
               o.ncclGraph = std::make_shared<const NcclGraphs>(ReadNcclGraphs(v.text));
           }},
          "channels that NCCL has found (NCCL_GRAPH_DUMP_FILE), for communicators of the same GPUs "
          "of each server, instead of those that the search finds; with a fabric"},
         {"circuits",
          OptionValue::NonEmpty(o.circuits, "FILE.json").Default("none"),
          "links that a patch panel or an optical switch takes down and up, with the routes: "
          "darkTime, and changes of time, down (A-B) and up (A-B)"}});
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if a protocol of a collective would change nothing
 */
void
CheckProtocols(const NetworkOptions& options)
{
    for (const auto& choice : options.collectives)
    {
        // A plan has a protocol of its own, which nobody has asked for.
        if (choice.protocol && !choice.plan && options.fabricSet.empty())
        {
            throw WorkloadError(options.Locate("collective"),
                                "a fabric, without which protocols cost nothing, such as "
                                "--fabric=h100",
                                "none, but " + choice.algorithm + "/" + ToString(*choice.protocol));
        }
    }
}

/// Why the network of LogGOPS takes no other parameters.
const std::string IS_LOG_GOPS =
    " with logGops on the transport ideal, where L, g and G are the network";

/// Which options of the network go together; the first rule that is broken is reported.
const std::vector<OptionRule<NetworkOptions>> NETWORK_RULES{
    {CheckProtocols},
    {{"cc", "mtu"}, Unsupported(TransportKind::Use::PACKETS)},
    {{"linkDown", "circuits"}, Unsupported(TransportKind::Use::LINK_CHANGES)},
    {{"reuse"}, Unsupported(TransportKind::Use::REUSE)},
    {{"routing"}, Unsupported(TransportKind::Use::ROUTING)},
    {{"flowControl"}, Unsupported(TransportKind::Use::FLOW_CONTROL)},
    {{"maxTrain"}, Unsupported(TransportKind::Use::TRAINS)},
    {{"exact"}, Unsupported(TransportKind::Use::EXACT)},
    {{"nvlink"}, Unsupported(TransportKind::Use::IDEAL_NVLINK)},
    {{"trafficClass"}, Unsupported(TransportKind::Use::TRAFFIC_CLASSES)},
    {{"ncclGraph"},
     [](const auto& o) { return o.fabricSet.empty(); },
     " without a fabric, by whose costs channels are used"},
    {{"ncclGraph"},
     [](const auto& o) { return TopologyFile::IsFileName(o.topology); },
     " with a topology file, whose servers are its own"},
    {{"circuits"},
     [](const auto& o) { return o.nvlink == "ideal"; },
     " with nvlink ideal, where links of servers carry nothing"},
    {{"reuse"},
     [](const auto& o) { return o.logGops.has_value(); },
     " with logGops, whose network has no ports"},
    {{"maxTrain", "reuse"},
     [](const auto& o) { return o.exact == "on"; },
     " with exact, which has every packet by itself"},
    {{"maxTrain"},
     [](const auto& o) { return o.flowControl == "credits"; },
     " with flow control by credits, which are for single packets"},
    {[](const auto& o) { CheckTrafficClasses(o.trafficClasses); }},
    {GetServerAndLinkOptions(),
     [](const auto& o) {
         return TopologyFile::IsFileName(o.topology) && !TopologyFile::LeavesRatesOpen(o.topology);
     },
     " with a topology file, which says it itself"},
    {{"gpusPerServer",
      "nicsPerServer",
      "server",
      "hostMemoryRate",
      "intraServer",
      "nvSwitches",
      "nvlinkServers",
      "nvlinkOversubscription",
      "nicLatency",
      "switchLatency",
      "fecLatency"},
     [](const auto& o) { return TopologyFile::IsFileName(o.topology); },
     " with a topology file, which leaves open the rates and delays of links alone"},
    {CheckServerOptions},
    {{"fabric"}, [](const auto& o) { return HasLogGopsNetwork(o); }, IS_LOG_GOPS},
    {GetServerAndLinkOptions(), [](const auto& o) { return HasLogGopsNetwork(o); }, IS_LOG_GOPS},
    {{"nicsPerServer"}, Given("server"), " with a server, which says it itself"},
    {CheckAttributeOptions},
    {[](const auto& o) { TransportKind::Get(o)->Check(o); }},
};

} // namespace

void
AddFabricOptions(OptionTable& table, NetworkOptions& o, const std::string& dryRunHelp)
{
    using V = OptionValue;
    const auto setTopology = [&o](const auto& v) {
        // Only the form is checked: what the topology needs is known when it is built.
        if (!TopologyFile::IsFileName(v.text))
        {
            TopologySpec(v.text, v.where.ToString());
        }
        o.topology = v.text;
    };
    table.Add(FABRIC_GROUP,
              {{"topology",
                {"NAME[:KEY=VALUE,...]|FILE", o.topology, setTopology},
                "how the ranks are wired: see Topologies below, or a file (text of SimAI, HPCC or "
                "htsim, YAML "
                "of ASTRA-sim, InfraGraph, or JSON)"},
               {"dryRun", V::Switch(o.dryRun), dryRunHelp},
               {"fabric",
                V::Text(o.fabricSet, "NAME|FILE.json").Default("none"),
                "servers, links and what collectives cost, together: " + ListFabricSets() +
                    "or a JSON file with the options below and ns-3 attributes as keys; single "
                    "options win over it"}});
    AddServerAndLinkOptions(table, o.fabric);
    AddTransportOptions(table, o);
    AddDistinctions(table, o);
}

void
AddCollectiveOptions(OptionTable& table, NetworkOptions& o)
{
    using V = OptionValue;
    const auto costs = [](const std::string& attribute) {
        return GetAttributeDefault("ns3::CollectiveAlgorithm", attribute);
    };
    table.Add(
        COLLECTIVE_GROUP,
        {{"channels",
          V::Number(o.channels, 0, 1024)
              .Default(GetAttributeDefault("ns3::RingCollective", "Channels")),
          "parallel rings, trees or chains; 0 = one per rank of a server in communicators of "
          "several servers, so that all NICs are used, and one within a server; twice as many "
          "for the two trees of an all-reduce; one per NVSwitch for nvls, per NIC of a server for "
          "collnet-chain and collnet-direct. Of servers that are described, what NCCL would find "
          "there"},
         {"chunkBytes",
          V::Bytes(o.chunkBytes, 0)
              .Default(GetAttributeDefault("ns3::RingCollective", "ChunkBytes")),
          "largest message of a ring (of a tree or chain: default " +
              GetAttributeDefault("ns3::PipelinedCollective", "ChunkBytes") +
              "), the grain of pipelining; 0 = a channel's share of a step is one message, of "
              "collnet-chain and collnet-direct NCCL's chunks, which are their default"},
         {"stepLatency",
          V::Duration(o.stepLatency).Default(costs("StepLatency")),
          "time that each step of a collective takes beside the wire"},
         {"launchLatency",
          V::Duration(o.launchLatency).Default(costs("LaunchLatency")),
          "time that each call of a collective takes beside the wire"}});
}

void
AddRunOptions(OptionTable& table, NetworkOptions& o)
{
    using V = OptionValue;
    table.Add(RUN_GROUP,
              {{"seed",
                V::Number(o.seed, 1, UINT32_MAX, "NUMBER").Default("1"),
                "seed of all random numbers (RngSeed)"},
               {"run",
                V::Number(o.run, 0, UINT64_MAX, "NUMBER").Default("1"),
                "which of the runs with that seed (RngRun)"},
               {"config",
                {"FILE", "", [](const auto&) {}},
                "JSON object with these options as keys; the command line wins over it"},
               {"help", {"", "", [&o](const auto&) { o.help = true; }}, "print this help"}});
}

void
PrintNetworkHelp(std::ostream& os)
{
    PrintAlgorithmHelp(os);
    os << "\nTopologies:\n";
    for (const auto& topology : TopologyBuilder::GetHelp())
    {
        PrintHanging(os, "  ", "    ", topology);
    }
    os << "\nns-3:\n"
          "  --ns3::CLASS::ATTRIBUTE=VALUE sets the default of any attribute, --GLOBAL=VALUE any "
          "global value.\n"
          "  --PrintTypeIds, --PrintAttributes=TYPEID, --PrintGroups, --PrintGroup=GROUP, "
          "--PrintGlobals and\n"
          "  --PrintVersion list what there is.\n";
}

void
CheckNetworkOptions(const NetworkOptions& options)
{
    ApplyRules(NETWORK_RULES, options);
}

} // namespace ns3
