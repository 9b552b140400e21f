/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"

#include <string>
#include <utility>
#include <vector>

namespace
{

/// A workload, which a command line has to have.
const std::string FILE_OPTION = "--workload=a.tsv";
/// What is told where there is none.
const std::string NO_FILE = "--workload: error: expected a file or directory to replay, such as "
                            "--workload=examples/workloads/gpt2-large-ops.tsv, found none";
/// What is told of a congestion control by receivers over rdma.
const std::string NO_RECEIVER =
    "congestion control rccc: error: expected another one with the transport rdma (receivers of "
    "reliable connections grant no credit), found rccc";

/// Command lines that contradict themselves, and what is told of them.
const std::vector<std::pair<Arguments, std::string>> CONTRADICTIONS{
    {{}, NO_FILE},
    {{FILE_OPTION, "--transport=tcp", "--cc=TcpCubik"},
     "--cc: error: expected a congestion control of ns-3's TCP, such as ns3::TcpCubic, found "
     "'TcpCubik'; did you mean ns3::TcpCubic?"},
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
     "goes back to what was skipped, found 'on'"},
    {{FILE_OPTION, "--flowControl=credits", "--mtu=8192"},
     "--mtu: error: expected at most 4096 bytes of payload with the transport rdma and credits, "
     "those of InfiniBand, found 8192"},
    {{FILE_OPTION, "--trafficClass=pp:1,dp:7"},
     "--trafficClass: error: expected a traffic class other than 7, which acknowledgements and "
     "congestion notifications have (ns3::RdmaNic::AckPriority), found 'dp:7'"},
    {{FILE_OPTION, "--cc=rccc"}, NO_RECEIVER},
    {{FILE_OPTION, "--dryRun", "--cc=rccc"}, NO_RECEIVER},
    {{FILE_OPTION, "--dryRun", "--cc=hpcc", "--routing=spray"},
     "congestion control hpcc: error: expected a routing that keeps the packets of a queue pair on "
     "one path (HPCC measures a port by two packets that have passed it), found routing spray"},
    // Of several faults the first one of the list of rules, whatever their order here.
    {{FILE_OPTION, "--flowPaths=on", "--jitter=0.1", "--exportChakra=a/b"},
     "--jitter: error: expected no jitter with exportChakra, which writes one iteration of the "
     "workload as it is, found one"},
    {{"--dryRun"}, NO_FILE},
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

/// All options of the rules that refuse some beside others.
const std::vector<Refusal> REFUSALS{
    {{FILE_OPTION},
     {"files=all",
      "files=ops.csv",
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
    {{FILE_OPTION, "--exact=on"},
     {"maxTrain=8", "reuse=on"},
     " with exact, which has every packet by itself"},
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
     {"cc=dcqcn", "cc=TcpCubic", "mtu=1500", "linkDown=a-b@1ms", "circuits=panel.json"},
     " with the transport ideal, which has no packets"},
    {{"--model=llama3-8b", "--stepTime=1s"},
     {"job=a.tsv", "background=poisson:load=0.1", "dryRun"},
     " with stepTime, which replays the job by itself"},
    {{FILE_OPTION, "--transport=tcp"},
     {"routing=spray"},
     " with the transport tcp; only rdma and uec have a choice"},
    {{FILE_OPTION, "--transport=tcp"},
     {"exact=on"},
     " with the transport tcp; only rdma and uec save packets"},
    {{FILE_OPTION, "--transport=ideal"},
     {"exact=on"},
     " with the transport ideal; only rdma and uec save packets"},
    {{FILE_OPTION, "--transport=ideal", "--logGops=2500:1500:1000:6:0:65535"},
     {"reuse=on"},
     " with logGops, whose network has no ports"},
    {{FILE_OPTION, "--transport=tcp"},
     {"reuse=on"},
     " with the transport tcp; only rdma, uec and ideal know which ports are used"},
    {{FILE_OPTION, "--transport=ideal"},
     {"maxTrain=1"},
     " with the transport ideal; only rdma has packet trains"},
    {{FILE_OPTION, "--transport=tcp"},
     {"maxTrain=64"},
     " with the transport tcp; only rdma has packet trains"},
    {{FILE_OPTION, "--transport=tcp"},
     {"flowControl=credits"},
     " with the transport tcp; only rdma and fluid have a choice"},
    {{FILE_OPTION, "--flowControl=credits"},
     {"maxTrain=64"},
     " with flow control by credits, which are for single packets"},
    {{FILE_OPTION, "--transport=ideal"},
     {"nvlink=ideal"},
     " with the transport ideal; only rdma sends packets over NVLink"},
    {{FILE_OPTION, "--transport=tcp"},
     {"trafficClass=dp:1"},
     " with the transport tcp; only rdma has priorities"},
    {{FILE_OPTION, "--transport=ideal"},
     {"trafficClass=dp:1"},
     " with the transport ideal; only rdma has priorities"},
    {{FILE_OPTION, "--nvlink=ideal"},
     {"circuits=panel.json"},
     " with nvlink ideal, where links of servers carry nothing"},
    {{FILE_OPTION, "--outputDir=out", "--files=-trace"},
     {"traceTime=0ns:1us"},
     " without trace.json, which files leaves out"},
    {{FILE_OPTION, "--outputDir=out", "--files=summary.json"},
     {"traceStages=0"},
     " without trace.json, which files leaves out"},
    {{FILE_OPTION, "--outputDir=out", "--files=all,-timeseries.csv"},
     {"timeSeries=1ms"},
     " without timeseries.csv, which files leaves out"},
    {{FILE_OPTION, "--outputDir=out", "--dryRun"},
     {"files=summary.json"},
     " with dryRun, which simulates nothing"},
};

} // namespace

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
