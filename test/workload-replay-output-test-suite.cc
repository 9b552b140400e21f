/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-test-cases.h"

#include "ns3/replay-files.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/workload-program.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

using namespace ns3;

namespace
{

/**
 * Op 0 computes in layer 3 of microbatch 2; op 1 is a collective of no layer, and its name, its
 * stream and its file need quotes.
 *
 * @return a program
 */
std::shared_ptr<const WorkloadProgram>
MakeProgram()
{
    WorkloadProgramBuilder builder("a,b.txt");
    WorkloadOp compute;
    compute.stream = builder.AddStream({"compute", true, Dimension::WORLD});
    compute.origin = 7;
    compute.layer = 3;
    compute.microbatch = 2;
    builder.AddOp(compute, "mlp");
    WorkloadOp reduce;
    reduce.stream = builder.AddStream({"dp\n0", false, Dimension::DP});
    reduce.kind = OpKind::COLLECTIVE;
    reduce.phase = OpPhase::GRAD_SYNC;
    reduce.origin = 8;
    builder.AddOp(reduce, "the \"last\" one");
    return builder.Build();
}

/**
 * @return a job of three ranks; communicator 0 has two of them, communicator 1 all
 */
std::shared_ptr<const Workload>
MakeJob()
{
    ParallelLayout layout;
    layout.world = 3;
    auto workload = std::make_shared<Workload>("test", "a,b.txt", layout);
    const auto program = MakeProgram();
    const auto pair = workload->AddCommunicator({"tp0", Dimension::TP, {0, 2}});
    const auto all = workload->AddCommunicator({"dp, all", Dimension::DP, {0, 1, 2}});
    for (uint32_t rank = 0; rank < layout.world; ++rank)
    {
        workload->SetRank(rank, program, {pair, all});
    }
    return workload;
}

/**
 * @return three hosts at a switch: 80 Gb/s and 1 us, 40 Gb/s and 500 ns, 80 Gb/s and no delay
 */
TopologyGraph
MakeGraph()
{
    TopologyGraph graph;
    for (const std::string host : {"h0", "h1", "h2"})
    {
        graph.AddHost(host);
    }
    const auto leaf = graph.AddSwitch("s");
    graph.AddLink(0, leaf, DataRate("80Gbps"), NanoSeconds(1000));
    graph.AddLink(1, leaf, DataRate("40Gbps"), NanoSeconds(500));
    graph.AddLink(2, leaf, DataRate("80Gbps"), NanoSeconds(0));
    return graph;
}

/**
 * @return all ranks of the job, at all times
 */
TraceSelection
ShowAll()
{
    TraceRequest request;
    request.hasAllRanks = true;
    return {*MakeJob(), request};
}

/**
 * Finish files after 1 ms.
 *
 * @param files the files
 * @param links what links have seen
 * @return what could not be written
 */
std::vector<std::string>
Finish(ReplayFiles& files, const std::vector<LinkUse>& links = {})
{
    ReplayResult result;
    result.statistics = std::make_shared<ReplayStatistics>(MakeJob());
    result.duration = MilliSeconds(1);
    result.links = links;
    return files.Finish(result);
}

/**
 * @param program the program
 * @param rank the rank
 * @param op index of the op
 * @param start when it started
 * @param end when it finished
 * @return an op that has finished
 */
OpRecord
MakeOp(const std::shared_ptr<const WorkloadProgram>& program,
       uint32_t rank,
       WorkloadProgram::OpIndex op,
       const Time& start,
       const Time& end)
{
    OpRecord record;
    record.rank = rank;
    record.program = program.get();
    record.op = op;
    record.start = start;
    record.end = end;
    return record;
}

/**
 * @param rank the member
 * @param communicator id of the communicator
 * @param sequence number of the collective in it
 * @param arrival when the member called it, us
 * @param end when the member was done with it, us
 * @return an all-reduce of 1.5 MB on two channels
 */
CollectiveRecord
MakeCollective(uint32_t rank,
               uint32_t communicator,
               uint32_t sequence,
               int64_t arrival,
               int64_t end)
{
    CollectiveRecord record;
    record.rank = rank;
    record.communicator = communicator;
    record.sequence = sequence;
    record.kind = CollectiveKind::ALL_REDUCE;
    record.algorithm = "ring";
    record.channels = 2;
    record.bytes = 1500000;
    record.arrival = MicroSeconds(arrival);
    record.end = MicroSeconds(end);
    return record;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief ops.csv and trace.json, from ops made by hand.
 */
class OpFilesTestCase : public TestCase
{
  public:
    OpFilesTestCase();

  private:
    void DoRun() override;
};

OpFilesTestCase::OpFilesTestCase()
    : TestCase("ops.csv, trace.json")
{
}

void
OpFilesTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("");
    const auto program = MakeProgram();
    ReplayFiles files(directory, MakeJob(), MakeGraph(), {}, ShowAll());
    for (const auto& record : {MakeOp(program, 2, 0, NanoSeconds(1), NanoSeconds(1234568)),
                               MakeOp(program, 0, 1, NanoSeconds(1234567), NanoSeconds(1234567))})
    {
        files.AddOp(record);
    }
    NS_TEST_EXPECT_MSG_EQ(Finish(files).empty(), true, "the files are written");
    NS_TEST_EXPECT_MSG_EQ(ReadFile(directory, "ops.csv"),
                          "rank,stream,op,phase,layer,microbatch,origin,start_ns,end_ns\n"
                          "2,compute,mlp,forward,3,2,\"a,b.txt:7\",1,1234568\n"
                          "0,\"dp\n0\",\"the \"\"last\"\" one\",grad-sync,,,\"a,b.txt:8\",1234567,"
                          "1234567\n",
                          "ops.csv");
    std::string expected = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    for (const std::string rank : {"0", "1", "2"})
    {
        const auto begin = R"({"ph":"M","pid":)" + rank + R"(,"tid":)";
        expected += begin + R"(0,"name":"process_name","args":{"name":"rank )" + rank + "\"}},\n";
        expected +=
            begin + R"(0,"name":"process_sort_index","args":{"sort_index":)" + rank + "}},\n";
        expected += begin + R"(1,"name":"thread_name","args":{"name":"compute"}},)" + "\n";
        expected += begin + R"(2,"name":"thread_name","args":{"name":"dp\n0"}},)" + "\n";
    }
    expected += R"({"ph":"X","pid":2,"tid":1,"ts":0.001,"dur":1234.567,"name":"mlp","args":)"
                R"({"phase":"forward","layer":3,"microbatch":2,"origin":"a,b.txt:7"}},)"
                "\n"
                R"({"ph":"X","pid":0,"tid":2,"ts":1234.567,"dur":0.000,)"
                R"("name":"the \"last\" one","args":{"phase":"grad-sync","origin":"a,b.txt:8"}})"
                "\n]}\n";
    NS_TEST_EXPECT_MSG_EQ(ReadFile(directory, "trace.json"), expected, "trace.json");
}

