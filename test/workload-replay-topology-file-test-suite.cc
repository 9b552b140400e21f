/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"
#include "topology-summary-test-cases.h"
#include "topology-test-graphs.h"
#include "workload-test-tools.h"

#include "ns3/test.h"
#include "ns3/topology-file.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-json-file.h"
#include "ns3/topology-summary.h"

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Two servers of two GPUs, two rails and a spine; blank lines, CRLF and stray blanks are legal.
const std::string SIMAI = "9 2 2 3 10 A100\r\n"
                          "4 5 6 7 8 \r\n"
                          "\r\n"
                          "0 4 2400Gbps 0.000025ms 0\r\n"
                          "1 4 2400Gbps 0.000025ms 0\r\n"
                          "2 5 2400Gbps 0.000025ms 0\r\n"
                          "  3\t5  2400Gbps 0.000025ms 0\r\n"
                          "0 6 100Gbps 0.0005ms 0\r\n"
                          "1 7 100Gbps 0.0005ms 0\r\n"
                          "2 6 100Gbps 0.0005ms 0\r\n"
                          "7 3 100Gbps 0.0005ms 0\r\n"
                          "6 8 400Gbps 0.0005ms 0\r\n"
                          "7 8 400Gbps 1us 1e-3";

/// Two switches among three hosts, joined by two parallel links.
const std::string HPCC = "5 2 5\n"
                         "1 3\n"
                         "0 1 25Gbps 1us 0\n"
                         "2 1 25Gbps 1us 0\n"
                         "4 3 25Gbps 1us 0.5\n"
                         "1 3 100Gbps 1us 0\n"
                         "1 3 100Gbps 1us 0\n\n";

/// The example of ReadTopologyJson().
const std::string JSON =
    "{\"name\": \"two hosts\", \"nodes\": [\n"
    "{\"name\": \"host0\", \"kind\": \"host\", \"server\": 0},\n"
    "{\"name\": \"host1\", \"kind\": \"host\", \"server\": 0},\n"
    "{\"name\": \"nv\", \"kind\": \"nvswitch\", \"server\": 0},\n"
    "{\"name\": \"leaf\", \"kind\": \"switch\"}],\n"
    "\"links\": [\n"
    "{\"a\": \"host0\", \"b\": \"nv\", \"rate\": \"3600Gbps\", \"delay\": \"250ns\"},\n"
    "{\"a\": \"host1\", \"b\": \"nv\", \"rate\": \"3600Gbps\", \"delay\": \"250ns\", "
    "\"nvlink\": false},\n"
    "{\"a\": \"host0\", \"b\": \"leaf\", \"rate\": \"400Gbps\", \"delay\": \"500ns\", "
    "\"count\": 2.0},\n"
    "{\"a\": \"leaf\", \"b\": \"host1\", \"rate\": \"50GB/s\", \"delay\": \"0.5us\", "
    "\"lossRate\": 1e-6}]}\n";

/**
 * @param text a text
 * @param what a part of it
 * @param by what to put there
 * @return the text with the first such part replaced
 */
std::string
Replace(std::string text, const std::string& what, const std::string& by)
{
    return text.replace(text.find(what), what.size(), by);
}

/**
 * @param graph a graph
 * @return all that is in it, a line for each node and link
 */
std::string
Describe(const TopologyGraph& graph)
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

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that read files.
 */
class TopologyFileTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * @param content what a file holds
     * @param name its name
     * @param world number of ranks
     * @return the topology in it
     */
    TopologyGraph Read(const std::string& content, const std::string& name, uint32_t world = 0)
    {
        const auto file = CreateTempDirFilename(name);
        WriteWorkloadFile(file, content);
        return TopologyFile::Read(file, world);
    }

    /**
     * @param content what a file holds
     * @param name its name
     * @param world number of ranks
     * @return the message of the error that it is, without the name of the file
     */
    std::string ErrorOf(const std::string& content, const std::string& name, uint32_t world = 0)
    {
        const auto message = WorkloadErrorOf([&] { Read(content, name, world); });
        const auto file = CreateTempDirFilename(name);
        return message.compare(0, file.size(), file) == 0 ? message.substr(file.size()) : message;
    }
};

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
        NS_TEST_EXPECT_MSG_EQ(Describe(Read(SIMAI, "simai.topo", 4)),
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
        NS_TEST_EXPECT_MSG_EQ(Describe(Read(HPCC, "hpcc.txt", 2)),
                              "hpcc.txt\n"
                              "0 host0 4294967295 0\n1 switch0 4294967295 4294967295\n"
                              "0 host1 4294967295 1\n1 switch1 4294967295 4294967295\n"
                              "0 host2 4294967295 2\n"
                              "0-1 25000000000 1000 0 0\n2-1 25000000000 1000 0 0\n"
                              "4-3 25000000000 1000 0 0.5\n1-3 100000000000 1000 0 0\n"
                              "1-3 100000000000 1000 0 0\n",
                              "HPCC's form, with one host to spare");
        NS_TEST_EXPECT_MSG_EQ(Read("2 0 1\n0 1 1Gbps 1us 0\n", "a").HostsRelay(),
                              true,
                              "no line of switches where there are none");
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
            std::string what;    //!< part of HPCC to replace
            std::string by;      //!< what to put there
            std::string message; //!< place, and what is told there
        };

        const std::vector<Row> rows{
            {"5 2 5",
             "5 2 5 1",
             ":1:1: 6 fields (SimAI: nodes, GPUs per server, NVSwitches, "
             "switches, links, GPU type) or 3 (HPCC: nodes, switches, links), "
             "found 4"},
            {"5 2 5",
             "2 2 5",
             ":1:1: more nodes than the 2 switches, the rest being hosts, "
             "found 2"},
            {"5 2 5",
             "5 x 5",
             ":1:3: the number of switches as a whole number of 0 or more, "
             "found 'x'"},
            {"5 2 5", "0 0 0", ":1:1: the number of nodes from 1 to 10000000, found '0'"},
            {"5 2 5", "5 2 4", ":7:1: 4 links, as the first line says, found at least 5"},
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
            const auto expected = Replace(row.message, ": ", ": error: expected ");
            const auto message = ErrorOf(Replace(HPCC, row.what, row.by), "bad.topo");
            NS_TEST_EXPECT_MSG_EQ(message.substr(0, expected.size()), expected, row.by);
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("5 2 4\n", "bad.topo"),
                              ":2:1: error: expected the ids of 2 switches, found the end of the "
                              "file",
                              "a first line alone");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(Replace(SIMAI, "2 5 2400", "2 4 2400"), "bad.topo"),
                              ":6:1: error: expected NVSwitch 4 to have GPUs of server 0 only (2 "
                              "GPUs per server), found GPU 2 of server 1",
                              "an NVSwitch between servers");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(SIMAI, "bad.topo", 5),
                              ": error: expected a topology of at least 5 hosts, one for each "
                              "rank, found 4",
                              "more ranks than hosts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The JSON form, read, written and with faults.
 */
class TopologyJsonTestCase : public TopologyFileTestCase
{
  public:
    TopologyJsonTestCase()
        : TopologyFileTestCase("JSON files are read, written, and their faults pointed at")
    {
    }

  private:
    void DoRun() override
    {
        const std::string expected = "two hosts\n"
                                     "0 host0 0 0\n0 host1 0 1\n2 nv 0 4294967295\n"
                                     "1 leaf 4294967295 4294967295\n"
                                     "0-2 3600000000000 250 1 0\n1-2 3600000000000 250 0 0\n"
                                     "0-3 400000000000 500 0 0\n0-3 400000000000 500 0 0\n"
                                     "3-1 400000000000 500 0 1e-06\n";
        NS_TEST_EXPECT_MSG_EQ(Describe(Read(JSON, "a.json", 2)), expected, "as written by hand");
        NS_TEST_EXPECT_MSG_EQ(Describe(Read("\n\n" + JSON, "b", 1)), expected, "by its content");
        CheckRoundTrip(Read(JSON, "c.json"));
        CheckRoundTrip(Read(SIMAI, "simai.topo"));
        CheckRoundTrip(Read(HPCC, "hpcc.topo"));
        CheckRoundTrip(
            BuildTestTopology("clos:spines=4,uplinkRate=1.6Gb/s,oversubscription=1000", 64));
        CheckRoundTrip(MakeTorus(4, 3));
        CheckFaults();
    }

