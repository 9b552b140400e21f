/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Sends messages over an rdma fabric that is put together by hand, without any workload.
 *
 *     a clos of the module                          added to it by hand
 *     ranks 0 to 7 --- leaf 0, leaf 1 --- spines
 *                      leaf 0 --------------------- storage switch --- rank 8, the storage
 *
 * Ranks 0 to 7 write a checkpoint to the storage, all at once and eight times as fast as it can
 * take it: packets are marked, congestion notifications sent, ports paused. With --pcap=PREFIX all
 * that passes a port goes to a file that Wireshark opens as RoCEv2.
 */

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/topology-builder.h"

#include <iostream>

using namespace ns3;

/**
 * @return the fabric: nodes and links, not yet objects of ns-3
 */
TopologyGraph
BuildGraph()
{
    FabricParameters parameters;
    parameters.gpusPerServer = 4;
    parameters.nicRate = DataRate("100Gbps");
    TopologyGraph graph =
        TopologyBuilder::Build(TopologySpec("clos:hostsPerLeaf=4"), 8, parameters);

    // Of the links of a rank, the first that is no NVLink leads to its leaf switch.
    const uint32_t rank0 = graph.GetHosts()[0];
    const uint32_t leaf = graph.GetPeer(graph.GetFirstLink(rank0, false), rank0);
    const uint32_t storageSwitch = graph.AddSwitch("storage switch");
    const uint32_t storage = graph.AddHost("storage");
    graph.AddLink(leaf, storageSwitch, DataRate("400Gbps"), MicroSeconds(1));
    graph.AddLink(storageSwitch, storage, DataRate("100Gbps"), MicroSeconds(1));
    graph.Validate({"rdma-by-hand", 0, 0, ""});
    return graph;
}

/**
 * @param message a message of which the last byte has arrived
 */
void
PrintArrival(const Message& message)
{
    std::cout << "rank " << message.source << " to rank " << message.destination << ": "
              << message.bytes << " bytes at " << Simulator::Now().As(Time::US) << "\n";
}

/**
 * @param cookie what the sender has put into a message that it now knows to have arrived
 */
void
IgnoreSent(uint64_t cookie [[maybe_unused]])
{
}

int
main(int argc, char* argv[])
{
    // Picoseconds: a byte takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);

    uint64_t bytes = 1000000;
    std::string prefix;
    CommandLine commandLine(__FILE__);
    commandLine.AddValue("bytes", "size of each message", bytes);
    commandLine.AddValue("pcap", "write PREFIX-NODE-DEVICE.pcap for every port", prefix);
    commandLine.Parse(argc, argv);

    RdmaFabricHelper fabric;
    if (!prefix.empty())
    {
        // A train of packets has no frame.
        fabric.SetNicAttribute("MaxTrain", UintegerValue(1));
    }
    // A small one, so that the ranks are paused.
    fabric.SetSwitchAttribute("BufferSize", UintegerValue(6000000));
    fabric.Install(BuildGraph());
    fabric.AssignStreams(1);
    try
    {
        RdmaPcapHelper().EnablePcap(prefix, prefix.empty() ? NodeContainer() : fabric.GetNodes());
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }

    const auto& transports = fabric.GetTransports();
    const uint32_t storage = transports.size() - 1;
    for (const auto& transport : transports)
    {
        transport->SetCallbacks(MakeCallback(&PrintArrival), MakeCallback(&IgnoreSent));
    }
    for (uint32_t rank = 0; rank < storage; ++rank)
    {
        Message message;
        message.source = rank;
        message.destination = storage;
        message.bytes = bytes;
        transports[rank]->Send(message);
    }
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
