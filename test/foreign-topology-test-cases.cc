/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"
#include "topology-file-test-case.h"
#include "topology-test-cases.h"

#include "ns3/input-yaml.h"
#include "ns3/topology-json-file.h"
#include "ns3/topology-summary.h"
#include "ns3/torus-shape.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param graph a graph
 * @return number of links by kinds of their ends, rate in Gb/s and delay in ns, to which
 *         times are rounded here, such as "0-2 3200 936 nvlink"
 */
std::map<std::string, uint32_t>
CountLinks(const TopologyGraph& graph)
{
    std::map<std::string, uint32_t> counts;
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        const auto& link = graph.GetLink(i);
        const auto [low, high] =
            std::minmax({graph.GetNode(link.a).kind, graph.GetNode(link.b).kind});
        std::ostringstream text;
        text << low << "-" << high << " " << link.rate.GetBitRate() / 1e9 << " "
             << link.delay.GetNanoSeconds() << (link.nvlink ? " nvlink" : "");
        ++counts[text.str()];
    }
    return counts;
}

/**
 * @ingroup workload-replay-tests
 * @brief The part of YAML that is read, and what is refused.
 */
class YamlTestCase : public TestCase
{
  public:
    YamlTestCase()
        : TestCase("YAML")
    {
    }

  private:
    /**
     * @param content what a file holds
     * @return it in JSON, or the message of the error that it is
     */
    std::string Read(const std::string& content)
    {
        const auto file = CreateTempDirFilename("a.yml");
        WriteWorkloadFile(file, content);
        std::string json;
        const auto error =
            WorkloadErrorOf([&] { json = ParseYaml(WorkloadText(file)).value.dump(); });
        return error == "no error" ? json : error.substr(file.size());
    }

    void DoRun() override
    {
        CheckValues();
        CheckErrors();
        const auto file = CreateTempDirFilename("a.yml");
        WriteWorkloadFile(file, "a:\n- b: [1, x]\n  c: {d: 'e'}\n");
        auto places = ParseYaml(WorkloadText(file)).places;
        NS_TEST_EXPECT_MSG_EQ(places["/a/0/b/1"].ToString(), file + ":2:10", "in a list");
        NS_TEST_EXPECT_MSG_EQ(places["/a/0/c/d"].ToString(), file + ":3:10", "in a map");
        NS_TEST_EXPECT_MSG_EQ(places["/a/0"].ToString(), file + ":2:3", "an entry");
    }

