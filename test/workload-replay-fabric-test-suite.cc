/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-cases.h"
#include "topology-test-graphs.h"
#include "topology-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-spec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Reachability of hosts: through switches only, unless hosts are linked to hosts.
 */
class FabricReachabilityTestCase : public TestCase
{
  public:
    FabricReachabilityTestCase()
        : TestCase("unreachable pairs are named")
    {
    }

  private:
    void DoRun() override;
};

void
FabricReachabilityTestCase::DoRun()
{
    const SourceLocation where{"--topology", 0, 0, ""};
    const DataRate rate("1Gbps");
    TopologyGraph parted;
    for (const auto name : {"a", "b", "c"})
    {
        parted.AddHost(name);
    }
    const auto left = parted.AddSwitch("left");
    const auto right = parted.AddSwitch("right");
    parted.AddLink(0, left, rate, Time());
    parted.AddLink(1, left, rate, Time());
    parted.AddLink(2, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "--topology: error: expected a path between all hosts, found none for 2 "
                          "pairs, such as a and c",
                          "two switches without a link");
    parted.AddLink(1, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "--topology: error: expected a path between all hosts (if hosts forward "
                          "packets of others, say \"hostsRelay\": true in a topology in JSON), "
                          "found none for 1 pair: a and c",
                          "a host with two links does not relay");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(parted).GetHopCount(0, 2),
                          EcmpRouteTable::UNREACHABLE,
                          "nor does it in the routes");
    parted.AddLink(left, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "no error",
                          "joined by a link");

    TopologyGraph chain;
    for (const auto name : {"a", "b", "c"})
    {
        chain.AddHost(name);
    }
    chain.AddLink(0, 1, rate, Time());
    chain.AddLink(1, 2, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { chain.Validate(where); }),
                          "no error",
                          "hosts linked to hosts relay");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(chain).GetHopCount(0, 2), 2, "also in the routes");

    TopologyGraph copy = chain;
    copy.AddHost("d");
    copy.AddLink(2, 3, rate, Time());
    copy.SetLossRate(0, 0.5);
    copy.SetName("copy");
    chain.AddLink(0, 2, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(chain.GetNNodes(), 3, "a copy has hosts of its own");
    NS_TEST_EXPECT_MSG_EQ(chain.GetLinksOf(2).size(), 2, "and links of its own");
    NS_TEST_EXPECT_MSG_EQ(chain.GetLink(0).lossRate, 0, "with their own properties");
    NS_TEST_EXPECT_MSG_EQ(chain.GetName(), "", "and its own name");
    NS_TEST_EXPECT_MSG_EQ(copy.GetLinksOf(0).size(), 1, "as the graph has that was copied");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(copy).GetHopCount(0, 3), 3, "routes of the copy");

    TopologyGraph lonely;
    lonely.AddHost("a");
    lonely.AddHost("b");
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { lonely.Validate(where); }),
                          "--topology: error: expected a path between all hosts, found none for 1 "
                          "pair: a and b",
                          "hosts without links");
}

/**
 * @ingroup workload-replay-tests
 * @brief Counts of nodes and links of leaf-spines, and their oversubscription.
 */
class FabricClosTestCase : public TestCase
{
  public:
    FabricClosTestCase()
        : TestCase("clos: counts, placement, oversubscription")
    {
    }

  private:
    /**
     * Check the counts of a topology, and the bandwidth of its leaves.
     *
     * @param text the option
     * @param world number of ranks
     * @param leaves leaf switches expected
     * @param spines spine switches expected
     * @param uplinks links of a leaf to spines expected
     * @param ratio host bandwidth of leaf 0 / its uplink bandwidth expected; 0 = no uplinks
     */
    void Check(const std::string& text,
               uint32_t world,
               uint32_t leaves,
               uint32_t spines,
               uint32_t uplinks,
               double ratio);
    void DoRun() override;
};

