/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-graphs.h"

#include "ns3/dry-run.h"
#include "ns3/replay-options.h"
#include "ns3/topology-dot.h"
#include "ns3/topology-drawing.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
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
 * @param text XML
 * @return whether every element that is opened is closed in its parent, and there is one outermost
 */
bool
IsWellFormed(const std::string& text)
{
    std::vector<std::string> open;
    uint32_t nOutermost = 0;
    for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
    {
        const auto end = text.find('>', at);
        if (end == std::string::npos || text.find('<', at + 1) < end)
        {
            return false;
        }
        const auto tag = text.substr(at + 1, end - at - 1);
        const auto name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.front() == '/')
        {
            if (open.empty() || "/" + open.back() != tag)
            {
                return false;
            }
            open.pop_back();
        }
        else if (tag.front() != '?')
        {
            nOutermost += open.empty() ? 1 : 0;
            if (tag.back() != '/')
            {
                open.push_back(name);
            }
        }
    }
    return open.empty() && nOutermost == 1;
}

/**
 * @ingroup workload-replay-tests
 * @brief DOT and SVG hold what the graph holds, and no box hides another.
 */
class TopologyPictureTestCase : public TestCase
{
  public:
    TopologyPictureTestCase()
        : TestCase("pictures are well-formed, complete, and without overlap")
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
        // Servers share a box above 128 hosts: 32 of them and 8 leaves, 32 + 8 x 32 lines.
        const TopologyDrawing shared(BuildTestTopology("clos", 256));
        NS_TEST_EXPECT_MSG_EQ(shared.boxes.size(), 32 + 8 + 32, "servers, leaves, spines");
        NS_TEST_EXPECT_MSG_EQ(shared.lines.size(), 32 + 8 * 32, "NICs of a server are a line");
        CheckBoxes(shared);

        TopologyGraph odd;
        odd.SetName("<&\">");
        odd.AddHost("a\"b\\");
        NS_TEST_EXPECT_MSG_EQ(CountOf(WriteSvg(odd), "&lt;&amp;&quot;&gt;"), 1, "escaped");
        NS_TEST_EXPECT_MSG_EQ(CountOf(WriteDot(odd), "\"a\\\"b\\\\\""), 1, "escaped");
        CheckTiers();
    }

    /**
     * @param graph a graph
     * @return its picture
     */
    static std::string WriteSvg(const TopologyGraph& graph)
    {
        std::ostringstream os;
        WriteTopologyPicture(os, graph);
        return os.str();
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
     * @param graph a graph of at most 128 hosts
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

        const auto svg = WriteSvg(graph);
        NS_TEST_EXPECT_MSG_EQ(IsWellFormed(svg), true, what);
        NS_TEST_EXPECT_MSG_EQ(CountOf(svg, "<title>"), nodes, "each box has a name");
        NS_TEST_EXPECT_MSG_EQ(CountOf(svg, "nan") + CountOf(svg, "inf"), 0, what);
        NS_TEST_EXPECT_MSG_EQ((WriteSvg(graph) == svg), true, "the same again");
        const TopologyDrawing drawing(graph);
        NS_TEST_EXPECT_MSG_EQ(drawing.lines.size(), pairs, what);
        CheckBoxes(drawing);
    }

    /**
     * @param drawing a drawing, the boxes of which are to be inside and apart
     */
    void CheckBoxes(const TopologyDrawing& drawing)
    {
        const auto n = drawing.boxes.size();
        for (std::size_t i = 0; i < n; ++i)
        {
            const auto& a = drawing.boxes[i];
            const bool isInside = a.width > 0 && a.x >= a.width / 2 && a.y >= a.height / 2 &&
                                  a.x + a.width / 2 <= drawing.width &&
                                  a.y + a.height / 2 <= drawing.height;
            NS_TEST_EXPECT_MSG_EQ(isInside, true, a.name << " of " << n << " is inside");
            for (std::size_t j = 0; j < i; ++j)
            {
                const auto& b = drawing.boxes[j];
                const bool isApart = std::abs(a.x - b.x) >= (a.width + b.width) / 2 ||
                                     std::abs(a.y - b.y) >= (a.height + b.height) / 2;
                NS_TEST_EXPECT_MSG_EQ(isApart, true, a.name << " hides " << b.name << " of " << n);
            }
        }
    }

    /// Check that spines stand above leaves, leaves above hosts, and NVSwitches below.
    void CheckTiers()
    {
        const TopologyDrawing drawing(BuildTestTopology("clos:spines=4", 64));
        const auto heightOf = [&drawing](const std::string& name) {
            const auto box = std::find_if(drawing.boxes.begin(),
                                          drawing.boxes.end(),
                                          [&name](const auto& b) { return b.name == name; });
            return -box->y;
        };
        NS_TEST_EXPECT_MSG_GT(heightOf("spine3"), heightOf("leaf0"), "spines above leaves");
        NS_TEST_EXPECT_MSG_GT(heightOf("leaf1"), heightOf("host0"), "leaves above hosts");
        NS_TEST_EXPECT_MSG_GT(heightOf("host63"), heightOf("nvswitch7"), "hosts above NVSwitches");
        NS_TEST_EXPECT_MSG_EQ(drawing.frames.size(), 8, "a frame for each server");
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
        for (const std::string name : {"fabric.json", "fabric.dot", "fabric.svg"})
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
MakeTopologyPictureTestCases()
{
    return {new TopologyPictureTestCase, new DryRunTestCase};
}

} // namespace ns3
