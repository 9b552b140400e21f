/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "partition-test-cases.h"

#include "topology-test-graphs.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-partition.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Who asks for parts.
const SourceLocation WHERE{"mpirun", 0, 0, ""};

/**
 * @param graph a graph
 * @param parts a number of parts
 * @return what is told of dealing it out to so many; empty = it can be
 */
std::string
FindFault(const TopologyGraph& graph, uint32_t parts)
{
    try
    {
        const TopologyPartition partition(graph, parts, WHERE);
        return "";
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Fabrics are cut where their shape says.
 */
class PartitionShapeTestCase : public TestCase
{
  public:
    PartitionShapeTestCase()
        : TestCase("partition: pods, servers and rings")
    {
    }

  private:
    void DoRun() override
    {
        const auto tree = BuildTestTopology("fat-tree:k=4", 16, 1);
        const TopologyPartition pods(tree, 4, WHERE);
        const TopologyPartition halves(tree, 2, WHERE);
        std::vector<uint32_t> cores(4, 0);
        for (uint32_t node = 0; node < tree.GetNNodes(); ++node)
        {
            const auto& name = tree.GetNode(node).name;
            if (name.rfind("core", 0) == 0)
            {
                ++cores.at(pods.GetPart(node));
                continue;
            }
            const bool isHost = tree.GetNode(node).kind == TopologyGraph::HOST;
            const auto pod = static_cast<uint32_t>(isHost ? node / 4 : std::stoul(name.substr(3)));
            NS_TEST_EXPECT_MSG_EQ(pods.GetPart(node), pod, name << " stays with its pod");
            NS_TEST_EXPECT_MSG_EQ(halves.GetPart(node), pod / 2, name << " stays with its half");
        }
        NS_TEST_EXPECT_MSG_EQ((cores == std::vector<uint32_t>{1, 1, 1, 1}), true, "a core each");
        NS_TEST_EXPECT_MSG_EQ(pods.GetCutLinks().size(), 4 * 3, "three links of each core");
        NS_TEST_EXPECT_MSG_EQ(halves.GetCutLinks().size(), 4 * 2, "two links of each core");
        NS_TEST_EXPECT_MSG_EQ(TopologyPartition(MakeTorus(8, 1), 2, WHERE).GetCutLinks().size(),
                              2,
                              "a ring is cut twice");
        NS_TEST_EXPECT_MSG_EQ(TopologyPartition(tree, 1, WHERE).GetCutLinks().empty(),
                              true,
                              "one process cuts nothing");

        const auto clos = BuildTestTopology("clos", 32);
        const TopologyPartition servers(clos, 4, WHERE);
        for (uint32_t node = 0; node < clos.GetNNodes(); ++node)
        {
            const auto server = clos.GetNode(node).server;
            if (server != TopologyGraph::NO_SERVER)
            {
                NS_TEST_EXPECT_MSG_EQ(servers.GetPart(node), server, "a server stays whole");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(FindFault(clos, 5),
                              "mpirun: error: expected at most 4 processes, one for each server of "
                              "the topology (neither NVLink nor a link without delay can be cut), "
                              "found 5",
                              "more processes than servers");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Links without delay stay whole, and parts of unequal units are as equal as can be.
 */
class PartitionUnitTestCase : public TestCase
{
  public:
    PartitionUnitTestCase()
        : TestCase("partition: units")
    {
    }

  private:
    void DoRun() override
    {
        TopologyGraph graph;
        const auto left = graph.AddSwitch("left");
        const auto right = graph.AddSwitch("right");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            graph.AddLink(graph.AddHost("host" + std::to_string(rank)),
                          rank < 2 ? left : right,
                          DataRate("100Gbps"),
                          Time());
        }
        const auto between = graph.AddLink(left, right, DataRate("100Gbps"), NanoSeconds(100));
        const TopologyPartition halves(graph, 2, WHERE);
        NS_TEST_EXPECT_MSG_EQ((halves.GetCutLinks() == std::vector<uint32_t>{between}),
                              true,
                              "the one link with a delay");
        NS_TEST_EXPECT_MSG_EQ(halves.GetLargestDelay(), NanoSeconds(100), "its delay");
        NS_TEST_EXPECT_MSG_EQ(FindFault(graph, 3).empty(), false, "there are two units");

        // Servers of 4, 4 and 1 hosts: 4 and 5 are more even than 8 and 1.
        TopologyGraph uneven;
        const auto hub = uneven.AddSwitch("hub");
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto host = uneven.AddHost("host" + std::to_string(rank), rank / 4);
            uneven.AddLink(host, hub, DataRate("100Gbps"), NanoSeconds(100));
        }
        const TopologyPartition two(uneven, 2, WHERE);
        const TopologyPartition three(uneven, 3, WHERE);
        for (uint32_t rank = 0; rank < 9; ++rank)
        {
            const auto host = uneven.GetHosts()[rank];
            NS_TEST_EXPECT_MSG_EQ(two.GetPart(host), (rank < 4 ? 0U : 1U), "4 and 5");
            NS_TEST_EXPECT_MSG_EQ(three.GetPart(host), rank / 4, "no part is empty");
        }
        CheckCore();
    }

    /**
     * A core above two columns of host, edge and aggregation, which was added before them, goes
     * with the one that its faster link leads to: switches are dealt out from the hosts up.
     */
    void CheckCore()
    {
        TopologyGraph graph;
        const auto core = graph.AddSwitch("core");
        uint32_t slow = 0;
        for (const uint32_t column : {0, 1})
        {
            const auto name = std::to_string(column);
            const auto aggregation = graph.AddSwitch("aggregation" + name);
            const auto edge = graph.AddSwitch("edge" + name);
            const auto up = DataRate(column == 0 ? "200Gbps" : "400Gbps");
            const auto link = graph.AddLink(core, aggregation, up, NanoSeconds(100));
            slow = column == 0 ? link : slow;
            graph.AddLink(aggregation, edge, DataRate("100Gbps"), NanoSeconds(100));
            graph.AddLink(edge,
                          graph.AddHost("host" + name),
                          DataRate("100Gbps"),
                          NanoSeconds(100));
        }
        const TopologyPartition columns(graph, 2, WHERE);
        NS_TEST_EXPECT_MSG_EQ((columns.GetCutLinks() == std::vector<uint32_t>{slow}),
                              true,
                              "the slower link of the core");
    }
};

} // namespace

std::vector<TestCase*>
MakePartitionTestCases()
{
    return {new PartitionShapeTestCase, new PartitionUnitTestCase};
}

} // namespace ns3
