/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/flow-list-lowering.h"
#include "ns3/flow-list-reader.h"

#include <map>
#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Flow lists of HPCC and conweave.
 */
class HpccFlowsTestCase : public TestCase
{
  public:
    HpccFlowsTestCase()
        : TestCase("flow lists of HPCC and conweave")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("flow.txt");
        WriteWorkloadFile(file, "2\n2 1 3 100 5000 2.000001\n1 2 3 100 7000 2\nnotes\n");
        NS_TEST_EXPECT_MSG_EQ(IsFlowList(file), true, "told by its content");
        auto list = ReadFlowList(file);
        NS_TEST_ASSERT_MSG_EQ(list.flows.size(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(list.flows[0].source, 2, "source");
        NS_TEST_EXPECT_MSG_EQ(list.flows[0].destination, 1, "destination");
        NS_TEST_EXPECT_MSG_EQ(list.flows[0].bytes, 5000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(list.flows[0].start, PicoSeconds(2000001000000), "start, s");
        NS_TEST_EXPECT_MSG_EQ(list.notes.size(), 1, "the line behind the flows is noted");
        NS_TEST_EXPECT_MSG_EQ(list.hosts, 3, "nodes up to 2");
        // Node 0 is a switch: nodes 1 and 2 are hosts 0 and 1.
        NumberByHost(list, {1, 2});
        const auto flows = MakeBackgroundFlows(list);
        NS_TEST_EXPECT_MSG_EQ(flows[0].start, Time(), "the first one begins at once");
        NS_TEST_EXPECT_MSG_EQ(flows[0].bytes, 7000, "which is the second of the file");
        NS_TEST_EXPECT_MSG_EQ(flows[0].source, 0, "by host");
        NS_TEST_EXPECT_MSG_EQ(flows[1].start, MicroSeconds(1), "the other one 1 us later");
        WriteWorkloadFile(file, "1\n0 1 3 5000 0.5\n");
        NS_TEST_EXPECT_MSG_EQ(ReadFlowList(file).flows[0].bytes, 5000, "conweave has no port");
        auto other = ReadFlowList(file);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] {
                                  NumberByHost(other, {1, 2});
                              }),
                              file +
                                  ":2: error: expected flows between the 2 hosts of the topology, "
                                  "by the numbers of their nodes, found node 0, which is none",
                              "a flow of a switch");
        WriteWorkloadFile(file, "1\n0 0 3 100 5000 2\n");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadFlowList(file); }),
                              file +
                                  ":2:1: error: expected a flow between two hosts, found one from "
                                  "host 0 to itself",
                              "a flow to itself");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Connection matrices of htsim, and the programs that are made of flows.
 */
class HtsimFlowsTestCase : public TestCase
{
  public:
    HtsimFlowsTestCase()
        : TestCase("connection matrices of htsim and their triggers")
    {
    }

  private:
    void DoRun() override;

    /// Check what few of these files have.
    void CheckVariants();

    /**
     * @param text a connection matrix
     * @return programs of its hosts, as DescribeProgram() tells them
     */
    std::vector<std::string> Describe(const std::string& text)
    {
        const auto file = CreateTempDirFilename("flows.cm");
        WriteWorkloadFile(file, text);
        NS_TEST_EXPECT_MSG_EQ(IsFlowList(file), true, "told by its content");
        const auto list = ReadFlowList(file);
        const auto workload = LowerFlowList(list, list.hosts);
        m_warnings = workload->GetWarnings().size();
        std::vector<std::string> programs;
        for (uint32_t rank = 0; rank < list.hosts; ++rank)
        {
            programs.push_back(DescribeProgram(workload->GetProgram(rank)));
        }
        return programs;
    }

    /**
     * @param text a connection matrix
     * @return the message of the error it is, without the file
     */
    std::string GetError(const std::string& text)
    {
        const auto message = WorkloadErrorOf([&] { Describe(text); });
        const auto at = message.find("flows.cm:");
        return at == std::string::npos ? message : message.substr(at + 9);
    }

    std::size_t m_warnings{0}; //!< warnings of the last one
};

