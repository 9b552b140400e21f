/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-file-test-case.h"
#include "topology-test-cases.h"
#include "topology-test-graphs.h"

#include "ns3/topology-json-file.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

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

} // namespace

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
        NS_TEST_EXPECT_MSG_EQ(DescribeGraph(Read(JSON, "a.json", 2)),
                              expected,
                              "as written by hand");
        NS_TEST_EXPECT_MSG_EQ(DescribeGraph(Read("\n\n" + JSON, "b", 1)),
                              expected,
                              "by its content");
        CheckRoundTrip(Read(JSON, "c.json"));
        CheckRoundTrip(Read(SIMAI_TOPOLOGY, "simai.topo"));
        CheckRoundTrip(Read(HPCC_TOPOLOGY, "hpcc.topo"));
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
        NS_TEST_EXPECT_MSG_EQ(DescribeGraph(copy), DescribeGraph(graph), "the same graph");
        NS_TEST_EXPECT_MSG_EQ(copy.HostsRelay(), graph.HostsRelay(), "whether hosts relay");
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
             "/lnks: one of the keys name, hostsRelay, dims, slots, nodes, links, found 'lnks'; "
             "did you mean links?"},
            {"\"rate\"",
             "\"rte\"",
             "/links/0/rte: one of the keys a, b, rate, delay, nvlink, "
             "lossRate, slot, count, found 'rte'; did you mean rate?"},
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
             "delay, nvlink, lossRate, slot, count, found array"},
            {"[\n{\"name\"", "[\n{\"name\" 3", "2:9: JSON, found '3', which does not fit"},
            {"[\n{\"name\"", "[\n1e999", "2:1: a number up to 1.8e308, found '1e999'"},
            {"]}", "]", "10:83: JSON, found the end of the file"},
        };
        for (const auto& row : rows)
        {
            const auto colon = row.message.find(": ");
            const auto expected = ":" + row.message.substr(0, colon) + ": error: expected " +
                                  row.message.substr(colon + 2);
            NS_TEST_EXPECT_MSG_EQ(ErrorOf(ReplaceFirst(JSON, row.what, row.by), "bad.json"),
                                  expected,
                                  row.by);
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf("{\"nodes\": [], \"links\": []}", "bad"),
                              ":/nodes: error: expected at least one node of the kind host, found "
                              "none",
                              "no host");
    }
};

std::vector<TestCase*>
MakeTopologyJsonTestCases()
{
    return {new TopologyJsonTestCase};
}

} // namespace ns3
