/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Mainline TCP beside RDMA on one fabric: BulkSend and OnOff of ns-3's applications share the ports
 * of four hosts with a job, FlowMonitor watches them, and ReplayReporter writes what wl-replay
 * would.
 *
 *     rank 0 ---+          the job: data parallel, over rdma
 *     rank 1 ---+--- s     BulkSend: rank 0 to rank 1
 *     rank 2 ---+          OnOff:    rank 2 to rank 3
 *     rank 3 ---+
 */

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/op-table-reader.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-reporter.h"
#include "ns3/replay-sampler.h"
#include "ns3/topology-builder.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

/**
 * @param node a host
 * @return its address, which FlowMonitor shows, too
 */
Ipv4Address
GetAddress(Ptr<Node> node)
{
    return node->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
}

/**
 * Have TCP send from one host to another, and a sink there.
 *
 * @param sender helper of the sending application
 * @param from the sending host
 * @param to the receiving host
 */
template <typename Helper>
void
Connect(Helper sender, Ptr<Node> from, Ptr<Node> to)
{
    constexpr uint16_t port = 9;
    sender.SetAttribute("Remote", AddressValue(InetSocketAddress(GetAddress(to), port)));
    // When the gradients of the default workload are reduced.
    sender.Install(from).Start(MilliSeconds(188));
    PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port))
        .Install(to);
}

int
main(int argc, char* argv[])
{
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);

    std::string file = "contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv";
    std::string directory;
    CommandLine commandLine(__FILE__);
    commandLine.AddValue("workload", "op table to replay", file);
    commandLine.AddValue("outputDir", "where files go; empty = none are written", directory);
    commandLine.Parse(argc, argv);
    try
    {
        OpTableOptions options;
        options.workers = 4;
        const auto workload = ReadOpTable(file, options);
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate("100Gbps");
        RdmaFabricHelper fabric;
        fabric.Install(TopologyBuilder::Build(TopologySpec("single-switch"), 4, parameters));
        fabric.AssignStreams(0);
        fabric.InstallInternet(1000);

        const auto& hosts = fabric.GetHosts();
        BulkSendHelper bulk("ns3::TcpSocketFactory", Address());
        bulk.SetAttribute("MaxBytes", UintegerValue(10000000));
        Connect(bulk, hosts.Get(0), hosts.Get(1));
        OnOffHelper onOff("ns3::TcpSocketFactory", Address());
        onOff.SetConstantRate(DataRate("5Gbps"), 1000);
        onOff.SetAttribute("MaxBytes", UintegerValue(1000000));
        Connect(onOff, hosts.Get(2), hosts.Get(3));
        FlowMonitorHelper monitor;
        const auto flows = monitor.Install(hosts);

        ReplayHelper helper(workload);
        const auto ranks = helper.Install(hosts, fabric.GetTransports());
        ReplayReporter reporter(workload, ranks);
        reporter.SetFabric(fabric);
        reporter.AddAssumption("TCP of ns-3's applications runs beside the job");
        if (!directory.empty())
        {
            reporter.WriteFiles(directory);
        }
        // The queue of the switch's port to rank 1, looked at until the job ends. FlowMonitor looks
        // again and again, and would have the simulation go on for ever.
        uint64_t longest = 0;
        const auto link = fabric.GetNetwork()->GetGraph().GetLinksOf(1).front();
        const auto port = fabric.GetDevice(link, 4);
        ReplaySampler sampler(MicroSeconds(100), [&longest, &port] {
            longest = std::max(longest, port->GetAllQueuedBytes());
        });
        sampler.Start(ranks);
        Simulator::Stop(Seconds(1));
        const bool isComplete = reporter.Run(std::cout, std::cerr);
        std::cout << "\nlongest queue to rank 1, every 100 us: " << longest << " bytes\n";
        for (const auto& [id, flow] : flows->GetFlowStats())
        {
            std::cout << "TCP flow " << id << ": " << flow.rxBytes << " bytes in "
                      << (flow.timeLastRxPacket - flow.timeFirstTxPacket).As(Time::MS) << ", "
                      << flow.lostPackets << " packets lost\n";
        }
        Simulator::Destroy();
        return isComplete ? 0 : 2;
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
