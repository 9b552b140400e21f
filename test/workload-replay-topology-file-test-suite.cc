/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"
#include "topology-file-test-case.h"
#include "topology-test-cases.h"
#include "topology-test-graphs.h"
#include "workload-test-tools.h"

#include "ns3/test.h"
#include "ns3/topology-file.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-json-file.h"
#include "ns3/topology-summary.h"

#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief The two text forms, against graphs written out by hand.
 */
class TopologyTextTestCase : public TopologyFileTestCase
{
  public:
    TopologyTextTestCase()
        : TopologyFileTestCase("text files of SimAI and HPCC become the graphs they describe")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(DescribeGraph(Read(SIMAI_TOPOLOGY, "simai.topo", 4)),
                              "simai.topo\n"
                              "0 host0 0 0\n0 host1 0 1\n0 host2 1 2\n0 host3 1 3\n"
                              "2 nvswitch0 0 4294967295\n2 nvswitch1 1 4294967295\n"
                              "1 switch0 4294967295 4294967295\n1 switch1 4294967295 4294967295\n"
                              "1 switch2 4294967295 4294967295\n"
                              "0-4 2400000000000 25 1 0\n1-4 2400000000000 25 1 0\n"
                              "2-5 2400000000000 25 1 0\n3-5 2400000000000 25 1 0\n"
                              "0-6 100000000000 500 0 0\n1-7 100000000000 500 0 0\n"
                              "2-6 100000000000 500 0 0\n7-3 100000000000 500 0 0\n"
                              "6-8 400000000000 500 0 0\n7-8 400000000000 1000 0 0.001\n",
                              "SimAI's form");
        NS_TEST_EXPECT_MSG_EQ(DescribeGraph(Read(HPCC_TOPOLOGY, "hpcc.txt", 2)),
                              "hpcc.txt\n"
                              "0 host0 4294967295 0\n1 switch0 4294967295 4294967295\n"
                              "0 host1 4294967295 1\n1 switch1 4294967295 4294967295\n"
                              "0 host2 4294967295 2\n"
                              "0-1 25000000000 1000 0 0\n2-1 25000000000 1000 0 0\n"
                              "4-3 25000000000 1000 0 0.5\n1-3 100000000000 1000 0 0\n"
                              "1-3 100000000000 1000 0 0\n",
                              "HPCC's form, with one host to spare");
        // PowerTCP and Reverie say more in the first line, and rates without a unit.
        for (const std::string counts : {"5 2 1 5", "5 2 1 5 100000000000 400000000000"})
        {
            auto text = ReplaceFirst(HPCC_TOPOLOGY, "5 2 5", counts);
            text = ReplaceFirst(text, "100Gbps", "100000000000.0");
            NS_TEST_EXPECT_MSG_EQ(DescribeGraph(Read(text, "hpcc.txt", 2)),
                                  DescribeGraph(Read(HPCC_TOPOLOGY, "hpcc.txt", 2)),
                                  counts);
        }
        // HPCC reads as many links as the first line says, whatever stands behind them.
        const auto link = "0 1 1Gbps 1us 0\n";
        const auto noted = Read(std::string("2 0 1\n") + link + "\n" + link + "nodes: 2\n", "a");
        NS_TEST_EXPECT_MSG_EQ(noted.GetNLinks(), 1, "one link");
        NS_TEST_ASSERT_MSG_EQ(noted.GetNotes().size(), 1, "a note of the rest");
        const auto& note = noted.GetNotes().front();
        NS_TEST_EXPECT_MSG_EQ(note.substr(note.find(" says")),
                              " says 1 links; 2 lines behind them were left",
                              "blank lines do not count");
        NS_TEST_EXPECT_MSG_EQ(Read("2 0 1\n0 1 1Gbps 1us 0\n", "a").HostsRelay(),
                              true,
                              "no line of switches where there are none");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Fat trees of htsim, against counts by hand.
 */
class TopologyHtsimTestCase : public TopologyFileTestCase
{
  public:
    TopologyHtsimTestCase()
        : TopologyFileTestCase("fat trees of htsim")
    {
    }

