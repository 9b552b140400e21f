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
     "model, "
     "flows, or "
     "another "
     "ns3::WorkloadFormat by its TypeId, found "
     "'optable'; did you mean op-table?"},
    {"--transport=udp",
     "--transport: error: expected rdma, uec, fluid, tcp, ideal, or another ns3::TransportKind or "
     "ns3::RdmaProtocol by its TypeId, found 'udp'; did you mean "
     "uec?"},
    {"--routing=ecpm",
     "--routing: error: expected ecmp, e-ecmp, flowlet, spray, adaptive, conga, conweave, "
     "pinned, valiant, ugal, ugal-g, or another ns3::RdmaRouting by its TypeId, found 'ecpm'; did "
     "you mean "
     "ecmp?"},
    {"--reuse=yes", "--reuse: error: expected on or off, found 'yes'"},
    {"--exact=1", "--exact: error: expected on or off, found '1'"},
    {"--maxTrain=0", "--maxTrain: error: expected a whole number from 1 to 4096, found '0'"},
    {"--maxTrain=4097", "--maxTrain: error: expected a whole number from 1 to 4096, found '4097'"},
    {"--maxTrain=auto", "--maxTrain: error: expected a whole number from 1 to 4096, found 'auto'"},
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
    {"--cc=dcqnc",
     "--cc: error: expected dcqcn, hpcc, timely, swift, nscc, rccc, none, or another "
     "ns3::RdmaCongestionControl by its TypeId, found 'dcqnc'; "
     "did you mean dcqcn?"},
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

/// A workload, which a command line has to have.
const std::string FILE_OPTION = "--workload=a.tsv";