void
HtsimFlowsTestCase::DoRun()
{
    const std::string head = "Nodes 3\nConnections 2\n";
    // A flow at a time, then one of the same host when it is acknowledged: the edge is local.
    const auto chain = Describe(head + "0->1 id 1 start 7000 size 100 send_done_trigger 4\n"
                                       "0->2 id 2 trigger 4 size 200\ntrigger id 4 oneshot\n");
    NS_TEST_EXPECT_MSG_EQ(chain[0],
                          "0 flows flow forward send 100 @3 <- 1\n"
                          "1 timer start forward compute 7000 @3 <-\n"
                          "2 flows flow forward send 200 @4 <- 0\n",
                          "host 0");
    NS_TEST_EXPECT_MSG_EQ(m_warnings, 0, "nothing is assumed");
    // Two flows that arrive at host 2 let host 1 send: the one of host 1 is no longer local.
    const auto barrier =
        Describe("Nodes 3\nConnections 3\n0->2 start 0 size 100 recv_done_trigger 1\n"
                 "1->2 start 0 size 200 send_done_trigger 1\n"
                 "1->0 trigger 1 size 300\ntrigger id 1 barrier count 2\n");
    NS_TEST_EXPECT_MSG_EQ(barrier[1],
                          "0 flows flow forward send 200 @4 <-\n"
                          "1 flows flow forward send 300 @5 <- 0 2\n"
                          "2 flows trigger forward recv 1 @5 <-\n",
                          "host 1");
    NS_TEST_EXPECT_MSG_EQ(m_warnings, 1, "a message tells of the trigger");
    NS_TEST_EXPECT_MSG_EQ(
        GetError(head + "0->1 start 0 size 100 send_done_trigger 1\n"
                        "1->2 trigger 1 size 300\ntrigger id 1 barrier count 2\n"),
        "4: error: expected trigger 1 to be acted on by as many flows as it waits "
        "for, 2, found 1",
        "a barrier that never opens");
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "0->1 start 0 size 5\n"),
                          "2:13: error: expected the number of flows in the file, 1, found 2",
                          "cut short");
    NS_TEST_EXPECT_MSG_EQ(
        GetError("Nodes 2\nConnections 1\nTriggers 2\n0->1 start 0 size 5\ntrigger id 1 oneshot\n"),
        "3:10: error: expected the number of triggers in the file, 1, found 2",
        "a trigger that is missing");
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "0->1 start 0\n"),
                          "3:1: error: expected a size of at least 1, such as size 2000000 (in "
                          "htsim a flow of size 0 never ends), found none",
                          "no size");
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "0->1 size\n"),
                          "3:6: error: expected a value behind it, found 'size' at the end of the "
                          "line",
                          "no value");
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "trigger id 1 oneshot\ntrigger id 1 oneshot\n"),
                          "4:1: error: expected each trigger once, found 1 a second time",
                          "a trigger twice");
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "Node 3\n"),
                          "3:1: error: expected Nodes, Connections, Triggers, Failures, SRC->DST, "
                          "trigger or failure, found 'Node'; did you mean Nodes?",
                          "a word that is none");
    CheckVariants();
}

void
HtsimFlowsTestCase::CheckVariants()
{
    // As ultraethernet/uet-htsim, sim/datacenter/connection_matrix.cpp, reads them: messages of
    // a connection, with a number or without, starts as real numbers, links that fail.
    const auto file = CreateTempDirFilename("flows.cm");
    WriteWorkloadFile(file,
                      "Nodes 2\nConnections 4\nFailures 1\n0->1 id 3 msg start 0.0 size 100\n"
                      "0->1 id 4 start 7000.0 size 200\n0->1 id 3 msg 7 start 0 size 300\n"
                      "0->1 id 5 msg start 0 size 400\n"
                      "failure switch_type TOR switch_id 0 link_id 1\n");
    const auto list = ReadFlowList(file);
    NS_TEST_ASSERT_MSG_EQ(list.notes.size(), 1, "a note of a link that fails");
    NS_TEST_EXPECT_MSG_EQ(list.notes[0],
                          "failures of links in " + file +
                              " (1) are left out; --linkDown takes links down",
                          "what it says");
    NS_TEST_EXPECT_MSG_EQ(list.flows[1].start.GetPicoSeconds(), 7000, "a start");
    const auto workload = LowerFlowList(list, 2);
    std::string connections;
    for (const auto& op : workload->GetProgram(0).GetOps())
    {
        connections += op.kind == OpKind::SEND ? std::to_string(op.communicator) + " " : "";
    }
    NS_TEST_EXPECT_MSG_EQ(connections, "0 1 0 2 ", "connections");
    const std::string head = "Nodes 2\nConnections 1\n";
    NS_TEST_EXPECT_MSG_EQ(GetError(head + "0->1 start 0 size 0\n"),
                          "3:1: error: expected a size of at least 1, such as size 2000000 (in "
                          "htsim a flow of size 0 never ends), found size 0",
                          "a flow without an end");
    NS_TEST_EXPECT_MSG_EQ(
        GetError(head + "0->1 start 1e19 size 5\n"),
        "3:12: error: expected a start, ps, of at most 1000000000000000000, found "
        "'1e19'",
        "a start that is never");
    NS_TEST_EXPECT_MSG_EQ(
        GetError("Nodes 2\nConnections 3\n0->1 start 0 size 5 send_done_trigger 1\n"
                 "0->1 start 0 size 5 send_done_trigger 1\n0->1 trigger 1 size 5\n"
                 "trigger id 1 multishot\n"),
        "5: error: expected trigger 1 to be acted on by as many flows as it waits for, 1, found 2",
        "a trigger that would fire twice");
}

} // namespace

std::vector<TestCase*>
MakeFlowListTestCases()
{
    return {new HpccFlowsTestCase, new HtsimFlowsTestCase};
}

} // namespace ns3