  private:
    void DoRun() override
    {
        // Two pods of two switches of two hosts; cables to the highest tier come in pairs.
        const std::string small = "Nodes 8\nTiers 3\nPodsize 4\n# a comment\nTier 0\n"
                                  "Downlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n"
                                  "Downlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\n"
                                  "Radix_Down 2\nRadix_Up 4\nDownlink_Latency_ns 1000\nBundle 1\n"
                                  "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
                                  "Downlink_Latency_ns 1000\nBundle 2\nSwitch_Latency_ns 300\n";
        const auto graph = Read(small, "small.topo", 8);
        NS_TEST_EXPECT_MSG_EQ(graph.GetHosts().size(), 8, "hosts");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 8 + 4 + 4 + 4, "four switches a tier");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 8 + 8 + 16, "cables");
        std::map<std::pair<std::string, std::string>, uint32_t> cables;
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            const auto& properties = graph.GetLink(link);
            ++cables[{graph.GetNode(properties.a).name, graph.GetNode(properties.b).name}];
        }
        const std::vector<std::pair<std::string, std::string>> pairs{{"agg0", "core0"},
                                                                     {"agg0", "core2"},
                                                                     {"agg1", "core1"},
                                                                     {"agg2", "core0"},
                                                                     {"agg3", "core3"}};
        for (const auto& pair : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(cables[pair], 2, pair.first << " - " << pair.second);
        }
        NS_TEST_EXPECT_MSG_EQ((cables[{"tor1", "agg1"}]), 1, "within a pod");
        NS_TEST_EXPECT_MSG_EQ((cables[{"tor1", "agg2"}]), 0, "not between pods");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNotes().size(), 1, "the switch latency");
        const auto two = Read("Nodes 8\nTiers 2\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
                              "Radix_Up 2\nDownlink_Latency_ns 1\nTier 1\nRadix_Down 2\n"
                              "Downlink_speed_Gbps 100\nDownlink_Latency_ns 1\n",
                              "two.topo",
                              8);
        NS_TEST_EXPECT_MSG_EQ(two.GetNNodes(), 8 + 2 + 2, "two tiers");
        const auto fault = [&](const std::string& part, const std::string& other) {
            const auto message =
                WorkloadErrorOf([&] { Read(ReplaceFirst(small, part, other), "wrong.topo", 8); });
            return message.substr(message.find("wrong.topo") + 10);
        };
        NS_TEST_EXPECT_MSG_EQ(fault("Radix_Up 2\n", ""),
                              ": error: expected the key Radix_Up of tier 0, found none",
                              "a key that is needed");
        NS_TEST_EXPECT_MSG_EQ(fault("Radix_Up 2", "Radx_Up 2"),
                              ":8:1: error: expected a key of a tier: Downlink_speed_Gbps, "
                              "Downlink_Latency_ns, Radix_Down, Radix_Up, Bundle, "
                              "Switch_Latency_ns, Oversubscribed, Tier, found 'Radx_Up'; did you "
                              "mean Radix_Up?",
                              "a key that is none");
        NS_TEST_EXPECT_MSG_EQ(
            fault("Bundle 2", "Bundle 1"),
            ": error: expected radices that give tier 2 8 switches, as its bundles "
            "do, found 4",
            "radices that contradict the bundles");
        NS_TEST_EXPECT_MSG_EQ(fault("Nodes 8", "Nodes 9"),
                              ": error: expected Nodes to be a multiple of Podsize, found 9 and 4",
                              "pods that do not fill");
        NS_TEST_EXPECT_MSG_EQ(fault("Tier 1", "Tier 2"),
                              ":10:6: error: expected tiers from 0 on, at most 3, each once, found "
                              "'2'",
                              "a tier left out");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Faults of text files, each with its place.
 */
class TopologyTextErrorTestCase : public TopologyFileTestCase
{
  public:
    TopologyTextErrorTestCase()
        : TopologyFileTestCase("faults of text files are told with line and column")
    {
    }