/// Command lines that contradict themselves, and what is told of them.
const std::vector<std::pair<Arguments, std::string>> CONTRADICTIONS{
    {{},
     "--workload: error: expected a file or directory to replay, such as "
     "--workload=examples/workloads/gpt2-large-ops.tsv, found none"},
    {{FILE_OPTION, "--cc=TcpCubic", "--transport=ideal"},
     "--cc: error: expected no cc with the transport ideal, which has no packets, found one"},
    {{FILE_OPTION, "--transport=tcp", "--cc=TcpCubik"},
     "--cc: error: expected a congestion control of ns-3's TCP, such as ns3::TcpCubic, found "
     "'TcpCubik'; did you mean ns3::TcpCubic?"},
    {{FILE_OPTION, "--transport=tcp", "--routing=spray"},
     "--routing: error: expected no routing with the transport tcp; only rdma and uec have a "
     "choice, found one"},
    {{FILE_OPTION, "--exact=on", "--maxTrain=8"},
     "--maxTrain: error: expected no maxTrain with exact, which has every packet by itself, found "
     "one"},
    {{FILE_OPTION, "--reuse=on", "--outputDir=a"},
     "--reuse: error: expected off with flows.csv, which lists single messages; "
     "--files=all,-flows.csv leaves it out, found 'on'"},
    {{FILE_OPTION, "--reuse=on", "--timeSeries=1ms", "--outputDir=a", "--files=all,-flows.csv"},
     "--reuse: error: expected off with timeSeries, which looks at links in between, found 'on'"},
    {{FILE_OPTION, "--reuse=on", "--background=poisson:load=0.1"},
     "--reuse: error: expected off with background traffic, of which messages are reported one by "
     "one, found 'on'"},
    {{FILE_OPTION, "--reuse=on", "--SimulatorImplementationType=ns3::RealtimeSimulatorImpl"},
     "--reuse: error: expected off with SimulatorImplementationType, as only CatchUpSimulatorImpl "
     "goes back "
     "to what was skipped, found 'on'"},
    {{FILE_OPTION, "--exact=on", "--reuse=on"},
     "--reuse: error: expected no reuse with exact, which has every packet by itself, found one"},
    {{FILE_OPTION, "--transport=tcp", "--exact=on"},
     "--exact: error: expected no exact with the transport tcp; only rdma and uec save packets, "
     "found one"},
    {{FILE_OPTION, "--transport=ideal", "--exact=on"},
     "--exact: error: expected no exact with the transport ideal; only rdma and uec save packets, "
     "found one"},
    {{FILE_OPTION, "--transport=ideal", "--logGops=2500:1500:1000:6:0:65535", "--reuse=on"},
     "--reuse: error: expected no reuse with logGops, whose network has no ports, found one"},
    {{FILE_OPTION, "--transport=tcp", "--reuse=on"},
     "--reuse: error: expected no reuse with the transport tcp; only rdma, uec and ideal know "
     "which "
     "ports are used, found one"},
    {{FILE_OPTION, "--transport=ideal", "--maxTrain=1"},
     "--maxTrain: error: expected no maxTrain with the transport ideal; only rdma has packet "
     "trains, found one"},
    {{FILE_OPTION, "--transport=tcp", "--maxTrain=64"},
     "--maxTrain: error: expected no maxTrain with the transport tcp; only rdma has packet "
     "trains, found one"},
    {{FILE_OPTION, "--transport=tcp", "--flowControl=credits"},
     "--flowControl: error: expected no flowControl with the transport tcp; only rdma and fluid "
     "have a choice, found one"},
    {{FILE_OPTION, "--flowControl=credits", "--mtu=8192"},
     "--mtu: error: expected at most 4096 bytes of payload with the transport rdma and credits, "
     "those of InfiniBand, found 8192"},
    {{FILE_OPTION, "--flowControl=credits", "--maxTrain=64"},
     "--maxTrain: error: expected no maxTrain with flow control by credits, which are for single "
     "packets, found one"},
    {{FILE_OPTION, "--transport=ideal", "--nvlink=ideal"},
     "--nvlink: error: expected no nvlink with the transport ideal; only rdma sends packets over "
     "NVLink, found one"},
    {{FILE_OPTION, "--transport=tcp", "--trafficClass=dp:1"},
     "--trafficClass: error: expected no trafficClass with the transport tcp; only rdma has "
     "priorities, found one"},
    {{FILE_OPTION, "--transport=ideal", "--trafficClass=dp:1"},
     "--trafficClass: error: expected no trafficClass with the transport ideal; only rdma has "
     "priorities, found one"},
    {{FILE_OPTION, "--trafficClass=pp:1,dp:7"},
     "--trafficClass: error: expected a traffic class other than 7, which acknowledgements and "
     "congestion notifications have (ns3::RdmaNic::AckPriority), found 'dp:7'"},
    {{FILE_OPTION, "--transport=ideal", "--mtu=1500"},
     "--mtu: error: expected no mtu with the transport ideal, which has no packets, found one"},
    {{FILE_OPTION, "--topology=a.topo", "--nicRate=1Gbps"},
     "--nicRate: error: expected no nicRate with a topology file, which says it itself, found "
     "one"},
    {{FILE_OPTION, "--cc=rccc"},
     "congestion control rccc: error: expected another one with the transport rdma "
     "(receivers of reliable connections grant no credit), found rccc"},
    {{FILE_OPTION, "--dryRun", "--cc=rccc"},
     "congestion control rccc: error: expected another one with the transport rdma "
     "(receivers of reliable connections grant no credit), found rccc"},
    {{FILE_OPTION, "--dryRun", "--cc=hpcc", "--routing=spray"},
     "congestion control hpcc: error: expected a routing that keeps the packets of a queue pair on "
     "one path (HPCC measures a port by two packets that have passed it), found routing spray"},
    {{FILE_OPTION, "--files=ops.csv"},
     "--files: error: expected no files without outputDir, the directory that files go to, found "
     "one"},
    {{FILE_OPTION, "--traceRanks=all"},
     "--traceRanks: error: expected no traceRanks without outputDir, the directory that files go "
     "to, found one"},
    {{FILE_OPTION, "--outputDir=out", "--files=-trace", "--traceTime=0ns:1us"},
     "--traceTime: error: expected no traceTime without trace.json, which files leaves out, found "
     "one"},
    {{FILE_OPTION, "--outputDir=out", "--files=summary.json", "--traceStages=0"},
     "--traceStages: error: expected no traceStages without trace.json, which files leaves out, "
     "found one"},
    {{FILE_OPTION, "--outputDir=out", "--timeSeries=1ms", "--files=all,-timeseries.csv"},
     "--timeSeries: error: expected no timeSeries without timeseries.csv, which files leaves out, "
     "found one"},
    {{FILE_OPTION, "--nvlink=ideal", "--circuits=panel.json"},
     "--circuits: error: expected no circuits with nvlink ideal, where links of servers carry "
     "nothing, found one"},
    {{"--model=llama3-8b", "--stepTime=1s", "--dryRun"},
     "--dryRun: error: expected no dryRun with stepTime, which replays the job by itself, found "
     "one"},
    // Of several faults the first one of the list of rules, whatever their order here.
    {{FILE_OPTION, "--flowPaths=on", "--jitter=0.1", "--exportChakra=a/b"},
     "--jitter: error: expected no jitter with exportChakra, which writes one iteration of the "
     "workload as it is, found one"},
    {{FILE_OPTION, "--outputDir=out", "--dryRun", "--files=summary.json"},
     "--files: error: expected no files with dryRun, which simulates nothing, found one"},
    {{"--dryRun"},
     "--workload: error: expected a file or directory to replay, such as "
     "--workload=examples/workloads/gpt2-large-ops.tsv, found none"},
    {{FILE_OPTION, "--run=1", "--RngRun=1"},
     "--RngRun: error: expected either --run or --RngRun, found both"},
    {{FILE_OPTION, "--RngSeed=1", "--seed=2"},
     "--RngSeed: error: expected either --seed or --RngSeed, found both"},
    {{FILE_OPTION, "--config=a", "--config=b"},
     "--config: error: expected one configuration file, found 'a' and 'b'"},
    {{"--workload", "a.tsv"},
     "--workload: error: expected --workload=FILE, found no value; did you mean "
     "--workload=a.tsv?"},
};

