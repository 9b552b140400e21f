/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"

#include "ns3/replay-option-table.h"

#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// An option with a right value.
struct Row
{
    std::string name;                                  //!< the option
    std::string text;                                  //!< a right value
    std::function<bool(const ReplayOptions&)> isRight; //!< tells whether it was understood
};

/// What was understood.
using O = const ReplayOptions&;
/// A right value of each option, or several.
const std::vector<Row> VALUES{
    {"workload", "a=b.tsv", [](O o) { return o.workload == "a=b.tsv"; }},
    {"placement", "0-7", [](O o) { return o.placement.text == "0-7"; }},
    {"format", "op-table", [](O o) { return o.format == "op-table"; }},
    {"format", "simai", [](O o) { return o.format == "simai"; }},
    {"format", "megatron", [](O o) { return o.format == "megatron"; }},
    {"format", "chakra", [](O o) { return o.format == "chakra"; }},
    {"world", "1000000", [](O o) { return o.layout.world == 1000000U && !o.layout.dp; }},
    {"tp", "8", [](O o) { return o.layout.tp == 8U && !o.layout.cp; }},
    {"cp", "2", [](O o) { return o.layout.cp == 2U; }},
    {"ep", "4", [](O o) { return o.layout.ep == 4U; }},
    {"dp", "16", [](O o) { return o.layout.dp == 16U && !o.layout.world; }},
    {"pp", "3", [](O o) { return o.layout.pp == 3U; }},
    {"microbatches", "64", [](O o) { return o.layout.microbatches == 64U; }},
    {"vpp", "5", [](O o) { return o.layout.vpp == 5U; }},
    {"schedule", "gpipe", [](O o) { return o.schedule == "gpipe"; }},
    {"model", "a.json", [](O o) { return o.workload == "a.json" && o.format == "model"; }},
    {"sequence", "4096", [](O o) { return o.model.sequence == 4096U; }},
    {"microbatchSize", "2", [](O o) { return o.model.training.microbatchSize == 2; }},
    {"globalBatch", "64", [](O o) { return o.model.globalBatch == 64U; }},
    {"precision", "fp8", [](O o) { return o.model.precision == "fp8"; }},
    {"gradients", "bf16", [](O o) { return o.model.training.gradientBytes == 2; }},
    {"gradients", "fp32", [](O o) { return o.model.training.gradientBytes == 4; }},
    {"sequenceParallel", "off", [](O o) { return o.model.sequenceParallel == false; }},
    {"zero", "3", [](O o) { return o.model.training.zero == 3; }},
    {"recompute", "full", [](O o) { return o.model.recompute == "full"; }},
    {"recomputeModules", "moe,mlp", [](O o) { return o.model.recomputeModules == "moe,mlp"; }},
    {"fusedAttention", "off", [](O o) { return !o.model.training.fusedAttention; }},
    {"framework", "megatron", [](O o) { return o.model.framework == "megatron"; }},
    {"attentionKernel", "fa3", [](O o) { return o.model.attentionKernel == "fa3"; }},
    {"etp", "2", [](O o) { return o.model.etp == 2U; }},
    {"context", "all-gather", [](O o) { return o.model.context == "all-gather"; }},
    {"overlapGradients", "off", [](O o) { return !o.model.training.overlapGradients; }},
    {"overlapParameters", "off", [](O o) { return !o.model.training.overlapParameters; }},
    {"overlapTensor", "on", [](O o) { return o.model.training.overlapTensor; }},
    {"overlapExperts", "on", [](O o) { return o.model.training.overlapExperts; }},
    {"scatterMessages", "on", [](O o) { return o.model.training.scatterMessages; }},
    {"dispatch", "by-group", [](O o) { return o.model.dispatch == "by-group"; }},
    {"dispatchRanks", "8", [](O o) { return o.model.dispatchRanks == 8U; }},
    {"expertLoad", "zipf:1", [](O o) { return o.model.expertLoad == "zipf:1"; }},
    {"expertCapacity", "1.5", [](O o) { return o.model.training.expertCapacity == 1.5; }},
    {"accelerator", "b200", [](O o) { return o.model.accelerator.text == "b200"; }},
    {"efficiency", "0.7", [](O o) { return o.model.efficiency == 0.7; }},
    {"stepTime", "14.6s", [](O o) { return o.stepTime == MilliSeconds(14600); }},
    {"operatorTimes", "a.tsv", [](O o) { return o.model.operatorTimes == "a.tsv"; }},
    {"order", "literal", [](O o) { return o.order == "literal"; }},
    {"ppBytes", "20MiB", [](O o) { return o.ppBytes == 20971520; }},
    {"bytesScale", "0.125", [](O o) { return o.bytesScale == 0.125; }},
    {"profile", "robust", [](O o) { return o.profile == "robust"; }},
    {"computeScale", "0.5", [](O o) { return o.computeScale == 0.5; }},
    {"straggler",
     "3:1.5",
     [](O o) { return o.stragglers.size() == 1 && o.stragglers.at(3).factor == 1.5; }},
    {"speedSpread", "0.02", [](O o) { return o.speedSpread == 0.02; }},
    {"jitter", "0.05", [](O o) { return o.jitter == 0.05; }},
    {"communicationShare",
     "0.1",
     [](O o) { return o.communicationShare.server == 0.1 && o.communicationShare.network == 0.1; }},
    {"communicationShare",
     "network:0.02,server:0.15",
     [](O o) {
         return o.communicationShare.server == 0.15 && o.communicationShare.network == 0.02;
     }},
    {"communicationShare",
     "server:0.15",
     [](O o) { return o.communicationShare.server == 0.15 && o.communicationShare.network == 0; }},
    {"iterations", "4294967295", [](O o) { return o.iterations == 4294967295U; }},
    {"job",
     "a.tsv:start=1ms",
     [](O o) { return o.jobs.size() == 1 && o.jobs.front().text == "a.tsv:start=1ms"; }},
    {"background",
     "poisson:load=1",
     [](O o) { return o.background.size() == 1 && o.background.front().text == "poisson:load=1"; }},
    {"alone", "off", [](O o) { return o.alone == "off"; }},
    {"backwardScale", "2.5", [](O o) { return o.backwardScale == 2.5; }},
    {"backwardScale", "1e-3", [](O o) { return o.backwardScale == 0.001; }},
    {"repeat",
     "ln_1:add_15:36",
     [](O o) {
         return o.repeat.first == "ln_1" && o.repeat.last == "add_15" && o.repeat.count == 36;
     }},
    {"elementBytes", "2", [](O o) { return o.elementBytes == 2; }},
    {"commGroups", "g.json", [](O o) { return o.commGroups == "g.json"; }},
    {"astraZeroIsWorld", "on", [](O o) { return o.astraZeroIsWorld == "on"; }},
    {"controlDependencies", "off", [](O o) { return o.controlDependencies == "off"; }},
    {"peakFlops", "989e12", [](O o) { return o.peakFlops == 989e12; }},
    {"memoryBandwidth", "3350GB/s", [](O o) { return o.memoryBandwidth == 3350e9; }},
    {"logGops",
     "3700:200:5:0.04:0:65536",
     [](O o) {
         const auto& c = *o.logGops;
         return c.latency == 3700 && c.overhead == 200 && c.gap == 5 && c.byteGap == 0.04 &&
                c.byteOverhead == 0 && c.eagerLimit == 65536;
     }},
    {"sizes", "lenient", [](O o) { return o.sizes == "lenient"; }},
    {"pipelineLayout", "Et|tL", [](O o) { return o.model.pipelineLayout == "Et|tL"; }},
    {"firstStageLayers", "0", [](O o) { return o.model.firstStageLayers == 0U; }},
    {"lastStageLayers", "3", [](O o) { return o.model.lastStageLayers == 3U; }},
    {"embeddingAsLayer", "on", [](O o) { return o.model.embeddingAsLayer; }},
    {"lossAsLayer", "on", [](O o) { return o.model.lossAsLayer; }},
    {"topology", "clos:leaves=2", [](O o) { return o.topology == "clos:leaves=2"; }},
    {"fabric", "h100", [](O o) { return o.fabricSet == "h100"; }},
    {"gpusPerServer", "4", [](O o) { return o.fabric.gpusPerServer == 4; }},
    {"nicRate", "1.5Gbps", [](O o) { return o.fabric.nicRate.GetBitRate() == 1500000000; }},
    {"nvlinkRate", "450GB/s", [](O o) { return o.fabric.nvlinkRate == DataRate(36e11); }},
    {"nvlinkDelay", "0.25us", [](O o) { return o.fabric.nvlinkDelay == NanoSeconds(250); }},
    {"linkDelay", "1e-3ms", [](O o) { return o.fabric.linkDelay == MicroSeconds(1); }},
    {"nicLatency", "600ns", [](O o) { return o.fabric.nicLatency == NanoSeconds(600); }},
    {"switchLatency", "0.7us", [](O o) { return o.fabric.switchLatency == NanoSeconds(700); }},
    {"fecLatency", "90ns", [](O o) { return o.fabric.fecLatency == NanoSeconds(90); }},
    {"mtu", "65535", [](O o) { return o.fabric.mtu == 65535; }},
    {"transport", "ideal", [](O o) { return o.transport == "ideal"; }},
    {"cc", "hpcc", [](O o) { return o.cc == "hpcc"; }},
    {"flowControl", "credits", [](O o) { return o.flowControl == "credits"; }},
    {"nvlink", "ideal", [](O o) { return o.nvlink == "ideal"; }},
    {"routing", "spray", [](O o) { return o.routing == "spray"; }},
    {"reuse", "off", [](O o) { return o.reuse == "off"; }},
    {"exact", "on", [](O o) { return o.exact == "on"; }},
    {"maxTrain", "4096", [](O o) { return o.maxTrain == 4096; }},
    {"trafficClass",
     "dp:0,embedding:6",
     [](O o) {
         return o.trafficClasses.size() == 2 && o.trafficClasses[0].dimension == Dimension::DP &&
                o.trafficClasses[0].trafficClass == 0 &&
                o.trafficClasses[1].dimension == Dimension::EMBEDDING &&
                o.trafficClasses[1].trafficClass == 6;
     }},
    {"nicsPerServer", "4", [](O o) { return o.fabric.nicsPerServer == 4; }},
    {"server",
     "gpu0+nic0 gpu1 / gpu2+nic1",
     [](O o) { return o.fabric.server.gpus.size() == 3 && o.fabric.server.FindNic(2) == 1; }},
    {"hostMemoryRate",
     "200Gbps",
     [](O o) { return o.fabric.hostMemoryRate.GetBitRate() == 200000000000ULL; }},
    {"nvSwitches", "18", [](O o) { return o.fabric.nvSwitches == 18; }},
    {"nvlinkServers", "32", [](O o) { return o.fabric.nvlinkServers == 32; }},
    {"nvlinkOversubscription", "2.5", [](O o) { return o.fabric.nvlinkOversubscription == 2.5; }},
    {"intraServer", "pcie", [](O o) { return o.fabric.pcie; }},
    {"pcieRate", "252Gbps", [](O o) { return o.fabric.pcieRate.GetBitRate() == 252000000000ULL; }},
    {"socketRate",
     "160Gbps",
     [](O o) { return o.fabric.socketRate.GetBitRate() == 160000000000ULL; }},
    {"circuits", "panel.json", [](O o) { return o.circuits == "panel.json"; }},
    {"linkDown",
     "a-b@1ms:3ms",
     [](O o) {
         const LinkFailure& failure = o.linkFailures.front();
         return o.linkFailures.size() == 1 && failure.ends == "a-b" &&
                failure.down == MilliSeconds(1) && failure.up == MilliSeconds(3);
     }},
    {"collective",
     "all-reduce.dp=ring/ll",
     [](O o) { return o.collectives.front().protocol == CollectiveProtocol::LL; }},
    {"channels", "8", [](O o) { return o.channels == 8; }},
    {"channels", "0", [](O o) { return o.channels == 0 && o.IsGiven("channels"); }},
    {"chunkBytes", "512KiB", [](O o) { return o.chunkBytes == 524288; }},
    {"chunkBytes", "3GiB", [](O o) { return o.chunkBytes == 3221225472; }},
    {"chunkBytes", "0", [](O o) { return o.chunkBytes == 0 && o.IsGiven("chunkBytes"); }},
    {"stepLatency", "7us", [](O o) { return o.stepLatency == MicroSeconds(7); }},
    {"launchLatency", "2s", [](O o) { return o.launchLatency == Seconds(2); }},
    {"outputDir", "out", [](O o) { return o.outputDir == "out"; }},
    {"files",
     "summary.json,ops.csv.gz",
     [](O o) {
         return o.files.GetName("ops.csv") == "ops.csv.gz" && !o.files.IsWanted("flows.csv");
     }},
    {"traceRanks",
     "0-2,7",
     [](O o) {
         return o.trace.ranks == std::vector<uint32_t>{0, 1, 2, 7} && !o.trace.hasAllRanks;
     }},
    {"traceRanks", "all", [](O o) { return o.trace.ranks.empty() && o.trace.hasAllRanks; }},
    {"traceStages",
     "3,0",
     [](O o) {
         return o.trace.stages == std::vector<uint32_t>{3, 0};
     }},
    {"traceTime",
     "1ms:2.5ms",
     [](O o) { return o.trace.from == MilliSeconds(1) && o.trace.to == MicroSeconds(2500); }},
    {"timeSeries", "5us", [](O o) { return o.timeSeries.interval == MicroSeconds(5); }},
    {"timeSeriesLinks", "a-b,c-d", [](O o) { return o.timeSeries.links == "a-b,c-d"; }},
    {"timeSeriesRanks",
     "3,0",
     [](O o) {
         return o.timeSeries.ranks == std::vector<uint32_t>{3, 0};
     }},
    {"flowPaths", "on", [](O o) { return o.flowPaths == "on"; }},
    {"exportChakra", "a/b", [](O o) { return o.exportChakra == "a/b"; }},
    {"mpi", "4", [](O o) { return o.processes == 4; }},
    {"progress", "off", [](O o) { return o.progress == "off"; }},
    {"seed", "3", [](O o) { return o.seed == 3; }},
    {"run", "18446744073709551615", [](O o) { return o.run == UINT64_MAX; }},
};

} // namespace