  private:
    void DoRun() override
    {
        const std::string last = "1 3 100Gbps 1us 0\n\n";
        const std::string rate = "a rate with its unit (such as Mbps, Gbps), from 1bps to "
                                 "1000000Gbps, found ";
        const std::string delay = "a duration with its unit (ps, ns, us, ms, s), from 0ns to "
                                  "1000000s, such as 10us, found ";

        struct Row
        {
            std::string what;    //!< part of the text to replace
            std::string by;      //!< what to put there
            std::string message; //!< place, and what is told there
        };

        const std::vector<Row> rows{
            {"5 2 5",
             "5 2 5 1 0",
             ":1:1: 6 fields (SimAI: nodes, GPUs per server, NVSwitches, switches, links, GPU "
             "type; Reverie: nodes, switches, top-of-rack switches, links, two rates), 4 "
             "(PowerTCP: "
             "without rates) or 3 (HPCC: nodes, switches, links), found 5"},
            {"5 2 5", "5 2 1 6", ":8:1: 6 links, as the first line says, found 5"},
            {"5 2 5",
             "2 2 5",
             ":1:1: more nodes than the 2 switches, the rest being hosts, "
             "found 2"},
            {"5 2 5",
             "5 x 5",
             ":1:3: the number of switches as a whole number of 0 or more, "
             "found 'x'"},
            {"5 2 5", "0 0 0", ":1:1: the number of nodes from 1 to 10000000, found '0'"},
            {"5 2 5", "5 2 6", ":8:1: 6 links, as the first line says, found 5"},
            {"1 3\n", "1\n", ":2:1: the ids of 2 switches (0 NVSwitches, then 2 others), found 1"},
            {"1 3\n",
             "1 3 4\n",
             ":2:5: the ids of 2 switches (0 NVSwitches, then 2 others), "
             "found 3"},
            {"1 3\n", "1 1\n", ":2:3: the id of every switch once, found '1' a second time"},
            {"1 3\n", "1 5\n", ":2:3: the id of a node, 0 to 4, found '5'"},
            {"0 1 25", "0 7 25", ":3:3: the id of a node, 0 to 4, found '7'"},
            {"0 1 25",
             "-1 1 25",
             ":3:1: the id of a node as a whole number of 0 or more, "
             "found '-1'"},
            {"0 1 25", "0 0 25", ":3:3: a link between two nodes, found one from node 0 to itself"},
            {last,
             "1 3 100Gbps 1us\n",
             ":7:1: 5 fields of a link: id, id, rate, delay, loss rate, "
             "found 4"},
            {last,
             "1 3 100Gbps 1us 0 7\n",
             ":7:19: 5 fields of a link: id, id, rate, delay, loss "
             "rate, found 6"},
            {"25Gbps", "25Gbs", ":3:5: " + rate + "'25Gbs'; did you mean 25Gbps?"},
            {"25Gbps", "25", ":3:5: " + rate + "'25'"},
            {"25Gbps", "0Gbps", ":3:5: " + rate + "'0Gbps'"},
            {"25Gbps", "-1Gbps", ":3:5: " + rate + "'-1Gbps'"},
            {"25Gbps", "1.2.3Gbps", ":3:5: " + rate + "'1.2.3Gbps'"},
            {"25Gbps", "1e9Gbps", ":3:5: " + rate + "'1e9Gbps'"},
            {"1us", "1", ":3:12: " + delay + "'1'"},
            {"1us", "1sec", ":3:12: " + delay + "'1sec'"},
            {"1us", "1000001s", ":3:12: " + delay + "'1000001s'"},
            {"0.5", "1.5", ":5:16: a loss rate from 0 to 1, found '1.5'"},
            {"0.5",
             "-0.5",
             ":5:16: a loss rate as a number of 0 or more, such as 0.25 or 1e-3, "
             "found '-0.5'"},
            {"4 3 25",
             "2 3 25",
             ": a path between all hosts, found none for 2 pairs, such as "
             "host0 and host2"},
        };
        for (const auto& row : rows)
        {
            // The list of unreachable pairs may go on; its start is what counts here.
            const auto expected = ReplaceFirst(row.message, ": ", ": error: expected ");
            const auto message = ErrorOf(ReplaceFirst(HPCC_TOPOLOGY, row.what, row.by), "bad.topo");
            NS_TEST_EXPECT_MSG_EQ(message.substr(0, expected.size()), expected, row.by);
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("5 2 4\n", "bad.topo"),
                              ":2:1: error: expected the ids of 2 switches, found the end of the "
                              "file",
                              "a first line alone");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf(ReplaceFirst(SIMAI_TOPOLOGY, "2 5 2400", "2 4 2400"), "bad.topo"),
            ":6:1: error: expected NVSwitch 4 to have GPUs of server 0 only (2 "
            "GPUs per server), found GPU 2 of server 1",
            "an NVSwitch between servers");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(SIMAI_TOPOLOGY, "bad.topo", 5),
                              ": error: expected a topology of at least 5 hosts, one for each "
                              "rank, found 4",
                              "more ranks than hosts");
        CheckPairs();
        CheckRelays();
    }

    /// Hosts of two networks that would join them.
    void CheckRelays()
    {
        const std::string link = " 100Gbps 1us 0\n";
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf("5 2 4\n3 4\n0 3" + link + "1 3" + link + "1 4" + link + "2 4" + link,
                    "bad.topo"),
            ": error: expected a path between all hosts (if hosts forward "
            "packets of others, say \"hostsRelay\": true in a topology in "
            "JSON), found none for 1 pair: host0 and host2",
            "host1 could forward");
    }

    /// Of a million pairs of groups, the most that are counted, none reach each other; these groups
    /// are two hosts each with a link between them.
    void CheckPairs()
    {
        std::ostringstream pairs;
        pairs << "4000 0 2000\n";
        for (uint32_t host = 0; host < 4000; host += 2)
        {
            pairs << host << " " << host + 1 << " 100Gbps 1us 0\n";
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(pairs.str(), "bad.topo"),
                              ": error: expected a path between all hosts, found none for at least "
                              "4000000 pairs, such as host0 and host2",
                              "pairs of hosts");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("4 1 1\n3\n0 3 100Gbps 1us 0\n", "bad.topo"),
                              ":1:5: error: expected at least 2 links, to join 3 hosts, found '1'",
                              "a host without a link");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf("3500000 1 2\n", "bad.topo"),
            ":1:11: error: expected at least 1750000 links, to join 3499999 hosts, "
            "found '2'",
            "millions of hosts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What is a file, and what is told if it cannot be read.
 */