    /// What is read.
    void CheckValues()
    {
        const std::vector<std::pair<std::string, std::string>> files{
            {"a: 1\nb: -2\nc: 1.5e3\nd: 0x1f\ne: true\nf: ~\ng:\nh: no\n",
             R"({"a":1,"b":-2,"c":1500.0,"d":"0x1f","e":true,"f":null,"g":null,"h":"no"})"},
            {"--- \na: [ Ring, \"x, y\", [1, 2], {k: v} ] # why\n",
             R"({"a":["Ring","x, y",[1,2],{"k":"v"}]})"},
            {"---\n# first\n- - 1\n  - b#c\n-\n  x: 'it''s'\n- \"q\\\"\\n\"\n",
             R"([[1,"b#c"],{"x":"it's"},"q\"\n"])"},
            {"a:\n- x: 1\n  y:\n    z: 2\n- x: http://e\nb: c d\n",
             R"({"a":[{"x":1,"y":{"z":2}},{"x":"http://e"}],"b":"c d"})"},
            {"a: |-\n  one\n   two # no comment\n\nb: >\n  x\n  y\n'c d': 3\n",
             R"({"a":"one\n two # no comment","b":"x y","c d":3})"},
            {"text", R"("text")"}};
        for (const auto& [content, json] : files)
        {
            NS_TEST_EXPECT_MSG_EQ(Read(content), json, content);
        }
    }

    /// What is refused.
    void CheckErrors()
    {
        const std::string value = "a value (anchors, aliases, tags and directives are not read)";
        const std::vector<std::pair<std::string, std::string>> files{
            {"a: &b 1\n", ":1:4: error: expected " + value + ", found '&b 1'"},
            {"a: !!int 1\n", ":1:4: error: expected " + value + ", found '!!int 1'"},
            {"%YAML 1.2\n", ":1:1: error: expected " + value + ", found '%YAML 1.2'"},
            {"a: 1\na: 2\n", ":2:1: error: expected every key once, found 'a' a second time"},
            {"a: {b: 1, b: 2}\n", ":1:11: error: expected every key once, found 'b' a second time"},
            {"a: 1\n<<: x\n", ":2:1: error: expected a key (maps are not merged), found '<<'"},
            {"a: 1\n  b: 2\n",
             ":2:3: error: expected an indentation as that of the lines above, found 'b: 2'"},
            {"a: 1\n---\nb: 2\n",
             ":2:1: error: expected a key, a colon and its value, found '---'"},
            {"a:\n\tb: 1\n", ":2:1: error: expected spaces that indent, found a tab"},
            {"a: b: c\n", ":1:5: error: expected one key a line, found a second colon"},
            {"a: [1,\n 2]\n",
             ":1:7: error: expected ] in the same line, found the end of the line"},
            {"a: [1 2} ]\n", ":1:8: error: expected a comma or ], found '} ]'"},
            {"a: 'b\n", ":1:4: error: expected quotes that end in their line, found none"},
            {"a: \"\\q\"\n", ":1:5: error: expected one of \\\" \\\\ \\/ \\n \\t, found '\\q'"},
            {"a: |2\n  b\n",
             ":1:4: error: expected a block of text as |, |-, |+, >, >- or >+, found '|2'"},
            {"a: \"b\" c\n", ":1:8: error: expected the end of the line, found 'c'"},
            {"a: \xff\n", ":1:4: error: expected text in UTF-8, found '\\xff'"},
            {std::string(101, '[') + "\n",
             ":1:100: error: expected at most 100 levels, found more"},
        };
        for (const auto& [content, message] : files)
        {
            NS_TEST_EXPECT_MSG_EQ(Read(content), message, content);
        }
    }
};

/// Two servers of four NPUs behind a switch, and a ring of two.
const std::string ASTRA_NETWORK = "# 8 NPUs\ntopology: [ Switch, Ring ]\nnpus_count: [ 4, 2 ]\n"
                                  "bandwidth: [ 400.0, 12.8 ]  # GB/s\nlatency: [ 936.25, 1000 ]\n";

/**
 * @ingroup workload-replay-tests
 * @brief Networks of ASTRA-sim, against counts by hand.
 */
class TopologyAstraTestCase : public TopologyFileTestCase
{
  public:
    TopologyAstraTestCase()
        : TopologyFileTestCase("networks of ASTRA-sim")
    {
    }

  private:
    using Counts = std::map<std::string, uint32_t>;

    void DoRun() override
    {
        const auto graph = Read(ASTRA_NETWORK, "astra.yml", 8);
        NS_TEST_EXPECT_MSG_EQ(graph.GetName(), "Switch 4 x Ring 2", "its dimensions");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 10, "NPUs and a switch for four");
        const Counts two{{"0-2 3200 936 nvlink", 8}, {"0-0 102.4 1000", 4}};
        NS_TEST_EXPECT_MSG_EQ((CountLinks(graph) == two), true, "links of both dimensions");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNode(graph.GetHosts()[5]).server, 1, "a server for a row");
        NS_TEST_EXPECT_MSG_EQ(graph.HostsRelay(), true, "from a dimension to the other");
        // NPU 1 stands at 1 of the first row, so its neighbour in the ring is NPU 5.
        const auto ring = graph.GetFirstLink(graph.GetHosts()[1], false);
        NS_TEST_EXPECT_MSG_EQ(graph.GetPeer(ring, graph.GetHosts()[1]),
                              graph.GetHosts()[5],
                              "the first dimension counts fastest");

        const auto three = Read("topology: [Ring, FullyConnected, Switch]\nnpus_count: [2, 8, 4]\n"
                                "bandwidth: [200, 100, 50]\nlatency: [50, 500, 2000]\n",
                                "three.yml");
        // 32 pairs; 8 rows of 28 pairs; 16 rows of 4 with a switch each.
        const Counts links{{"0-0 1600 50", 32}, {"0-0 800 500", 224}, {"0-1 400 2000", 64}};
        NS_TEST_EXPECT_MSG_EQ((CountLinks(three) == links), true, "three dimensions");
        NS_TEST_EXPECT_MSG_EQ(three.GetNNodes(), 64 + 16, "and their nodes");
        const auto torus = Read("topology: [Ring, Ring]\nnpus_count: [4, 3]\nbandwidth: [1, 1]\n"
                                "latency: [0, 0]\n",
                                "torus.yml");
        NS_TEST_EXPECT_MSG_EQ(torus.GetNLinks(), 12 + 12, "each ring closes");
        NS_TEST_EXPECT_MSG_EQ((FindTorusShape(torus).sizes == std::vector<uint32_t>{4, 3}),
                              true,
                              "collectives by dimension find them");
        CheckErrors();
    }

    /// What is refused.
    void CheckErrors()
    {
        const auto fault = [this](const std::string& part, const std::string& other) {
            return ErrorOf(ReplaceFirst(ASTRA_NETWORK, part, other), "wrong.yml");
        };
        NS_TEST_EXPECT_MSG_EQ(fault("Switch", "Swich"),
                              ":2:13: error: expected one of Ring, Switch, FullyConnected, found "
                              "'Swich'; did you mean Switch?",
                              "a word");
        NS_TEST_EXPECT_MSG_EQ(fault("4, 2", "4, 1"),
                              ":3:18: error: expected a whole number from 2 to 1000000, found '1'",
                              "a row of one");
        NS_TEST_EXPECT_MSG_EQ(fault("4, 2", "4"),
                              ":3:13: error: expected a value for each of the dimensions that "
                              "topology lists, found 1 for 2",
                              "lists of different lengths");
        NS_TEST_EXPECT_MSG_EQ(fault("400.0", "0"),
                              ":4:14: error: expected a bandwidth above 0 and up to 100000 GB/s, "
                              "found '0'",
                              "no bandwidth");
        NS_TEST_EXPECT_MSG_EQ(fault("936.25", "fast"),
                              ":5:12: error: expected a number, found string '\"fast\"'",
                              "no number");
        NS_TEST_EXPECT_MSG_EQ(fault("latency", "latncy"),
                              ":5:9: error: expected one of the keys topology, npus_count, "
                              "bandwidth, latency, found 'latncy'; did you mean latency?",
                              "a key");
        NS_TEST_EXPECT_MSG_EQ(fault("4, 2", "1000000, 2"),
                              ":3:24: error: expected at most 1000000 NPUs, found more",
                              "too many");
    }
};

/// Two servers of two XPUs with a NIC each, and a switch of four ports, in InfraGraph.
const std::string INFRA_GRAPH = R"(name: small
devices:
- name: server
  components:
  - {name: xpu, count: 2, choice: xpu}
  - {name: nvsw, count: 1, choice: switch}
  - {name: nic, count: 2, choice: nic}
  - {name: hbm, count: 2, choice: memory}
  links:
  - name: nvlink
  - name: pcie
    physical:
      bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 64}
      latency: {choice: ns, ns: 300}
  - name: bus
  edges:
  - scheme: many2many
    link: nvlink
    ep1: {component: xpu}
    ep2: {component: nvsw}
  - scheme: one2one
    link: pcie
    ep1: {component: xpu}
    ep2: {component: "nic[0:2]"}
  - scheme: one2one
    link: bus
    ep1: {component: xpu}
    ep2: {component: hbm}
