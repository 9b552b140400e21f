/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Replays a workload on nodes that this script makes itself with ns-3's own helpers: any topology,
 * device or queue will do, as long as the ranks' nodes reach each other over IPv4.
 *
 *     worker 0 ---+
 *     worker 1 ---+--- switch        point-to-point links, 100 Gb/s, 1 us
 *        ...   ---+
 *
 * Prints when each worker finished, how long it computed and how long it waited for gradients.
 */

#include "ns3/core-module.h"
#include "ns3/ecmp-routing-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/op-table-reader.h"
#include "ns3/point-to-point-module.h"
#include "ns3/replay-helper.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

/**
 * Link every worker to the switch, and give all of them addresses and routes.
 *
 * @param workers nodes of the workers
 * @param switchNode node of the switch
 */
void
BuildNetwork(const NodeContainer& workers, Ptr<Node> switchNode)
{
    NodeContainer all(workers, NodeContainer(switchNode));
    InternetStackHelper stack;
    stack.SetRoutingHelper(EcmpRoutingHelper());
    stack.Install(all);

    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(9000));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("16MiB"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    for (uint32_t i = 0; i < workers.GetN(); ++i)
    {
        addresses.Assign(link.Install(workers.Get(i), switchNode));
        addresses.NewNetwork();
    }
    EcmpRoutingHelper::PopulateRoutingTables();
}

/**
 * Print an iteration; called when a worker has finished one.
 *
 * @param record the iteration
 */
void
PrintIteration(const IterationRecord& record)
{
    const auto toMs = [](Time time) { return time.GetSeconds() * 1e3; };
    const auto exposed = record.exposed[static_cast<std::size_t>(Dimension::DP)];
    std::cout << std::fixed << std::setprecision(3) << "worker " << record.rank << " finished at "
              << toMs(record.end) << " ms: computed " << toMs(record.compute)
              << " ms, waited for gradients " << toMs(exposed) << " ms\n";
}

int
main(int argc, char* argv[])
{
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);

    std::string file = "contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv";
    uint32_t workers = 2;
    CommandLine commandLine(__FILE__);
    commandLine.AddValue("workload", "op table to replay", file);
    commandLine.AddValue("workers", "data parallel workers", workers);
    commandLine.Parse(argc, argv);

    std::shared_ptr<const Workload> workload;
    try
    {
        OpTableOptions options;
        options.workers = workers;
        workload = ReadOpTable(file, options);
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }

    NodeContainer nodes(workers);
    BuildNetwork(nodes, CreateObject<Node>());
    const auto applications = ReplayHelper(workload).InstallTcp(nodes);
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        (*i)->TraceConnectWithoutContext("IterationFinished", MakeCallback(&PrintIteration));
    }

    Simulator::Run();
    const auto waits = ReplayHelper::DescribeWaits(applications);
    for (const auto& wait : waits)
    {
        std::cerr << wait << "\n";
    }
    Simulator::Destroy();
    return waits.empty() ? 0 : 2;
}