void
FabricClosTestCase::Check(const std::string& text,
                          uint32_t world,
                          uint32_t leaves,
                          uint32_t spines,
                          uint32_t uplinks,
                          double ratio)
{
    const auto graph = BuildTestTopology(text, world);
    NS_TEST_EXPECT_MSG_EQ(graph.GetHosts().size(), world, text << ": hosts");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "leaf"), leaves, text << ": leaves");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "spine"), spines, text << ": spines");
    double hostRate = 0;
    double uplinkRate = 0;
    uint32_t found = 0;
    const auto leaf = FindNode(graph, "leaf0");
    for (const auto link : graph.GetLinksOf(leaf))
    {
        const bool isHost = graph.GetNode(graph.GetPeer(link, leaf)).kind == TopologyGraph::HOST;
        (isHost ? hostRate : uplinkRate) += graph.GetLink(link).rate.GetBitRate();
        found += isHost ? 0 : 1;
    }
    NS_TEST_EXPECT_MSG_EQ(found, uplinks, text << ": uplinks of leaf 0");
    NS_TEST_EXPECT_MSG_EQ_TOL(hostRate, ratio * uplinkRate, ratio, text << ": oversubscription");
}

void
FabricClosTestCase::DoRun()
{
    Check("clos", 128, 4, 32, 32, 1);
    Check("clos:oversubscription=4", 128, 4, 8, 8, 4);
    Check("clos:hostsPerLeaf=24,oversubscription=1.5", 96, 4, 16, 16, 1.5);
    Check("clos:hostsPerLeaf=12,oversubscription=1.2", 96, 8, 10, 10, 1.2);
    Check("clos:hostsPerLeaf=16,spines=4,oversubscription=0.5,uplinkRate=800Gbps",
          128,
          8,
          4,
          16,
          0.5);
    Check("clos:leaves=4", 64, 4, 16, 16, 1);

    // 128 ranks in 16 servers: 128 NVLinks, 128 NICs, and 32 uplinks of each of four leaves.
    const auto whole = BuildTestTopology("clos", 128);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(whole, "nvswitch"), 16, "one per server");
    NS_TEST_EXPECT_MSG_EQ(whole.GetNLinks(), 128 + 128 + 4 * 32, "links");
    // Three servers, of which the last holds one rank and so needs no NVSwitch.
    const auto partial = BuildTestTopology("clos", 17);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(partial, "nvswitch"), 2, "none for a single rank");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(partial, "spine"), 0, "none for a single leaf");
    NS_TEST_EXPECT_MSG_EQ(partial.GetNLinks(), 16 + 17, "links");
    NS_TEST_EXPECT_MSG_EQ(BuildTestTopology("clos", 64, 1).GetNLinks(), 64 + 2 * 32, "no NVLink");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(BuildTestTopology("clos", 33), "leaf"),
                          2,
                          "33 ranks need a second leaf");

    const auto leafOf = [](const TopologyGraph& graph, uint32_t rank) {
        return graph.GetNode(graph.GetPeer(graph.GetFirstLink(rank, false), rank)).name;
    };
    const auto block = BuildTestTopology("clos:leaves=4", 64);
    const auto interleaved = BuildTestTopology("clos:leaves=4,placement=interleaved", 64);
    NS_TEST_EXPECT_MSG_EQ(leafOf(block, 15), "leaf0", "block: servers 0 and 1");
    NS_TEST_EXPECT_MSG_EQ(leafOf(block, 16), "leaf1", "block: servers 2 and 3");
    NS_TEST_EXPECT_MSG_EQ(leafOf(interleaved, 8), "leaf1", "interleaved: server 1");
    NS_TEST_EXPECT_MSG_EQ(leafOf(interleaved, 39), "leaf0", "interleaved: server 4");
}

/**
 * @ingroup workload-replay-tests
 * @brief Messages of all faults of a topology option.
 */
class FabricSpecErrorTestCase : public TestCase
{
  public:
    FabricSpecErrorTestCase()
        : TestCase("faults of the topology option")
    {
    }

  private:
    void DoRun() override;
};

