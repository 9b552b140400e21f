/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/chakra-trace-files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Writes traces.
using Trace = ChakraTestTrace;

/// The metadata of a trace as Protobuf prints it.
const std::string METADATA = R"({"version": "0.0.4"})";

/// Nodes as Protobuf prints them: what is 0 left out, numbers of 64 bits in quotes.
const std::vector<std::string> NODES{
    R"({"name": "work", "type": "COMP_NODE", "durationMicros": "7"})",
    R"({"id": "5", "name": "reduce", "type": "COMM_COLL_NODE", "dataDeps": ["0"], "attr": [
        {"name": "is_cpu_op", "boolVal": false}, {"name": "comm_type", "int64Val": "0"},
        {"name": "comm_size", "uint64Val": "1000"}]})",
    R"({"id": "6", "name": "more {\"}\" ", "type": "COMP_NODE", "dataDeps": ["0", "5"],
        "durationMicros": "3", "inputs": {"values": "[]"}})"};

/**
 * @ingroup workload-replay-tests
 * @brief Traces in JSON are the same workloads as binary ones.
 */
class ChakraJsonTestCase : public ChakraTestCase
{
  public:
    ChakraJsonTestCase()
        : ChakraTestCase("traces in JSON")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param text what a trace holds
     * @param name name of its file
     * @return its program
     */
    std::string Describe(const std::string& text, const std::string& name)
    {
        WriteWorkloadFile(m_folder + "/" + name, text);
        const auto workload = ReadChakraTraces(m_folder + "/" + name, {});
        std::filesystem::remove(m_folder + "/" + name);
        return DescribeProgram(workload->GetProgram(0));
    }

    /// Spellings and layouts.
    void CheckLayouts();

    /// Directories with one file a rank.
    void CheckFiles();

    /// Files that are wrong.
    void CheckErrors();

    std::string m_folder; //!< where the traces are
};

void
ChakraJsonTestCase::DoRun()
{
    m_folder = CreateTempDirFilename("json");
    std::filesystem::create_directory(m_folder);
    CheckLayouts();
    CheckFiles();
    CheckErrors();
}

void
ChakraJsonTestCase::CheckLayouts()
{
    Trace trace;
    trace.Node(0, Trace::COMP, "work").Lasts(7);
    trace.Node(5, Trace::COLL, "reduce", {0}).With("comm_type", 0).With("comm_size", 1000);
    trace.Node(6, Trace::COMP, "more {\"}\" ", {0, 5}).Lasts(3);
    const auto expected = DescribeProgram(Read({trace})->GetProgram(0));
    const auto nodes = NODES[0] + "," + NODES[1] + "," + NODES[2];
    const auto lines = NODES[0] + "\n" + NODES[1] + "\n" + NODES[2] + "\n";
    const std::string underscores =
        R"([{"version": "0.0.4"}, {"id": 0, "name": "work", "type": 4, "duration_micros": 7},
        {"id": 5, "name": "reduce", "type": 7, "data_deps": [0], "attr":
        [{"name": "comm_type", "int64_val": 0}, {"name": "comm_size", "int32_val": 1000}]},
        {"id": 6, "name": "more {\"}\" ", "type": 4, "data_deps": [0, 5], "duration_micros": 3,
         "attr": [{"name": "lists", "string_list": {"values": ["a"]}, "doc_string": "none"}]}])";
    const std::string graph =
        R"({"workload_graph": [{"Id": 0, "Name": "work", "NodeType": 4, "runtime": 7},
        {"Id": 5, "Name": "reduce", "NodeType": 7, "data_deps": [0], "comm_type": 0,
         "comm_size": 1000, "is_cpu_op": false},
        {"Id": 6, "Name": "more {\"}\" ", "NodeType": 4, "data_deps": [0, 5], "runtime": 3}]})";
    NS_TEST_EXPECT_MSG_EQ(Describe(METADATA + lines, "a.json"), expected, "one after another");
    NS_TEST_EXPECT_MSG_EQ(Describe(lines, "a.json"), expected, "without metadata");
    NS_TEST_EXPECT_MSG_EQ(Describe("[" + METADATA + ",\n" + nodes + "]", "a.json"),
                          expected,
                          "a list");
    NS_TEST_EXPECT_MSG_EQ(Describe("{}" + lines, "a.json"), expected, "nothing said");
    NS_TEST_EXPECT_MSG_EQ(
        Describe(ReplaceFirst(underscores, "4, \"dur", "\"COMP_NODE\", \"dur"), "a.json"),
        expected,
        "names of the schema");
    NS_TEST_EXPECT_MSG_EQ(Describe(graph, "a.json"), expected, "as the feeder takes them");
}

void
ChakraJsonTestCase::CheckFiles()
{
    const auto folder = m_folder + "/ranks";
    std::filesystem::create_directory(folder);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const auto name = folder + "/npu." + std::to_string(rank) + ".json";
        WriteWorkloadFile(name, METADATA + NODES[0] + NODES[1]);
    }
    const auto both = ReadChakraTraces(folder, {});
    NS_TEST_EXPECT_MSG_EQ(both->GetLayout().world, 2, "ranks of a directory");
    NS_TEST_EXPECT_MSG_EQ(both->GetCommunicators().front().ranks.size(), 2, "their group");
    WriteWorkloadFile(folder + "/npu.0.et", Trace().Node(0, Trace::COMP, "other").GetBytes());
    NS_TEST_EXPECT_MSG_EQ(FindChakraTraces(folder, {}).traces.size(), 1, "binary ones go before");
    NS_TEST_EXPECT_MSG_EQ(FindChakraTraces(folder + "/npu.1.json", {}).traces.size(),
                          2,
                          "those in JSON if one of them is named");
}

void
ChakraJsonTestCase::CheckErrors()
{
    const auto file = m_folder + "/a.json";
    const auto errorOf = [&](const std::string& text) {
        return WorkloadErrorOf([&] { Describe(text, "a.json"); }).substr(file.size());
    };
    NS_TEST_EXPECT_MSG_EQ(errorOf(NODES[0] + "\n " + NODES[1].substr(0, 50)),
                          ":2:2: error: expected an object in JSON, found the end of the file in "
                          "it",
                          "cut short");
    NS_TEST_EXPECT_MSG_EQ(errorOf("[" + NODES[0] + "\n, 5]"),
                          ":2:3: error: expected an object in JSON, found '5'",
                          "something else");
    NS_TEST_EXPECT_MSG_EQ(errorOf(NODES[0] + "\n" + ReplaceFirst(NODES[1], "COLL_", "COL_")),
                          ":2:1: error: expected a type of nodes, found 'COMM_COL_NODE'; did you "
                          "mean COMM_COLL_NODE?",
                          "a type that is not there");
    NS_TEST_EXPECT_MSG_EQ(errorOf(ReplaceFirst(NODES[0], "\"7\"", "-7")),
                          ":1:1: error: expected a whole number in the object that begins here, "
                          "found -7",
                          "a time below 0");
    NS_TEST_EXPECT_MSG_EQ(errorOf(ReplaceFirst(METADATA, "0.0.4", "0.0.2") + NODES[0]),
                          ": error: expected the Chakra schema 0.0.4 or 1.0.0 (convert older "
                          "traces), found '0.0.2'",
                          "another schema");
    NS_TEST_EXPECT_MSG_EQ(errorOf(NODES[0] + NODES[0]),
                          ", node 0: error: expected one node of each id, found two of this one",
                          "two nodes of one id");
}

} // namespace

std::vector<TestCase*>
MakeChakraJsonTestCases()
{
    return {new ChakraJsonTestCase};
}

} // namespace ns3