/**
 * @ingroup workload-replay-tests
 * @brief collectives.csv, from what members told.
 */
class CollectiveFileTestCase : public TestCase
{
  public:
    CollectiveFileTestCase();

  private:
    void DoRun() override;
};

CollectiveFileTestCase::CollectiveFileTestCase()
    : TestCase("collectives.csv")
{
}

void
CollectiveFileTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("");
    ReplayFiles files(directory, MakeJob(), MakeGraph(), {}, ShowAll());
    // A member may be done with the second before the other is with the first; the third is under
    // way. 1.5 MB in 100 us are 15 GB/s, times 2 (N - 1) / N.
    files.AddCollective(MakeCollective(2, 0, 0, 30, 90));
    files.AddCollective(MakeCollective(2, 0, 1, 90, 150));
    files.AddCollective(MakeCollective(0, 1, 0, 0, 99));
    files.AddCollective(MakeCollective(0, 0, 0, 20, 120));
    files.AddCollective(MakeCollective(2, 1, 0, 10, 100));
    files.AddCollective(MakeCollective(1, 1, 0, 5, 98));
    files.AddCollective(MakeCollective(0, 0, 2, 150, 160));
    files.AddCollective(MakeCollective(0, 0, 1, 150, 150));
    NS_TEST_EXPECT_MSG_EQ(Finish(files).empty(), true, "the files are written");
    NS_TEST_EXPECT_MSG_EQ(
        ReadFile(directory, "collectives.csv"),
        "communicator,dimension,sequence,kind,algorithm,channels,bytes,ranks,first_arrival_ns,"
        "last_arrival_ns,end_ns,busbw_bytes_per_s\n"
        "tp0,tp,0,all-reduce,ring,2,1500000,2,20000,30000,120000,15000000000\n"
        "\"dp, all\",dp,0,all-reduce,ring,2,1500000,3,0,10000,100000,20000000000\n"
        "tp0,tp,1,all-reduce,ring,2,1500000,2,90000,150000,150000,25000000000\n",
        "collectives.csv");
}

/**
 * @ingroup workload-replay-tests
 * @brief flows.csv, from messages that arrive.
 */
class FlowFileTestCase : public TestCase
{
  public:
    FlowFileTestCase();

