/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"

#include "ns3/replay-option-table.h"
#include "ns3/replay-session.h"
#include "ns3/workload-error.h"

#include <utility>

using namespace ns3;

namespace
{

/// What is told of a wrong count, without the option.
const std::string COUNT = ": error: expected a whole number from 1 to 4294967295, found ";
/// What is told of a wrong world.
const std::string WORLD = "--world: error: expected a whole number from 1 to 1000000, found ";
/// What is told of a wrong factor.
const std::string FACTOR =
    "--backwardScale: error: expected a number that is not negative, such as 2.0, found ";
/// What is told of a wrong scale.
const std::string SCALE = "--computeScale: error: expected a number above 0 and at most "
                          "1000000, such as 1.5, found ";
/// What is told of a wrong straggler.
const std::string STRAGGLER =
    "--straggler: error: expected RANK:FACTOR, a rank and how many times as long as the others "
    "it computes, such as 3:1.5, found ";
/// What is told of a wrong jitter.
const std::string JITTER = "--jitter: error: expected a number from 0 to 100, such as 0.05, found ";
/// What is told of wrong shares of communication.
const std::string COMMUNICATION_SHARE =
    "--communicationShare: error: expected a share of at least 0 and below 1, such as 0.02, or "
    "shares by reach, such as server:0.15,network:0.02, found ";
/// What is told of a wrong duration, without the option.
const std::string DURATION = ": error: expected a duration with its unit (ps, ns, us, ms, s), "
                             "from 0ns to 1000000s, such as 10us, found ";
/// What is told of a wrong rate, without the option.
const std::string RATE = ": error: expected a rate with its unit (such as Mbps, Gbps), from "
                         "1bps to 1000000Gbps, found ";
/// What is told of a wrong size.
const std::string SIZE = "--chunkBytes: error: expected a size in bytes, KiB, MiB or GiB, such "
                         "as 512KiB, found ";
/// What is told of wrong rows.
const std::string REPEAT = "--repeat: error: expected FIRST:LAST:N, two rows and how often they "
                           "stand in the model, such as ln_1:add_15:36, found ";
/// What is told of wrong traffic classes.
const std::string CLASSES =
    "--trafficClass: error: expected NAME:CLASS, several with commas between, such as "
    "dp:1,pp:2, each class from 0 to 7, found ";
/// What is told of one that is none.
const std::string CLASS = "--trafficClass: error: expected a traffic class from 0 to 7, found ";
/// What is told of a wrong congestion control.
const std::string CONTROL =
    "--cc: error: expected dcqcn, hpcc, timely, swift, nscc, rccc, none, or another "
    "ns3::RdmaCongestionControl by its TypeId, found ";
/// What is told of a wrong routing.
const std::string ROUTING =
    "--routing: error: expected ecmp, e-ecmp, flowlet, spray, adaptive, conga, conweave, pinned, "
    "valiant, ugal, ugal-g, or another ns3::RdmaRouting by its TypeId, found ";
/// What is told of a wrong transport.
const std::string TRANSPORT =
    "--transport: error: expected rdma, uec, fluid, tcp, ideal, or another ns3::TransportKind or "
    "ns3::RdmaProtocol by its TypeId, found ";
/// What is told of a wrong length of trains.
const std::string TRAIN = "--maxTrain: error: expected a whole number from 1 to 4096, found ";
/// What is told of wrong names of files.
const std::string FILES =
    "--files: error: expected files with commas between, each with .gz behind it to have it "
    "compressed or - before it to leave it out, of: summary.json, ops.csv, collectives.csv, "
    "flows.csv, links.csv, trace.json, timeseries.csv, waits.csv, fabric.json, fabric.dot, all, "
    "found ";
/// What is told of wrong ranks.
const std::string RANKS =
    "--traceRanks: error: expected all, or ranks such as 0-7,32, below 1000000, found ";
/// What is told of wrong stages.
const std::string STAGES =
    "--traceStages: error: expected pipeline stages such as 0,3-5, below 1000000, found ";
/// What is told of wrong times.
const std::string TIMES = "--traceTime: error: expected FROM:TO, two times, the later one last, "
                          "such as 10ms:12ms, found ";

/// Wrong arguments, and what is told of them.
const std::vector<std::pair<std::string, std::string>> ERRORS{
    {"--world=0", WORLD + "'0'"},
    {"--world=-1", WORLD + "'-1'"},
    {"--world=1e3", WORLD + "'1e3'"},
    {"--world=1000001", WORLD + "'1000001'"},
    {"--world=", WORLD + "''"},
    {"--iterations=1.0", "--iterations" + COUNT + "'1.0'"},
    {"--channels=1025", "--channels: error: expected a whole number from 0 to 1024, found '1025'"},
    {"--gpusPerServer=99999999999999999999", "--gpusPerServer" + COUNT + "'99999999999999999999'"},
    {"--mtu=67", "--mtu: error: expected a whole number from 68 to 65535, found '67'"},
    {"--backwardScale=-1", FACTOR + "'-1'"},
    {"--backwardScale=nan", FACTOR + "'nan'"},
    {"--backwardScale=1,5", FACTOR + "'1,5'"},
    {"--backwardScale=1e999", FACTOR + "'1e999'"},
    {"--tp=0", "--tp: error: expected a whole number from 1 to 1000000, found '0'"},
    {"--ppBytes=0",
     "--ppBytes: error: expected a size of at least 1 in bytes, KiB, MiB or GiB, such as "
     "512KiB, found '0'"},
    {"--schedule=zerobubble",
     "--schedule: error: expected 1f1b, gpipe, interleaved, zb-h1, zb-h2, zb-v, v-half, v-min, "
     "dualpipe or dualpipev, found 'zerobubble'"},
    {"--order=litteral",
     "--order: error: expected megatron or literal, found 'litteral'; did you mean literal?"},
    {"--bytesScale=0",
     "--bytesScale: error: expected a number above 0 and at most 1000000, such as 1.5, found '0'"},
    {"--computeScale=0", SCALE + "'0'"},
    {"--computeScale=1e7", SCALE + "'1e7'"},
    {"--straggler=3", STRAGGLER + "'3'"},
    {"--straggler=3:", STRAGGLER + "'3:'"},
    {"--straggler=:2", STRAGGLER + "':2'"},
    {"--straggler=-1:2", STRAGGLER + "'-1:2'"},
    {"--straggler=3:0", STRAGGLER + "'3:0'"},
    {"--straggler=4294967296:2", STRAGGLER + "'4294967296:2'"},
    {"--jitter=-0.1", JITTER + "'-0.1'"},
    {"--jitter=5%", JITTER + "'5%'"},
    {"--speedSpread=0.31", "--speedSpread: error: expected a share from 0 to 0.3, found '0.31'"},
    {"--communicationShare=", COMMUNICATION_SHARE + "''"},
    {"--communicationShare=1", COMMUNICATION_SHARE + "'1'"},
    {"--communicationShare=-0.1", COMMUNICATION_SHARE + "'-0.1'"},
    {"--communicationShare=0.1,0.2", COMMUNICATION_SHARE + "'0.1,0.2'"},
    {"--communicationShare=0.1,server:0.2", COMMUNICATION_SHARE + "'0.1,server:0.2'"},
    {"--communicationShare=node:0.1", COMMUNICATION_SHARE + "'node:0.1'"},
    {"--communicationShare=server:0.1,server:0.1", COMMUNICATION_SHARE + "'server:0.1,server:0.1'"},
    {"--linkDelay=10", "--linkDelay" + DURATION + "'10'"},
    {"--linkDelay=us", "--linkDelay" + DURATION + "'us'"},
    {"--linkDelay=-1us", "--linkDelay" + DURATION + "'-1us'"},
    {"--linkDelay=10 us", "--linkDelay" + DURATION + "'10 us'; did you mean 10us?"},
    {"--stepLatency=10usec", "--stepLatency" + DURATION + "'10usec'; did you mean 10us?"},
    {"--launchLatency=1e7s", "--launchLatency" + DURATION + "'1e7s'"},
    {"--nicRate=400", "--nicRate" + RATE + "'400'"},
    {"--nicRate=0Gbps", "--nicRate" + RATE + "'0Gbps'"},
    {"--nvlinkRate=400Gbp", "--nvlinkRate" + RATE + "'400Gbp'; did you mean 400Gbps?"},
    {"--chunkBytes=1.5MiB", SIZE + "'1.5MiB'"},
    {"--chunkBytes=4KB", SIZE + "'4KB'"},
    {"--chunkBytes=17179869184GiB", SIZE + "'17179869184GiB'"},
    {"--repeat=a:b", REPEAT + "'a:b'"},
    {"--repeat=a:b:0", REPEAT + "'a:b:0'"},
    {"--repeat=a::3", REPEAT + "'a::3'"},
    {"--format=optable",
     "--format: error: expected auto, simai, megatron, op-table, chakra, kineto, pytorch-et, goal, "
     "model, flows, or another ns3::WorkloadFormat by its TypeId, found 'optable'; did you mean "
     "op-table?"},
    {"--transport=udp", TRANSPORT + "'udp'; did you mean uec?"},
    {"--routing=ecpm", ROUTING + "'ecpm'; did you mean ecmp?"},
    {"--reuse=yes", "--reuse: error: expected on or off, found 'yes'"},
    {"--exact=1", "--exact: error: expected on or off, found '1'"},
    {"--maxTrain=0", TRAIN + "'0'"},
    {"--maxTrain=4097", TRAIN + "'4097'"},
    {"--maxTrain=auto", TRAIN + "'auto'"},
    {"--trafficClass=", CLASSES + "''"},
    {"--trafficClass=dp", CLASSES + "'dp'"},
    {"--trafficClass=dp=1", CLASSES + "'dp=1'"},
    {"--trafficClass=dp:1,", CLASSES + "'dp:1,'"},
    {"--trafficClass=dp:1,,pp:2", CLASSES + "''"},
    {"--trafficClass=dp:8", CLASS + "'dp:8'"},
    {"--trafficClass=dp:-1", CLASS + "'dp:-1'"},
    {"--trafficClass=dp:1.5", CLASS + "'dp:1.5'"},
    {"--trafficClass=dp:", CLASS + "'dp:'"},
    {"--trafficClass=dpp:1",
     "--trafficClass: error: expected a dimension: tp, cp, ep, dp, edp, pp, embedding, world, "
     "found 'dpp'; did you mean dp?"},
    {"--trafficClass=dp:1,tp:2,dp:3",
     "--trafficClass: error: expected one traffic class for dp, found 1 and 3"},
    {"--linkDown=leaf0@1ms",
     "--linkDown: error: expected A-B@TIME or A-B@TIME:TIME, such as "
     "rail0-leaf0-spine0@1ms:5ms, found 'leaf0@1ms'"},
    {"--linkDown=a-b@2ms:1ms",
     "--linkDown: error: expected a link that is mended after it was cut, found 'a-b@2ms:1ms'"},
    {"--files=", FILES + "''"},
    {"--files=summary.json,", FILES + "''"},
    {"--files=trce", FILES + "'trce'; did you mean trace?"},
    {"--files=flow.csv", FILES + "'flow.csv'; did you mean flows.csv?"},
    {"--files=all,-flow.csv.gz", FILES + "'-flow.csv.gz'; did you mean -flows.csv?"},
    {"--files=ops.json", FILES + "'ops.json'"},
    {"--files=Summary.json", FILES + "'Summary.json'; did you mean summary.json?"},
    {"--files=none", FILES + "'none'"},
    {"--files=.gz", FILES + "'.gz'"},
    {"--files=-all", "--files: error: expected a list that leaves a file to write, found '-all'"},
    {"--traceRanks=", RANKS + "''"},
    {"--traceRanks=first", RANKS + "'first'"},
    {"--traceRanks=0,3-1", RANKS + "'3-1'"},
    {"--traceRanks=0+1", RANKS + "'0+1'"},
    {"--traceRanks=0-1000000", RANKS + "'0-1000000'"},
    {"--traceRanks=0,all", RANKS + "'all'"},
    {"--traceStages=all", STAGES + "'all'"},
    {"--traceStages=-1", STAGES + "'-1'"},
    {"--traceTime=1ms", TIMES + "'1ms'"},
    {"--traceTime=1ms:", TIMES + "'1ms:'"},
    {"--traceTime=1:2", TIMES + "'1:2'"},
    {"--traceTime=2ms:1ms", TIMES + "'2ms:1ms'"},
    {"--traceTime=1ms-2ms", TIMES + "'1ms-2ms'"},
    {"--cc=dcqnc", CONTROL + "'dcqnc'; did you mean dcqcn?"},
    {"--progress=yes", "--progress: error: expected auto, on or off, found 'yes'"},
    {"--topology=:a=1", "--topology: error: expected NAME[:key=value,...], found ':a=1'"},
    {"--wrold=3",
     "--wrold: error: expected an option (--help lists all), found '--wrold'; did you mean "
     "--world?"},
    {"--world", "--world: error: expected --world=COUNT, found no value"},
    {"--help=1", "--help: error: expected no value, found '1'"},
    {"a.tsv",
     "command line: error: expected --NAME=VALUE, found 'a.tsv'; did you mean "
     "--workload=a.tsv?"},
    {"--ns3::TcpSocket::SegmentSiz=3",
     "--ns3::TcpSocket::SegmentSiz: error: expected an attribute that ns3::TcpSocket declares "
     "(--PrintAttributes=ns3::TcpSocket lists all), found 'SegmentSiz'; did you mean "
     "SegmentSize?"},
    {"--ns3::TcpSocket::SegmentSize=3x",
     "--ns3::TcpSocket::SegmentSize: error: expected a whole number from 0 to 4294967295, "
     "found '3x'"},
    {"--ns3::TcpSocket::DelAckTimeout=1", "--ns3::TcpSocket::DelAckTimeout" + DURATION + "'1'"},
    {"--ns3::TcpSockt::SegmentSize=3",
     "--ns3::TcpSockt::SegmentSize: error: expected the name of a TypeId, such as "
     "ns3::TcpSocket (--PrintTypeIds lists all), found 'ns3::TcpSockt'; did you mean "
     "ns3::TcpSocket?"},
};

} // namespace

