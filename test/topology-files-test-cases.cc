/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-graphs.h"

#include "ns3/dry-run.h"
#include "ns3/replay-option-table.h"
#include "ns3/topology-files.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param text a text
 * @param what what to look for
 * @return how often it is there
 */
uint32_t
CountOf(const std::string& text, const std::string& what)
{
    uint32_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    {
        ++count;
    }
    return count;
}

/**
 * @ingroup workload-replay-tests
 * @brief DOT holds what the graph holds.
 */
class TopologyDotTestCase : public TestCase
{
  public:
    TopologyDotTestCase()
        : TestCase("DOT is complete")
    {
    }

  private:
    void DoRun() override
    {
        // Nodes, then pairs of nodes with links.
        Check(BuildTestTopology("clos:spines=4", 64), 64 + 8 + 2 + 4, 64 + 64 + 2 * 4, 8);
        Check(BuildTestTopology("single-switch", 20), 20 + 3 + 1, 20 + 20, 3);
        Check(BuildTestTopology("single-switch", 1, 1), 2, 1, 1);
        Check(MakeTorus(8, 1), 8, 8, 0);
        Check(MakeTorus(6, 4), 24, 48, 0);
        Check(MakeTorus(4, 3, 4), 48, 144, 0);
        Check(MakeFatTree(), 36, 48, 0);
        Check(MakeDragonfly(), 60, 40 + 5 * 6 + 10, 0);
        TopologyGraph odd;
        odd.AddHost("a\"b\\");
        NS_TEST_EXPECT_MSG_EQ(CountOf(WriteDot(odd), "\"a\\\"b\\\\\""), 1, "escaped");
    }

    /**
     * @param graph a graph
     * @return its DOT form
     */
    static std::string WriteDot(const TopologyGraph& graph)
    {
        std::ostringstream os;
        WriteTopologyDot(os, graph);
        return os.str();
    }

    /**
     * @param graph a graph
     * @param nodes its nodes
     * @param pairs its pairs of nodes with links
     * @param servers its servers
     */
    void Check(const TopologyGraph& graph, uint32_t nodes, uint32_t pairs, uint32_t servers)
    {
        const auto dot = WriteDot(graph);
        const auto what = std::to_string(nodes) + " nodes";
        NS_TEST_EXPECT_MSG_EQ(CountOf(dot, " [label="), nodes + pairs, what);
        NS_TEST_EXPECT_MSG_EQ(CountOf(dot, " -- "), pairs, what);
        NS_TEST_EXPECT_MSG_EQ(CountOf(dot, "subgraph cluster_"), servers, what);
        NS_TEST_EXPECT_MSG_EQ(CountOf(dot, "{"), CountOf(dot, "}"), what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A dry run tells what the fabric is, and leaves files that a replay can read.
 */
class DryRunTestCase : public TestCase
{
  public:
    DryRunTestCase()
        : TestCase("a dry run prints the fabric and writes it")
    {
    }

  private:
    void DoRun() override
    {
        const auto directory = CreateTempDirFilename("dry");
        std::ostringstream os;
        const auto options = ParseReplayOptions({"--dryRun",
                                                 "--world=64",
                                                 "--topology=clos:oversubscription=4",
                                                 "--outputDir=" + directory});
        NS_TEST_EXPECT_MSG_EQ(DryRun(options, os).size(), 0, "all is written");
        const auto text = os.str();
        for (const std::string part :
             {"Fabric clos: 64 hosts, 10 switches, 8 NVSwitches, 144 links",
              "2 switches of 40 ports, 8 switches of 2 ports",
              "96 switch ports, 64 NIC ports, 64 NVSwitch ports",
              "4 hops between hosts",
              "3200.0 Gb/s each way between hosts 0-31 and 32-63",
              "25.0 % of the 12.80 Tb/s"})
        {
            NS_TEST_EXPECT_MSG_EQ(CountOf(text, part), 1, part << " in " << text);
        }
        for (const std::string name : {"fabric.json", "fabric.dot"})
        {
            NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(directory + "/" + name), true, name);
        }
        const auto again = ParseReplayOptions(
            {"--dryRun", "--world=60", "--topology=" + directory + "/fabric.json"});
        std::ostringstream second;
        DryRun(again, second);
        NS_TEST_EXPECT_MSG_EQ(CountOf(second.str(), "60, 4 hosts idle"), 1, second.str());
        const auto tail = text.substr(text.find("servers"));
        NS_TEST_EXPECT_MSG_EQ(CountOf(second.str(), tail), 1, "the rest is the same");
    }
};

} // namespace

std::vector<TestCase*>
MakeTopologyFilesTestCases()
{
    return {new TopologyDotTestCase, new DryRunTestCase};
}

} // namespace ns3