    /**
     * @param graph a graph that is to be the same after it was written and read
     */
    void CheckRoundTrip(TopologyGraph graph)
    {
        graph.SetName("a \"name\"\n");
        std::ostringstream os;
        WriteTopologyJson(os, graph);
        const auto copy = Read(os.str(), "copy.json");
        NS_TEST_EXPECT_MSG_EQ(Describe(copy), Describe(graph), "the same graph");
    }

    /// Check what is told about faults.
    void CheckFaults()
    {
        struct Row
        {
            std::string what;    //!< part of JSON to replace
            std::string by;      //!< what to put there
            std::string message; //!< place, and what is told there
        };

        const std::vector<Row> rows{
            {"\"links\"",
             "\"lnks\"",
             "/lnks: one of the keys name, nodes, links, found 'lnks'; "
             "did you mean links?"},
            {"\"rate\"",
             "\"rte\"",
             "/links/0/rte: one of the keys a, b, rate, delay, nvlink, "
             "lossRate, count, found 'rte'; did you mean rate?"},
            {"\"rate\": \"3600Gbps\", ", "", "/links/0: the key rate, found none"},
            {"\"rate\": \"3600Gbps\"",
             "\"rate\": 3600",
             "/links/0/rate: a string, found number "
             "'3600'"},
            {"\"rate\": \"3600Gbps\"",
             "\"rate\": \"3600Gpbs\"",
             "/links/0/rate: a rate with its unit (such as Mbps, Gbps), from 1bps to 1000000Gbps, "
             "found '3600Gpbs'; did you mean 3600Gbps?"},
            {"\"b\": \"leaf\"",
             "\"b\": \"laef\"",
             "/links/2/b: the name of a node, found 'laef'; "
             "did you mean leaf?"},
            {"\"b\": \"nv\"",
             "\"b\": \"host0\"",
             "/links/0/b: a link between two nodes, found one "
             "from 'host0' to itself"},
            {"\"kind\": \"switch\"",
             "\"kind\": \"swich\"",
             "/nodes/3/kind: host, switch or "
             "nvswitch, found 'swich'; did you mean "
             "switch?"},
            {"\"kind\": \"switch\"",
             "\"kind\": \"switch\", \"server\": 0",
             "/nodes/3/server: no server of a switch (an nvswitch has one), found one"},
            {"\"name\": \"host1\"",
             "\"name\": \"host0\"",
             "/nodes/1/name: a name that no other "
             "node has, found 'host0'"},
            {"\"server\": 0",
             "\"server\": -1",
             "/nodes/0/server: a whole number from 0 to "
             "4294967294, found -1"},
            {"\"count\": 2.0",
             "\"count\": 0",
             "/links/2/count: a whole number from 1 to 65536, "
             "found 0"},
            {"\"lossRate\": 1e-6",
             "\"lossRate\": 2",
             "/links/3/lossRate: a loss rate from 0 to 1, "
             "found '2'"},
            {"\"nvlink\": false", "\"nvlink\": 0", "/links/1/nvlink: a boolean, found number '0'"},
            {"\"delay\": \"250ns\"",
             "\"a\": 1",
             "/links/0/a: every key once, found it a second "
             "time"},
            {"\"links\": [",
             "\"links\": [[],",
             "/links/0: an object with the keys a, b, rate, "
             "delay, nvlink, lossRate, count, found array"},
            {"[\n{\"name\"", "[\n{\"name\" 3", "2:9: JSON, found '3', which does not fit"},
            {"]}", "]", "10:83: JSON, found the end of the file"},
        };
        for (const auto& row : rows)
        {
            const auto colon = row.message.find(": ");
            const auto expected = ":" + row.message.substr(0, colon) + ": error: expected " +
                                  row.message.substr(colon + 2);
            NS_TEST_EXPECT_MSG_EQ(ErrorOf(Replace(JSON, row.what, row.by), "bad.json"),
                                  expected,
                                  row.by);
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("{\"nodes\": [], \"links\": []}", "bad"),
                              ":/nodes: error: expected at least one node of the kind host, found "
                              "none",
                              "no host");
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
        AddTestCase(new TopologyTextErrorTestCase);
        AddTestCase(new TopologyJsonTestCase);
        AddTestCase(new TopologyFileNameTestCase);
        AddTestCase(new TopologyReferenceTestCase);
        for (const auto testCase : MakeTopologySummaryTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite registers itself.
static WorkloadReplayTopologyFileTestSuite g_workloadReplayTopologyFileTestSuite;