std::string
GetOptionError(const Arguments& arguments)
{
    try
    {
        CheckReplayOptions(ParseReplayOptions(arguments));
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

OptionErrorsTestCase::OptionErrorsTestCase()
    : TestCase("wrong values are told with what is expected and found")
{
}

void
OptionErrorsTestCase::DoRun()
{
    for (const auto& [argument, message] : ERRORS)
    {
        NS_TEST_EXPECT_MSG_EQ(GetOptionError({argument}), message, argument);
    }
}

ScriptOptionsTestCase::ScriptOptionsTestCase()
    : TestCase("names that a script sets are known, or told")
{
}

void
ScriptOptionsTestCase::DoRun()
{
    using Set = void (*)(ReplayOptions&);
    const std::pair<Set, std::string> rows[] = {
        {[](ReplayOptions& o) { o.cc = "dcqnc"; }, CONTROL + "'dcqnc'; did you mean dcqcn?"},
        {[](ReplayOptions& o) { o.routing = "ecpm"; }, ROUTING + "'ecpm'; did you mean ecmp?"},
        {[](ReplayOptions& o) { o.transport = "rmda"; }, TRANSPORT + "'rmda'; did you mean rdma?"},
        {[](ReplayOptions& o) { o.nvlink = "none"; },
         "--nvlink: error: expected packets or ideal, found 'none'"},
        {[](ReplayOptions& o) { o.sizes = "stict"; },
         "--sizes: error: expected strict or lenient, found 'stict'; did you mean strict?"},
    };
    for (const auto& [set, message] : rows)
    {
        ReplayOptions options;
        set(options);
        std::string told;
        try
        {
            ReplaySession session(options);
        }
        catch (const WorkloadError& error)
        {
            told = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(told, message, "before anything is read");
    }
}