OptionValuesTestCase::OptionValuesTestCase()
    : TestCase("each option stores its value")
{
}

void
OptionValuesTestCase::DoRun()
{
    std::set<std::string> covered{"config", "dryRun", "help"};
    const auto graph = CreateTempDirFilename("graph.xml");
    std::ofstream(graph) << "<graphs><graph id=\"0\" pattern=\"4\" nchannels=\"1\" "
                            "speedintra=\"20\" speedinter=\"20\"><channel><gpu dev=\"0\"/>"
                            "<gpu dev=\"1\"/></channel></graph></graphs>";
    const auto given = ParseReplayOptions({"--ncclGraph=" + graph}).ncclGraph;
    NS_TEST_EXPECT_MSG_EQ(given->ring.channels, 1, "channels from a file");
    covered.insert("ncclGraph");
    for (const auto& row : VALUES)
    {
        const auto argument = "--" + row.name + "=" + row.text;
        const auto options = ParseReplayOptions({argument});
        NS_TEST_EXPECT_MSG_EQ(row.isRight(options), true, argument);
        NS_TEST_EXPECT_MSG_EQ(options.IsGiven(row.name), true, argument);
        covered.insert(row.name);
    }
    ReplayOptions options;
    for (const auto& name : CreateReplayOptionTable(options).GetNames())
    {
        NS_TEST_EXPECT_MSG_EQ(covered.count(name), 1, "no right value of --" << name);
    }
    NS_TEST_EXPECT_MSG_EQ(ParseReplayOptions({"-h"}).help, true, "-h is --help");
    NS_TEST_EXPECT_MSG_EQ(ParseReplayOptions({"--dryRun"}).dryRun, true, "a switch");
    NS_TEST_EXPECT_MSG_EQ(ParseReplayOptions({}).dryRun, false, "off unless given");
    NS_TEST_EXPECT_MSG_EQ(ParseReplayOptions({"--topology=a:b/c.topo"}).topology,
                          "a:b/c.topo",
                          "a file may have a colon in its name");
    const auto attribute = ParseReplayOptions({"--ns3::TcpSocket::SegmentSize=1448", "--RngRun=3"});
    NS_TEST_ASSERT_MSG_EQ(attribute.ns3Arguments.size(), 2, "arguments of ns-3 are kept");
    NS_TEST_EXPECT_MSG_EQ(attribute.ns3Arguments[0], "ns3::TcpSocket::SegmentSize=1448", "whole");
    const auto last = ParseReplayOptions({"--world=2", "--world=4"});
    NS_TEST_EXPECT_MSG_EQ((last.layout.world == 4U), true, "the last of two wins");
    const auto slow = ParseReplayOptions({"--straggler=3:2", "--straggler=0:4", "--straggler=3:5"});
    NS_TEST_EXPECT_MSG_EQ(slow.stragglers.size(), 2, "a straggler besides another one");
    NS_TEST_EXPECT_MSG_EQ(slow.stragglers.at(3).factor, 5, "of one rank the last wins");
}
