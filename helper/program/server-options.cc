/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-options.h"

#include "option-rules.h"
#include "transport-kind.h"

#include "ns3/nccl-topology.h"

namespace ns3
{

namespace
{

/// Most NVSwitches of a server; more is a slip.
constexpr uint32_t MAX_NVSWITCHES = 1024;

/**
 * @param [in,out] table where to add what servers are made of
 * @param [in,out] fabric what they say
 */
void
AddServerOptions(OptionTable& table, FabricParameters& fabric)
{
    using V = OptionValue;
    const auto setServer = [&fabric](const auto& v) { fabric.server = ReadServer(v); };
    auto nics = V::Number(fabric.nicsPerServer).Default("one per GPU");
    // A number of NICs takes the place of a server that a fabric describes.
    nics.set = [&fabric, set = nics.set](const auto& v) {
        set(v);
        fabric.server = {};
    };
    table.Add(
        FABRIC_GROUP,
        {{"gpusPerServer",
          V::Number(fabric.gpusPerServer),
          "ranks behind one NVSwitch; 1 = no NVLink"},
         {"nvSwitches",
          V::Number(fabric.nvSwitches, 1, MAX_NVSWITCHES),
          "NVSwitches of a server, to each of which every rank has an equal share of its NVLink; "
          "DGX H100: 4, GB200 NVL72: 18"},
         {"nvlinkServers",
          V::Number(fabric.nvlinkServers),
          "servers whose NVSwitches others join, so that NVLink leads from server to server; DGX "
          "H100 with the NVLink Switch System: 32"},
         {"nvlinkOversubscription",
          {"RATIO",
           "1",
           [&fabric](const auto& v) { fabric.nvlinkOversubscription = ParseScale(v); }},
          "NVLink rate of a server's ranks / of its NVSwitches to those of other servers; DGX H100 "
          "with the NVLink Switch System: 2"},
         {"nicsPerServer",
          nics,
          "NICs of a server; fewer than its ranks are shared by neighbouring ones, more give "
          "ranks several"},
         {"server",
          {"PLACES|FILE", "none", setServer},
          "GPUs and NICs of a server by PCIe switch, in place of nicsPerServer: switches with "
          "blanks "
          "between, a slash between CPUs, such as \"gpu0+nic0 gpu1 / gpu2+nic1 gpu3+nic2\", or a "
          "topology of NCCL in XML (NCCL_TOPO_DUMP_FILE); with a fabric, collectives use the "
          "channels that NCCL would find there"},
         {"hostMemoryRate",
          V::Rate(fabric.hostMemoryRate),
          "network rate of a GPU of such a server beside which no NIC stands, per direction"},
         {"intraServer",
          {"nvlink|pcie",
           "nvlink",
           [&fabric](const auto& v) {
               fabric.pcie = ParseWord(v, {"nvlink", "pcie"}) == "pcie";
           }},
          "what joins the GPUs of a server: NVLink, or the PCIe switches and CPUs of a server that "
          "is described, whose links carry what goes to the NICs, too"},
         {"pcieRate",
          V::Rate(fabric.pcieRate),
          "rate of links of PCIe, per direction; 16 lanes of PCIe 4.0: 252 Gb/s"},
         {"socketRate",
          V::Rate(fabric.socketRate),
          "rate between the CPUs of a server, likewise"}});
}

/**
 * @param [in,out] table where to add what links are made of
 * @param [in,out] fabric what they say
 */
void
AddLinkOptions(OptionTable& table, FabricParameters& fabric)
{
    using V = OptionValue;
    table.Add(
        FABRIC_GROUP,
        {{"nicRate", V::Rate(fabric.nicRate), "rate of a NIC, per direction"},
         {"nvlinkRate", V::Rate(fabric.nvlinkRate), "rate of a rank's NVLink, per direction"},
         {"nvlinkDelay", V::Duration(fabric.nvlinkDelay), "propagation of a link inside a server"},
         {"linkDelay",
          V::Duration(fabric.linkDelay),
          "propagation of every other link; the default has room for the latencies below"},
         {"nicLatency", V::Duration(fabric.nicLatency), "what a NIC takes to send, and to receive"},
         {"switchLatency",
          V::Duration(fabric.switchLatency),
          "what a switch takes from port to port, besides receiving the packet"},
         {"fecLatency",
          V::Duration(fabric.fecLatency),
          "what forward error correction takes on each link outside of servers"},
         {"mtu",
          V::Number(fabric.mtu, 68, 65535, "BYTES")
              .Default("rdma: 4096, tcp: " + std::to_string(fabric.mtu)),
          "rdma: payload of a full packet; tcp: largest IP packet, with its headers"}});
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if the transport has no use for several NVSwitches of a server
 */
void
CheckNvSwitches(const NetworkOptions& options)
{
    const auto reason =
        TransportKind::Get(options)->FindUnsupportedReason(TransportKind::Use::PARALLEL_LINKS);
    if (options.fabric.nvSwitches > 1 && !reason.empty())
    {
        throw WorkloadError(options.Locate("nvSwitches"),
                            "1 with the transport " + options.transport + reason,
                            std::to_string(options.fabric.nvSwitches));
    }
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if the costs of a fabric know no NVLink between servers
 */
void
CheckNvlinkServers(const NetworkOptions& options)
{
    if (options.fabric.nvlinkServers > 1 && !options.fabricSet.empty())
    {
        throw WorkloadError(options.Locate("nvlinkServers"),
                            "1 with a fabric, whose costs of collectives know no NVLink between "
                            "servers",
                            std::to_string(options.fabric.nvlinkServers));
    }
}

/// Which options of servers go together; the first rule that is broken is reported.
const std::vector<OptionRule<NetworkOptions>> SERVER_RULES{
    {"intraServer",
     [](const auto& o) { return o.fabric.pcie && !o.fabricSet.empty(); },
     "nvlink with a fabric, whose costs of collectives are those of NVLink",
     "'pcie'"},
    {{"nvlinkRate",
      "nvSwitches",
      "nvlinkServers",
      "nvlinkOversubscription",
      "nvlink",
      "hostMemoryRate"},
     [](const auto& o) { return o.fabric.pcie; },
     " with intraServer pcie, which has PCIe switches and CPUs instead"},
    {"intraServer",
     [](const auto& o) { return o.fabric.pcie && o.fabric.server.IsEmpty(); },
     "nvlink without a server that says which GPUs and NICs stand behind which PCIe switch, such "
     "as --server=\"gpu0+gpu1+nic0 / gpu2+gpu3+nic1\"",
     "'pcie'"},
    {{"pcieRate", "socketRate"},
     [](const auto& o) { return !o.fabric.pcie; },
     " without intraServer=pcie"},
    {{"hostMemoryRate"},
     [](const auto& o) { return o.fabric.server.IsEmpty(); },
     " without a server that says which GPUs have no NIC beside them"},
    {CheckNvSwitches},
    {CheckNvlinkServers},
    {{"nvlinkOversubscription"},
     [](const auto& o) { return o.fabric.nvlinkServers == 1; },
     " without nvlinkServers above 1"},
};

} // namespace

const std::vector<std::string>&
GetServerAndLinkOptions()
{
    static const std::vector<std::string> names{"gpusPerServer",
                                                "nicsPerServer",
                                                "server",
                                                "hostMemoryRate",
                                                "nicRate",
                                                "intraServer",
                                                "pcieRate",
                                                "socketRate",
                                                "nvlinkRate",
                                                "nvSwitches",
                                                "nvlinkServers",
                                                "nvlinkOversubscription",
                                                "nvlinkDelay",
                                                "linkDelay",
                                                "nicLatency",
                                                "switchLatency",
                                                "fecLatency"};
    return names;
}

void
AddServerAndLinkOptions(OptionTable& table, FabricParameters& fabric)
{
    AddServerOptions(table, fabric);
    AddLinkOptions(table, fabric);
}

void
CheckServerOptions(const NetworkOptions& options)
{
    ApplyRules(SERVER_RULES, options);
}

} // namespace ns3