void
FabricSpecErrorTestCase::DoRun()
{
    const std::string count = " to be a whole number from 1 to 4294967295, found ";
    const std::string rate = "uplinkRate to be a rate with its unit (such as Mbps, Gbps), from "
                             "1bps to 1000000Gbps, found ";
    const std::vector<std::pair<std::string, std::string>> faults{
        {"closs",
         "a topology (auto, single-switch, clos, fat-tree, rail, dual-plane, dual-tor, "
         "dragonfly, torus, ring, rotor, or another by its TypeId), found 'closs'; did you mean "
         "clos?"},
        {"", "NAME[:key=value,...], found ''"},
        {"clos:", "key=value after 'clos:', found ''"},
        {"clos:leaves", "key=value after 'clos:', found 'leaves'"},
        {"clos:leaves=4,leaves=4", "each key once, found 'leaves' twice"},
        {"clos:spine=4",
         "a key of clos (hostsPerLeaf, leaves, oversubscription, placement, spines, uplinkRate), "
         "found 'spine'; did you mean spines?"},
        {"single-switch:leaves=4", "no keys for single-switch, found 'leaves'"},
        {"auto:spines=4", "no keys for auto, found 'spines'"},
        {"clos:leaves=0", "leaves" + count + "'0'"},
        {"clos:spines=4x", "spines" + count + "'4x'"},
        {"clos:hostsPerLeaf=4294967296", "hostsPerLeaf" + count + "'4294967296'"},
        {"clos:oversubscription=-1", "oversubscription to be a number above 0, found '-1'"},
        {"clos:oversubscription=nan", "oversubscription to be a number above 0, found 'nan'"},
        {"clos:oversubscription=4:1", "oversubscription to be a number above 0, found '4:1'"},
        {"clos:uplinkRate=400", rate + "'400'"},
        {"clos:uplinkRate=400Gbit", rate + "'400Gbit'; did you mean 400Gbps?"},
        {"clos:uplinkRate=0Gbps", rate + "'0Gbps'"},
        {"clos:placement=interleave",
         "placement to be one of block, interleaved, found 'interleave'; did you mean "
         "interleaved?"},
        {"clos:leaves=4,hostsPerLeaf=16",
         "room for 128 NICs, found 4 leaves x 16 NICs per leaf = 64"},
        {"clos:leaves=6,hostsPerLeaf=22,placement=interleaved",
         "at least 24 NICs per leaf for 16 servers of 8 interleaved over 6 leaves, found 22"},
        {"clos:oversubscription=3",
         "a whole number of uplinks per leaf, from 1 to 1000000, found 32 NIC ports x 400Gbps / "
         "(oversubscription 3 x uplinks of 400Gbps) = 10.6667"},
        {"clos:spines=5",
         "a number of spines that divides the uplinks per leaf (32 NIC ports x 400Gbps / "
         "(oversubscription 1 x uplinks of 400Gbps) = 32), found 5 spines"},
    };
    for (const auto& [text, message] : faults)
    {
        const auto option = text;
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { BuildTestTopology(option, 128); }),
                              "--topology: error: expected " + message,
                              "option " << option);
    }
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] { TopologySpec("", "run.json"); }),
                          "run.json: error: expected NAME[:key=value,...], found ''",
                          "the caller's source");
}

/**
 * @ingroup workload-replay-tests
 * @brief Graphs, routes and IPv4 fabrics.
 */
class WorkloadReplayFabricTestSuite : public TestSuite
{
  public:
    WorkloadReplayFabricTestSuite()
        : TestSuite("workload-replay-fabric", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricReachabilityTestCase);
        for (const auto testCase : MakeFabricRouteTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new FabricClosTestCase);
        AddTestCase(new FabricSpecErrorTestCase);
        for (const auto testCase : MakeFabricPacketTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(MakeFabricScriptTestCase());
    }
};

/// The suite registers itself.
static WorkloadReplayFabricTestSuite g_workloadReplayFabricTestSuite;
