/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * CPU time of routes: the table alone for leaf-spines of 128 to 10,000 hosts, a whole IPv4 fabric
 * of 1,000 hosts, and, where the release has it, mainline global routing on the same network of 432
 * hosts as Ipv4EcmpRouting.
 */

#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/ecmp-routing-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/topology-builder.h"

#if __has_include("ns3/ipv4-global-routing-helper.h")
#include "ns3/ipv4-global-routing-helper.h"
#define HAVE_GLOBAL_ROUTING
#endif

#include <ctime>
#include <iostream>

using namespace ns3;

namespace
{

/**
 * @return CPU time of the process, s
 */
double
GetCpuTime()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/**
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @return a leaf-spine without oversubscription
 */
TopologyGraph
MakeClos(uint32_t world, uint32_t gpusPerServer)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    return TopologyBuilder::Build(TopologySpec("clos"), world, parameters);
}

/**
 * Print the CPU time of the table of a leaf-spine, and of a lookup in it.
 *
 * @param world number of ranks
 */
void
BenchTable(uint32_t world)
{
    const auto graph = MakeClos(world, 8);
    const auto start = GetCpuTime();
    const EcmpRouteTable table(graph);
    table.ComputeAll();
    const auto computed = GetCpuTime();
    constexpr uint32_t walks = 100000;
    uint64_t hops = 0;
    for (uint32_t i = 0; i < walks; ++i)
    {
        const auto random = EcmpMix(i);
        const auto source = static_cast<uint32_t>(random % world);
        const auto destination = static_cast<uint32_t>((random >> 32) % world);
        hops += table.GetPath(source, destination, random, 0).size();
    }
    const auto walked = GetCpuTime();
    std::cout << "table," << world << "," << graph.GetNNodes() << "," << graph.GetNLinks() << ","
              << (computed - start) * 1e3 << "," << (walked - computed) / hops * 1e9 << "\n";
}

/**
 * Print the CPU time to make a whole IPv4 fabric, all routes included.
 *
 * @param world number of ranks
 */
void
BenchInstall(uint32_t world)
{
    const auto graph = MakeClos(world, 8);
    const auto start = GetCpuTime();
    TcpFabricHelper fabric;
    fabric.Install(graph, FabricParameters());
    const auto installed = GetCpuTime();
    const EcmpRouteTable table(fabric.GetGraph());
    table.ComputeAll();
    const auto computed = GetCpuTime();
    std::cout << "install," << world << "," << graph.GetNNodes() << "," << graph.GetNLinks() << ","
              << (installed - start) * 1e3 << "\n"
              << "install+routes," << world << "," << graph.GetNNodes() << "," << graph.GetNLinks()
              << "," << (computed - start) * 1e3 << "\n";
    Simulator::Destroy();
}

#ifdef HAVE_GLOBAL_ROUTING
/**
 * Make a network by hand, as a script would.
 *
 * @param graph its nodes and links
 * @param stack installs IPv4
 */
void
MakeNetwork(const TopologyGraph& graph, const InternetStackHelper& stack)
{
    NodeContainer nodes;
    nodes.Create(graph.GetNNodes());
    stack.Install(nodes);
    PointToPointHelper helper;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto pair = helper.Install(nodes.Get(link.a), nodes.Get(link.b));
        for (uint32_t j = 0; j < 2; ++j)
        {
            const auto ipv4 = pair.Get(j)->GetNode()->GetObject<Ipv4>();
            const auto interface = ipv4->AddInterface(pair.Get(j));
            const Ipv4Address address((10U << 24) + 4 * i + j + 1);
            ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("/30")));
            ipv4->SetUp(interface);
        }
    }
}

/**
 * Print the CPU time of all routes of a leaf-spine without NVLink, by both kinds of routing.
 *
 * @param world number of hosts
 */
void
BenchGlobalRouting(uint32_t world)
{
    const auto graph = MakeClos(world, 1);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(EcmpRoutingHelper());
    MakeNetwork(graph, stack);
    auto start = GetCpuTime();
    EcmpRoutingHelper::PopulateRoutingTables();
    const EcmpRouteTable table(graph);
    table.ComputeAll();
    const auto ecmp = GetCpuTime() - start;
    Simulator::Destroy();

    stack.SetRoutingHelper(Ipv4GlobalRoutingHelper());
    MakeNetwork(graph, stack);
    start = GetCpuTime();
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    const auto global = GetCpuTime() - start;
    Simulator::Destroy();
    for (const auto& [name, time] :
         {std::make_pair("script-ecmp", ecmp), std::make_pair("script-global-routing", global)})
    {
        std::cout << name << "," << world << "," << graph.GetNNodes() << "," << graph.GetNLinks()
                  << "," << time * 1e3 << "\n";
    }
    std::cout << "# global routing takes " << global / ecmp << " times as long as ECMP at " << world
              << " hosts\n";
}
#endif

} // namespace

int
main()
{
    std::cout << "what,hosts,nodes,links,cpu_ms,lookup_ns\n";
    for (const uint32_t world : {128, 1000, 4000, 10000})
    {
        BenchTable(world);
    }
    BenchInstall(1000);
#ifdef HAVE_GLOBAL_ROUTING
    BenchGlobalRouting(432);
#else
    std::cout << "# this release has no ipv4-global-routing-helper.h to compare with\n";
#endif
    return 0;
}