class TopologyFileNameTestCase : public TopologyFileTestCase
{
  public:
    TopologyFileNameTestCase()
        : TopologyFileTestCase("names of files are told from those of topologies")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, bool>> rows{
            {"a.topo", true},
            {"a.txt", true},
            {"a.json", true},
            {"a.yml", true},
            {"a.yaml", true},
            {"./a", true},
            {"/no/such/file", true},
            {"a:b.json", true},
            {"auto", false},
            {"clos", false},
            {"clos:uplinkRate=50GB/s", false},
            {"clos:a=1,b=2", false},
            {"no-such-file", false},
            {".topo", false},
            {"", false},
        };
        for (const auto& [text, isFile] : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(TopologyFile::IsFileName(text), isFile, text);
        }
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] { TopologyFile::Read("/no/such.topo", 1); }),
                              "/no/such.topo: error: expected a text file, found no file of that "
                              "name",
                              "a missing file");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("\n \n", "empty.json"),
                              ": error: expected at least one line of text, found blank lines only",
                              "an empty file");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The files of the reference runs, generated by SimAI's own script.
 *
 * n GPUs in servers of 8 have a NIC of 100 Gb/s each, one at each of 8 rails; a switch of 400 Gb/s
 * ports joins the rails. Half of the hosts of a rail reach the others over its switch alone.
 */
class TopologyReferenceTestCase : public MeasurementTestCase
{
  public:
    TopologyReferenceTestCase()
        : MeasurementTestCase("SimAI's files of rail-optimised fabrics", "reference")
    {
    }

  private:
    void Check() override
    {
        for (const uint32_t n : {8, 16, 32, 64})
        {
            const auto name = "rail-" + std::to_string(n) + "gpu-nic100G-nvlink2400G.topo";
            const auto graph = TopologyFile::Read(Find(name), n);
            NS_TEST_EXPECT_MSG_EQ(graph.GetName(), name, "its name");
            const TopologySummary summary(graph);
            NS_TEST_EXPECT_MSG_EQ(summary.hosts, n, "GPUs");
            NS_TEST_EXPECT_MSG_EQ(summary.servers, n / 8, "servers");
            NS_TEST_EXPECT_MSG_EQ(summary.nvswitches, n / 8, "an NVSwitch for each");
            NS_TEST_EXPECT_MSG_EQ(summary.switches, 9, "rails and the one above");
            NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(), 2 * n + 8, "NVLink, NICs, uplinks");
            NS_TEST_EXPECT_MSG_EQ(summary.switchPorts, n + 16, "NICs, both ends of uplinks");
            NS_TEST_EXPECT_MSG_EQ(summary.diameter, (n == 8 ? 2 : 4), "rail, top, rail");
            const uint64_t each = n == 8 ? 2500 : 100;
            NS_TEST_EXPECT_MSG_EQ(summary.bisection.rate, n / 2 * each * 1000000000, "by rails");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Topologies in files, what they are told to be, and their pictures.
 */
class WorkloadReplayTopologyFileTestSuite : public TestSuite
{
  public:
    WorkloadReplayTopologyFileTestSuite()
        : TestSuite("workload-replay-topology-file", TestSuite::Type::UNIT)
    {
        AddTestCase(new TopologyTextTestCase);
        AddTestCase(new TopologyHtsimTestCase);
        AddTestCase(new TopologyTextErrorTestCase);
        for (auto* testCase : MakeTopologyJsonTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeForeignTopologyTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new TopologyFileNameTestCase);
        AddTestCase(new TopologyReferenceTestCase);
        for (auto* testCase : MakeTopologySummaryTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeTopologyFilesTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite registers itself.
static WorkloadReplayTopologyFileTestSuite g_workloadReplayTopologyFileTestSuite;
