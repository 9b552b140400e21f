/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "named-fabric-test-case.h"

#include "option-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/collective-costs.h"
#include "ns3/collective-latencies.h"
#include "ns3/data-rate.h"
#include "ns3/replay-option-table.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <fstream>
#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Named fabrics: what they set, who wins over them, and what is said of wrong ones.
 */
class FabricSetTestCase : public TestCase
{
  public:
    FabricSetTestCase()
        : TestCase("named fabrics, their precedence and errors")
    {
    }

  private:
    void DoRun() override
    {
        const auto plain = ParseReplayOptions({});
        NS_TEST_EXPECT_MSG_EQ(plain.fabric.nicRate, DataRate("400Gbps"), "none by default");
        const auto set = ParseReplayOptions({"--fabric=h800"});
        NS_TEST_EXPECT_MSG_EQ(set.fabric.hostMemoryRate, DataRate("200Gbps"), "of the set");
        NS_TEST_EXPECT_MSG_EQ(set.fabric.server.nics.size(), 7, "of the set");
        const auto bare = ParseReplayOptions({"--fabric=h800", "--nicsPerServer=4"});
        NS_TEST_EXPECT_MSG_EQ(bare.fabric.server.IsEmpty(), true, "NICs that are typed win");
        const auto typed = ParseReplayOptions({"--fabric=h800", "--server=gpu0+nic0 / gpu1+nic1"});
        NS_TEST_EXPECT_MSG_EQ(typed.fabric.server.gpus.size(), 2, "a server that is typed wins");
        NS_TEST_EXPECT_MSG_EQ(typed.fabric.gpusPerServer, 2, "and has as many ranks as GPUs");
        const auto fewer = ParseReplayOptions({"--gpusPerServer=1", "--server=gpu0+nic0 gpu1"});
        NS_TEST_EXPECT_MSG_EQ(fewer.fabric.gpusPerServer, 1, "unless the user says how many");
        NS_TEST_EXPECT_MSG_EQ(set.fabric.nvlinkRate, DataRate("1318.4Gbps"), "of the set");
        NS_TEST_EXPECT_MSG_EQ(set.IsGiven("nicRate"), false, "nobody typed it");
        NS_TEST_EXPECT_MSG_EQ(set.IsSet("mtu"), true, "but it is set");
        NS_TEST_EXPECT_MSG_EQ(set.ns3Arguments.empty(), false, "attributes go to ns-3");
        // Single options win, wherever they stand.
        for (const auto& arguments : {Arguments{"--nicRate=100Gbps", "--fabric=h800"},
                                      Arguments{"--fabric=h800", "--nicRate=100Gbps"}})
        {
            const auto options = ParseReplayOptions(arguments);
            NS_TEST_EXPECT_MSG_EQ(options.fabric.nicRate, DataRate("100Gbps"), "typed");
            NS_TEST_EXPECT_MSG_EQ(options.fabric.nvlinkRate, DataRate("1318.4Gbps"), "of the set");
        }

        const auto file = Write("own.json",
                                R"({"fabric": "a100", "mtu": 1024,
                                    "ns3::CollectiveCosts::LaunchLatency": "9us"})");
        const auto own = ParseReplayOptions({"--fabric=" + file});
        NS_TEST_EXPECT_MSG_EQ(own.fabric.nvlinkRate, DataRate("1920Gbps"), "of the set it names");
        NS_TEST_EXPECT_MSG_EQ(own.fabric.mtu, 1024, "its own value");
        NS_TEST_EXPECT_MSG_EQ(own.ns3Arguments.back(),
                              "ns3::CollectiveCosts::LaunchLatency=9us",
                              "its own attribute, after that of the set");
        const auto config =
            Write("run.json", R"({"fabric": "h100", "nicRate": "100Gbps", "mtu": 512})");
        const auto both = ParseReplayOptions({"--config=" + config, "--fabric=h800", "--mtu=256"});
        NS_TEST_EXPECT_MSG_EQ(both.fabric.nvlinkRate, DataRate("1318.4Gbps"), "the typed fabric");
        NS_TEST_EXPECT_MSG_EQ(both.fabric.nicRate, DataRate("100Gbps"), "configured, single");
        NS_TEST_EXPECT_MSG_EQ(both.fabric.mtu, 256, "typed, single");
        CheckErrors();
    }

    /// Check what is said of wrong input.
    void CheckErrors()
    {
        CheckError(
            {"--fabric=h8000"},
            "--fabric: error: expected a100, h100, b200, gb200, gb200-nvl72, h800, aws-p4de, "
            "aws-p5, aws-p5en, aws-p6-b200, gcp-a3-mega, gcp-a3-ultra, azure-ndv4, "
            "azure-ndv5, or a file that ends in .json, "
            "found 'h8000'; did you mean h800?");
        const auto file = Write("wrong.json", R"({"nicrate": "100Gbps"})");
        CheckError({"--fabric=" + file},
                   file + ":/nicrate: error: expected fabric, gpusPerServer, nicsPerServer, "
                          "server, hostMemoryRate, nicRate, intraServer, pcieRate, "
                          "socketRate, nvlinkRate, nvSwitches, nvlinkServers, "
                          "nvlinkOversubscription, nvlinkDelay, linkDelay, nicLatency, "
                          "switchLatency, fecLatency, mtu, cc, routing, "
                          "trafficClass, channels, chunkBytes, or "
                          "ns3::CLASS::ATTRIBUTE, found 'nicrate'; did "
                          "you mean nicRate?");
        CheckError({"--world=2", "--dryRun", "--server=gpu0+nic0 gpu1", "--nicsPerServer=1"},
                   "--nicsPerServer: error: expected no nicsPerServer with a server, which says it "
                   "itself, found one");
        CheckError({"--server=gpu0+nic0 gpu1+nic2"},
                   "--server: error: expected nic1, GPUs and NICs each in order from 0 on, found "
                   "'nic2'");
        CheckError({"--collective=all-reduce=ring/lll", "--fabric=h100"},
                   "--collective: error: expected a protocol: simple, ll128, ll, found 'lll'; did "
                   "you mean ll?");
        CheckError({"--world=2", "--dryRun", "--collective=all-reduce=ring/ll"},
                   "--collective: error: expected a fabric, without which protocols cost nothing, "
                   "such as --fabric=h100, found none, but ring/ll");
        CollectiveLatencies latencies;
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/ll=1us:2us"),
                              "\"ring/ll=1us:2us\" is not of the form "
                              "ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK",
                              "a duration too few");
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/lx=1us:2us:3us"),
                              "\"lx\" in \"ring/lx=1us:2us:3us\" is none of simple, ll128 and ll",
                              "no such protocol");
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/ll=1us:2:3us"),
                              "\"2\" in \"ring/ll=1us:2:3us\" is not a duration such as 0.6us",
                              "no unit");
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/ll=1us:2us:3us,,"),
                              "\"\" is not of the form ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK",
                              "nothing between commas");
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/ll=1000ms:0us:12.345us"), "", "large, exact");
        NS_TEST_EXPECT_MSG_EQ(latencies.ToText(), "ring/ll=1000000us:0us:12.345us", "likewise");
        const auto costs = CreateObject<CollectiveCosts>();
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf([&] { costs->SetAttribute("Latencies", StringValue("direct")); }),
            "ns3::CollectiveCosts::Latencies: error: expected "
            "ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK, such as ring/ll=6.6us:0.6us:2.7us, several "
            "with commas between (\"direct\" is not of the form "
            "ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK), found 'direct'",
            "a wrong list");
        NS_TEST_EXPECT_MSG_EQ(latencies.Parse("ring/ll=1us:2us:3.5us"), "", "right");
        NS_TEST_EXPECT_MSG_EQ(latencies.ToText(), "ring/ll=1us:2us:3.5us", "as it was");
    }

    /**
     * @param arguments a command line that is wrong
     * @param expected what is said of it
     */
    void CheckError(const Arguments& arguments, const std::string& expected)
    {
        NS_TEST_EXPECT_MSG_EQ(GetOptionError(arguments), expected, arguments[0]);
    }

    /**
     * @param name name of a file
     * @param text its text
     * @return its path
     */
    std::string Write(const std::string& name, const std::string& text)
    {
        const auto file = CreateTempDirFilename(name);
        std::ofstream(file) << text;
        return file;
    }
};

} // namespace

TestCase*
MakeNamedFabricTestCase()
{
    return new FabricSetTestCase;
}

} // namespace ns3