  private:
    void DoRun() override;
};

FlowFileTestCase::FlowFileTestCase()
    : TestCase("flows.csv")
{
}

void
FlowFileTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("");
    ReplayFiles files(directory, MakeJob(), MakeGraph(), {}, ShowAll());
    Message message;
    message.source = 0;
    message.destination = 2;
    message.channel = 1;
    message.bytes = 3000000; // 300 us at 80 Gb/s
    message.postedAt = MicroSeconds(1);
    message.group = 0;
    files.AddMessage(message, MicroSeconds(350));
    message.source = 1; // 600 us at 40 Gb/s
    message.group = 1;
    files.AddMessage(message, MicroSeconds(700));
    message.destination = 0;
    message.bytes = 0;
    files.AddMessage(message, MicroSeconds(800));
    NS_TEST_EXPECT_MSG_EQ(Finish(files).empty(), true, "the files are written");
    NS_TEST_EXPECT_MSG_EQ(
        ReadFile(directory, "flows.csv"),
        "src_rank,dst_rank,communicator,channel,bytes,start_ns,end_ns,ideal_ns,path\n"
        "0,2,tp0,1,3000000,1000,350000,301000,\n"
        "1,2,\"dp, all\",1,3000000,1000,700000,600500,\n"
        "1,0,\"dp, all\",1,0,1000,800000,1500,\n",
        "flows.csv");
}

/**
 * @ingroup workload-replay-tests
 * @brief links.csv, from counters made by hand.
 */
class LinkFileTestCase : public TestCase
{
  public:
    LinkFileTestCase();

  private:
    void DoRun() override;
};

LinkFileTestCase::LinkFileTestCase()
    : TestCase("links.csv")
{
}

void
LinkFileTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("");
    const std::string header = "link,from,to,rate_bps,bytes,utilisation,max_queue_bytes,ecn_marked,"
                               "pfc_pause_ns,dropped\n";
    LinkUse out;
    out.link = 4;
    out.from = "host 0";
    out.to = "leaf \"0\"";
    out.rate = 80000000000;
    out.bytes = 2500000; // of 10 MB in 1 ms
    out.maxQueue = 9002;
    out.drops = 3;
    LinkUse back;
    back.link = 4;
    back.from = out.to;
    back.to = out.from;
    back.rate = out.rate;
    back.marks = 5;
    back.paused = MicroSeconds(6);
    const auto read = [&](const std::vector<LinkUse>& links) {
        ReplayFiles files(directory, MakeJob(), MakeGraph(), {}, ShowAll());
        NS_TEST_EXPECT_MSG_EQ(Finish(files, links).empty(), true, "the files are written");
        return ReadFile(directory, "links.csv");
    };
    NS_TEST_EXPECT_MSG_EQ(read({}), header, "no links");
    NS_TEST_EXPECT_MSG_EQ(
        read({out, back}),
        header + "4,host 0,\"leaf \"\"0\"\"\",80000000000,2500000,0.250000,9002,0,0,3\n"
                 "4,\"leaf \"\"0\"\"\",host 0,80000000000,0,0.000000,0,5,6000,0\n",
        "a link, both ways");
    out.rate = 0;
    NS_TEST_EXPECT_MSG_EQ(read({out}),
                          header + "4,host 0,\"leaf \"\"0\"\"\",0,2500000,0.000000,9002,0,0,3\n",
                          "nothing to take a share of");
}

/**
 * @ingroup workload-replay-tests
 * @brief The files that a replay leaves behind.
 */
class WorkloadReplayOutputTestSuite : public TestSuite
{
  public:
    WorkloadReplayOutputTestSuite();
};

WorkloadReplayOutputTestSuite::WorkloadReplayOutputTestSuite()
    : TestSuite("workload-replay-output", TestSuite::Type::UNIT)
{
    AddTestCase(new RoundingTestCase);
    AddTestCase(new OutputTextTestCase);
    AddTestCase(new TableWidthTestCase);
    AddTestCase(new OutputFileTestCase);
    AddTestCase(new CompressedFileTestCase);
    AddTestCase(new OutputSelectionTestCase);
    AddTestCase(new TraceSelectionTestCase);
    AddTestCase(new TraceArrowsTestCase);
    AddTestCase(new OpFilesTestCase);
    AddTestCase(new CollectiveFileTestCase);
    AddTestCase(new FlowFileTestCase);
    AddTestCase(new LinkFileTestCase);
    AddTestCase(new TimeSeriesTestCase);
}

/// The suite, found by test-runner.
static WorkloadReplayOutputTestSuite g_workloadReplayOutputTestSuite;
