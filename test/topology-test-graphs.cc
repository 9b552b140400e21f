/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-graphs.h"

#include "ns3/topology-builder.h"

#include <sstream>
#include <vector>

namespace ns3
{

TopologyGraph
BuildTestTopology(const std::string& text, uint32_t world, uint32_t gpusPerServer)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    return TopologyBuilder::Build(TopologySpec(text), world, parameters);
}

TopologyGraph
MakeTorus(uint32_t columns, uint32_t rows, uint32_t planes)
{
    TopologyGraph graph;
    const auto n = columns * rows * planes;
    for (uint32_t i = 0; i < n; ++i)
    {
        graph.AddHost("host" + std::to_string(i));
    }
    const auto inPlane = columns * rows;
    const auto link = [&graph](uint32_t a, uint32_t b) {
        if (a != b)
        {
            graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
        }
    };
    for (uint32_t i = 0; i < n; ++i)
    {
        link(i, i / columns * columns + (i + 1) % columns);
        link(i, i / inPlane * inPlane + (i + columns) % inPlane);
        link(i, (i + inPlane) % n);
    }
    return graph;
}

TopologyGraph
MakeFatTree()
{
    TopologyGraph graph;
    for (uint32_t i = 0; i < 36; ++i)
    {
        i < 16 ? graph.AddHost("host" + std::to_string(i))
               : graph.AddSwitch("switch" + std::to_string(i - 16));
    }
    const auto link = [&graph](uint32_t a, uint32_t b) {
        graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
    };
    for (uint32_t host = 0; host < 16; ++host)
    {
        link(host, 16 + host / 2);
    }
    for (uint32_t upper = 0; upper < 8; ++upper)
    {
        for (uint32_t i = 0; i < 2; ++i)
        {
            link(16 + upper / 2 * 2 + i, 24 + upper);
            link(24 + upper, 32 + upper % 2 * 2 + i);
        }
    }
    return graph;
}

TopologyGraph
MakeDragonfly()
{
    TopologyGraph graph;
    for (uint32_t i = 0; i < 60; ++i)
    {
        i < 40 ? graph.AddHost("host" + std::to_string(i))
               : graph.AddSwitch("switch" + std::to_string(i - 40));
    }
    const auto link = [&graph](uint32_t a, uint32_t b) {
        graph.AddLink(a, b, DataRate("100Gbps"), NanoSeconds(500));
    };
    for (uint32_t host = 0; host < 40; ++host)
    {
        link(host, 40 + host / 2);
    }
    std::vector<uint32_t> ports(5);
    for (uint32_t a = 0; a < 20; ++a)
    {
        for (uint32_t b = a + 1; b < a / 4 * 4 + 4; ++b)
        {
            link(40 + a, 40 + b);
        }
    }
    for (uint32_t x = 0; x < 5; ++x)
    {
        for (uint32_t y = 0; y < x; ++y)
        {
            link(40 + 4 * x + ports[x]++, 40 + 4 * y + ports[y]++);
        }
    }
    return graph;
}

TopologyGraph
MakeTwoSwitches(uint32_t hosts)
{
    TopologyGraph graph;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        graph.AddHost("h" + std::to_string(host));
    }
    const uint32_t first = graph.AddSwitch("s0");
    const uint32_t second = graph.AddSwitch("s1");
    graph.AddLink(first, second, DataRate("100Gbps"), NanoSeconds(500));
    for (uint32_t host = 0; host < hosts; ++host)
    {
        graph.AddLink(host, host < 2 ? first : second, DataRate("100Gbps"), NanoSeconds(500));
    }
    return graph;
}

std::string
DescribeGraph(const TopologyGraph& graph)
{
    std::ostringstream os;
    os << graph.GetName() << "\n";
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const auto& node = graph.GetNode(i);
        os << node.kind << " " << node.name << " " << node.server << " " << node.rank << "\n";
    }
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        os << link.a << "-" << link.b << " " << link.rate.GetBitRate() << " "
           << link.delay.GetNanoSeconds() << " " << link.nvlink << " " << link.lossRate << "\n";
    }
    return os.str();
}

} // namespace ns3