/// Options that do nothing beside others.
struct Refusal
{
    Arguments beside;   //!< those others
    Arguments refused;  //!< each of these is refused by itself
    std::string reason; //!< why, as it follows the name
};

/// All options of the rules that are about several.
const std::vector<Refusal> REFUSALS{
    {{FILE_OPTION},
     {"files=all",
      "flowPaths=on",
      "traceRanks=all",
      "traceStages=0",
      "traceTime=0ns:1us",
      "timeSeries=1ms",
      "timeSeriesLinks=all",
      "timeSeriesRanks=0"},
     " without outputDir, the directory that files go to"},
    {{FILE_OPTION, "--outputDir=out"},
     {"timeSeriesLinks=all", "timeSeriesRanks=0"},
     " without timeSeries, its interval"},
    {{FILE_OPTION, "--outputDir=out", "--files=-trace.json"},
     {"traceRanks=all", "traceStages=0", "traceTime=0ns:1us"},
     " without trace.json, which files leaves out"},
    {{FILE_OPTION, "--exportChakra=a/b"},
     {"job=a.tsv",
      "background=poisson:load=0.1",
      "iterations=2",
      "computeScale=2",
      "straggler=0:2",
      "jitter=0.1",
      "communicationShare=0.1",
      "outputDir=out",
      "dryRun"},
     " with exportChakra, which writes one iteration of the workload as it is"},
    {{FILE_OPTION, "--topology=a.topo"},
     {"gpusPerServer=4",
      "nicsPerServer=4",
      "server=gpu0+nic0",
      "hostMemoryRate=1Gbps",
      "nicRate=1Gbps",
      "intraServer=pcie",
      "pcieRate=1Gbps",
      "socketRate=1Gbps",
      "nvlinkRate=1Gbps",
      "nvSwitches=2",
      "nvlinkServers=2",
      "nvlinkOversubscription=2",
      "nvlinkDelay=1ns",
      "linkDelay=1ns",
      "nicLatency=1ns",
      "switchLatency=1ns",
      "fecLatency=1ns"},
     " with a topology file, which says it itself"},
    {{FILE_OPTION, "--intraServer=pcie", "--server=gpu0+nic0"},
     {"nvlinkRate=1Gbps",
      "nvSwitches=2",
      "nvlinkServers=2",
      "nvlinkOversubscription=2",
      "nvlink=packets",
      "hostMemoryRate=1Gbps"},
     " with intraServer pcie, which has PCIe switches and CPUs instead"},
    {{FILE_OPTION}, {"pcieRate=1Gbps", "socketRate=1Gbps"}, " without intraServer=pcie"},
    {{FILE_OPTION, "--transport=ideal"},
     {"cc=dcqcn", "mtu=1500", "linkDown=a-b@1ms", "circuits=panel.json"},
     " with the transport ideal, which has no packets"},
    {{"--model=llama3-8b", "--stepTime=1s"},
     {"job=a.tsv", "background=poisson:load=0.1", "dryRun"},
     " with stepTime, which replays the job by itself"},
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
        {[](ReplayOptions& o) { o.cc = "dcqnc"; },
         "--cc: error: expected dcqcn, hpcc, timely, swift, nscc, rccc, none, or another "
         "ns3::RdmaCongestionControl by its TypeId, found 'dcqnc'; did "
         "you mean dcqcn?"},
        {[](ReplayOptions& o) { o.routing = "ecpm"; },
         "--routing: error: expected ecmp, e-ecmp, flowlet, spray, adaptive, conga, conweave, "
         "pinned, valiant, ugal, ugal-g, or another ns3::RdmaRouting by its TypeId, found 'ecpm'; "
         "did you "
         "mean ecmp?"},
        {[](ReplayOptions& o) { o.transport = "rmda"; },
         "--transport: error: expected rdma, uec, fluid, tcp, ideal, or another ns3::TransportKind "
         "or "
         "ns3::RdmaProtocol by its TypeId, found 'rmda'; did you mean rdma?"},
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

OptionContradictionsTestCase::OptionContradictionsTestCase()
    : TestCase("contradictions are errors")
{
}

void
OptionContradictionsTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(GetOptionError({FILE_OPTION}), "", "a workload is enough");
    NS_TEST_EXPECT_MSG_EQ(GetOptionError({"--dryRun", "--world=8"}),
                          "",
                          "so is a world, for a dry run");
    NS_TEST_EXPECT_MSG_EQ(GetOptionError({FILE_OPTION, "--transport=tcp", "--cc=TcpCubic"}),
                          "",
                          "tcp has one");
    for (const auto& [arguments, message] : CONTRADICTIONS)
    {
        NS_TEST_EXPECT_MSG_EQ(GetOptionError(arguments), message, message);
    }
    for (const auto& [beside, refused, reason] : REFUSALS)
    {
        for (const auto& option : refused)
        {
            auto arguments = beside;
            arguments.push_back("--" + option);
            const auto name = option.substr(0, option.find('='));
            NS_TEST_EXPECT_MSG_EQ(GetOptionError(arguments),
                                  "--" + name + ": error: expected no " + name + reason +
                                      ", found one",
                                  option);
        }
    }
}