- name: switch
  components:
  - {name: asic, count: 1, choice: switch}
  - {name: port, count: 5, choice: port}
  links:
  - name: ic
  edges:
  - scheme: many2many
    link: ic
    ep1: {component: "asic[0]"}
    ep2: {component: port}
links:
- name: eth
  physical:
    bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: switch, count: 1}
edges:
- scheme: one2one
  link: eth
  ep1: {instance: host, component: nic}
  ep2: {instance: "leaf[0]", component: "port[0:4]"}
)";

/**
 * @ingroup workload-replay-tests
 * @brief Infrastructures of InfraGraph, against counts by hand.
 */
class TopologyInfraTestCase : public TopologyFileTestCase
{
  public:
    TopologyInfraTestCase()
        : TopologyFileTestCase("infrastructures of InfraGraph")
    {
    }

  private:
    using Counts = std::map<std::string, uint32_t>;

    void DoRun() override
    {
        const auto graph = Read(INFRA_GRAPH, "infra.yaml", 4);
        NS_TEST_EXPECT_MSG_EQ(graph.GetName(), "small", "its name");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), 4 + 2 + 1, "XPUs, NVSwitches, a leaf");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNode(graph.GetHosts()[2]).server, 1, "its server");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNode(graph.GetHosts()[2]).name, "host.1.xpu.0", "its name");
        // NICs and ports are parts of links: the slower half, and the delays that are said.
        const Counts links{{"0-2 3600 250 nvlink", 4}, {"0-1 100 300", 4}};
        NS_TEST_EXPECT_MSG_EQ((CountLinks(graph) == links), true, "what is left");
        const std::vector<std::string> notes{
            "parts of links: 4 nic, 4 port",
            "left out, as no path between XPUs crosses them: 4 memory, 1 port",
            "links without a bandwidth have 3600Gbps (nvlinkRate)",
            "links without a latency have 250ns inside devices (nvlinkDelay)"};
        auto found = graph.GetNotes();
        std::vector<std::string> expected{notes[2], notes[3], notes[0], notes[1]};
        NS_TEST_EXPECT_MSG_EQ((found == expected), true, "what the report says");

        // The same in JSON, as ParseYaml() has it.
        const auto file = CreateTempDirFilename("infra.yaml");
        const auto json = ParseYaml(WorkloadText(file, {ForeignFile::INFRAGRAPH})).value.dump(1);
        std::ostringstream one;
        std::ostringstream other;
        WriteTopologyJson(one, graph);
        WriteTopologyJson(other, Read(json, "infra.json", 4));
        NS_TEST_EXPECT_MSG_EQ(one.str(), other.str(), "JSON and YAML");
        CheckLegacy();
        CheckErrors();
    }

    /// Files before schema 2.0, with instances of a device that is not there.
    void CheckLegacy()
    {
        const auto graph = Read("infrastructure:\n  devices:\n  - name: box\n    components:\n"
                                "    - name: xpu\n      type: xpu\n    - name: sw\n"
                                "      type: custom\n    links:\n    - name: nvlink\n"
                                "    connections:\n    - xpu.0.nvlink.sw.0\n"
                                "    - xpu.1.nvlink.sw.0\n    - xpu.2.nvlink.sw.0\n"
                                "    - xpu.0.nvlink.sw.1\n    - xpu.1.nvlink.sw.1\n"
                                "    - xpu.2.nvlink.sw.1\n  instances:\n  - name: nic\n"
                                "    device: cx5\n  connections:\n"
                                "  - box.0.xpu.0.pcie.nic.0.port.0\n",
                                "legacy.yaml");
        NS_TEST_EXPECT_MSG_EQ(graph.GetHosts().size(), 3, "as many as connections name");
        const Counts links{{"0-2 1800 250 nvlink", 6}};
        NS_TEST_EXPECT_MSG_EQ((CountLinks(graph) == links), true, "half of the NVLink each");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNotes().size(), 5, "notes");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNotes()[2],
                              "instance nic is left out: its device cx5 is not in the file",
                              "a device of another file");
    }

    /// What is refused.
    void CheckErrors()
    {
        const auto fault = [this](const std::string& part, const std::string& other) {
            return ErrorOf(ReplaceFirst(INFRA_GRAPH, part, other), "wrong.yaml");
        };
        NS_TEST_EXPECT_MSG_EQ(fault("nic[0:2]", "nic[0:3]"),
                              ":24:22: error: expected a whole number from 0 to 2, found '3'",
                              "a slice");
        NS_TEST_EXPECT_MSG_EQ(fault("nic[0:2]", "nik"),
                              ":24:22: error: expected a component of the device server, found "
                              "'nik'; did you mean nic?",
                              "a component");
        NS_TEST_EXPECT_MSG_EQ(fault("scheme: many2many", "scheme: ring"),
                              ":17:13: error: expected one of one2one, many2many, found 'ring'",
                              "a scheme");
        NS_TEST_EXPECT_MSG_EQ(fault("link: nvlink", "link: nvlnk"),
                              ":18:11: error: expected the name of a link of the same device or "
                              "file, found 'nvlnk'",
                              "a link");
        NS_TEST_EXPECT_MSG_EQ(fault("device: server", "device: servr"),
                              ":45:24: error: expected the name of a device of the file, found "
                              "'servr'; did you mean server?",
                              "a device");
        NS_TEST_EXPECT_MSG_EQ(fault("leaf[0]", "leaf[1]"),
                              ":51:19: error: expected a whole number from 0 to 0, found '1'",
                              "an instance");
        NS_TEST_EXPECT_MSG_EQ(fault("count: 2, choice: xpu", "count: 0, choice: xpu"),
                              ": error: expected an instance of a device with components of the "
                              "choice xpu, found none",
                              "no XPU");
        NS_TEST_EXPECT_MSG_EQ(fault("component: nic}\n", "component: nic}\n# \n").substr(0, 8),
                              "no error",
                              "a comment");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Files of ASTRA-sim and InfraGraph themselves.
 */
class ForeignTopologyFilesTestCase : public MeasurementTestCase
{
  public:
    ForeignTopologyFilesTestCase()
        : MeasurementTestCase("files of ASTRA-sim and InfraGraph", "files")
    {
    }

  private:
    using Counts = std::map<std::string, uint32_t>;

    /**
     * @param name name of a file
     * @param nodes its nodes
     * @param links its links, counted by hand
     */
    void Compare(const std::string& name, uint32_t nodes, const Counts& links)
    {
        const auto graph = TopologyFile::Read(Find(name), 0);
        NS_TEST_EXPECT_MSG_EQ(graph.GetNNodes(), nodes, name);
        NS_TEST_EXPECT_MSG_EQ((CountLinks(graph) == links), true, name);
    }

    void Check() override
    {
        Compare("astra-sim/HGX-H100-validated.yml", 9, {{"0-2 3200 936 nvlink", 8}});
        Compare("astra-sim/hgx_h100_16gpu.yml",
                18,
                {{"0-2 3200 936 nvlink", 16}, {"0-0 400 1000", 8}});
        // Four servers of two XPUs, an NVSwitch and a PCIe switch; four leaves, three spines.
        const Counts clos{{"0-2 3600 250 nvlink", 8},
                          {"0-1 504.1 250", 8},
                          {"1-1 100 500", 8},
                          {"1-1 400 500", 12}};
        Compare("infragraph/closfabric-2.4.0.json", 23, clos);
        Compare("infragraph/closfabric-2.4.0.yaml", 23, clos);
        // Eight GPUs on eight NVSwitches, four PCIe switches and two CPUs.
        Compare("infragraph/legacy-dgxa100.yaml",
                22,
                {{"0-2 450 250 nvlink", 64},
                 {"0-1 504.1 250", 8},
                 {"1-1 504.1 250", 4},
                 {"1-1 80 250", 1}});
    }
};

} // namespace

std::vector<TestCase*>
MakeForeignTopologyTestCases()
{
    return {new YamlTestCase,
            new TopologyAstraTestCase,
            new TopologyInfraTestCase,
            new ForeignTopologyFilesTestCase};
}

} // namespace ns3
